//! The answers to many positions, counted: the statistics that Hiramatsu et al. (section 6) leave to be done.

use crate::output::print;
use monju_coordinator::seed;
use monju_engine::{
    Game,
    danger::{Danger, DangerSettings, discriminate},
};
use monju_experiment::openings::Openings;
use serde_json::json;
use std::path::PathBuf;

/// A search on every opening of a file, with the side to move assumed to stand worse.
#[derive(Clone, Debug)]
pub struct Survey {
    /// File of openings.
    pub openings: PathBuf,
    /// Random moves after each opening.
    pub plies: u32,
    /// Seed of these moves.
    pub seed: u64,
    /// See [`DangerSettings::absolute`].
    pub absolute: bool,
    /// Most nodes to expand for each.
    pub nodes: u64,
    /// One JSON object instead of text.
    pub json: bool,
}

/// The answers, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct AnswerCounts {
    holds: u64,
    fails: u64,
    unknown: u64,
    generated: u64,
    expanded: u64,
}

impl Survey {
    /// Searches, and prints the counts to standard output.
    ///
    /// # Errors
    /// The openings cannot be read, or standard output is closed.
    pub fn run(&self) -> anyhow::Result<()> {
        let openings = Openings::read(&self.openings)?;
        let mut counts = AnswerCounts::default();
        for (number, line) in (0..).zip(openings.lines()) {
            counts.add(&self.position(number, line)?, self);
        }
        let all = counts.holds + counts.fails + counts.unknown;
        let share = |count: u64| 100.0 * count as f64 / all.max(1) as f64;
        let ended = counts.holds + counts.fails;
        print(&match self.json {
            true => format!(
                "{:#}\n",
                json!({
                    "openings": self.openings,
                    "plies": self.plies,
                    "seed": self.seed,
                    "limit": self.nodes,
                    "positions": all,
                    "holds": counts.holds,
                    "fails": counts.fails,
                    "unknown": counts.unknown,
                    "ended": ended as f64 / all.max(1) as f64,
                    "nodes": counts.generated,
                    "expanded": counts.expanded,
                })
            ),
            false => format!(
                "{all} positions, the side to move assumed to stand worse\n\
                 ended    {ended:6}  {:5.1} %  within {} nodes\n\
                 holds    {:6}  {:5.1} %\n\
                 fails    {:6}  {:5.1} %\n\
                 unknown  {:6}  {:5.1} %\n\
                 nodes    {:.1} generated and {:.1} expanded a position\n",
                share(ended),
                self.nodes,
                counts.holds,
                share(counts.holds),
                counts.fails,
                share(counts.fails),
                counts.unknown,
                share(counts.unknown),
                counts.generated as f64 / all.max(1) as f64,
                counts.expanded as f64 / all.max(1) as f64,
            ),
        })
    }

    /// Returns the position after an opening and random moves.
    fn position(&self, number: u64, line: &str) -> anyhow::Result<Game> {
        let mut game = Game::from_usi(line)?;
        let own = seed::derive(self.seed, &format!("survey {number}"));
        for ply in 0..self.plies {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            let pick = seed::pick(seed::derive(own, &ply.to_string()), moves.len());
            game.play(moves[pick])?;
        }
        Ok(game)
    }
}

impl AnswerCounts {
    fn add(&mut self, game: &Game, survey: &Survey) {
        let position = game.position();
        let settings = DangerSettings {
            worse: position.side_to_move(),
            absolute: survey.absolute,
            nodes: survey.nodes,
        };
        let outcome = discriminate(position, settings);
        *match outcome.danger {
            Danger::Holds => &mut self.holds,
            Danger::Fails => &mut self.fails,
            Danger::Unknown => &mut self.unknown,
        } += 1;
        self.generated += outcome.generated;
        self.expanded += outcome.expanded;
    }
}
