//! The thread that owns a native player: every native search of a process runs on such a thread.
//!
//! It does one job after the other. A running search is steered by its [`Control`] alone, so that a
//! stop waits in no queue. A panic costs one search: the next job builds the player anew.

use crate::{
    choice::{BuildError, PlayerChoice},
    cores::CoreSet,
    searcher::{BuiltPlayer, GameSearcher, SearchFailure},
};
use monju_engine::{Control, Game, Limits, Line, Outcome, STACK_BYTES};
use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread,
    time::Instant,
};
use tokio::{
    sync::{oneshot, watch},
    task::JoinHandle,
};

/// Everything that a search is prepared with: the player, and the game whose memory it keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSetup {
    /// The player.
    pub player: PlayerChoice,
    /// The game.
    pub game_id: String,
    /// The noise seed of the game; 0 without noise.
    pub noise_seed: u64,
}

/// One search.
pub struct SearchTask {
    /// The position with its history.
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// When the search must end, however late it begins.
    pub deadline: Option<Instant>,
    /// The game is at the opponent's move, which is pondered on.
    pub ponder: bool,
    /// The answer is due: the search gets more than its share of a busy machine, where the system allows it.
    /// It must be short, since the clocks of the process wait for it, too.
    pub urgent: bool,
    /// Steers the search.
    pub control: Control,
    /// Receives every new best move and every finished iteration.
    pub progress: Box<dyn FnMut(&Line) + Send>,
}

enum SearchJob {
    Prepare {
        number: u64,
        setup: GameSetup,
        done: oneshot::Sender<Result<(), Arc<SearchFailure>>>,
    },
    Think {
        setup: GameSetup,
        task: Box<SearchTask>,
        outcome: oneshot::Sender<Result<Outcome, SearchFailure>>,
    },
}

/// State of the player on a search thread.
#[derive(Clone, Debug, Default)]
struct PreparationStatus {
    /// Number of the last preparation that is over.
    settled: u64,
    /// Its failure.
    failure: Option<Arc<SearchFailure>>,
}

/// Priority of a search thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPriority {
    /// That of the process.
    Normal,
    /// Below the threads that keep the clock, which would otherwise wait their turn where searches have
    /// more threads than the machine has cores. Other programs, too, take the core from such a search.
    Lowered,
}

/// The cores and the priority of a search thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduling {
    /// Its priority.
    pub priority: SearchPriority,
    /// Its cores.
    pub cores: CoreSet,
}

impl From<SearchPriority> for Scheduling {
    fn from(priority: SearchPriority) -> Self {
        Self {
            priority,
            cores: CoreSet::default(),
        }
    }
}

impl SearchPriority {
    /// Applies the priority to the current thread. Only Linux gives every thread a niceness of its own.
    fn apply(self) {
        #[cfg(target_os = "linux")]
        if self == Self::Lowered
            && let Err(error) = rustix::process::nice(10)
        {
            tracing::debug!(%error, "a search thread keeps its priority");
        }
    }
}

/// Niceness that an urgent search is relieved of.
#[cfg(target_os = "linux")]
const URGENCY: i32 = 5;

/// The raised priority of the current thread, which lasts as long as this lives. Linux allows it to
/// privileged users and within the resource limit on niceness; elsewhere the priority stays.
struct RaisedPriority {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    is_raised: bool,
}

impl RaisedPriority {
    fn begin() -> Self {
        #[cfg(target_os = "linux")]
        let is_raised = rustix::process::nice(-URGENCY).is_ok();
        #[cfg(not(target_os = "linux"))]
        let is_raised = false;
        Self { is_raised }
    }
}

impl Drop for RaisedPriority {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if self.is_raised
            && let Err(error) = rustix::process::nice(URGENCY)
        {
            tracing::debug!(%error, "a search thread keeps its raised priority");
        }
    }
}

/// Owner of a search thread, which ends when this and every [`SearchHandle`] are dropped.
#[derive(Debug)]
pub struct SearchThread {
    handle: SearchHandle,
    status: watch::Receiver<PreparationStatus>,
    /// Number of the last preparation that was asked for.
    last: u64,
    ended: oneshot::Receiver<()>,
}

