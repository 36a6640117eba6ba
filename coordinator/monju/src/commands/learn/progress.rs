//! Progress of long runs on standard error: a bar on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use monju_learn::ProgressObserver;
use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

/// Time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Shows the progress of a run on standard error.
#[derive(Debug, Default)]
pub struct TerminalProgress {
    /// The work, once it has begun.
    work: Option<CurrentWork>,
}

/// CurrentWork with a known number of units.
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
        let separator = if remark.is_empty() { "" } else { ", " };
        write_line(&format!(
            "{done} of {total} {unit}, {rate:.0} {unit}/s{separator}{remark}"
        ));
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
            bar.set_message(format!("{} {:.0}/s {remark}", work.unit, work.rate(done)));
        } else if work.last_line.elapsed() >= INTERVAL {
            work.last_line = Instant::now();
            work.write(done, remark);
        }
    }

    fn message(&mut self, text: &str) {
        match self.work.as_ref().and_then(|work| work.bar.as_ref()) {
            Some(bar) => bar.println(text),
            None => write_line(text),
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

/// Writes a line to standard error, ignoring errors, since progress is optional.
fn write_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
