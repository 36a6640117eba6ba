//! The votes while they arrive, on a terminal.

use super::table;
use console::{Term, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use monju_engine::Game;
use monju_proto::v1::Ballot;
use std::io::{self, IsTerminal};

/// Votes on the standard error of a terminal, which the decided ballot replaces. Elsewhere nothing is shown.
pub struct LiveVotes {
    bar: ProgressBar,
}

impl LiveVotes {
    /// Begins without votes.
    pub fn begin() -> Self {
        let target = match io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// Shows the votes as they stand.
    pub fn show(&self, game: &Game, ballot: &Ballot) {
        if self.bar.is_hidden() {
            return;
        }
        let (lines, columns) = Term::stderr().size();
        let text = table::standing(game, ballot, (lines.into(), columns.into()));
        let lines: Vec<_> = text
            .lines()
            .map(|line| truncate_str(line, columns.into(), "…"))
            .collect();
        self.bar.set_message(lines.join("\n"));
        self.bar.tick();
    }
}

impl Drop for LiveVotes {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
