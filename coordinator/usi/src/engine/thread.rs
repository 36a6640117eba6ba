//! The thread on which the player lives, and the first of those on which it searches.
//!
//! It does one job after the other and is steered from outside by the search's `Control` alone, so
//! that a stop has no way through any queue. A panic costs one search; the next makes a new player.
//! Where the chosen player cannot be made, one of the defaults plays: no game is lost for a misspelt file.

use monju_engine::{
    Control, EvaluatorChoice, Game, Limits, Line, Outcome, Player, PlayerSettings, STACK_BYTES,
    SearchChoices, eval::Sigma,
};
use monju_host::load_evaluator;
use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
    time::Instant,
};
use tokio::{
    sync::{oneshot, watch},
    task::JoinHandle,
};

/// Most MiB of the player that plays where another cannot be made.
const SPARE_HASH_MIB: u32 = 64;

/// A player to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerChoice {
    /// The static evaluation, yet to be loaded.
    pub evaluator: EvaluatorChoice,
    /// Standard deviation of the noise.
    pub sigma: Sigma,
    /// Transposition table in MiB.
    pub hash_mib: u32,
    /// Threads that search together.
    pub threads: u32,
    /// Switches and numbers of the search.
    pub search: SearchChoices,
}

impl PlayerChoice {
    /// Loads the evaluator and makes the player; what goes wrong is one line.
    fn make(&self) -> Result<Player, String> {
        let evaluator = load_evaluator(&self.evaluator).map_err(|error| error.to_string())?;
        let settings = PlayerSettings {
            sigma: self.sigma.in_centipawns(&evaluator),
            evaluator,
            hash_mib: self.hash_mib as usize,
            threads: self.threads as usize,
            search: self.search,
            ..PlayerSettings::default()
        };
        Player::new(settings).map_err(|error| error.to_string())
    }

    /// What plays where this cannot be made.
    fn spare(&self) -> Self {
        Self {
            evaluator: EvaluatorChoice::default(),
            sigma: Sigma::ZERO,
            hash_mib: self.hash_mib.min(SPARE_HASH_MIB),
            threads: 1,
            search: SearchChoices::NONE,
        }
    }
}

/// A player, and what was chosen.
struct Made {
    choice: PlayerChoice,
    player: Player,
    /// Why it is not the chosen one.
    flaw: Option<String>,
}

impl Made {
    /// Makes the player of a choice, or one of the defaults.
    fn new(choice: PlayerChoice) -> Result<Self, String> {
        let (player, flaw) = match choice.make() {
            Ok(player) => (player, None),
            Err(reason) => {
                let player = choice.spare().make()?;
                let flaw = format!("{reason}; until it is mended a player of the defaults plays");
                tracing::error!(flaw, "the chosen player cannot be made");
                (player, Some(flaw))
            }
        };
        Ok(Self {
            choice,
            player,
            flaw,
        })
    }
}

/// What a search is made with.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The player.
    pub player: PlayerChoice,
    /// The game, whose memory it keeps.
    pub game_id: String,
    /// The noise seed of the game.
    pub seed: u64,
}

/// What is to be searched.
pub struct Task {
    /// The position with its history.
    pub game: Game,
    /// Nodes and depth; the time is what is left until the deadline.
    pub limits: Limits,
    /// When the search must end, however long it took to begin.
    pub deadline: Option<Instant>,
    /// Whether the game is at the opponent's move, which is pondered on.
    pub ponder: bool,
    /// Steers the search.
    pub control: Control,
    /// Hears every progress.
    pub progress: Box<dyn FnMut(&Line) + Send>,
}

enum Job {
    Prepare {
        number: u64,
        setting: Setting,
        done: oneshot::Sender<()>,
    },
    Think {
        setting: Setting,
        task: Box<Task>,
        outcome: oneshot::Sender<Result<Outcome, String>>,
    },
}

/// How the player stands.
#[derive(Clone, Debug, Default)]
struct Status {
    /// The number of the last preparation that was dealt with.
    settled: u64,
    /// What went wrong with it.
    failure: Option<String>,
}

/// The other threads' end. The thread ends with it.
#[derive(Debug)]
pub struct SearchThread {
    jobs: mpsc::Sender<Job>,
    status: watch::Receiver<Status>,
    last: u64,
}

