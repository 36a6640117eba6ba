//! Progress of an experiment on standard error: bars on a terminal, plain lines elsewhere.

use crate::progress::short_time;
use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use monju_experiment::{
    runner::RunnerEvent, specification::Specification, statistics::Pentanomial, store::CellStanding,
};
use std::{
    io::{self, IsTerminal},
    sync::Arc,
    time::{Duration, Instant},
};

/// Interval of the results of other runners on a terminal, and of the plain lines elsewhere, at each of which they
/// are taken over.
const INTERVALS: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(60));

/// Lines of a terminal that are left to the total, the rest of the cells, and the cursor.
const OTHER_LINES: usize = 3;

/// Progress of an experiment.
pub(super) struct ExperimentProgress {
    specification: Arc<Specification>,
    bars: MultiProgress,
    total: ProgressBar,
    /// As many cells as the terminal has lines for.
    lines: Vec<ProgressBar>,
    /// The number of the others.
    rest: ProgressBar,
    cells: Vec<CellProgress>,
    terminal: bool,
    begun: Instant,
    /// Pairs that were finished before, by any runner; `None` before the first look.
    before: Option<u64>,
    last_line: Option<Instant>,
    /// The last message, which is not repeated at once.
    last_message: String,
}

#[derive(Clone, Default)]
struct CellProgress {
    pairs: Pentanomial,
    /// Pairs that a runner plays.
    leased: u64,
    /// Pairs that nobody plays any more.
    given_up: u64,
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
        let labels = specification.cells.iter();
        let width = labels.map(|cell| cell.label.chars().count()).max();
        let width = width.unwrap_or(0).max("total".len());
        let template = format!("{{prefix:{width}}} {{bar:24}} {{pos:>6}}/{{len}} {{msg}}");
        let style = ProgressStyle::with_template(&template)
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = |games: u64| {
            let bar = bars.add(ProgressBar::new(games));
            bar.set_style(style.clone());
            bar
        };
        let cells = specification.cells.len();
        let total = bar(specification.all_games());
        total.set_prefix("total");
        let shown = lines_for_cells(Term::stderr().size().0.into(), cells);
        let lines = (0..shown).map(|_| bar(0)).collect();
        let rest = bars.add(ProgressBar::new(0));
        rest.set_style(
            ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        let mut progress = Self {
            total,
            lines,
            rest,
            cells: vec![CellProgress::default(); cells],
            specification: Arc::clone(specification),
            bars,
            terminal,
            begun: Instant::now(),
            before: None,
            last_line: None,
            last_message: String::new(),
        };
        progress.refresh(standings);
        progress
    }

    /// Interval at which the results of other runners are to be taken over.
    pub fn refresh_interval(&self) -> Duration {
        match self.terminal {
            true => INTERVALS.0,
            false => INTERVALS.1,
        }
    }

    /// Takes over the results of all runners, and shows them.
    pub fn refresh(&mut self, standings: &[CellStanding]) {
        self.take_over(standings);
        self.show(true);
    }

    /// Takes over the results of all runners.
    pub fn take_over(&mut self, standings: &[CellStanding]) {
        for (cell, standing) in self.cells.iter_mut().zip(standings) {
            cell.pairs = Pentanomial(standing.pairs);
            cell.leased = standing.leased;
            cell.given_up = standing.given_up;
            cell.closed = standing.closed;
        }
        let finished = self.finished();
        self.before.get_or_insert(finished);
    }

    /// Takes over an event of this runner.
    pub fn note(&mut self, event: &RunnerEvent) {
        match event {
            RunnerEvent::Finished {
                cell, half_points, ..
            } => {
                self.cells[*cell].pairs.add(*half_points);
            }
            RunnerEvent::Closed { cell } => self.cells[*cell].closed = true,
            RunnerEvent::Uncounted { .. }
            | RunnerEvent::Failed { .. }
            | RunnerEvent::BoardEnded(_)
            | RunnerEvent::Waiting(_) => {}
        }
        if let Some(message) = message_of(event, &self.specification) {
            self.say(&message);
        }
        self.show(false);
    }

    /// Prints a message above the bars.
    pub fn say(&mut self, message: &str) {
        if self.last_message == message {
            return;
        }
        self.last_message = message.to_owned();
        if !self.terminal || self.bars.println(message).is_err() {
            tell!("{message}");
        }
    }

    /// Prints the last line and leaves the bars as they are.
    pub fn finish(&mut self) {
        self.last_line = None;
        self.show(true);
        for bar in [&self.total, &self.rest].into_iter().chain(&self.lines) {
            bar.abandon();
        }
    }

    /// Shows the bars; elsewhere than on a terminal, prints a line if it `is_time`.
    fn show(&mut self, is_time: bool) {
        let left = self.time_left(self.pairs_left());
        if !self.terminal {
            let half = INTERVALS.1 / 2;
            if is_time && self.last_line.is_none_or(|last| last.elapsed() > half) {
                self.last_line = Some(Instant::now());
                let (all, rate) = (self.specification.all_games(), self.games_per_hour());
                let done = 2 * self.finished();
                tell!("{done} of {all} games, {rate:.0} games/h, {left} left");
            }
            return;
        }
        self.total.set_position(2 * self.finished());
        let rate = self.games_per_hour();
        self.total
            .set_message(format!("{rate:.0} games/h  {left} left"));
        for (bar, cell) in self.lines.iter().zip(self.order()) {
            let planned = &self.specification.cells[cell];
            bar.set_prefix(planned.label.clone());
            bar.set_length(2 * u64::from(planned.pairs));
            bar.set_position(2 * self.cells[cell].pairs.pairs());
            bar.set_message(message(&self.cells[cell]));
        }
        let rest = self.cells.len() - self.lines.len();
        if rest > 0 {
            self.rest.set_message(format!("and {rest} more cells"));
        }
    }

