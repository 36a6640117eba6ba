//! The thread on which the player lives, and the first of those on which it searches.
//!
//! It does one job after the other and is steered from outside by the search's `Control` alone, so
//! that a stop has no way through any queue. A panic costs one search; the next makes a new player.

use monju_engine::{
    Control, EvaluatorChoice, Game, Limits, Line, Outcome, Player, PlayerSettings, SearchChoices,
    eval::Sigma,
};
use monju_worker::load_evaluator;
use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
    time::Instant,
};
use tokio::sync::{oneshot, watch};

/// Stack of the thread, in bytes: a search recurses once a ply.
const STACK_BYTES: usize = 16 << 20;

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

    /// Begins to make the player, or to make it forget the last game.
    pub fn prepare(&mut self, setting: Setting) {
        self.last += 1;
        // The thread ends only after this end of it.
        let _ = self.jobs.send(Job::Prepare {
            number: self.last,
            setting,
        });
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
    /// Begins a search; the outcome comes when it is over, or what went wrong, in one line.
    pub fn think(
        &self,
        setting: Setting,
        task: Task,
    ) -> oneshot::Receiver<Result<Outcome, String>> {
        let (outcome, receiver) = oneshot::channel();
        // The receiver tells when the thread is gone.
        let _ = self.0.send(Job::Think {
            setting,
            task: Box::new(task),
            outcome,
        });
        receiver
    }
}

/// The thread's own things.
#[derive(Default)]
struct Desk {
    /// What was chosen, and the player that it made.
    player: Option<(PlayerChoice, Player)>,
    prepared: Option<Setting>,
}

impl Desk {
    fn work(&mut self, job: Job, status: &watch::Sender<Status>) {
        match job {
            Job::Prepare { number, setting } => {
                let prepared = self.guarded(setting, |_| ());
                status.send_replace(Status {
                    settled: number,
                    failure: prepared.err(),
                });
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
            self.player = None;
            Err(format!("the search failed: {}", message(&*panic)))
        })
    }

    fn prepare(&mut self, setting: Setting) -> Result<&mut Player, String> {
        // The old player's memory goes before the new one's comes.
        self.player.take_if(|(made, _)| *made != setting.player);
        let (_, player) = match &mut self.player {
            Some(player) => player,
            none => {
                self.prepared = None;
                none.insert((setting.player.clone(), setting.player.make()?))
            }
        };
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
