//! One native player as a USI engine: no team, no consultation, no network.
//!
//! The player is made, and made anew, by `isready`, or by the first `go` of a GUI that skips it.
//! Every game is played with the chosen seed; without one, every game has a seed of its own.

mod info;
pub(super) mod options;
pub(super) mod search;
#[cfg(test)]
mod tests;
mod timer;

use super::{
    answer::Answer,
    game::GameName,
    output::Output,
    thinker::{Control, Question, Thinker},
    values::OptionError,
};
use anyhow::Context;
use monju_engine::{
    EvaluatorChoice,
    eval::{Noise, Sigma},
};
use monju_host::{
    PlayerChoice, load_evaluator,
    search_thread::{BuiltPlayer, GameSetup, SearchPriority, SearchThread},
};
use options::Options;
use search::{Manner, Search};
use tokio::{sync::mpsc, task::JoinHandle};

/// What is chosen on the command line of `monju engine`; options that the GUI sets go before it.
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
}

/// One player on a thread of its own.
#[derive(Debug)]
pub struct Engine {
    choices: EngineChoices,
    options: Options,
    game: GameName,
    thread: SearchThread,
}

impl Engine {
    /// Starts the thread; the player is yet to be made.
    ///
    /// # Errors
    /// There is no such noise or evaluator, or no thread to be had.
    pub fn start(choices: EngineChoices) -> anyhow::Result<Self> {
        let evaluator = load_evaluator(&choices.evaluator)?;
        Noise::new(choices.sigma.in_centipawns(&evaluator), 0)?;
        Ok(Self {
            choices,
            options: Options::default(),
            game: GameName::first(),
            thread: SearchThread::start(
                "search",
                SearchPriority::Normal,
                BuiltPlayer::chosen_or_stand_in,
            )
            .context("cannot start the search thread")?,
        })
    }

    /// What the next search is made with.
    fn setup(&self) -> GameSetup {
        let seed = self.options.seed().or(self.choices.seed);
        GameSetup {
            player: PlayerChoice {
                evaluator: self
                    .options
                    .evaluator()
                    .unwrap_or(&self.choices.evaluator)
                    .clone(),
                sigma: self.options.sigma().unwrap_or(self.choices.sigma),
                hash_mib: self.hash_mib(),
                threads: self.options.threads(),
                search: self.options.search(),
                ..PlayerChoice::default()
            },
            game_id: self.game.id(),
            noise_seed: seed.unwrap_or_else(|| self.game.seed(None)),
        }
    }
}

impl Engine {
    /// Begins to build the player, or to clear it for the next game.
    fn prepare(&mut self) {
        let setup = self.setup();
        self.thread.prepare(setup).hold_clock();
    }
}

impl Thinker for Engine {
    const NAME: &str = "Monju player";

    fn declarations() -> Vec<String> {
        Options::declarations()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.set(name, value)
    }

    fn hash_mib(&self) -> u32 {
        self.options.hash_mib().unwrap_or(self.choices.hash_mib)
    }

    fn get_ready(&mut self) {
        self.game.advance();
        self.prepare();
    }

    fn new_game(&mut self) {
        if self.game.used {
            self.game.advance();
            self.prepare();
        }
    }

    fn is_ready(&self) -> bool {
        self.thread.is_settled()
    }

    fn failure(&self) -> Option<String> {
        self.thread.failure().map(|failure| failure.to_string())
    }

    async fn changed(&mut self) {
        self.thread.changed().await;
    }

    fn think(
        &mut self,
        question: Question,
        controls: mpsc::UnboundedReceiver<Control>,
        output: Output,
    ) -> JoinHandle<Answer> {
        self.game.used = true;
        let manner = Manner {
            overhead: self.options.move_overhead().into(),
            time_policy: self.options.time_policy(),
            pondering: self.options.pondering(),
            setup: self.setup(),
        };
        let search = Search::start(question, manner, self.thread.handle(), controls, output);
        tokio::spawn(search.run())
    }

    async fn close(self) {
        // A search that was running has been told to stop, and the thread ends after it.
    }
}
