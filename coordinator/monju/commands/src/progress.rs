//! Progress over positions on standard error: a bar on a terminal, a line now and then elsewhere. Waits without a known
//! end are shown on a terminal alone.

use indicatif::{ProgressBar, ProgressStyle};
use std::{
    cell::Cell,
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

/// Time between two plain lines.
pub const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Returns a time for people: `40 s`, `12 min` or `2.5 h`.
pub fn short_time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 100.0 => format!("{seconds:.0} s"),
        seconds if seconds < 6000.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}

/// Counts positions.
pub struct PositionsProgress {
    bar: ProgressBar,
    last_line: Cell<Instant>,
}

impl PositionsProgress {
    /// Begins with `left` of `all` positions to go.
    pub fn begin(all: usize, left: usize) -> Self {
        let bar = match io::stderr().is_terminal() {
            true => ProgressBar::new(all as u64),
            false => ProgressBar::hidden(),
        };
        bar.set_length(all as u64);
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta} left")
        {
            bar.set_style(style);
        }
        bar.set_position((all - left) as u64);
        bar.reset_eta();
        Self {
            bar,
            last_line: Cell::new(Instant::now()),
        }
    }

    /// Counts one more position.
    pub fn advance(&self) {
        self.bar.inc(1);
        if self.bar.is_hidden() && self.last_line.get().elapsed() >= PLAIN_INTERVAL {
            self.last_line.set(Instant::now());
            let all = self.bar.length().unwrap_or_default();
            tell!("{} of {all} positions", self.bar.position());
        }
    }
}

/// A wait without a known end, with the time that it has taken, until it is dropped.
pub struct Waiting(ProgressBar);

impl Waiting {
    /// Begins to wait for something that `what` tells.
    pub fn begin(what: String) -> Self {
        let spinner = match io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            spinner.set_style(style);
        }
        spinner.set_message(what);
        spinner.enable_steady_tick(Duration::from_millis(200));
        Self(spinner)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Drop for PositionsProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
