//! The player that answers when no team does.

use super::{
    backend::{SearchControl, SearchRequest},
    best_move::BestMove,
    engine::{
        options::PonderTarget,
        search::{PlayerSearch, SearchSetup},
        thread::{Jobs, PlayerChoice, SearchThread, Searching, Setting, Task},
    },
    output::Output,
};
use monju_coordinator::clock::TimePolicy;
use monju_engine::{Control as Steering, Game, Limits, Move, SearchChoices, eval::Sigma};
use monju_team::team::Choices;
use std::{
    io,
    time::{Duration, Instant},
};
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};

/// While there is a team, it only has to be at hand.
const HASH_MIB: u32 = 8;
/// Where there is none, and nobody has said how much it may take.
const ALONE_HASH_MIB: u32 = 64;

/// One native player without noise. It is made before it is needed: then there may be little time.
#[derive(Debug)]
pub struct Substitute {
    thread: SearchThread,
    /// What was made last.
    prepared: Option<PlayerChoice>,
}

/// Where a search finds the player.
#[derive(Clone, Debug)]
pub struct Stand {
    jobs: Jobs,
    setting: Setting,
    time_policy: TimePolicy,
}

impl Substitute {
    /// Starts its thread; the player is yet to be made.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn start() -> io::Result<Self> {
        Ok(Self {
            thread: SearchThread::start()?,
            prepared: None,
        })
    }

    /// Begins to make it ready for a game beside a team of these choices, or, without a team, for one that
    /// it plays with the memory that the team would have had.
    pub fn prepare(&mut self, choices: &Choices, has_team: bool, game_id: String) {
        let player = player(choices, has_team);
        self.prepared = Some(player.clone());
        self.thread.prepare(setting(player, game_id));
    }

    /// Whether it is ready for what a team of these choices has left to it.
    pub fn is_prepared(&self, choices: &Choices, has_team: bool) -> bool {
        self.prepared.as_ref() == Some(&player(choices, has_team))
    }

    /// Whether it has been made.
    pub fn is_ready(&self) -> bool {
        self.thread.is_settled()
    }

    /// Waits for the next change of that.
    pub async fn changed(&mut self) {
        self.thread.changed().await;
    }

    /// Where it is found in a game: as it was made, for the clock runs.
    pub fn stand(&self, choices: &Choices, game_id: String) -> Stand {
        let prepared = self.prepared.clone();
        let player = prepared.unwrap_or_else(|| player(choices, true));
        Stand {
            jobs: self.thread.desk(),
            setting: setting(player, game_id),
            time_policy: choices
                .time_policy
                .as_deref()
                .and_then(|time_policy| time_policy.parse().ok())
                .unwrap_or_default(),
        }
    }
}

fn player(choices: &Choices, has_team: bool) -> PlayerChoice {
    PlayerChoice {
        evaluator: choices.evaluator.clone().unwrap_or_default(),
        sigma: Sigma::ZERO,
        hash_mib: match has_team {
            true => HASH_MIB,
            false => choices.hash_mib.unwrap_or(ALONE_HASH_MIB),
        },
        threads: 1,
        search: SearchChoices::NONE,
    }
}

fn setting(player: PlayerChoice, game_id: String) -> Setting {
    Setting {
        player,
        game_id,
        seed: 0,
    }
}

impl Stand {
    /// Answers the request in the team's place, in the time that a team would take, and says what it sees.
    pub async fn answer(
        self,
        request: SearchRequest,
        overhead: Duration,
        controls: mpsc::UnboundedReceiver<SearchControl>,
        output: Output,
    ) -> BestMove {
        let setup = SearchSetup {
            overhead: overhead.into(),
            time_policy: self.time_policy,
            pondering: PonderTarget::Predicted,
            setting: self.setting,
        };
        let search = PlayerSearch::start(request, setup, self.jobs, controls, output);
        search.run().await
    }

    /// Begins a search that says nothing and ends after `time`.
    pub fn think(self, game: &Game, time: Duration) -> Thought {
        let control = Steering::new();
        let (sees, seen) = watch::channel(None);
        let task = Task {
            game: game.clone(),
            limits: Limits::default(),
            deadline: Some(Instant::now() + time),
            ponder: false,
            control: control.clone(),
            progress: Box::new(move |line| {
                sees.send_replace(line.pv.first().copied());
            }),
        };
        Thought {
            outcome: self.jobs.think(self.setting, task),
            control,
            seen,
            game: game.clone(),
        }
    }
}

/// A search for a move that is due. Dropping it ends it.
#[derive(Debug)]
pub struct Thought {
    control: Steering,
    outcome: Searching,
    /// The best move so far.
    seen: watch::Receiver<Option<Move>>,
    game: Game,
}

impl Thought {
    /// Waits for the answer, asks for it after `due`, and does without it where it has not come after `patience`
    /// more; whatever goes wrong, it is one that the rules allow.
    pub async fn answer_by(&mut self, due: Duration, patience: Duration) -> BestMove {
        let mut outcome = timeout(due, &mut self.outcome).await;
        if outcome.is_err() {
            self.control.stop();
            outcome = timeout(patience, &mut self.outcome).await;
        }
        match outcome {
            Ok(Ok(Ok(outcome))) => return BestMove::from_outcome(&outcome),
            Ok(Ok(Err(reason))) => tracing::error!(reason, "the substitute failed"),
            Ok(Err(_)) => tracing::error!("the substitute failed"),
            Err(_) => tracing::warn!("the substitute does not end in time"),
        }
        let seen = self.seen.borrow().filter(|&mv| self.game.is_legal(mv));
        seen.map_or_else(|| BestMove::any(&self.game), BestMove::from)
    }
}

impl Drop for Thought {
    fn drop(&mut self) {
        self.control.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;

    #[tokio::test]
    async fn it_plays_as_it_was_made() {
        let mut substitute = Substitute::start().expect("a thread");
        let choices = Choices {
            hash_mib: Some(3),
            ..Choices::default()
        };
        let hash_mib = |substitute: &Substitute| {
            let stand = substitute.stand(&choices, "game".to_owned());
            stand.setting.player.hash_mib
        };
        assert_eq!(
            hash_mib(&substitute),
            HASH_MIB,
            "nobody has asked for it yet"
        );
        substitute.prepare(&choices, false, "game".to_owned());
        assert!(substitute.is_prepared(&choices, false));
        assert!(!substitute.is_prepared(&choices, true));
        assert_eq!(hash_mib(&substitute), 3);
        while !substitute.is_ready() {
            substitute.changed().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_that_does_not_end_is_not_waited_for() {
        let game = Game::startpos();
        let mv = game.parse_move("9g9f").expect("a legal move");
        for best in [None, Some(mv)] {
            let (_sees, seen) = watch::channel(best);
            let mut thought = Thought {
                control: Steering::new(),
                outcome: tokio::spawn(pending()),
                seen,
                game: game.clone(),
            };
            let answer = thought
                .answer_by(Duration::from_millis(10), Duration::from_millis(5))
                .await;
            let expected = best.map_or(BestMove::any(&game), BestMove::from);
            assert_eq!(answer, expected);
        }
    }
}
