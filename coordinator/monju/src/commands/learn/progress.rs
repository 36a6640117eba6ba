//! How far long work has come: a bar on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

/// Time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Shows progress on standard error.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    total: u64,
    /// Where this run began, when earlier ones have done a part.
    from: u64,
    unit: &'static str,
    started: Instant,
    spoken: Instant,
}

impl Progress {
    /// Of `total` units, `done` are already there.
    pub fn new(total: u64, done: u64, unit: &'static str) -> Self {
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
        Self {
            bar,
            total,
            from: done,
            unit,
            started: now,
            spoken: now,
        }
    }

    /// Units a second since this run began.
    pub fn rate(&self, done: u64) -> f64 {
        let seconds = self.started.elapsed().as_secs_f64();
        done.saturating_sub(self.from) as f64 / seconds.max(1e-9)
    }

    /// So many units are done; `remark` says more.
    pub fn advance(&mut self, done: u64, remark: &str) {
        let rate = self.rate(done);
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(format!("{} {rate:.0}/s {remark}", self.unit));
        } else if self.spoken.elapsed() >= INTERVAL {
            self.spoken = Instant::now();
            self.say(done, rate, remark);
        }
    }

    /// The work is over.
    pub fn finish(self, done: u64, remark: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.say(done, self.rate(done), remark);
    }

    /// Says something in between.
    pub fn say_line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => write_line(text),
        }
    }

    fn say(&self, done: u64, rate: f64, remark: &str) {
        let Self { total, unit, .. } = self;
        let separator = if remark.is_empty() { "" } else { ", " };
        write_line(&format!(
            "{done} of {total} {unit}, {rate:.0} {unit}/s{separator}{remark}"
        ));
    }
}

/// Nobody has to read it.
fn write_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