impl SearchThread {
    /// Starts the thread without a player.
    pub fn start() -> io::Result<Self> {
        let (jobs, received) = mpsc::channel();
        let (sender, status) = watch::channel(Status::default());
        thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let mut desk = Desk::default();
                for job in received {
                    desk.work(job, &sender);
                }
            })?;
        Ok(Self {
            jobs,
            status,
            last: 0,
        })
    }

    /// Begins to make the player, or to make it forget the last game. Meanwhile somebody counts as busy, as
    /// in [`Jobs::think`].
    pub fn prepare(&mut self, setting: Setting) {
        self.last += 1;
        let (done, receiver) = oneshot::channel();
        // The thread ends only after this end of it.
        let _ = self.jobs.send(Job::Prepare {
            number: self.last,
            setting,
            done,
        });
        tokio::task::spawn_blocking(|| receiver.blocking_recv());
    }

    /// Whether the last preparation is dealt with.
    pub fn is_settled(&self) -> bool {
        self.status.borrow().settled == self.last
    }

    /// What went wrong with the last preparation that was dealt with.
    pub fn failure(&self) -> Option<String> {
        self.status.borrow().failure.clone()
    }

    /// Waits for the next preparation to be dealt with.
    pub async fn changed(&mut self) {
        if self.status.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Another way to the thread.
    pub fn desk(&self) -> Jobs {
        Jobs(self.jobs.clone())
    }
}

/// Where searches are handed in. The thread does not end before the last of these.
#[derive(Clone, Debug)]
pub struct Jobs(mpsc::Sender<Job>);

impl Jobs {
    /// Begins a search. Whoever waits for it counts as busy: a clock that tests have paused does not
    /// run ahead of it.
    pub fn think(&self, setting: Setting, task: Task) -> Searching {
        let (outcome, receiver) = oneshot::channel();
        // The receiver tells when the thread is gone.
        let _ = self.0.send(Job::Think {
            setting,
            task: Box::new(task),
            outcome,
        });
        tokio::task::spawn_blocking(|| {
            let gone = |_| Err("the search thread has ended; restart the engine".to_owned());
            receiver.blocking_recv().unwrap_or_else(gone)
        })
    }
}

/// A search under way, and its outcome when it is over, or what went wrong, in one line.
pub type Searching = JoinHandle<Result<Outcome, String>>;

/// The thread's own things.
#[derive(Default)]
struct Desk {
    made: Option<Made>,
    prepared: Option<Setting>,
}

impl Desk {
    fn work(&mut self, job: Job, status: &watch::Sender<Status>) {
        match job {
            Job::Prepare {
                number,
                setting,
                done,
            } => {
                // What was wrong with the choice may be mended.
                self.made.take_if(|made| made.flaw.is_some());
                let prepared = self.guarded(setting, |_| ());
                let flaw = || self.made.as_ref().and_then(|made| made.flaw.clone());
                status.send_replace(Status {
                    settled: number,
                    failure: prepared.err().or_else(flaw),
                });
                let _ = done.send(());
            }
            Job::Think {
                setting,
                mut task,
                outcome,
            } => {
                let searched = self.guarded(setting, |player| {
                    let mut limits = task.limits.clone();
                    limits.time = task
                        .deadline
                        .map(|deadline| deadline.saturating_duration_since(Instant::now()));
                    let search = match task.ponder {
                        true => Player::ponder,
                        false => Player::think,
                    };
                    search(
                        player,
                        &task.game,
                        &limits,
                        &task.control,
                        &mut *task.progress,
                    )
                });
                // Nobody waits when the session has ended.
                let _ = outcome.send(searched);
            }
        }
    }

    /// Prepares the player and runs `action` on it. A panic becomes an error, and the player,
    /// whose state nobody knows then, is made anew by the next job.
    fn guarded<T>(
        &mut self,
        setting: Setting,
        action: impl FnOnce(&mut Player) -> T,
    ) -> Result<T, String> {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let player = self.prepare(setting)?;
            Ok(action(player))
        }));
        result.unwrap_or_else(|panic| {
            self.made = None;
            Err(format!("the search failed: {}", message(&*panic)))
        })
    }

    fn prepare(&mut self, setting: Setting) -> Result<&mut Player, String> {
        // The old player's memory goes before the new one's comes.
        self.made.take_if(|made| made.choice != setting.player);
        let made = match &mut self.made {
            Some(made) => made,
            none => {
                self.prepared = None;
                none.insert(Made::new(setting.player.clone())?)
            }
        };
        let player = &mut made.player;
        if self.prepared.as_ref() != Some(&setting) {
            player.new_game(setting.seed);
            self.prepared = Some(setting);
        }
        Ok(player)
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}