    /// The cells in the order of their lines: those that are played now, those that are still to be played, and those
    /// that are over.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.cells.len()).collect();
        order.sort_by_key(|&cell| (self.left_of(cell) == 0, self.cells[cell].leased == 0));
        order
    }

    fn finished(&self) -> u64 {
        self.cells.iter().map(|cell| cell.pairs.pairs()).sum()
    }

    fn left_of(&self, index: usize) -> u64 {
        let (cell, planned) = (&self.cells[index], &self.specification.cells[index]);
        match cell.closed {
            true => 0,
            false => u64::from(planned.pairs).saturating_sub(cell.pairs.pairs() + cell.given_up),
        }
    }

    fn pairs_left(&self) -> u64 {
        (0..self.cells.len()).map(|cell| self.left_of(cell)).sum()
    }

    /// Pairs that all runners have finished since this one began.
    fn new_pairs(&self) -> u64 {
        self.finished().saturating_sub(self.before.unwrap_or(0))
    }

    fn games_per_hour(&self) -> f64 {
        let hours = self.begun.elapsed().as_secs_f64() / 3600.0;
        2.0 * self.new_pairs() as f64 / hours.max(1e-6)
    }

    /// Time that some pairs take at the speed of all runners.
    fn time_left(&self, pairs: u64) -> String {
        match (pairs, self.new_pairs()) {
            (0, _) => "nothing".to_owned(),
            (_, 0) => "?".to_owned(),
            (pairs, new) => {
                let elapsed = self.begun.elapsed().as_secs_f64();
                short_time(elapsed * pairs as f64 / new as f64)
            }
        }
    }
}

/// Number of cells that a terminal with so many lines shows.
fn lines_for_cells(lines: usize, cells: usize) -> usize {
    match cells + OTHER_LINES - 1 <= lines {
        true => cells,
        false => lines.saturating_sub(OTHER_LINES).max(1).min(cells),
    }
}

/// The words beside the bar of a cell.
fn message(cell: &CellProgress) -> String {
    let score = match cell.pairs.pairs() {
        0 => String::new(),
        _ => cell.pairs.score_in_words(),
    };
    match cell.closed {
        true => format!("{score}  decided"),
        false => score,
    }
}

/// The message about an event; `None` for events that the bars show.
fn message_of(event: &RunnerEvent, specification: &Specification) -> Option<String> {
    let label = |cell: &usize| &specification.cells[*cell].label;
    match event {
        RunnerEvent::Finished { .. } => None,
        RunnerEvent::Uncounted { cell, pair } => Some(format!(
            "{}, pair {pair}: this result is dropped, since another runner has the pair or has finished it, or the cell is decided",
            label(cell)
        )),
        RunnerEvent::BoardEnded(reason) => Some(format!("one game less at a time: {reason}")),
        RunnerEvent::Failed { cell, pair, reason } => {
            Some(format!("{}, pair {pair} failed: {reason}", label(cell)))
        }
        RunnerEvent::Closed { cell } => {
            Some(format!("{}: the stopping rule has decided", label(cell)))
        }
        RunnerEvent::Waiting(reason) => Some(format!("waiting for the store: {reason}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_shows_as_many_cells_as_it_has_lines_for() {
        // The total, the cells, and a line for the cursor.
        assert_eq!(lines_for_cells(24, 22), 22);
        // The line that counts the others takes one more.
        assert_eq!(lines_for_cells(24, 23), 21);
        assert_eq!(lines_for_cells(2, 9), 1);
        assert_eq!(lines_for_cells(0, 0), 0);
    }

    const FILE: &str = "version = 1\nname = \"t\"\ngames = 4\nopenings = \"o.sfen\"\nfirst = \"a\"\n\
        second = \"b\"\n[ensemble.a]\nnodes = 10\nplayer = [{ name = \"n\" }]\n[ensemble.b]\nnodes = 11\n\
        player = [{ name = \"s\" }]\n";

    /// The experiment of a text.
    fn specification_of(text: &str) -> Arc<Specification> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let openings = "startpos\nstartpos moves 7g7f\n";
        std::fs::write(folder.path().join("o.sfen"), openings).expect("writable");
        let parsed = Specification::parse(text, &folder.path().join("t.toml"));
        Arc::new(parsed.expect("a good file"))
    }

    #[test]
    fn cells_that_are_played_come_first_and_those_that_are_over_last() {
        let grid = "[grid]\nnodes = [10, 20, 30, 40]\n";
        let text = FILE.replace("nodes = 10", "nodes = \"$nodes\"") + grid;
        let specification = specification_of(&text);
        let standing = |leased, finished| CellStanding {
            leased,
            finished,
            pairs: [0, 0, finished, 0, 0],
            ..CellStanding::default()
        };
        let standings = [(0, 2), (0, 1), (1, 0), (0, 0)];
        let standings = standings.map(|(leased, finished)| standing(leased, finished));
        let progress = ExperimentProgress::new(&specification, &standings);
        assert_eq!(progress.order(), [2, 1, 3, 0]);
    }

    #[test]
    fn pairs_that_were_given_up_are_not_left() {
        let specification = specification_of(FILE);
        let standing = CellStanding {
            finished: 1,
            pairs: [0, 0, 1, 0, 0],
            given_up: 1,
            ..CellStanding::default()
        };
        let progress = ExperimentProgress::new(&specification, &[standing]);
        assert_eq!(progress.time_left(progress.pairs_left()), "nothing");
    }
}
