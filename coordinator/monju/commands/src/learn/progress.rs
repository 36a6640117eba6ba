//! Progress of long runs on standard error: a bar on a terminal, plain lines elsewhere.

use crate::progress::{PLAIN_INTERVAL, short_time};
use indicatif::{ProgressBar, ProgressStyle};
use monju_learn::ProgressObserver;
use std::{
    io::{self, IsTerminal},
    time::Instant,
};

/// Shows the progress of a run on standard error.
#[derive(Debug, Default)]
pub struct TerminalProgress {
    /// The work, once it has begun.
    work: Option<CurrentWork>,
}

/// Work with a known number of units.
#[derive(Debug)]
struct CurrentWork {
    /// `None` where standard error is no terminal.
    bar: Option<ProgressBar>,
    total: u64,
    /// Units that an earlier run has finished.
    from: u64,
    unit: &'static str,
    started: Instant,
    last_line: Instant,
}

impl CurrentWork {
    /// Returns the units per second since the work began.
    fn rate(&self, done: u64) -> f64 {
        let seconds = self.started.elapsed().as_secs_f64();
        done.saturating_sub(self.from) as f64 / seconds.max(1e-9)
    }

    fn write(&self, done: u64, remark: &str) {
        let Self { total, unit, .. } = self;
        let rate = self.rate(done);
        let mut line = format!("{done} of {total} {unit}, {}", rate_text(rate, unit));
        if done < *total && rate > 0.0 {
            line += &format!(", {} left", short_time((total - done) as f64 / rate));
        }
        if !remark.is_empty() {
            line += &format!(", {remark}");
        }
        tell!("{line}");
    }
}

/// Returns a rate by the second, or by the hour where less than one a second is done.
fn rate_text(per_second: f64, unit: &str) -> String {
    match per_second {
        rate if rate >= 1.0 => format!("{rate:.0} {unit}/s"),
        rate => format!("{:.0} {unit}/h", 3600.0 * rate),
    }
}

impl ProgressObserver for TerminalProgress {
    fn begin(&mut self, total: u64, done: u64, unit: &'static str) {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total).with_position(done);
            bar.reset_eta();
            let template = "{wide_bar} {pos}/{len} {msg} ETA {eta}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        self.work = Some(CurrentWork {
            bar,
            total,
            from: done,
            unit,
            started: now,
            last_line: now,
        });
    }

    fn advance(&mut self, done: u64, remark: &str) {
        let Some(work) = &mut self.work else { return };
        if let Some(bar) = &work.bar {
            bar.set_position(done);
            let rate = rate_text(work.rate(done), work.unit);
            bar.set_message(format!("{rate} {remark}"));
        } else if work.last_line.elapsed() >= PLAIN_INTERVAL {
            work.last_line = Instant::now();
            work.write(done, remark);
        }
    }

    fn message(&mut self, text: &str) {
        match self.work.as_ref().and_then(|work| work.bar.as_ref()) {
            Some(bar) => bar.println(text),
            None => tell!("{text}"),
        }
    }

    fn finish(&mut self, done: u64, remark: &str) {
        let Some(work) = self.work.take() else { return };
        if let Some(bar) = &work.bar {
            bar.finish_and_clear();
        }
        work.write(done, remark);
    }
}

#[cfg(test)]
mod tests {
    use super::rate_text;

    #[test]
    fn slow_work_is_counted_by_the_hour() {
        assert_eq!(rate_text(1_234.4, "positions"), "1234 positions/s");
        assert_eq!(rate_text(0.01, "games"), "36 games/h");
    }
}
