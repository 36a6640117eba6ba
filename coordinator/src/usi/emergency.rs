//! The player that answers when no team does.

use super::answer::Answer;
use monju_engine::{Control, Game, Limits, Outcome, Player, PlayerError, PlayerSettings};
use std::time::Duration;
use tokio::task::{JoinError, JoinHandle};

/// Small: it is allocated in the middle of a game, perhaps with little time left.
const HASH_MIB: usize = 8;

/// A single native player, without noise, thinking on a thread of its own. Dropping it stops it.
#[derive(Debug)]
pub struct Emergency {
    control: Control,
    task: JoinHandle<Result<Outcome, PlayerError>>,
    game: Game,
}

impl Emergency {
    /// Starts to think for at most `time`, and no further than `depth` and `nodes`.
    pub fn start(game: &Game, time: Duration, depth: Option<u32>, nodes: Option<u64>) -> Self {
        let control = Control::new();
        let limits = Limits {
            nodes,
            depth,
            time: Some(time),
            ..Limits::default()
        };
        let task = tokio::task::spawn_blocking({
            let game = game.clone();
            let control = control.clone();
            move || {
                let mut player = Player::new(PlayerSettings {
                    hash_mib: HASH_MIB,
                    ..PlayerSettings::default()
                })?;
                Ok(player.think(&game, &limits, &control, &mut |_| {}))
            }
        });
        Self {
            control,
            task,
            game: game.clone(),
        }
    }

    /// Asks for the answer now.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// Waits for the answer; whatever goes wrong, it is one that the rules allow.
    pub async fn answer(&mut self) -> Answer {
        let outcome: Result<Result<Outcome, PlayerError>, JoinError> = (&mut self.task).await;
        match outcome {
            Ok(Ok(outcome)) => match outcome.answer {
                monju_engine::Answer::Move(mv) => Answer::Move { mv, ponder: None },
                monju_engine::Answer::Resign => Answer::Resign,
                monju_engine::Answer::Win => Answer::Win,
            },
            Ok(Err(error)) => {
                tracing::error!(%error, "the emergency player could not start");
                Answer::any(&self.game)
            }
            Err(error) => {
                tracing::error!(%error, "the emergency player failed");
                Answer::any(&self.game)
            }
        }
    }
}

impl Drop for Emergency {
    fn drop(&mut self) {
        self.control.stop();
    }
}
