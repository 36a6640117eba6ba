//! The player that answers when no team does.

use super::{
    answer::Answer,
    engine::{
        options::Pondering,
        search::{Manner, Search},
        thread::{Jobs, PlayerChoice, SearchThread, Searching, Setting, Task},
    },
    output::Output,
    thinker::{Control, Question},
};
use crate::{clock::Tempo, team::Choices};
use monju_engine::{Control as Steering, Game, Limits, SearchChoices, eval::Sigma};
use std::{
    io,
    time::{Duration, Instant},
};
use tokio::{sync::mpsc, time::timeout};

/// While there is a team, it only has to be at hand.
const HASH_MIB: u32 = 8;
/// Where there is none, and nobody has said how much it may take.
const ALONE_HASH_MIB: u32 = 64;

/// One native player without noise. It is made before it is needed: then there may be little time.
#[derive(Debug)]
pub struct Substitute {
    thread: SearchThread,
}

/// Where a search finds the player.
#[derive(Clone, Debug)]
pub struct Stand {
    jobs: Jobs,
    setting: Setting,
    tempo: Tempo,
}

impl Substitute {
    /// Starts its thread; the player is yet to be made.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn start() -> io::Result<Self> {
        let thread = SearchThread::start()?;
        Ok(Self { thread })
    }

    /// Begins to make it ready for a game beside a team of these choices.
    pub fn prepare(&mut self, choices: &Choices, game_id: String) {
        self.thread.prepare(setting(choices, true, game_id));
    }

    /// Where it is found in a game. Without a team it takes the memory that the team would have had.
    pub fn stand(&self, choices: &Choices, has_team: bool, game_id: String) -> Stand {
        Stand {
            jobs: self.thread.desk(),
            setting: setting(choices, has_team, game_id),
            tempo: choices
                .tempo
                .as_deref()
                .and_then(|tempo| tempo.parse().ok())
                .unwrap_or_default(),
        }
    }
}

fn setting(choices: &Choices, has_team: bool, game_id: String) -> Setting {
    let player = PlayerChoice {
        evaluator: choices.evaluator.clone().unwrap_or_default(),
        sigma: Sigma::ZERO,
        hash_mib: match has_team {
            true => HASH_MIB,
            false => choices.hash_mib.unwrap_or(ALONE_HASH_MIB),
        },
        threads: 1,
        search: SearchChoices::NONE,
    };
    Setting {
        player,
        game_id,
        seed: 0,
    }
}

impl Stand {
    /// Answers the question in the team's place, in the time that a team would take, and says what it sees.
    pub async fn answer(
        self,
        question: Question,
        overhead: Duration,
        controls: mpsc::UnboundedReceiver<Control>,
        output: Output,
    ) -> Answer {
        let manner = Manner {
            overhead,
            tempo: self.tempo,
            pondering: Pondering::Predicted,
            setting: self.setting,
        };
        let search = Search::start(question, manner, self.jobs, controls, output);
        search.run().await
    }

    /// Begins a search that says nothing and ends after `time`.
    pub fn think(self, game: &Game, time: Duration) -> Thought {
        let control = Steering::new();
        let task = Task {
            game: game.clone(),
            limits: Limits::default(),
            deadline: Some(Instant::now() + time),
            ponder: false,
            control: control.clone(),
            progress: Box::new(|_| ()),
        };
        Thought {
            outcome: self.jobs.think(self.setting, task),
            control,
            game: game.clone(),
        }
    }
}

/// A search for a move that is due. Dropping it ends it.
#[derive(Debug)]
pub struct Thought {
    control: Steering,
    outcome: Searching,
    game: Game,
}

impl Thought {
    /// Waits for the answer, and asks for it after `patience`; whatever goes wrong, it is one that the
    /// rules allow.
    pub async fn answer_by(&mut self, patience: Duration) -> Answer {
        let outcome = match timeout(patience, &mut self.outcome).await {
            Ok(outcome) => outcome,
            Err(_) => {
                self.control.stop();
                (&mut self.outcome).await
            }
        };
        match outcome {
            Ok(Ok(outcome)) => Answer::from_outcome(&outcome),
            Ok(Err(reason)) => {
                tracing::error!(reason, "the substitute failed");
                Answer::any(&self.game)
            }
            Err(_) => Answer::any(&self.game),
        }
    }
}

impl Drop for Thought {
    fn drop(&mut self) {
        self.control.stop();
    }
}