impl SearchThread {
    /// Starts a thread called `name`. `build` makes the player of a choice, and makes it again after a
    /// panic.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub fn start(
        name: &str,
        scheduling: impl Into<Scheduling>,
        build: impl FnMut(&PlayerChoice) -> Result<BuiltPlayer, BuildError> + Send + 'static,
    ) -> io::Result<Self> {
        Self::start_with(name, scheduling, None, build)
    }

    /// As [`SearchThread::start`], with a player that is already built.
    ///
    /// # Errors
    /// As those of [`SearchThread::start`].
    pub fn start_with(
        name: &str,
        scheduling: impl Into<Scheduling>,
        built: Option<(PlayerChoice, BuiltPlayer)>,
        build: impl FnMut(&PlayerChoice) -> Result<BuiltPlayer, BuildError> + Send + 'static,
    ) -> io::Result<Self> {
        let scheduling = scheduling.into();
        let (jobs, received) = mpsc::channel();
        let (sender, status) = watch::channel(PreparationStatus::default());
        let (alive, ended) = oneshot::channel();
        let mut owned = OwnedPlayer {
            build,
            built,
            setup: None,
        };
        thread::Builder::new()
            .name(name.to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                scheduling.priority.apply();
                scheduling.cores.keep_thread();
                for job in received {
                    owned.work(job, &sender);
                }
                drop(alive);
            })?;
        Ok(Self {
            handle: SearchHandle(jobs),
            status,
            last: 0,
            ended,
        })
    }

    /// Begins to build the player and to clear it for a new game.
    pub fn prepare(&mut self, setup: GameSetup) -> Preparation {
        self.last += 1;
        let (done, receiver) = oneshot::channel();
        // The receiver reports a thread that has ended.
        let _ = self.handle.0.send(SearchJob::Prepare {
            number: self.last,
            setup,
            done,
        });
        Preparation(receiver)
    }

    /// Returns true when the last preparation is over.
    pub fn is_settled(&self) -> bool {
        self.status.borrow().settled == self.last
    }

    /// The failure of the last preparation that is over.
    pub fn failure(&self) -> Option<Arc<SearchFailure>> {
        self.status.borrow().failure.clone()
    }

    /// Waits for the end of the next preparation.
    pub async fn changed(&mut self) {
        if self.status.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// The queue of the thread's searches.
    pub fn handle(&self) -> SearchHandle {
        self.handle.clone()
    }

    /// Waits until the thread has done its jobs and has ended. Every other handle must be dropped first.
    pub async fn end(self) {
        let Self { handle, ended, .. } = self;
        drop(handle);
        let _ = ended.await;
    }
}

/// A preparation under way.
#[derive(Debug)]
pub struct Preparation(oneshot::Receiver<Result<(), Arc<SearchFailure>>>);

impl Preparation {
    /// Waits until the preparation is over.
    ///
    /// # Errors
    /// The player cannot be built.
    pub async fn done(self) -> Result<(), Arc<SearchFailure>> {
        self.0
            .await
            .unwrap_or_else(|_| Err(Arc::new(SearchFailure::Ended)))
    }

    /// Waits on a thread of its own, so that a clock that a test has paused does not run ahead.
    pub fn hold_clock(self) {
        tokio::task::spawn_blocking(|| self.0.blocking_recv());
    }
}

/// The queue of a search thread. Clones lead to the same thread.
#[derive(Clone, Debug)]
pub struct SearchHandle(mpsc::Sender<SearchJob>);

impl SearchHandle {
    /// Queues a search.
    pub fn think(&self, setup: GameSetup, task: SearchTask) -> PendingOutcome {
        let (outcome, receiver) = oneshot::channel();
        // The receiver reports a thread that has ended.
        let _ = self.0.send(SearchJob::Think {
            setup,
            task: Box::new(task),
            outcome,
        });
        PendingOutcome(receiver)
    }
}

