//! The player: a search with an evaluator and its own evaluation noise, one voter of an ensemble.

mod any_search;
mod settings;

pub use settings::{PlayerError, PlayerSettings};

use crate::{
    eval::{Noise, NoiseModel},
    rules::{Game, Move},
    search::{Bound, Control, Limits, Line, MoveJudgement, Sampler, Score, SearchSample},
};
use any_search::{AnySearch, SearchRequest, any_search};

/// Choice of a player in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Plays a legal move.
    Move(Move),
    /// Resigns: there is no legal move.
    Resign,
    /// Declares a win by an entering king.
    Win,
}

/// Result of one search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The player's choice.
    pub answer: Answer,
    /// The last line of the search.
    pub line: Line,
}

/// A player: a search with an evaluator, evaluation noise and a memory of the game.
///
/// ```
/// use monju_engine::{Answer, Control, Game, Limits, Model, Player, PlayerSettings, Score};
/// let settings = PlayerSettings {
///     evaluator: Model::material(),
///     hash_mib: 1,
///     ..PlayerSettings::default()
/// };
/// let mut player = Player::new(settings)?;
/// player.new_game(1);
/// let game = Game::from_usi("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
/// let limits = Limits {
///     depth: Some(2),
///     ..Limits::default()
/// };
/// let outcome = player.think(&game, &limits, &Control::new(), &mut |_| ());
/// assert_eq!(outcome.line.score, Score::Mate(1));
/// assert!(matches!(outcome.answer, Answer::Move(mv) if mv.to_string() == "G*5b"));
/// # Ok::<(), monju_engine::PlayerError>(())
/// ```
pub struct Player {
    settings: PlayerSettings,
    /// Noise of the evaluations of each lane; zero when the noise is added elsewhere.
    noises: Vec<Noise>,
    /// Noise of the leaves of each lane, when the noise is added there.
    leaf_noises: Option<Vec<Noise>>,
    /// Seed of the noise that has been added to the weights.
    weights_seed: Option<u64>,
    search: Box<dyn AnySearch>,
    /// The search has been used since it was cleared, which takes a while for a large table.
    is_used: bool,
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Player {
    /// Checks the settings and allocates the tables.
    ///
    /// # Errors
    /// A setting is out of range, or the system lacks the memory.
    pub fn new(settings: PlayerSettings) -> Result<Self, PlayerError> {
        PlayerSettings::check_hash(settings.hash_mib)?;
        PlayerSettings::check_threads(settings.threads)?;
        PlayerSettings::check_lanes(settings.lanes)?;
        PlayerSettings::check_lane_threads(settings.lanes, settings.threads)?;
        PlayerSettings::check_lane_search(settings.lanes, &settings.search)?;
        let noise = Noise::new(settings.sigma, 0)?;
        let none = Noise::new(0.0, 0)?;
        let (noise, leaf_noise) = match settings.noise_model {
            NoiseModel::Position => (noise, None),
            NoiseModel::Leaf => (none, Some(noise)),
            NoiseModel::Weights => (none, None),
        };
        Ok(Self {
            weights_seed: None,
            search: any_search(&settings).map_err(|_| PlayerError::Memory(settings.hash_mib))?,
            is_used: false,
            noises: vec![noise; settings.lanes],
            leaf_noises: leaf_noise.map(|noise| vec![noise; settings.lanes]),
            settings,
        })
    }

    /// Returns the settings of the player.
    pub fn settings(&self) -> &PlayerSettings {
        &self.settings
    }

    /// Forgets the last game and sets the noise seed of the next one.
    pub fn new_game(&mut self, noise_seed: u64) {
        for noises in [Some(&mut self.noises), self.leaf_noises.as_mut()]
            .into_iter()
            .flatten()
        {
            for (lane, noise) in noises.iter_mut().enumerate() {
                noise.reseed(noise_seed.wrapping_add(lane as u64));
            }
        }
        self.perturb(noise_seed);
        if self.is_used {
            self.search.clear();
            self.is_used = false;
        }
    }

    /// Adds noise to the weights, if the settings ask for noise there.
    fn perturb(&mut self, noise_seed: u64) {
        let is_due = self.settings.noise_model == NoiseModel::Weights
            && self.settings.sigma > 0.0
            && self.weights_seed != Some(noise_seed);
        if is_due && let Ok(noise) = Noise::new(self.settings.sigma, noise_seed) {
            self.search.perturb(&noise);
            self.weights_seed = Some(noise_seed);
        }
    }

    /// Lets searches of one thread and one lane take samples of their moves, one of so many, from which a
    /// judgement is learned (Shimoyama). The sampled moves are searched in full as well, so that such a
    /// search is another one.
    pub fn begin_sampling(&mut self, judgement: MoveJudgement, every: u32) {
        self.search.begin_sampling(Sampler::new(judgement, every));
    }

    /// Returns the samples since the last call.
    pub fn take_samples(&mut self) -> Vec<SearchSample> {
        self.search.take_samples()
    }

    /// Searches until a limit is reached or `control` stops the search. Calls `progress` at every
    /// new best move and after every iteration. Blocks, and needs a thread with a stack of
    /// [`STACK_BYTES`](crate::STACK_BYTES).
    ///
    /// With one thread, a node or depth limit and no time limit the outcome is a pure function of
    /// the game, the settings, the noise seed and the searches since [`Player::new_game`].
    pub fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome {
        control.apply(limits);
        match Answer::by_rules(game) {
            Some(Answer::Resign) => return without_search(Answer::Resign, Score::Mate(0)),
            Some(answer) => return without_search(answer, Score::Mate(1)),
            None => {}
        }
        let legal = game.legal_moves();
        self.is_used = true;
        let request = SearchRequest {
            game,
            legal: &legal,
            limits,
            control,
            noises: &self.noises,
            leaf_noises: self.leaf_noises.as_deref(),
        };
        let line = self.search.search(&request, progress);
        let mv = line.pv.first().copied().unwrap_or(legal[0]);
        Outcome {
            answer: Answer::Move(mv),
            line,
        }
    }

    /// Searches from the opponent's position while the opponent thinks, so that every reply is
    /// prepared for (Shimoyama, section 9). The best moves of the positions on the way are recorded
    /// in the ponder table, which later searches read until the next ponder search. The outcome is
    /// the opponent's, but a draw is worth what it is to us.
    pub fn ponder(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome {
        // Without memory for the ponder table, only the transposition table is prepared.
        let _ = self.search.begin_recording();
        let us = !game.position().side_to_move();
        let game = game.clone().with_rules(game.rules().with_draws_of(us));
        let outcome = self.think(&game, limits, control, progress);
        self.search.end_recording();
        outcome
    }
}

/// Returns the outcome in a position that the rules decide.
fn without_search(answer: Answer, score: Score) -> Outcome {
    Outcome {
        answer,
        line: Line::unsearched(Vec::from_iter(answer.as_move()), score, Bound::Exact),
    }
}
