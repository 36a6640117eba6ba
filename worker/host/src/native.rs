//! Native players: a search of `monju-engine` on a thread of its own.

use crate::{
    choice::{BuildError, PlayerChoice},
    limits::{OwnLimits, own_first},
    player::{NotReady, Order, PlayerAnswer, PlayerBackend, Steer, Steering, ThinkFailure},
    search_thread::{GameSetup, Scheduling, SearchTask, SearchThread},
    searcher::BuiltPlayer,
};
use monju_engine::{Control, Limits};
use monju_proto::v1;
use std::io;
use tokio::{sync::watch, time::Instant};

/// Source of the noise seed of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeding {
    /// No noise: seeds do not matter.
    Noiseless,
    /// This seed in every game.
    Fixed(u64),
    /// The seed that comes with each game.
    PerGame,
}

/// A native player, seen from its actor.
pub struct NativePlayer {
    own: OwnLimits,
    seeding: Seeding,
    choice: PlayerChoice,
    thread: SearchThread,
    /// Steers the running search, so that closing can end it.
    running: Control,
}

/// Why a native player cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum NativeStartError {
    /// It cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The system refuses another thread.
    #[error(transparent)]
    Thread(#[from] io::Error),
}

impl NativePlayer {
    /// Builds a player and starts its thread, called `name`. `build` is called again after a panic.
    pub fn start(
        name: &str,
        own: OwnLimits,
        seeding: Seeding,
        scheduling: impl Into<Scheduling>,
        choice: PlayerChoice,
        mut build: impl FnMut() -> Result<BuiltPlayer, BuildError> + Send + 'static,
    ) -> Result<Self, NativeStartError> {
        let built = Some((choice.clone(), build()?));
        Ok(Self {
            own,
            seeding,
            choice,
            thread: SearchThread::start_with(name, scheduling, built, move |_| build())?,
            running: Control::new(),
        })
    }

    fn setup(&self, game_id: &str, noise_seed: Option<u64>) -> GameSetup {
        GameSetup {
            player: self.choice.clone(),
            game_id: game_id.to_owned(),
            noise_seed: noise_seed.unwrap_or(0),
        }
    }

    fn seed_in_force(&self, game_seed: u64) -> Option<u64> {
        match self.seeding {
            Seeding::Noiseless => None,
            Seeding::Fixed(seed) => Some(seed),
            Seeding::PerGame => Some(game_seed),
        }
    }
}

impl PlayerBackend for NativePlayer {
    async fn tend(&mut self) {
        std::future::pending().await
    }

    async fn new_game(&mut self, game_id: &str) -> Result<Vec<String>, NotReady> {
        // A seed that comes with the first think costs nothing more: the memory is clear by then.
        let setup = self.setup(game_id, self.seed_in_force(0));
        self.thread.prepare(setup).done().await?;
        Ok(Vec::new())
    }

    async fn think(
        &mut self,
        mut order: Order,
        progress: &watch::Sender<v1::Line>,
        steering: &mut Steering<'_>,
    ) -> Result<PlayerAnswer, ThinkFailure> {
        let noise_seed = self.seed_in_force(order.noise_seed);
        let control = Control::new();
        self.running = control.clone();
        let asked = own_first(&self.own, &order.limits);
        let limits = if order.ponder {
            Limits {
                // A running search cannot be told to rank more moves, or to leave moves out.
                multi_pv: asked.multi_pv,
                search_moves: asked.search_moves.clone(),
                ..Limits::default()
            }
        } else {
            order.remaining(asked)
        };
        let progress = progress.clone();
        let task = SearchTask {
            game: order.game.clone(),
            limits,
            deadline: None,
            ponder: order.opponents_turn,
            urgent: false,
            control: control.clone(),
            progress: Box::new(move |line| {
                progress.send_replace(line.into());
            }),
        };
        let setup = self.setup(&order.game_id, noise_seed);
        let mut outcome = self.thread.handle().think(setup, task);

        // A pondering search may end by itself; its answer is held until stop or ponder hit.
        let mut held = None;
        loop {
            tokio::select! {
                outcome = outcome.wait(), if held.is_none() => {
                    held = Some(PlayerAnswer { line: v1::Line::from(&outcome?), noise_seed });
                }
                steer = steering.next() => match steer {
                    Steer::Stop => {
                        order.ponder = false;
                        control.stop();
                    }
                    Steer::PonderHit { limits, at } if order.ponder => {
                        order.hit(limits, at);
                        let limits = order.remaining(own_first(&self.own, &order.limits));
                        apply(&control, &limits);
                    }
                    Steer::PonderHit { .. } => {}
                },
            }
            if !order.ponder
                && let Some(answer) = held.take()
            {
                return Ok(answer);
            }
        }
    }

