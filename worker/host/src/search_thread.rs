//! The thread on which a native player searches.

use crate::limits::milliseconds;
use monju_engine as engine;
use monju_engine::{Control, Game, Limits, Outcome, Player, PlayerError, STACK_BYTES};
use monju_proto::v1;
use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
};
use tokio::sync::{oneshot, watch};

/// The part of a search that a native player needs.
pub trait Search {
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

/// A game and the noise seed in it; 0 without noise.
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    pub game_id: String,
    pub noise_seed: u64,
}

pub enum Job {
    /// Start a new game now.
    Prepare {
        setting: Setting,
        done: oneshot::Sender<Result<(), String>>,
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

/// Starts the thread of a player called `name`, which gives way to others where the machine is `crowded`.
/// `build` makes the search again after it has panicked. Returns where jobs go, and what resolves when the
/// thread has ended, which it does when that sender is dropped.
pub fn spawn<S: Search + Send + 'static>(
    name: &str,
    crowded: bool,
    search: S,
    build: impl Fn() -> Result<S, PlayerError> + Send + 'static,
) -> io::Result<(mpsc::Sender<Job>, oneshot::Receiver<()>)> {
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
            if crowded {
                yield_to_the_clock();
            }
            for job in received {
                desk.work(job);
            }
            drop(alive);
        })?;
    Ok((jobs, ended))
}

/// Searches give way to the threads that keep the clock: with more of them than cores these would
/// otherwise wait their turn while the time runs out. Other programs take the core from such a search, too,
/// so that it is not done without need. Linux gives every thread a niceness of its own;
/// elsewhere it belongs to the process, and nothing is changed.
fn yield_to_the_clock() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(10) {
        tracing::debug!(%error, "a search thread keeps its priority");
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
            Job::Prepare { setting, done } => {
                self.prepared = None;
                let prepared = self.guarded(setting, |_| ());
                if let Err(error) = &prepared {
                    tracing::error!(error, "a native player could not prepare for a new game");
                }
                let _ = done.send(prepared);
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

pub fn line_of_outcome(outcome: &Outcome) -> v1::Line {
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
    let bound = match line.bound {
        engine::Bound::Exact => v1::Bound::Exact,
        engine::Bound::Lower => v1::Bound::Lower,
        engine::Bound::Upper => v1::Bound::Upper,
    };
    v1::Line {
        r#move: pv.first().cloned().unwrap_or_default(),
        score: Some(score(line.score, bound)),
        depth: line.depth,
        selective_depth: line.selective_depth,
        nodes: line.nodes,
        time_ms: milliseconds(line.time),
        pv,
        candidates: line.candidates.iter().map(candidate).collect(),
        lanes: line.lanes.iter().map(candidate).collect(),
    }
}

fn candidate(candidate: &engine::Candidate) -> v1::Candidate {
    v1::Candidate {
        r#move: candidate.mv.to_string(),
        score: Some(score(candidate.score, v1::Bound::Exact)),
    }
}

fn score(score: engine::Score, bound: v1::Bound) -> v1::Score {
    let kind = match score {
        engine::Score::Cp(cp) => v1::score::Kind::Cp(cp),
        engine::Score::Mate(plies) => v1::score::Kind::Mate(plies),
    };
    v1::Score {
        kind: Some(kind),
        bound: bound.into(),
    }
}
