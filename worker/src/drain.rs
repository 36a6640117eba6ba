//! The end or the rest of a worker without a lost vote: questions under way are finished, others are refused.

use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::Instant};

/// Time for which a worker that is told to rest still takes questions: coordinators ask it every second if it
/// drains.
pub const NOTICE: Duration = Duration::from_secs(3);

/// The questions under way, and the end or rest that may have begun. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    state: Arc<watch::Sender<DrainState>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct DrainState {
    is_ending: bool,
    /// The moment from which a resting worker refuses questions.
    rests_from: Option<Instant>,
    questions: usize,
}

impl DrainState {
    fn refuses(&self) -> bool {
        self.is_ending || self.rests_from.is_some_and(|at| at <= Instant::now())
    }
}

impl Drain {
    /// Lets a question in; `None` once the end has begun, or a while after the rest has.
    pub fn enter(&self) -> Option<QuestionGuard> {
        let is_let_in = self.state.send_if_modified(|state| {
            let is_let_in = !state.refuses();
            state.questions += usize::from(is_let_in);
            is_let_in
        });
        is_let_in.then(|| QuestionGuard(self.clone()))
    }

    /// Lets no further question in: the worker ends.
    pub fn begin(&self) {
        self.state.send_modify(|state| state.is_ending = true);
    }

    /// Tells coordinators to ask no further questions, and refuses them after a notice of 3 s. Returns the time
    /// until then.
    pub fn rest(&self) -> Duration {
        let mut left = Duration::ZERO;
        self.state.send_modify(|state| {
            let from = *state
                .rests_from
                .get_or_insert_with(|| Instant::now() + NOTICE);
            if !state.is_ending {
                left = from.saturating_duration_since(Instant::now());
            }
        });
        left
    }

    /// Lets questions in again after a rest. Returns false where the worker ends.
    pub fn resume(&self) -> bool {
        self.state.send_modify(|state| state.rests_from = None);
        !self.state.borrow().is_ending
    }

    /// Returns true once the end or a rest has begun.
    pub fn is_draining(&self) -> bool {
        let state = self.state.borrow();
        state.is_ending || state.rests_from.is_some()
    }

    /// Returns the number of questions under way.
    pub fn questions(&self) -> usize {
        self.state.borrow().questions
    }

    /// Waits until no question is under way.
    pub async fn idle(&self) {
        let mut state = self.state.subscribe();
        // This value holds the sender.
        let _ = state.wait_for(|state| state.questions == 0).await;
    }
}

/// A question that was let in. It is over when this is dropped.
#[derive(Debug)]
pub struct QuestionGuard(Drain);

impl Drop for QuestionGuard {
    fn drop(&mut self) {
        self.0.state.send_modify(|state| state.questions -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{sleep, timeout};

    #[tokio::test(start_paused = true)]
    async fn questions_under_way_are_finished_and_others_refused() {
        let drain = Drain::default();
        let (one, other) = (drain.enter(), drain.enter());
        assert!(one.is_some() && other.is_some());
        drain.begin();
        assert!(drain.enter().is_none());
        drop(one);
        let hour = Duration::from_secs(3_600);
        assert!(timeout(hour, drain.idle()).await.is_err());
        drop(other);
        timeout(hour, drain.idle()).await.expect("nothing is left");
    }

    #[tokio::test(start_paused = true)]
    async fn a_resting_worker_takes_questions_until_everybody_has_heard_of_it() {
        let drain = Drain::default();
        assert_eq!(drain.rest(), NOTICE);
        assert!(drain.is_draining());
        drop(drain.enter().expect("its coordinators do not know yet"));
        sleep(NOTICE).await;
        assert_eq!(drain.rest(), Duration::ZERO);
        assert!(drain.enter().is_none());
        assert!(drain.resume() && !drain.is_draining());
        drop(drain.enter().expect("it is awake"));
        drain.begin();
        assert_eq!(drain.rest(), Duration::ZERO);
        assert!(!drain.resume() && drain.is_draining());
        assert!(drain.enter().is_none());
    }
}
