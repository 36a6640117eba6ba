//! `go mate`: a search for a mate by checks alone.

use super::{backend::SearchControl, output::Output};
use monju_engine::{
    Game,
    mate::{Gap, MateProgress, MateQuestion, Verdict, solve_mate},
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
    sync::{mpsc, watch},
    task::{JoinError, spawn_blocking},
    time::{Instant, interval_at, sleep},
};

/// Time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Answer to `go mate` when there can be no search.
pub const NOT_POSSIBLE: &str = "checkmate notimplemented";

/// Ends a mate search when it is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Searches the game's position for a mate, until it is found, `time` is over or `stop` comes. The GUI is told the
/// progress once a second.
pub async fn solve(
    game: Game,
    hash_mib: u32,
    time: Option<Duration>,
    mut controls: mpsc::UnboundedReceiver<SearchControl>,
    output: Output,
) -> Verdict {
    let begun = Instant::now();
    let stop = StopOnDrop(Arc::default());
    let is_over = Arc::clone(&stop.0);
    let (progress, reached) = watch::channel(None);
    let mut work = spawn_blocking(move || {
        let question = MateQuestion::new(hash_mib as usize);
        let is_over = |state| {
            progress.send_replace(Some(state));
            is_over.load(Ordering::Relaxed)
        };
        on_search_stack(|| solve_mate(game.position(), &question, is_over).verdict)
            .unwrap_or(Verdict::Unknown(Gap::Memory))
    });
    let mut ticks = interval_at(begun + PROGRESS_INTERVAL, PROGRESS_INTERVAL);
    let over = sleep(time.unwrap_or(Duration::MAX));
    tokio::pin!(over);
    loop {
        tokio::select! {
            biased;
            verdict = &mut work => return verdict.unwrap_or_else(go_on),
            () = &mut over => break,
            () = stopped(&mut controls) => break,
            _ = ticks.tick() => if let Some(state) = *reached.borrow() {
                output.say(progress_text(state, begun.elapsed()));
            },
        }
    }
    drop(stop);
    work.await.unwrap_or_else(go_on)
}

/// Returns the `info` line of a search at work, with the length of the mate that is to be shortened.
fn progress_text(state: MateProgress, time: Duration) -> String {
    let MateProgress { nodes, plies } = state;
    let score = plies.map_or(String::new(), |plies| format!(" score mate {plies}"));
    let nps = (nodes as f64 / time.as_secs_f64().max(1e-6)) as u64;
    format!(
        "info{score} nodes {nodes} nps {nps} time {}",
        time.as_millis()
    )
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
