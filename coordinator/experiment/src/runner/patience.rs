//! Waiting for a store that is away for a while, such as a server that restarts, or that has no connection to spare.

use super::event::{RunnerEvent, StopLevel};
use crate::store::{self, Address, ExperimentPlan, OpenMode, Store, StoreError};
use std::{
    future,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{mpsc, watch},
    time::{self, Instant},
};

/// Longest wait for a store that does not answer.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// The first pause between two tries, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// Opens a store. A server without a connection to spare is asked again until it has one, one that is starting for some
/// minutes, and `tell` gets its words.
///
/// # Errors
/// The store cannot be reached, or holds another experiment.
pub async fn open_patiently(
    address: &Address,
    plan: &ExperimentPlan,
    mode: OpenMode,
    mut tell: impl FnMut(&str),
) -> Result<Arc<dyn Store>, StoreError> {
    let (mut pause, longest) = PAUSES;
    let begun = Instant::now();
    let mut told = String::new();
    loop {
        match store::open(address, plan, mode).await {
            Err(error)
                if error.is_full() || (error.is_starting() && begun.elapsed() < PATIENCE) =>
            {
                let words = error.to_string();
                if words != told {
                    tell(&words);
                    told = words;
                }
                time::sleep(jittered(pause)).await;
                pause = (pause * 2).min(longest);
            }
            outcome => return outcome,
        }
    }
}

/// Repeats an operation until the store can be reached.
///
/// # Errors
/// The store refuses, or stays away for a quarter of an hour.
pub async fn patiently<T, F>(
    events: &mpsc::UnboundedSender<RunnerEvent>,
    attempt: impl FnMut() -> F,
) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    match patiently_until(future::pending(), events, attempt).await? {
        Some(value) => Ok(value),
        None => unreachable!("it never ends without a result"),
    }
}

/// Repeats an operation until the store can be reached; `None` if the runner is told to stop before. An attempt is
/// never cancelled.
///
/// # Errors
/// The store refuses, or stays away for a quarter of an hour.
pub(super) async fn patiently_unless<T, F>(
    stop: &mut watch::Receiver<StopLevel>,
    events: &mpsc::UnboundedSender<RunnerEvent>,
    attempt: impl FnMut() -> F,
) -> Result<Option<T>, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let stopped = async {
        let _ = stop.wait_for(|stop| *stop != StopLevel::No).await;
    };
    patiently_until(stopped, events, attempt).await
}

async fn patiently_until<T, F>(
    end: impl Future<Output = ()>,
    events: &mpsc::UnboundedSender<RunnerEvent>,
    mut attempt: impl FnMut() -> F,
) -> Result<Option<T>, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let (mut pause, longest) = PAUSES;
    let begun = Instant::now();
    tokio::pin!(end);
    loop {
        match attempt().await {
            // A full server is there, and will have a connection when another runner ends.
            Err(StoreError::Unavailable(reason))
                if reason.is_full() || begun.elapsed() < PATIENCE =>
            {
                let _ = events.send(RunnerEvent::Waiting(reason.to_string()));
                tokio::select! {
                    () = time::sleep(jittered(pause)) => pause = (pause * 2).min(longest),
                    () = &mut end => return Ok(None),
                }
            }
            outcome => return outcome.map(Some),
        }
    }
}

/// A pause between half and one and a half times as long, so that runners that began together do not stay together.
pub(super) fn jittered(pause: Duration) -> Duration {
    let word = RandomState::new().hash_one(());
    pause.mul_f64(0.5 + (word >> 11) as f64 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::DatabaseFault;
    use std::cell::Cell;

    #[tokio::test(start_paused = true)]
    async fn a_store_may_be_away_for_a_while_but_not_for_ever() {
        let (events, mut told) = mpsc::unbounded_channel();
        let away = || StoreError::Unavailable(DatabaseFault::NoAnswer(PATIENCE));
        let tries = Cell::new(0);
        let outcome = patiently(&events, async || {
            tries.set(tries.get() + 1);
            if tries.get() < 4 { Err(away()) } else { Ok(7) }
        });
        assert_eq!(outcome.await.expect("back"), 7);
        assert_eq!(
            told.try_recv(),
            Ok(RunnerEvent::Waiting("no answer within 900 s".to_owned()))
        );

        let begun = Instant::now();
        let outcome: Result<(), _> = patiently(&events, async || Err(away())).await;
        assert!(matches!(outcome, Err(StoreError::Unavailable(_))));
        assert!(begun.elapsed() >= PATIENCE);

        let refused = async || Err::<(), _>(StoreError::Database(DatabaseFault::Newer));
        assert!(patiently(&events, refused).await.is_err());

        // One that is told to stop does not wait.
        let (stopper, mut stop) = watch::channel(StopLevel::No);
        stopper.send_replace(StopLevel::Drain);
        let begun = Instant::now();
        let outcome = patiently_unless(&mut stop, &events, async || Err::<(), _>(away())).await;
        assert!(matches!(outcome, Ok(None)));
        assert!(begun.elapsed() < PATIENCE);
    }

    #[test]
    fn pauses_differ_by_up_to_a_half() {
        let second = Duration::from_secs(1);
        let pauses: Vec<Duration> = (0..100).map(|_| jittered(second)).collect();
        assert!(
            pauses
                .iter()
                .all(|pause| (second / 2..second * 3 / 2).contains(pause))
        );
        assert!(pauses.iter().any(|pause| *pause != pauses[0]));
    }
}