/// The outcome of a search under way.
#[derive(Debug)]
pub struct PendingOutcome(oneshot::Receiver<Result<Outcome, SearchFailure>>);

impl PendingOutcome {
    /// Waits for the end of the search. May be dropped and called again until it has returned.
    ///
    /// # Errors
    /// The player cannot be built, or the search panicked.
    pub async fn wait(&mut self) -> Result<Outcome, SearchFailure> {
        (&mut self.0).await.unwrap_or(Err(SearchFailure::Ended))
    }

    /// Waits on a thread of its own, so that a clock that a test has paused does not run ahead of the
    /// search.
    pub fn hold_clock(self) -> JoinHandle<Result<Outcome, SearchFailure>> {
        tokio::task::spawn_blocking(|| self.0.blocking_recv().unwrap_or(Err(SearchFailure::Ended)))
    }
}

/// The player on its thread.
struct OwnedPlayer<B> {
    build: B,
    /// `None` before the first job, and after a failure.
    built: Option<(PlayerChoice, BuiltPlayer)>,
    /// The setup of the last job.
    setup: Option<GameSetup>,
}

impl<B: FnMut(&PlayerChoice) -> Result<BuiltPlayer, BuildError>> OwnedPlayer<B> {
    fn work(&mut self, job: SearchJob, status: &watch::Sender<PreparationStatus>) {
        match job {
            SearchJob::Prepare {
                number,
                setup,
                done,
            } => {
                // The flaw of a stand-in may have been mended.
                self.built.take_if(|(_, built)| built.flaw().is_some());
                self.setup = None;
                let prepared = self.run(setup, |_| ()).map_err(Arc::new);
                if let Err(error) = &prepared {
                    tracing::error!(%error, "a native player could not prepare for a new game");
                }
                let flaw = || self.built.as_ref().and_then(|(_, built)| built.flaw());
                status.send_replace(PreparationStatus {
                    settled: number,
                    failure: prepared.as_ref().err().cloned().or_else(flaw),
                });
                let _ = done.send(prepared);
            }
            SearchJob::Think {
                setup,
                mut task,
                outcome,
            } => {
                let searched = self.run(setup, |searcher| search(searcher, &mut task));
                // The receiver may have been dropped with its session.
                let _ = outcome.send(searched);
            }
        }
    }

    /// Prepares the player and runs `action` on it. A panic leaves the player in an unknown state, so it
    /// is dropped, and the next job builds it anew.
    fn run<T>(
        &mut self,
        setup: GameSetup,
        action: impl FnOnce(&mut dyn GameSearcher) -> T,
    ) -> Result<T, SearchFailure> {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let searcher = self.prepare(setup)?;
            Ok(action(searcher))
        }));
        result.unwrap_or_else(|panic| {
            self.built = None;
            Err(SearchFailure::Panic(message(&*panic)))
        })
    }

    fn prepare(&mut self, setup: GameSetup) -> Result<&mut dyn GameSearcher, SearchFailure> {
        // The old player's memory is freed before the new one's is allocated.
        self.built.take_if(|(choice, _)| *choice != setup.player);
        let (_, built) = match &mut self.built {
            Some(built) => built,
            none => {
                self.setup = None;
                none.insert((setup.player.clone(), (self.build)(&setup.player)?))
            }
        };
        let searcher = built.searcher();
        if self.setup.as_ref() != Some(&setup) {
            searcher.new_game(setup.noise_seed);
            self.setup = Some(setup);
        }
        Ok(searcher)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the search runs in a thread, by the real clock"
)]
fn search(searcher: &mut dyn GameSearcher, task: &mut SearchTask) -> Outcome {
    let SearchTask {
        game,
        limits,
        deadline,
        ponder,
        urgent,
        control,
        progress,
    } = task;
    let _priority = urgent.then(RaisedPriority::begin);
    if let Some(deadline) = deadline {
        let left = deadline.saturating_duration_since(Instant::now());
        limits.time = Some(limits.time.map_or(left, |time| time.min(left)));
    }
    match ponder {
        true => searcher.ponder(game, limits, control, progress),
        false => searcher.think(game, limits, control, progress),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}
