//! Progress of an experiment on standard error: bars on a terminal, plain lines elsewhere.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use monju_experiment::{
    runner::RunnerEvent, specification::Specification, statistics::Pentanomial, store::CellStanding,
};
use std::{
    io::{self, IsTerminal},
    sync::Arc,
    time::{Duration, Instant},
};

/// Shortest interval between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// Progress of an experiment.
pub(super) struct ExperimentProgress {
    specification: Arc<Specification>,
    bars: MultiProgress,
    cells: Vec<CellBar>,
    terminal: bool,
    begun: Instant,
    last_line: Option<Instant>,
    /// Pairs that this runner has finished.
    own: u64,
    /// The last message, which is not repeated at once.
    last_message: String,
}

struct CellBar {
    bar: ProgressBar,
    pairs: Pentanomial,
    closed: bool,
}

impl ExperimentProgress {
    /// Progress that begins with these standings.
    pub fn new(specification: &Arc<Specification>, standings: &[CellStanding]) -> Self {
        let terminal = io::stderr().is_terminal();
        let target = match terminal {
            true => ProgressDrawTarget::stderr_with_hz(4),
            false => ProgressDrawTarget::hidden(),
        };
        let bars = MultiProgress::with_draw_target(target);
        let width = specification
            .cells
            .iter()
            .map(|cell| cell.label.len())
            .max();
        let template = format!(
            "{{prefix:{}}} {{bar:24}} {{pos:>6}}/{{len}} {{msg}}",
            width.unwrap_or(0)
        );
        let style = ProgressStyle::with_template(&template)
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let cells = specification.cells.iter().map(|cell| {
            let bar = bars.add(ProgressBar::new(2 * u64::from(specification.pairs)));
            bar.set_style(style.clone());
            bar.set_prefix(cell.label.clone());
            CellBar {
                bar,
                pairs: Pentanomial::default(),
                closed: false,
            }
        });
        let mut progress = Self {
            cells: cells.collect(),
            specification: Arc::clone(specification),
            bars,
            terminal,
            begun: Instant::now(),
            last_line: None,
            own: 0,
            last_message: String::new(),
        };
        progress.refresh(standings);
        progress
    }

    /// Takes over the results of all runners.
    pub fn refresh(&mut self, standings: &[CellStanding]) {
        for (cell, standing) in self.cells.iter_mut().zip(standings) {
            cell.pairs = Pentanomial(standing.pairs);
            cell.closed = standing.closed;
        }
        self.show();
    }

    /// Takes over an event of this runner.
    pub fn note(&mut self, event: &RunnerEvent) {
        match event {
            RunnerEvent::Finished {
                cell, half_points, ..
            } => {
                self.own += 1;
                self.cells[*cell].pairs.add(*half_points);
            }
            RunnerEvent::Closed { cell } => self.cells[*cell].closed = true,
            RunnerEvent::Failed { .. } | RunnerEvent::Waiting(_) => {}
        }
        if let Some(message) = message_of(event, &self.specification) {
            self.say(&message);
        }
        self.show();
    }

    /// Prints a message above the bars.
    pub fn say(&mut self, message: &str) {
        if self.last_message == message {
            return;
        }
        self.last_message = message.to_owned();
        if !self.terminal || self.bars.println(message).is_err() {
            eprintln!("{message}");
        }
    }

    /// Prints the last line and leaves the bars as they are.
    pub fn finish(&mut self) {
        self.last_line = None;
        self.show();
        for cell in &self.cells {
            cell.bar.abandon();
        }
    }

    fn show(&mut self) {
        for cell in &self.cells {
            cell.bar.set_position(2 * cell.pairs.pairs());
            cell.bar.set_message(self.message(cell));
        }
        if self.terminal
            || self
                .last_line
                .is_some_and(|last| last.elapsed() < LINE_INTERVAL)
        {
            return;
        }
        self.last_line = Some(Instant::now());
        let done: u64 = self.cells.iter().map(|cell| cell.pairs.pairs()).sum();
        let all = self.cells.len() as u64 * u64::from(self.specification.pairs);
        eprintln!(
            "{} of {} games, {:.0} games/h here, {} left",
            2 * done,
            2 * all,
            self.games_per_hour(),
            self.time_left(self.pairs_left())
        );
    }

    fn message(&self, cell: &CellBar) -> String {
        if cell.pairs.pairs() == 0 {
            return String::new();
        }
        let left = match cell.closed {
            true => "decided".to_owned(),
            false => {
                let share = self.cells.iter().filter(|cell| !cell.closed).count() as u64;
                let left = u64::from(self.specification.pairs).saturating_sub(cell.pairs.pairs());
                // All open cells share the speed of the runner.
                format!("{} left", self.time_left(left * share.max(1)))
            }
        };
        format!(
            "{}  {:.0}/h  {left}",
            cell.pairs.score_in_words(),
            self.games_per_hour() / self.cells.len() as f64
        )
    }

    fn pairs_left(&self) -> u64 {
        let pairs = u64::from(self.specification.pairs);
        let open = self.cells.iter().filter(|cell| !cell.closed);
        open.map(|cell| pairs.saturating_sub(cell.pairs.pairs()))
            .sum()
    }

    fn games_per_hour(&self) -> f64 {
        let hours = self.begun.elapsed().as_secs_f64() / 3600.0;
        2.0 * self.own as f64 / hours.max(1e-6)
    }

    /// Time that some pairs take at the speed of this runner.
    fn time_left(&self, pairs: u64) -> String {
        if self.own == 0 {
            return "?".to_owned();
        }
        let seconds = self.begun.elapsed().as_secs_f64() * pairs as f64 / self.own as f64;
        match seconds {
            seconds if seconds < 100.0 => format!("{seconds:.0} s"),
            seconds if seconds < 6000.0 => format!("{:.0} min", seconds / 60.0),
            seconds => format!("{:.1} h", seconds / 3600.0),
        }
    }
}

/// The message about an event; `None` for events that the bars show.
fn message_of(event: &RunnerEvent, specification: &Specification) -> Option<String> {
    let label = |cell: &usize| &specification.cells[*cell].label;
    match event {
        RunnerEvent::Finished { .. } => None,
        RunnerEvent::Failed { cell, pair, reason } => {
            Some(format!("{}, pair {pair} failed: {reason}", label(cell)))
        }
        RunnerEvent::Closed { cell } => {
            Some(format!("{}: the stopping rule has decided", label(cell)))
        }
        RunnerEvent::Waiting(reason) => Some(format!("waiting for the store: {reason}")),
    }
}
