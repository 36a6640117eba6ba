//! Native players: a search of `monju-engine` on a thread of its own.

use crate::{
    limits::{OwnLimits, own_first},
    player::{Answer, Failure, Host, Order, Steer, Steering},
    search_thread::{self, Job, Search, Setting, line_of_outcome},
};
use monju_engine::{Control, Limits, PlayerError};
use monju_proto::v1;
use std::{io, sync::mpsc};
use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};

/// How the noise of a player is seeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeding {
    /// No noise: seeds do not matter.
    Noiseless,
    /// Always this seed.
    Fixed(u64),
    /// The seed that comes with each game.
    PerGame,
}

/// A native player, seen from its actor.
pub struct NativePlayer {
    own: OwnLimits,
    seeding: Seeding,
    jobs: mpsc::Sender<Job>,
    /// Steers the search that is running, so that closing can end it.
    running: Control,
    /// Resolves when the thread has ended.
    ended: oneshot::Receiver<()>,
}

impl NativePlayer {
    /// Starts the thread of a player called `name`; `crowded` as in [`search_thread::spawn`]. `build`
    /// makes the search, and makes it again when it has panicked.
    pub fn start<S: Search + Send + 'static>(
        name: &str,
        own: OwnLimits,
        seeding: Seeding,
        crowded: bool,
        search: S,
        build: impl Fn() -> Result<S, PlayerError> + Send + 'static,
    ) -> io::Result<Self> {
        let (jobs, ended) = search_thread::spawn(name, crowded, search, build)?;
        Ok(Self {
            own,
            seeding,
            jobs,
            running: Control::new(),
            ended,
        })
    }

    fn seed_in_force(&self, game_seed: u64) -> Option<u64> {
        match self.seeding {
            Seeding::Noiseless => None,
            Seeding::Fixed(seed) => Some(seed),
            Seeding::PerGame => Some(game_seed),
        }
    }
}

impl Host for NativePlayer {
    async fn tend(&mut self) {
        std::future::pending().await
    }

    async fn new_game(&mut self, game_id: &str) -> Result<(), String> {
        // A seed that comes with the first think costs nothing more: the memory is clear by then.
        let noise_seed = self.seed_in_force(0).unwrap_or(0);
        let (done, prepared) = oneshot::channel();
        let setting = Setting {
            game_id: game_id.to_owned(),
            noise_seed,
        };
        let is_sent = self.jobs.send(Job::Prepare { setting, done }).is_ok();
        match prepared.await {
            Ok(prepared) if is_sent => prepared,
            _ => Err("its thread has ended".to_owned()),
        }
    }

