//! One voter: a search, an evaluator, and its own noise.

mod carried;

use crate::{
    eval::{Model, Noise, NoiseError, NoiseModel},
    rules::{Game, Move},
    search::{Bound, Control, Limits, Line, MAX_LANES, Score, SearchChoices, Table},
};
use carried::{Carried, Task, carry};
use std::time::Duration;

/// Everything that makes a player differ from its neighbours, except the noise seed of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSettings {
    /// The static evaluation.
    pub evaluator: Model,
    /// Standard deviation of the evaluation noise in centipawns; 0 for none (paper 002, section 2).
    pub sigma: f64,
    /// What the noise is added to.
    pub noise_model: NoiseModel,
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Threads that search together, this one included. With more than one, outcomes depend on
    /// how the operating system runs them, and a node limit is kept only nearly.
    pub threads: usize,
    /// Virtual players that one search carries as a vector, each with noise of its own (paper 000,
    /// section 4); 1 for an ordinary search. Lane *i* has the noise seed of the player plus *i*.
    pub lanes: usize,
    /// Switches and numbers of the search; those of the evaluator where none are chosen.
    pub search: SearchChoices,
}

impl PlayerSettings {
    /// The largest number of threads.
    pub const MAX_THREADS: usize = 256;

    /// Whether a transposition table can have this size in MiB.
    ///
    /// # Errors
    /// It would be empty, or larger than any machine's memory.
    pub fn check_hash(given: usize) -> Result<(), PlayerError> {
        if (1..=Table::MAX_MIB).contains(&given) {
            return Ok(());
        }
        Err(PlayerError::Hash {
            given,
            max: Table::MAX_MIB,
        })
    }

    /// Whether one search can carry this many virtual players.
    ///
    /// # Errors
    /// There are none, or too many.
    pub fn check_lanes(given: usize) -> Result<(), PlayerError> {
        if (1..=MAX_LANES).contains(&given) {
            return Ok(());
        }
        Err(PlayerError::Lanes {
            given,
            max: MAX_LANES,
        })
    }

    /// Whether a player can have this many threads.
    ///
    /// # Errors
    /// There are none, or too many.
    pub fn check_threads(given: usize) -> Result<(), PlayerError> {
        if (1..=Self::MAX_THREADS).contains(&given) {
            return Ok(());
        }
        Err(PlayerError::Threads {
            given,
            max: Self::MAX_THREADS,
        })
    }
}

impl Default for PlayerSettings {
    fn default() -> Self {
        Self {
            evaluator: Model::default(),
            sigma: 0.0,
            noise_model: NoiseModel::default(),
            hash_mib: 64,
            threads: 1,
            lanes: 1,
            search: SearchChoices::NONE,
        }
    }
}

/// Why a player could not be made.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum PlayerError {
    /// There is no noise of this standard deviation.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The transposition table cannot have this size.
    #[error("hash must be between 1 and {max} MiB, not {given}")]
    Hash {
        /// The size asked for, in MiB.
        given: usize,
        /// The largest size, in MiB.
        max: usize,
    },
    /// The system has no room for a table of so many MiB.
    #[error("no memory for a hash of {0} MiB, choose a smaller one")]
    Memory(usize),
    /// One search cannot carry this many virtual players.
    #[error("lanes must be between 1 and {max}, not {given}")]
    Lanes {
        /// The number asked for.
        given: usize,
        /// The largest number.
        max: usize,
    },
    /// The search cannot have this many threads.
    #[error("threads must be between 1 and {max}, not {given}")]
    Threads {
        /// The number asked for.
        given: usize,
        /// The largest number.
        max: usize,
    },
}

/// What a player answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A legal move.
    Move(Move),
    /// There is no legal move: the side to move is mated.
    Resign,
    /// The side to move may declare a win (27-point rule).
    Win,
}

/// The end of one search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What the player would play.
    pub answer: Answer,
    /// What it thinks of the position.
    pub line: Line,
}

