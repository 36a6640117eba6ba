//! The freezes of the proxy, in which nothing reaches it and nothing comes of it.
//!
//! All processes share one clock, which goes on for a frozen proxy, too: what it does meanwhile waits for the thaw.

use std::{ops::RangeInclusive, time::Duration};
use tokio::time::Instant;

/// The freezes of one game.
#[derive(Debug, Default)]
pub struct Freezes {
    /// Those that are over.
    past: Vec<RangeInclusive<Instant>>,
    /// The beginning of the one that goes on, and the number of its reasons.
    now: Option<(Instant, u32)>,
    /// The lines of the GUI that the proxy has not heard yet.
    pub unheard: Vec<String>,
}

impl Freezes {
    /// Tells whether the proxy stands still.
    pub fn is_frozen(&self) -> bool {
        self.now.is_some()
    }

    /// Adds a reason to stand still.
    pub fn begin(&mut self) {
        let (_, reasons) = self.now.get_or_insert((Instant::now(), 0));
        *reasons += 1;
    }

    /// Ends a reason. Returns the lines that the proxy hears after the last one.
    pub fn end(&mut self) -> Vec<String> {
        match &mut self.now {
            Some((_, reasons @ 2..)) => {
                *reasons -= 1;
                Vec::new()
            }
            now => {
                if let Some((begin, _)) = now.take() {
                    self.past.push(begin..=Instant::now());
                }
                std::mem::take(&mut self.unheard)
            }
        }
    }

    /// Returns the latest moment for an answer that is due so long after the question, if a freeze has put it off: the
    /// question is heard at a thaw, and an answer that is ready before one is said then.
    pub fn excuse(&self, asked: Instant, time: Duration) -> Option<Instant> {
        let thaw = |at: Instant| {
            let over = self.past.iter().find(|freeze| freeze.contains(&at));
            over.map(|freeze| *freeze.end())
        };
        let due = thaw(asked).unwrap_or(asked) + time;
        let latest = thaw(due).unwrap_or(due);
        (latest > asked + time).then_some(latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn only_what_is_due_or_asked_in_a_freeze_is_excused() {
        let begun = Instant::now();
        let mut freezes = Freezes::default();
        let at = |seconds: u32| begun + seconds * SECOND;
        advance(5 * SECOND).await;
        freezes.begin();
        freezes.unheard.push("stop".to_owned());
        advance(SECOND).await;
        freezes.begin();
        assert!(freezes.end().is_empty() && freezes.is_frozen());
        advance(SECOND).await;
        assert_eq!(freezes.end(), ["stop"]);
        assert!(!freezes.is_frozen());
        // From the fifth second to the seventh.
        assert_eq!(freezes.excuse(at(2), SECOND), None, "due before it");
        assert_eq!(freezes.excuse(at(2), 6 * SECOND), None, "due after it");
        assert_eq!(freezes.excuse(at(2), 4 * SECOND), Some(at(7)));
        assert_eq!(
            freezes.excuse(at(6), SECOND),
            Some(at(8)),
            "heard at the thaw"
        );
    }
}