    async fn think(
        &mut self,
        mut order: Order,
        progress: &watch::Sender<v1::Line>,
        steering: &mut Steering<'_>,
    ) -> Result<Answer, Failure> {
        let noise_seed = self.seed_in_force(order.noise_seed);
        let control = Control::new();
        self.running = control.clone();
        let asked = own_first(&self.own, &order.limits);
        let limits = if order.ponder {
            Limits {
                // How many moves are ranked cannot be told later.
                multi_pv: asked.multi_pv,
                ..Limits::default()
            }
        } else {
            order.remaining(asked)
        };
        let (answer, mut answered) = oneshot::channel();
        let job = Job::Think {
            setting: Setting {
                game_id: order.game_id.clone(),
                noise_seed: noise_seed.unwrap_or(0),
            },
            game: Box::new(order.game.clone()),
            limits,
            control: control.clone(),
            progress: progress.clone(),
            answer,
        };
        let thread_gone = || Failure::Native("its thread has ended".to_owned());
        self.jobs.send(job).map_err(|_| thread_gone())?;

        // A pondering search may end by itself; its answer is held until stop or ponder hit.
        let mut held = None;
        loop {
            tokio::select! {
                outcome = &mut answered, if held.is_none() => {
                    let outcome = outcome.map_err(|_| thread_gone())?.map_err(Failure::Native)?;
                    held = Some(Answer { line: line_of_outcome(&outcome), noise_seed });
                }
                steer = steering.next() => match steer {
                    Steer::Stop => {
                        order.ponder = false;
                        control.stop();
                    }
                    Steer::PonderHit(hit) if order.ponder => {
                        order.hit(hit);
                        let limits = order.remaining(own_first(&self.own, &order.limits));
                        apply(&control, &limits);
                    }
                    Steer::PonderHit(_) => {}
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
        let Self {
            jobs,
            running,
            ended,
            ..
        } = self;
        running.stop();
        drop(jobs);
        let _ = ended.await;
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
    use crate::player;
    use monju_engine::{self as engine, Game, Outcome};
    use std::sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    };

    /// Notes the seeds of its games, and panics when a think has one node.
    struct Recorder {
        seeds: mpsc::Sender<u64>,
    }

    impl Search for Recorder {
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
            let mv = game.legal_moves()[0];
            Outcome {
                answer: engine::Answer::Move(mv),
                line: engine::Line {
                    pv: vec![mv],
                    score: engine::Score::Mate(-2),
                    bound: engine::Bound::Lower,
                    depth: 1,
                    selective_depth: 2,
                    nodes: 3,
                    time: std::time::Duration::from_millis(4),
                    candidates: Vec::new(),
                    lanes: Vec::new(),
                },
            }
        }
    }

    struct Bench {
        stub: player::PlayerStub,
        seeds: mpsc::Receiver<u64>,
        builds: Arc<AtomicU32>,
        _closing: watch::Sender<bool>,
    }

    impl Bench {
        fn new(seeding: Seeding) -> Self {
            let (noted, seeds) = mpsc::channel();
            let builds = Arc::new(AtomicU32::new(0));
            let counter = Arc::clone(&builds);
            let build = move || {
                counter.fetch_add(1, Ordering::Relaxed);
                Ok(Recorder {
                    seeds: noted.clone(),
                })
            };
            let search = build().expect("built");
            let host =
                NativePlayer::start("n", OwnLimits::default(), seeding, false, search, build)
                    .expect("started");
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
        ) -> Result<Answer, Failure> {
            let order = Order {
                game_id: game_id.to_owned(),
                game: Game::startpos(),
                limits: Limits {
                    nodes: Some(nodes),
                    ..Limits::default()
                },
                ponder: false,
                noise_seed,
                since: Instant::now(),
            };
            let thinking = self.stub.think(order).await?;
            thinking.answer.await.expect("an answer")
        }

        fn seeds(&self) -> Vec<u64> {
            self.seeds.try_iter().collect()
        }
    }

    #[tokio::test]
    async fn another_game_or_another_seed_is_a_new_game() {
        let bench = Bench::new(Seeding::PerGame);
        for (game_id, seed) in [("a", 1), ("a", 1), ("a", 2), ("b", 2), ("a", 2)] {
            let answer = bench.think(game_id, seed, 9).await.expect("an answer");
            assert_eq!(answer.noise_seed, Some(seed));
        }
        assert_eq!(bench.seeds(), [1, 2, 2, 2]);
        bench.stub.new_game("a".to_owned()).await.expect("prepared");
        bench.think("a", 2, 9).await.expect("an answer");
        assert_eq!(
            bench.seeds(),
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
            let bench = Bench::new(seeding);
            bench.stub.new_game("a".to_owned()).await.expect("prepared");
            assert_eq!(bench.seeds(), [used], "prepared early");
            for seed in [1, 2] {
                let answer = bench.think("a", seed, 9).await.expect("an answer");
                assert_eq!(answer.noise_seed, told);
            }
            assert_eq!(bench.seeds(), []);
        }
    }

    #[tokio::test]
    async fn a_panic_fails_one_think_and_the_search_is_built_anew() {
        let bench = Bench::new(Seeding::Noiseless);
        bench.think("a", 0, 9).await.expect("an answer");
        let failure = bench.think("a", 0, 1).await.expect_err("a panic");
        assert!(
            failure.to_string().contains("one node is too few"),
            "{failure}"
        );
        let answer = bench.think("a", 0, 9).await.expect("an answer");
        assert_eq!(bench.builds.load(Ordering::Relaxed), 2);
        assert_eq!(bench.seeds(), [0, 0], "the new search begins a new game");

        let score = answer.line.score.expect("a score");
        assert_eq!(score.kind, Some(v1::score::Kind::Mate(-2)));
        assert_eq!(score.bound(), v1::Bound::Lower);
        assert_eq!((answer.line.depth, answer.line.selective_depth), (1, 2));
        assert_eq!((answer.line.nodes, answer.line.time_ms), (3, 4));
    }
}
