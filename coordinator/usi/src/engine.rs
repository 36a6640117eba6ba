//! A single native player as a USI engine: no team, no consultation, no network.
//!
//! The player is made by `isready`, or by the first `go` of a GUI that skips it. Every game is
//! played with the chosen seed; without one, every game has a seed of its own.

mod book_loader;
mod info;
pub(super) mod options;
pub(super) mod search;
#[cfg(test)]
mod tests;
mod timer;

use super::{
    answer_gate::AnswerGate,
    backend::{Backend, GoRequest, SearchControl},
    best_move::BestMove,
    game::GameName,
    option_table::{self, OptionError},
    output::Output,
};
use crate::{clock_options::ClockOptions, scheduling_delay::SchedulingDelay};
use book_loader::BookLoader;
use monju_coordinator::{
    book::{BookAnswer, OpeningBook},
    clock::{ClockRules, TimePolicy},
    pondering::Pondering,
};
use monju_engine::{
    Answer, EvaluatorChoice, GameRules,
    eval::{Noise, NoiseError, Sigma},
};
use monju_host::{
    DEFAULT_HASH_MIB, EvaluatorError, PlayerChoice, load_evaluator,
    search_thread::{GameSetup, SearchPriority, SearchThread},
    searcher::BuiltPlayer,
};
use monju_team::team::Choices;
pub use options::PonderTarget;
use options::{EngineOptions, OPTIONS};
use search::{PlayerSearch, SearchSetup};
use std::{io, path::PathBuf};
use tokio::{sync::mpsc, task::JoinHandle};

/// Choices of the command line of `monju engine`; options that the GUI sets override them.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineChoices {
    /// Transposition table in MiB.
    pub hash_mib: u32,
    /// Standard deviation of the evaluation noise.
    pub sigma: Sigma,
    /// The static evaluation.
    pub evaluator: EvaluatorChoice,
    /// The noise seed of every game.
    pub seed: Option<u64>,
    /// The opening book.
    pub book: Option<PathBuf>,
    /// Threads that search together.
    pub threads: u32,
    /// The way in which the time on a clock is spent.
    pub time_policy: TimePolicy,
    /// The position to ponder on.
    pub pondering: PonderTarget,
}

impl Default for EngineChoices {
    fn default() -> Self {
        Self {
            hash_mib: DEFAULT_HASH_MIB,
            sigma: Sigma::ZERO,
            evaluator: EvaluatorChoice::default(),
            seed: None,
            book: None,
            threads: 1,
            time_policy: TimePolicy::default(),
            pondering: PonderTarget::default(),
        }
    }
}

impl EngineChoices {
    /// Returns the choices of a player in place of a team of these choices. What asks for votes has the next
    /// thing to it.
    pub(super) fn of_team(team: Choices) -> Self {
        let Choices {
            hash_mib,
            sigma,
            evaluator,
            threads,
            book,
            consultation,
            // Of a team alone.
            config: _,
            coordinator: _,
            standby: _,
            players: _,
            resign_below: _,
            log: _,
            tls: _,
        } = team;
        let plain = Self::default();
        Self {
            hash_mib: hash_mib.unwrap_or(plain.hash_mib),
            sigma: sigma.unwrap_or_default(),
            evaluator: evaluator.unwrap_or_default(),
            seed: None,
            book,
            threads: threads.unwrap_or(plain.threads),
            time_policy: match consultation.time_policy {
                Some(TimePolicy::Fixed | TimePolicy::Decided) => TimePolicy::Fixed,
                Some(TimePolicy::Agreement | TimePolicy::Careful) => TimePolicy::Agreement,
                Some(TimePolicy::Learned) => TimePolicy::Learned,
                None => plain.time_policy,
            },
            pondering: match consultation.pondering {
                Some(Pondering::Opponent) => PonderTarget::Opponent,
                Some(Pondering::Predicted | Pondering::Spread) => PonderTarget::Predicted,
                None => plain.pondering,
            },
        }
    }
}

/// The reason why a single player cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The evaluator cannot be loaded.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// The noise is out of range.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The system refuses a thread.
    #[error("cannot start the search thread: {0}")]
    Thread(#[source] io::Error),
}

/// One player on a thread of its own.
#[derive(Debug)]
pub(super) struct SinglePlayer {
    choices: EngineChoices,
    options: EngineOptions,
    game: GameName,
    thread: SearchThread,
    book: BookLoader,
    delay: SchedulingDelay,
}

impl SinglePlayer {
    /// Starts the thread, without a player yet. `delay` is that of the timers of this process.
    ///
    /// # Errors
    /// The evaluator or the noise is wrong, or the system refuses a thread.
    pub fn start(choices: EngineChoices, delay: SchedulingDelay) -> Result<Self, EngineError> {
        let evaluator = load_evaluator(&choices.evaluator)?;
        Noise::new(choices.sigma.in_centipawns(&evaluator), 0)?;
        let build = BuiltPlayer::chosen_or_stand_in;
        let thread = SearchThread::start("search", SearchPriority::Normal, build);
        Ok(Self {
            choices,
            options: EngineOptions::default(),
            game: GameName::first(),
            thread: thread.map_err(EngineError::Thread)?,
            book: BookLoader::new(),
            delay,
        })
    }

