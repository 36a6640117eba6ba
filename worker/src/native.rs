//! Native players: a search of `monju-engine` on a thread of its own.

use crate::{
    limits::{milliseconds, own_first},
    player::{Answer, Failure, Host, Order, Steer, Steering},
};
use monju_engine as engine;
use monju_engine::{Control, Game, Limits, Outcome, Player, PlayerError};
use monju_proto::v1;
use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
};
use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};

/// Stack of a search thread, in bytes: a search recurses once a ply.
const STACK_BYTES: usize = 16 << 20;

/// The part of a search that a native player needs.
pub(crate) trait Search {
    fn new_game(&mut self, noise_seed: u64);

    fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&engine::Line),
    ) -> Outcome;
}

impl Search for Player {
    fn new_game(&mut self, noise_seed: u64) {
        Player::new_game(self, noise_seed);
    }

    fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&engine::Line),
    ) -> Outcome {
        Player::think(self, game, limits, control, progress)
    }
}

/// How the noise of a player is seeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seeding {
    /// No noise: seeds do not matter.
    Noiseless,
    /// Always this seed.
    Fixed(u64),
    /// The seed that comes with each game.
    PerGame,
}

/// A native player, seen from its actor.
pub(crate) struct NativePlayer {
    own: Limits,
    seeding: Seeding,
    jobs: mpsc::Sender<Job>,
    /// Steers the search that is running, so that closing can end it.
    running: Control,
    /// Resolves when the thread has ended.
    ended: oneshot::Receiver<()>,
}

/// A game and the noise seed in it; 0 without noise.
#[derive(Debug, PartialEq, Eq)]
struct Setting {
    game_id: String,
    noise_seed: u64,
}

enum Job {
    /// Whatever comes next is a new game.
    Forget,
    /// Start a new game now.
    Prepare {
        setting: Setting,
        done: oneshot::Sender<()>,
    },
    Think {
        setting: Setting,
        game: Box<Game>,
        limits: Limits,
        control: Control,
        progress: watch::Sender<v1::Line>,
        answer: oneshot::Sender<Result<Outcome, String>>,
    },
}

impl NativePlayer {
    /// Starts the thread of a player called `name`. `build` makes the search, and makes it again
    /// when it has panicked.
    pub fn start<S: Search + Send + 'static>(
        name: &str,
        own: Limits,
        seeding: Seeding,
        search: S,
        build: impl Fn() -> Result<S, PlayerError> + Send + 'static,
    ) -> io::Result<Self> {
        let (jobs, received) = mpsc::channel();
        let (alive, ended) = oneshot::channel();
        let mut desk = Desk {
            search: Some(search),
            build,
            prepared: None,
        };
        thread::Builder::new()
            .name(name.to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                for job in received {
                    desk.work(job);
                }
                drop(alive);
            })?;
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

    async fn new_game(&mut self, game_id: &str) {
        let noise_seed = match self.seeding {
            Seeding::Noiseless => 0,
            Seeding::Fixed(seed) => seed,
            Seeding::PerGame => {
                // The seed comes with the first think, and the real preparation with it.
                let _ = self.jobs.send(Job::Forget);
                return;
            }
        };
        let (done, prepared) = oneshot::channel();
        let setting = Setting {
            game_id: game_id.to_owned(),
            noise_seed,
        };
        if self.jobs.send(Job::Prepare { setting, done }).is_ok() {
            let _ = prepared.await;
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
        let limits = if order.ponder {
            Limits::default()
        } else {
            order.remaining(own_first(&self.own, &order.limits))
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

/// The search thread's own things.
struct Desk<S, B> {
    /// `None` after a panic that could not be mended yet.
    search: Option<S>,
    build: B,
    /// What the search was prepared for last.
    prepared: Option<Setting>,
}

impl<S: Search, B: Fn() -> Result<S, PlayerError>> Desk<S, B> {
    fn work(&mut self, job: Job) {
        match job {
            Job::Forget => self.prepared = None,
            Job::Prepare { setting, done } => {
                self.prepared = None;
                if let Err(error) = self.guarded(setting, |_| ()) {
                    tracing::error!(error, "a native player could not prepare for a new game");
                }
                let _ = done.send(());
            }
            Job::Think {
                setting,
                game,
                limits,
                control,
                progress,
                answer,
            } => {
                let outcome = self.guarded(setting, |search| {
                    search.think(&game, &limits, &control, &mut |line| {
                        progress.send_replace(line_of(line));
                    })
                });
                let _ = answer.send(outcome);
            }
        }
    }

    /// Prepares the search for the game and runs `action` on it. A panic becomes an error,
    /// and the search, whose state nobody knows then, is built anew.
    fn guarded<T>(
        &mut self,
        setting: Setting,
        action: impl FnOnce(&mut S) -> T,
    ) -> Result<T, String> {
        let search = match &mut self.search {
            Some(search) => search,
            broken => {
                let search = (self.build)().map_err(|error| error.to_string())?;
                broken.insert(search)
            }
        };
        let prepared = &mut self.prepared;
        let result = catch_unwind(AssertUnwindSafe(|| {
            if prepared.as_ref() != Some(&setting) {
                search.new_game(setting.noise_seed);
                *prepared = Some(setting);
            }
            action(search)
        }));
        result.map_err(|panic| {
            self.search = None;
            self.prepared = None;
            message(&*panic)
        })
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}

fn line_of_outcome(outcome: &Outcome) -> v1::Line {
    v1::Line {
        r#move: match outcome.answer {
            engine::Answer::Move(mv) => mv.to_string(),
            engine::Answer::Resign => "resign".to_owned(),
            engine::Answer::Win => "win".to_owned(),
        },
        ..line_of(&outcome.line)
    }
}

fn line_of(line: &engine::Line) -> v1::Line {
    let pv: Vec<String> = line.pv.iter().map(ToString::to_string).collect();
    let kind = match line.score {
        engine::Score::Cp(cp) => v1::score::Kind::Cp(cp),
        engine::Score::Mate(plies) => v1::score::Kind::Mate(plies),
    };
    let bound = match line.bound {
        engine::Bound::Exact => v1::Bound::Exact,
        engine::Bound::Lower => v1::Bound::Lower,
        engine::Bound::Upper => v1::Bound::Upper,
    };
    v1::Line {
        r#move: pv.first().cloned().unwrap_or_default(),
        score: Some(v1::Score {
            kind: Some(kind),
            bound: bound.into(),
        }),
        depth: line.depth,
        selective_depth: line.selective_depth,
        nodes: line.nodes,
        time_ms: milliseconds(line.time),
        pv,
    }
}