    async fn close(self) {
        self.running.stop();
        self.thread.end().await;
    }
}

/// Gives limits to a search that runs without any.
fn apply(control: &Control, limits: &Limits) {
    if let Some(nodes) = limits.nodes {
        control.limit_nodes(nodes);
    }
    if let Some(depth) = limits.depth {
        control.limit_depth(depth);
    }
    if let Some(time) = limits.time {
        control.stop_at((Instant::now() + time).into_std());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{player, searcher::GameSearcher};
    use monju_engine::{self as engine, Game, Outcome};
    use std::sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
        mpsc,
    };

    /// Notes the seeds of its games, and panics when a think has one node.
    struct SeedRecorder {
        seeds: mpsc::Sender<u64>,
    }

    impl GameSearcher for SeedRecorder {
        fn new_game(&mut self, noise_seed: u64) {
            self.seeds.send(noise_seed).expect("the test listens");
        }

        fn think(
            &mut self,
            game: &Game,
            limits: &Limits,
            _: &Control,
            _: &mut dyn FnMut(&engine::Line),
        ) -> Outcome {
            assert_ne!(limits.nodes, Some(1), "one node is too few");
            let asked = limits.search_moves.first().copied();
            let mv = asked.unwrap_or_else(|| game.legal_moves()[0]);
            Outcome {
                answer: engine::Answer::Move(mv),
                line: engine::Line {
                    depth: 1,
                    selective_depth: 2,
                    nodes: 3,
                    time: std::time::Duration::from_millis(4),
                    ..engine::Line::unsearched(
                        vec![mv],
                        engine::Score::Mate(-2),
                        engine::Bound::Lower,
                    )
                },
            }
        }

        fn ponder(
            &mut self,
            _: &Game,
            _: &Limits,
            _: &Control,
            _: &mut dyn FnMut(&engine::Line),
        ) -> Outcome {
            unreachable!("a player of a worker ponders by thinking without limits")
        }
    }

    fn order(game_id: &str, noise_seed: u64, nodes: u64) -> Order {
        Order {
            game_id: game_id.to_owned(),
            game: Game::startpos(),
            limits: Limits {
                nodes: Some(nodes),
                ..Limits::default()
            },
            ponder: false,
            opponents_turn: false,
            noise_seed,
            since: Instant::now(),
        }
    }

    struct Trial {
        stub: player::PlayerStub,
        seeds: mpsc::Receiver<u64>,
        builds: Arc<AtomicU32>,
        _closing: watch::Sender<bool>,
    }

    impl Trial {
        fn new(seeding: Seeding) -> Self {
            let (noted, seeds) = mpsc::channel();
            let builds = Arc::new(AtomicU32::new(0));
            let counter = Arc::clone(&builds);
            let build = move || {
                counter.fetch_add(1, Ordering::Relaxed);
                Ok(BuiltPlayer::as_chosen(SeedRecorder {
                    seeds: noted.clone(),
                }))
            };
            let player = NativePlayer::start(
                "n",
                OwnLimits::default(),
                seeding,
                crate::search_thread::SearchPriority::Normal,
                PlayerChoice::default(),
                build,
            );
            let host = player.expect("started");
            let (closing, closed) = watch::channel(false);
            let (stub, actor) = player::channel(host, closed);
            tokio::spawn(actor);
            Self {
                stub,
                seeds,
                builds,
                _closing: closing,
            }
        }

        async fn think(
            &self,
            game_id: &str,
            noise_seed: u64,
            nodes: u64,
        ) -> Result<PlayerAnswer, ThinkFailure> {
            let thinking = self.stub.think(order(game_id, noise_seed, nodes)).await?;
            thinking.answer.await.expect("an answer")
        }

        fn seeds(&self) -> Vec<u64> {
            self.seeds.try_iter().collect()
        }
    }

    #[tokio::test]
    async fn another_game_or_another_seed_is_a_new_game() {
        let trial = Trial::new(Seeding::PerGame);
        for (game_id, seed) in [("a", 1), ("a", 1), ("a", 2), ("b", 2), ("a", 2)] {
            let answer = trial.think(game_id, seed, 9).await.expect("an answer");
            assert_eq!(answer.noise_seed, Some(seed));
        }
        assert_eq!(trial.seeds(), [1, 2, 2, 2]);
        trial.stub.new_game("a".to_owned()).await.expect("prepared");
        trial.think("a", 2, 9).await.expect("an answer");
        assert_eq!(
            trial.seeds(),
            [0, 2],
            "an announced game is new, whatever its name, and prepared before its seed is known"
        );
    }

    #[tokio::test]
    async fn a_fixed_seed_and_no_noise_ignore_the_seed_of_the_game() {
        for (seeding, told, used) in [
            (Seeding::Fixed(7), Some(7), 7),
            (Seeding::Noiseless, None, 0),
        ] {
            let trial = Trial::new(seeding);
            trial.stub.new_game("a".to_owned()).await.expect("prepared");
            assert_eq!(trial.seeds(), [used], "prepared early");
            for seed in [1, 2] {
                let answer = trial.think("a", seed, 9).await.expect("an answer");
                assert_eq!(answer.noise_seed, told);
            }
            assert_eq!(trial.seeds(), []);
        }
    }

    #[tokio::test]
    async fn a_ponder_hit_keeps_the_moves_to_choose_from() {
        let trial = Trial::new(Seeding::Noiseless);
        let last = Game::startpos().legal_moves().pop().expect("a move");
        let mut order = order("a", 0, 9);
        order.ponder = true;
        order.limits.search_moves = vec![last];
        let thinking = trial.stub.think(order).await.expect("a search");
        let hit = Steer::PonderHit {
            limits: Limits::default(),
            at: Instant::now(),
        };
        thinking.steers.send(hit).await.expect("it listens");
        let answer = thinking.answer.await.expect("an answer").expect("a move");
        assert_eq!(answer.line.r#move, last.to_string());
    }

    #[tokio::test]
    async fn a_panic_fails_one_think_and_the_search_is_built_anew() {
        let trial = Trial::new(Seeding::Noiseless);
        trial.think("a", 0, 9).await.expect("an answer");
        let failure = trial.think("a", 0, 1).await.expect_err("a panic");
        assert!(
            failure.to_string().contains("one node is too few"),
            "{failure}"
        );
        let answer = trial.think("a", 0, 9).await.expect("an answer");
        assert_eq!(trial.builds.load(Ordering::Relaxed), 2);
        assert_eq!(trial.seeds(), [0, 0], "the new search begins a new game");

        let score = answer.line.score.expect("a score");
        assert_eq!(score.kind, Some(v1::score::Kind::Mate(-2)));
        assert_eq!(score.bound(), v1::Bound::Lower);
        assert_eq!((answer.line.depth, answer.line.selective_depth), (1, 2));
        assert_eq!((answer.line.nodes, answer.line.time_ms), (3, 4));
    }
}
