//! Progress of a mate search on standard error: a line that changes on a terminal, a line now and then
//! elsewhere.

use crate::progress::PLAIN_INTERVAL;
use indicatif::{ProgressBar, ProgressStyle};
use monju_engine::{counted, mate::MateProgress};
use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

/// Time until the first sign, and between two signs, on a terminal.
const INTERVAL: Duration = Duration::from_millis(200);

/// Positions searched so far, and the mate found so far.
pub struct MateProgressLine {
    bar: ProgressBar,
    interval: Duration,
    last: Instant,
}

impl MateProgressLine {
    /// Begins without a sign.
    pub fn begin() -> Self {
        let (bar, interval) = match io::stderr().is_terminal() {
            true => (ProgressBar::no_length(), INTERVAL),
            false => (ProgressBar::hidden(), PLAIN_INTERVAL),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            bar.set_style(style);
        }
        Self {
            bar,
            interval,
            last: Instant::now(),
        }
    }

    /// Shows the state of the search, if it is time for it.
    pub fn show(&mut self, state: MateProgress) {
        if self.last.elapsed() < self.interval {
            return;
        }
        self.last = Instant::now();
        let found = match state.plies {
            Some(plies) => format!(
                "a mate in {}, looking for a shorter one",
                counted(plies, "ply")
            ),
            None => "no mate yet".to_owned(),
        };
        let text = format!("{}, {found}", counted(state.nodes, "position"));
        if self.bar.is_hidden() {
            tell!("{text}");
        } else {
            self.bar.set_message(text);
            self.bar.tick();
        }
    }
}

impl Drop for MateProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
