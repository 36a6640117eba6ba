//! `go mate`: a search for a mate by checks alone.

use super::backend::SearchControl;
use monju_engine::{
    Game,
    mate::{Solution, solve_mate},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{sync::mpsc, task::spawn_blocking, time::sleep};

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
) -> Solution {
    let stop = StopOnDrop(Arc::default());
    let is_over = Arc::clone(&stop.0);
    let mut work = spawn_blocking(move || {
        solve_mate(game.position(), hash_mib as usize, || {
            is_over.load(Ordering::Relaxed)
        })
    });
    tokio::select! {
        biased;
        solution = &mut work => return solution.unwrap_or(Solution::Unknown),
        () = sleep(time.unwrap_or(Duration::MAX)) => {}
        () = stopped(&mut controls) => {}
    }
    drop(stop);
    work.await.unwrap_or(Solution::Unknown)
}

async fn stopped(controls: &mut mpsc::UnboundedReceiver<SearchControl>) {
    while let Some(control) = controls.recv().await {
        if matches!(control, SearchControl::Stop) {
            return;
        }
    }
}

/// Returns the line that answers `go mate`.
pub fn answer(solution: &Solution) -> String {
    match solution {
        Solution::Mate(line) => {
            let moves: Vec<String> = line.iter().map(ToString::to_string).collect();
            format!("checkmate {}", moves.join(" "))
        }
        Solution::NoMate => "checkmate nomate".to_owned(),
        Solution::Unknown => "checkmate timeout".to_owned(),
    }
}
