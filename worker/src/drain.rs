//! The end of a worker without a lost vote: questions under way are finished, others are refused.

use std::sync::Arc;
use tokio::sync::watch;

/// The questions under way, and the end that may have begun. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    state: Arc<watch::Sender<DrainState>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct DrainState {
    is_draining: bool,
    questions: usize,
}

impl Drain {
    /// Lets a question in; `None` once the end has begun.
    pub fn enter(&self) -> Option<Question> {
        let is_let_in = self.state.send_if_modified(|state| {
            if !state.is_draining {
                state.questions += 1;
            }
            !state.is_draining
        });
        is_let_in.then(|| Question(self.clone()))
    }

    /// Lets no further question in.
    pub fn begin(&self) {
        self.state.send_modify(|state| state.is_draining = true);
    }

    /// Returns true once the end has begun.
    pub fn is_draining(&self) -> bool {
        self.state.borrow().is_draining
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
pub struct Question(Drain);

impl Drop for Question {
    fn drop(&mut self) {
        self.0.state.send_modify(|state| state.questions -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

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
}
