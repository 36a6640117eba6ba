//! The fallback search: one native player that finds a move when the players of a team say nothing.
//!
//! It is built before it is needed, since there may be little time then. One thread does one search
//! after the other, so that its memory stays the same however many moves are wanted. Every wait for it
//! is bounded, and every answer is one that the rules allow.

use crate::{
    choice::{BuildError, PlayerChoice},
    search_thread::{GameSetup, SearchHandle, SearchPriority, SearchTask, SearchThread},
    searcher::{BuiltPlayer, SearchFailure},
};
use monju_engine::{Answer, Control, Game, Limits, Move, Outcome};
use std::{
    fmt, io,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    sync::{Notify, watch},
    task::{JoinError, JoinHandle},
    time::timeout,
};

/// Table of the player while there is a team, in MiB: it only has to be at hand.
const TABLE_MIB: u32 = 8;

/// With less time than this a few nodes are searched, which takes milliseconds.
const GLANCE: Duration = Duration::from_millis(40);

/// Nodes of such a search: few enough to be over in milliseconds, enough to see captures and mates.
const GLANCE_NODES: u64 = 5_000;

/// Longest wait for a search that was told to end. It takes 5 ms on an idle machine.
const END_PATIENCE: Duration = Duration::from_millis(40);

/// Owner of the fallback search of a process.
#[derive(Debug)]
pub struct FallbackSearch {
    thread: SearchThread,
    /// The player as it was prepared last; `None` before.
    prepared: watch::Sender<Option<PlayerChoice>>,
}

impl FallbackSearch {
    /// Starts the thread; the player is built by [`FallbackSearch::prepare`], or by the first search.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub fn start() -> io::Result<Self> {
        Self::start_with(BuiltPlayer::chosen_or_stand_in)
    }

    /// As [`FallbackSearch::start`], with another way to build the player.
    ///
    /// # Errors
    /// As those of [`FallbackSearch::start`].
    pub fn start_with(
        build: impl FnMut(&PlayerChoice) -> Result<BuiltPlayer, BuildError> + Send + 'static,
    ) -> io::Result<Self> {
        Ok(Self {
            thread: SearchThread::start("fallback", SearchPriority::Normal, build)?,
            prepared: watch::Sender::new(None),
        })
    }

    /// The player that waits beside a team: without noise, and with a small table.
    pub fn beside_a_team() -> PlayerChoice {
        PlayerChoice {
            hash_mib: TABLE_MIB,
            ..PlayerChoice::default()
        }
    }

    /// Begins to build the player and to clear it for a game. The clock of a test is held meanwhile.
    pub fn prepare(&mut self, player: PlayerChoice, game_id: String) {
        self.prepared.send_replace(Some(player.clone()));
        let setup = setup(player, game_id);
        self.warm_up(setup.clone());
        self.thread.prepare(setup).hold_clock();
    }

    /// Lets the player look at one position before it is cleared for the game: its first move finds its code
    /// and memory at hand.
    fn warm_up(&self, setup: GameSetup) {
        let task = SearchTask {
            game: Game::startpos(),
            limits: Limits {
                nodes: Some(GLANCE_NODES),
                ..Limits::default()
            },
            deadline: None,
            ponder: false,
            urgent: false,
            control: Control::new(),
            progress: Box::new(|_| ()),
        };
        // The preparation reports a player that cannot be built.
        drop(self.thread.handle().think(setup, task));
    }

    /// Returns true when this player was prepared last.
    pub fn is_prepared(&self, player: &PlayerChoice) -> bool {
        self.prepared.borrow().as_ref() == Some(player)
    }

    /// Returns true when the last preparation is over.
    pub fn is_settled(&self) -> bool {
        self.thread.is_settled()
    }

    /// Waits for the end of the next preparation.
    pub async fn changed(&mut self) {
        self.thread.changed().await;
    }

    /// A way to the search, which goes on as long as there is one.
    pub fn handle(&self) -> FallbackHandle {
        FallbackHandle {
            searches: self.thread.handle(),
            prepared: self.prepared.subscribe(),
        }
    }
}

fn setup(player: PlayerChoice, game_id: String) -> GameSetup {
    GameSetup {
        player,
        game_id,
        noise_seed: 0,
    }
}

