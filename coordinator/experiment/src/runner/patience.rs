//! Waiting for a store that is away for a while, such as a server that restarts.

use super::event::RunnerEvent;
use crate::store::StoreError;
use std::time::Duration;
use tokio::{
    sync::mpsc,
    time::{self, Instant},
};

/// Longest wait for a store.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// The first pause between two tries, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Repeats an operation until the store can be reached.
///
/// # Errors
/// The store refuses, or stays away for a quarter of an hour.
pub async fn patiently<T, F>(
    events: &mpsc::UnboundedSender<RunnerEvent>,
    mut attempt: impl FnMut() -> F,
) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let (mut pause, longest) = PAUSES;
    let begun = Instant::now();
    loop {
        match attempt().await {
            Err(StoreError::Unavailable(reason)) if begun.elapsed() < PATIENCE => {
                let _ = events.send(RunnerEvent::Waiting(reason.to_string()));
                time::sleep(pause).await;
                pause = (pause * 2).min(longest);
            }
            outcome => return outcome,
        }
    }
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
    }
}