    /// Replaces the choices of the command line, under the options that are set.
    pub fn choose(&mut self, choices: EngineChoices) {
        self.choices = choices;
    }

    /// Sets an option that may be one of the team. A value that has no meaning here leaves the default.
    pub fn set_option_leniently(&mut self, name: &str, value: &str) {
        option_table::set_or_reset(OPTIONS, &mut self.options, name, value);
    }

    /// Returns the player and the game of the next search.
    fn game_setup(&self) -> GameSetup {
        let seed = self.options.seed().or(self.choices.seed);
        GameSetup {
            player: PlayerChoice {
                evaluator: self.options.evaluator_over(&self.choices.evaluator),
                sigma: self.options.sigma().unwrap_or(self.choices.sigma),
                hash_mib: self.hash_mib(),
                threads: self.options.threads().unwrap_or(self.choices.threads),
                search: self.options.search(),
                ..PlayerChoice::default()
            },
            game_id: self.game.id(),
            noise_seed: seed.unwrap_or_else(|| self.game.seed(None)),
        }
    }

    /// Starts to build the player, or to clear it for the next game.
    fn prepare(&mut self) {
        let setup = self.game_setup();
        self.thread.prepare(setup).hold_clock();
    }

    /// Returns the file of the book, if the player is to have one.
    fn book_file(&self) -> Option<PathBuf> {
        let options = self.options.book_options();
        let file = options.file.as_ref().or(self.choices.book.as_ref());
        file.filter(|_| !options.without).cloned()
    }

    /// Draws the answer from the book, if the position is in it and a move of the game is asked for.
    fn book_answer(&self, request: &GoRequest) -> Option<BookAnswer> {
        let GoRequest { game, go, .. } = request;
        if go.infinite || !go.search_moves.is_empty() || Answer::by_rules(game).is_some() {
            return None;
        }
        let options = self.options.book_options();
        let book = OpeningBook::new(self.book.book()?).within(options.plies);
        // The noise of a fixed seed is that of every game, but not the opening.
        let seed = self.game.seed(self.options.seed().or(self.choices.seed));
        book.draw(game, seed)
    }
}

impl Backend for SinglePlayer {
    const NAME: &str = "Monju player";

    fn declarations() -> Vec<String> {
        option_table::declarations(OPTIONS)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        option_table::set(OPTIONS, &mut self.options, name, value)
    }

    fn clock_options(&self) -> &ClockOptions {
        self.options.clock()
    }

    fn game_rules(&self) -> GameRules {
        self.options.rules()
    }

    fn hash_mib(&self) -> u32 {
        self.options.hash_mib().unwrap_or(self.choices.hash_mib)
    }

    fn get_ready(&mut self) {
        self.game.advance();
        self.prepare();
        self.book.load_anew(self.book_file());
    }

    fn new_game(&mut self) {
        if self.game.used {
            self.game.advance();
            self.prepare();
            self.book.load(self.book_file());
        }
    }

    fn is_ready(&self) -> bool {
        self.thread.is_settled() && self.book.is_settled()
    }

    fn failure(&self) -> Option<String> {
        let failure = self.thread.failure().map(|failure| failure.to_string());
        failure.or(self.book.failure())
    }

    async fn changed(&mut self) {
        tokio::select! {
            () = self.thread.changed() => {}
            () = self.book.changed() => {}
        }
    }

    fn search(
        &mut self,
        request: GoRequest,
        mut controls: mpsc::UnboundedReceiver<SearchControl>,
        output: Output,
    ) -> JoinHandle<BestMove> {
        self.game.used = true;
        // A GUI may skip `isready`.
        self.book.load(self.book_file());
        if let Some(drawn) = self.book_answer(&request) {
            let gate = AnswerGate::of(&request.go);
            return tokio::spawn(async move {
                gate.opened(&mut controls).await;
                output.say(format!("info string {} from the book", drawn.mv));
                BestMove::from_book(drawn)
            });
        }
        let setup = SearchSetup {
            clock_rules: ClockRules::default(),
            delay: self.delay.clone(),
            time_policy: (self.options.time_policy()).unwrap_or(self.choices.time_policy),
            nodes_time: self.options.nodes_time(),
            pondering: (self.options.pondering()).unwrap_or(self.choices.pondering),
            game_setup: self.game_setup(),
            multi_pv: self.options.multi_pv(),
        };
        let search = PlayerSearch::start(request, setup, self.thread.handle(), controls, output);
        tokio::spawn(search.run())
    }

    async fn close(self) {
        // The running search was told to stop, and the thread ends after it.
    }
}