/// A way to the fallback search. Clones lead to the same one.
#[derive(Clone, Debug)]
pub struct FallbackHandle {
    searches: SearchHandle,
    prepared: watch::Receiver<Option<PlayerChoice>>,
}

impl FallbackHandle {
    /// The queue of the thread, for front ends that let the player answer in the team's place.
    pub fn searches(&self) -> &SearchHandle {
        &self.searches
    }

    /// The player as it was built, in this game: there is no time to build another one.
    pub fn setup(&self, game_id: String) -> GameSetup {
        let prepared = self.prepared.borrow().clone();
        setup(
            prepared.unwrap_or_else(FallbackSearch::beside_a_team),
            game_id,
        )
    }

    /// Begins to search for a move that is due after `time`. With next to no time a few nodes are
    /// searched all the same. The move is one of those `among`, if there are any.
    #[expect(
        clippy::disallowed_methods,
        reason = "the search runs in a thread, by the real clock"
    )]
    pub fn begin(
        &self,
        game: &Game,
        among: &[Move],
        game_id: String,
        time: Duration,
    ) -> FallbackMove {
        let is_glance = time <= GLANCE;
        let time = time.max(GLANCE);
        let control = Control::new();
        let (best, seen) = watch::channel(None);
        let task = SearchTask {
            game: game.clone(),
            limits: Limits {
                nodes: is_glance.then_some(GLANCE_NODES),
                search_moves: among.to_vec(),
                ..Limits::default()
            },
            deadline: Instant::now().checked_add(time),
            ponder: false,
            urgent: is_glance,
            control: control.clone(),
            progress: Box::new(move |line| {
                best.send_replace(line.pv.first().copied());
            }),
        };
        let outcome = self.searches.think(self.setup(game_id), task);
        FallbackMove {
            game: game.clone(),
            time,
            outcome: outcome.hold_clock(),
            seen,
            stop: FallbackStop {
                control,
                told: Arc::default(),
            },
        }
    }
}

/// A move that is being searched for. Dropping it ends the search.
#[derive(Debug)]
pub struct FallbackMove {
    game: Game,
    /// Time that the search takes by itself.
    time: Duration,
    outcome: JoinHandle<Result<Outcome, SearchFailure>>,
    /// The best move so far.
    seen: watch::Receiver<Option<Move>>,
    stop: FallbackStop,
}

/// Ends a fallback search, which then answers from what it has found.
#[derive(Clone, Debug)]
pub struct FallbackStop {
    control: Control,
    told: Arc<Notify>,
}

impl FallbackStop {
    /// Ends the search.
    pub fn stop(&self) {
        self.control.stop();
        self.told.notify_one();
    }
}

/// The answer of a fallback search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FallbackAnswer {
    /// An answer that the rules allow.
    pub answer: Answer,
    /// The reply that the search expects.
    pub reply: Option<Move>,
}

impl FallbackMove {
    /// The means to end the search while it is waited for.
    pub fn stop(&self) -> FallbackStop {
        self.stop.clone()
    }

    /// Waits for the end of the search, which comes when its time is over, or after a stop.
    pub async fn found(mut self) -> FallbackAnswer {
        let told = Arc::clone(&self.stop.told);
        tokio::select! {
            biased;
            outcome = timeout(self.time, &mut self.outcome) => match outcome {
                Ok(outcome) => self.read(Some(outcome)),
                Err(_) => self.end(END_PATIENCE).await,
            },
            () = told.notified() => self.end(END_PATIENCE).await,
        }
    }

    /// Waits for the answer, asks for it after `due`, and does without the end of the search where that
    /// takes more than `patience` longer.
    pub async fn answer_by(&mut self, due: Duration, patience: Duration) -> FallbackAnswer {
        match timeout(due, &mut self.outcome).await {
            Ok(outcome) => self.read(Some(outcome)),
            Err(_) => self.end(patience).await,
        }
    }

    async fn end(&mut self, patience: Duration) -> FallbackAnswer {
        self.stop.control.stop();
        let outcome = timeout(patience, &mut self.outcome).await;
        self.read(outcome.ok())
    }

