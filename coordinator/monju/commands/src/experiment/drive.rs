//! Runs a runner beside its progress and the signals.

use super::progress::ExperimentProgress;
use monju_coordinator::clock;
use monju_engine::counted;
use monju_experiment::{
    counted::judged_standings,
    runner::{self, Runner, RunnerEvent, StopLevel},
    store::StoreError,
};
use monju_team::signals;
use std::time::Duration;
use tokio::{
    sync::{mpsc, watch},
    time::{self, Instant, MissedTickBehavior},
};

/// Longest wait for an unreachable store after the second interrupt.
const ABORT_PATIENCE: Duration = Duration::from_secs(10);

/// Longest wait for the results of other runners, during which events are not shown.
const REFRESH_PATIENCE: Duration = Duration::from_secs(1);

/// Tells that a server has no connection to spare, or does not answer.
pub fn waiting(words: &str) {
    tell!("waiting for a connection: {words}");
}

/// Repeats an operation of the store until that can be reached, and tells for what it waits.
///
/// # Errors
/// The store refuses, or stays away for too long.
pub async fn patiently<T, F>(attempt: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let (events, mut news) = mpsc::unbounded_channel();
    let asking = runner::patiently(&events, attempt);
    tokio::pin!(asking);
    let mut told = String::new();
    loop {
        tokio::select! {
            outcome = &mut asking => return outcome,
            Some(event) = news.recv() => {
                if let RunnerEvent::Waiting(reason) = event && reason != told {
                    waiting(&reason);
                    told = reason;
                }
            }
        }
    }
}

/// Frees the pairs that were given up, and tells how many.
///
/// # Errors
/// The store refuses, or was away for too long.
pub async fn retry_given_up(runner: &Runner) -> anyhow::Result<()> {
    // Those of a closed cell are not freed, and an earlier file may have closed it.
    patiently(|| runner.settle_cells()).await?;
    let pairs = patiently(|| runner.store.retry_given_up()).await?;
    tell!(
        "{} given up before, now tried again",
        counted(pairs, "pair")
    );
    Ok(())
}

/// Runs a runner, and shows its progress on standard error. The first interrupt finishes the pairs under
/// way, the second gives them back; `resume` is the command to go on with. Returns the order by which it
/// was stopped.
///
/// # Errors
/// The store refuses, or was away for too long, or pair after pair has failed.
pub async fn drive(runner: &Runner, resume: Option<&str>) -> anyhow::Result<StopLevel> {
    let (stopper, stop) = watch::channel(StopLevel::No);
    let (events, mut news) = mpsc::unbounded_channel();
    // The runner opens what an earlier file had decided.
    let standings = || judged_standings(&runner.specification, &*runner.store);
    let mut terminations = signals::terminations();
    let standings = tokio::select! {
        standings = patiently(standings) => standings?,
        Some(()) = terminations.recv() => return Ok(StopLevel::Drain),
    };
    let mut progress = ExperimentProgress::new(&runner.specification, &standings);
    let playing = runner.run(stop, events);
    tokio::pin!(playing);
    let mut refresh = time::interval(progress.refresh_interval());
    refresh.set_missed_tick_behavior(MissedTickBehavior::Delay);
    refresh.tick().await;
    let mut give_up_at = None;
    loop {
        tokio::select! {
            outcome = &mut playing => {
                while let Ok(event) = news.try_recv() {
                    progress.note(&event);
                }
                // Other runners may have played the last pairs.
                let standings = time::timeout(REFRESH_PATIENCE, runner.store.standings());
                if let Ok(Ok(standings)) = standings.await {
                    progress.take_over(&standings);
                }
                progress.finish();
                outcome?;
                return Ok(*stopper.borrow());
            }
            Some(event) = news.recv() => progress.note(&event),
            _ = refresh.tick() => {
                // Without the store the bars stand still, and the runner reports the reason.
                let standings = time::timeout(REFRESH_PATIENCE, runner.store.standings());
                if let Ok(Ok(standings)) = standings.await {
                    progress.refresh(&standings);
                }
            }
            // Leases that cannot be given back end by themselves.
            () = clock::until(give_up_at) => {
                progress.finish();
                return Ok(StopLevel::Abort);
            }
            Some(()) = terminations.recv() => {
                let next = match *stopper.borrow() {
                    StopLevel::No => StopLevel::Drain,
                    _ => StopLevel::Abort,
                };
                if next == StopLevel::Drain {
                    progress.say("finishing the pairs under way; interrupt again to give them back");
                    if let Some(resume) = resume {
                        progress.say(&format!("resume with: {resume}"));
                    }
                } else {
                    progress.say("giving the pairs under way back");
                    give_up_at = Some(Instant::now() + ABORT_PATIENCE);
                }
                stopper.send_replace(next);
            }
        }
    }
}