/// One voter.
pub struct Player {
    settings: PlayerSettings,
    /// The noise of every evaluation, one for each lane; silent when it was added to the weights.
    noises: Vec<Noise>,
    /// The seed by which noise was added to the weights, if it was.
    weights_seed: Option<u64>,
    memory: Box<dyn Carried>,
    /// Whether the memory holds anything: clearing a large table takes a while.
    remembers: bool,
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Player {
    /// Allocates the table and checks the settings.
    ///
    /// # Errors
    /// A setting is out of range.
    pub fn new(settings: PlayerSettings) -> Result<Self, PlayerError> {
        PlayerSettings::check_hash(settings.hash_mib)?;
        PlayerSettings::check_threads(settings.threads)?;
        PlayerSettings::check_lanes(settings.lanes)?;
        let noise = match settings.noise_model {
            NoiseModel::Position => Noise::new(settings.sigma, 0)?,
            NoiseModel::Weights => Noise::new(settings.sigma, 0).and(Noise::new(0.0, 0))?,
        };
        Ok(Self {
            weights_seed: None,
            memory: carry(&settings).map_err(|_| PlayerError::Memory(settings.hash_mib))?,
            remembers: false,
            noises: vec![noise; settings.lanes],
            settings,
        })
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &PlayerSettings {
        &self.settings
    }

    /// Forgets the last game, and takes the noise seed of the next one.
    pub fn new_game(&mut self, noise_seed: u64) {
        for (lane, noise) in self.noises.iter_mut().enumerate() {
            noise.reseed(noise_seed.wrapping_add(lane as u64));
        }
        self.perturb(noise_seed);
        if self.remembers {
            self.memory.clear();
            self.remembers = false;
        }
    }

    /// Adds noise to the weights, where that is how the player is told from its neighbours.
    fn perturb(&mut self, noise_seed: u64) {
        let is_due = self.settings.noise_model == NoiseModel::Weights
            && self.settings.sigma > 0.0
            && self.weights_seed != Some(noise_seed);
        if is_due && let Ok(noise) = Noise::new(self.settings.sigma, noise_seed) {
            self.memory.perturb(&noise);
            self.weights_seed = Some(noise_seed);
        }
    }

    /// Searches until a limit is reached or `control` says stop, calling `progress` at every new
    /// best move and every finished iteration. Blocks; run it on a thread of its own with a stack
    /// of 16 MiB.
    ///
    /// With one thread, a node or depth limit and no time limit the outcome is a pure function of
    /// the game, the settings and the noise seed, given the same searches since
    /// [`Player::new_game`].
    pub fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome {
        control.apply(limits);
        if game.can_declare_win() {
            return without_search(Answer::Win, Score::Mate(1));
        }
        let legal = game.legal_moves();
        if legal.is_empty() {
            return without_search(Answer::Resign, Score::Mate(0));
        }
        self.remembers = true;
        let task = Task {
            game,
            legal: &legal,
            limits,
            control,
            noises: &self.noises,
        };
        let line = self.memory.search(&task, progress);
        let mv = line.pv.first().copied().unwrap_or(legal[0]);
        Outcome {
            answer: Answer::Move(mv),
            line,
        }
    }
}

impl Player {
    /// Searches from the opponent's position while the opponent thinks (paper 003, section 9): every
    /// reply is prepared for, not one alone. The best moves on the way are kept in a table of their
    /// own, which later searches read until the next ponder. The outcome is the opponent's.
    pub fn ponder(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome {
        // Where there is no room for it, the transposition table has to do.
        let _ = self.memory.record_replies();
        let outcome = self.think(game, limits, control, progress);
        self.memory.read_replies();
        outcome
    }
}

/// The outcome in a position that the rules decide.
fn without_search(answer: Answer, score: Score) -> Outcome {
    Outcome {
        answer,
        line: Line {
            pv: Vec::new(),
            score,
            bound: Bound::Exact,
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            time: Duration::ZERO,
            candidates: Vec::new(),
            lanes: Vec::new(),
        },
    }
}