    /// The outcome, or the best move so far, or any that the rules allow.
    fn read(
        &self,
        outcome: Option<Result<Result<Outcome, SearchFailure>, JoinError>>,
    ) -> FallbackAnswer {
        match outcome {
            Some(Ok(Ok(outcome))) => {
                if let Some(answer) = FallbackAnswer::of(&self.game, &outcome) {
                    return answer;
                }
            }
            Some(Ok(Err(error))) => failed(&error),
            Some(Err(error)) => failed(&error),
            None => tracing::warn!("the fallback search does not end in time"),
        }
        let seen = self.seen.borrow().filter(|&mv| self.game.is_legal(mv));
        FallbackAnswer {
            answer: seen.map_or_else(|| Answer::any(&self.game), Answer::Move),
            reply: None,
        }
    }
}

fn failed(error: &dyn fmt::Display) {
    tracing::error!(%error, "the fallback search failed");
}

impl FallbackAnswer {
    /// The answer of an outcome, unless the rules forbid it.
    fn of(game: &Game, outcome: &Outcome) -> Option<Self> {
        match outcome.answer {
            Answer::Move(mv) if !game.is_legal(mv) => None,
            answer => Some(Self {
                answer,
                reply: outcome.expected_reply(),
            }),
        }
    }
}

impl Drop for FallbackMove {
    fn drop(&mut self) {
        self.stop.control.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;

    #[tokio::test]
    async fn a_prepared_player_answers_with_a_legal_move() {
        let mut fallback = FallbackSearch::start().expect("a thread");
        let player = PlayerChoice {
            hash_mib: 3,
            ..PlayerChoice::default()
        };
        let handle = fallback.handle();
        assert_eq!(
            handle.setup(String::new()).player,
            FallbackSearch::beside_a_team()
        );
        fallback.prepare(player.clone(), "game".to_owned());
        assert!(fallback.is_prepared(&player));
        assert!(!fallback.is_prepared(&FallbackSearch::beside_a_team()));
        assert_eq!(handle.setup(String::new()).player, player);
        while !fallback.is_settled() {
            fallback.changed().await;
        }
        let game = Game::startpos();
        let found = handle.begin(&game, &[], "game".to_owned(), Duration::ZERO);
        let Answer::Move(mv) = found.found().await.answer else {
            panic!("no move")
        };
        assert!(game.is_legal(mv));
    }

    #[tokio::test]
    async fn a_stop_ends_a_search_and_a_queued_one_is_bounded() {
        let fallback = FallbackSearch::start().expect("a thread");
        let game = Game::startpos();
        let handle = fallback.handle();
        let long = Duration::from_secs(600);
        let first = handle.begin(&game, &[], "a".to_owned(), long);
        let second = handle.begin(&game, &[], "b".to_owned(), long);
        let (stop_first, stop_second) = (first.stop(), second.stop());
        // The second search never begins: the first has the thread.
        stop_second.stop();
        assert_eq!(second.found().await.answer, Answer::any(&game));
        stop_first.stop();
        assert!(matches!(first.found().await.answer, Answer::Move(_)));
    }

    #[tokio::test]
    async fn a_mated_side_resigns() {
        let mated = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
        let game = Game::from_usi(mated).expect("a position");
        let fallback = FallbackSearch::start().expect("a thread");
        let handle = fallback.handle();
        let found = handle.begin(&game, &[], String::new(), Duration::ZERO);
        assert_eq!(found.found().await.answer, Answer::Resign);
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_that_does_not_end_is_not_waited_for() {
        let game = Game::startpos();
        let mv = game.parse_move("9g9f").expect("a legal move");
        for best in [None, Some(mv)] {
            let (_sees, seen) = watch::channel(best);
            let mut endless = FallbackMove {
                game: game.clone(),
                time: Duration::from_secs(1),
                outcome: tokio::spawn(pending()),
                seen,
                stop: FallbackStop {
                    control: Control::new(),
                    told: Arc::default(),
                },
            };
            let due = Duration::from_millis(10);
            let found = endless.answer_by(due, Duration::from_millis(5)).await;
            let expected = best.map_or(Answer::any(&game), Answer::Move);
            assert_eq!((found.answer, found.reply), (expected, None));
            assert_eq!(endless.found().await.answer, expected);
        }
    }
}
