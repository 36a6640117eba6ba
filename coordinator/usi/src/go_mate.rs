//! `go mate`: a search for a mate by checks alone.

use super::backend::SearchControl;
use monju_engine::{
    Game,
    mate::{Gap, MateQuestion, Verdict, solve_mate},
    on_search_stack,
};
use std::{
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::mpsc,
    task::{JoinError, spawn_blocking},
    time::sleep,
};

/// Answer to `go mate` when there can be no search.
pub const NOT_POSSIBLE: &str = "checkmate notimplemented";

/// Ends a mate search when it is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Searches the game's position for a mate, until it is found, `time` is over or `stop` comes.
pub async fn solve(
    game: Game,
    hash_mib: u32,
    time: Option<Duration>,
    mut controls: mpsc::UnboundedReceiver<SearchControl>,
) -> Verdict {
    let stop = StopOnDrop(Arc::default());
    let is_over = Arc::clone(&stop.0);
    let mut work = spawn_blocking(move || {
        let question = MateQuestion::new(hash_mib as usize);
        let is_over = |_| is_over.load(Ordering::Relaxed);
        on_search_stack(|| solve_mate(game.position(), &question, is_over).verdict)
            .unwrap_or(Verdict::Unknown(Gap::Memory))
    });
    tokio::select! {
        biased;
        verdict = &mut work => return verdict.unwrap_or_else(go_on),
        () = sleep(time.unwrap_or(Duration::MAX)) => {}
        () = stopped(&mut controls) => {}
    }
    drop(stop);
    work.await.unwrap_or_else(go_on)
}

/// Lets the panic of a search go on in its task, which reports it.
fn go_on(error: JoinError) -> Verdict {
    resume_unwind(error.into_panic())
}

async fn stopped(controls: &mut mpsc::UnboundedReceiver<SearchControl>) {
    while let Some(control) = controls.recv().await {
        if matches!(control, SearchControl::Stop) {
            return;
        }
    }
}

/// Returns the line that answers `go mate`. Without a result for other reasons than time or `stop`, it
/// is the one for searches that an engine cannot do.
pub fn answer(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Mate { line, .. } => {
            let moves: Vec<String> = line.iter().map(ToString::to_string).collect();
            format!("checkmate {}", moves.join(" "))
        }
        Verdict::NoMate => "checkmate nomate".to_owned(),
        Verdict::Unknown(Gap::Ended | Gap::Nodes) => "checkmate timeout".to_owned(),
        Verdict::Unknown(Gap::TooLong | Gap::Memory | Gap::Contradiction) => {
            NOT_POSSIBLE.to_owned()
        }
    }
}

/// Returns the reason for an answer that is not about mates.
pub fn problem(verdict: &Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Unknown(Gap::TooLong) => {
            Some("there is no mate as short as the longest line that is followed")
        }
        Verdict::Unknown(Gap::Memory) => Some("no memory for the table of the mate search"),
        Verdict::Unknown(Gap::Contradiction) => {
            Some("a mate was found, but its line contradicts itself; give the search more memory")
        }
        _ => None,
    }
}
