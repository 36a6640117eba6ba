//! `monju bench --against`: nodes per second beside another engine's, in one run.

use super::{
    rival::{Rival, RivalOption, Speed},
    stack::on_search_stack,
};
use crate::output::print_line;
use anyhow::Context;
use monju_engine::{
    Limits, Player, PlayerSettings,
    bench::{self, Measurement},
};
use serde_json::{Value, json};
use std::{path::PathBuf, time::Duration};

/// The suite, searched by both for the same time. They take turns, also in being first, so
/// that other work of the machine slows both.
#[derive(Clone, Debug, PartialEq)]
pub struct RivalComparison {
    /// Our player; every position is a new game to both.
    pub settings: PlayerSettings,
    /// Its noise seed.
    pub seed: u64,
    /// The other engine.
    pub program: PathBuf,
    /// Its options.
    pub options: Vec<RivalOption>,
    /// Time for each position and engine.
    pub move_time: Duration,
    /// One JSON object instead of text.
    pub json: bool,
}

/// The speeds of both on one position.
struct Pair {
    position: &'static str,
    ours: Speed,
    /// `None` without a report of its search.
    theirs: Option<Speed>,
}

impl Pair {
    /// Returns the ratio of our speed to theirs. `None` where one of them found the answer, a mate perhaps,
    /// in less than a tenth of the time: such a short search measures the clock.
    fn ratio(&self, move_time: Duration) -> Option<f64> {
        let theirs = self.theirs.as_ref()?;
        let long_enough = self.ours.time.min(theirs.time) >= move_time / 10;
        let searched = self.ours.nodes_per_second > 0.0 && theirs.nodes_per_second > 0.0;
        (long_enough && searched).then(|| self.ours.nodes_per_second / theirs.nodes_per_second)
    }
}

impl RivalComparison {
    /// Measures both, and prints the ratio to standard output.
    ///
    /// # Errors
    /// The other engine cannot be started, ends, or falls silent; no position can be compared.
    pub fn run(&self) -> anyhow::Result<()> {
        on_search_stack(|| {
            let mut player = Player::new(self.settings.clone())?;
            let mut rival = Rival::start(&self.program, &self.options)?;
            let mut pairs = Vec::new();
            for (index, position) in bench::POSITIONS.into_iter().enumerate() {
                let pair = if index % 2 == 0 {
                    let ours = self.ours(&mut player, position)?;
                    let theirs = rival.measure(position, self.move_time)?;
                    Pair {
                        position,
                        ours,
                        theirs,
                    }
                } else {
                    let theirs = rival.measure(position, self.move_time)?;
                    let ours = self.ours(&mut player, position)?;
                    Pair {
                        position,
                        ours,
                        theirs,
                    }
                };
                if !self.json {
                    print_line(&self.row(&pair))?;
                }
                pairs.push(pair);
            }
            let summary = SpeedSummary::of(&pairs, self.move_time).with_context(|| {
                format!(
                    "{} searched no position long enough",
                    self.program.display()
                )
            })?;
            print_line(&if self.json {
                format!("{:#}", self.object(&pairs, &summary))
            } else {
                format!(
                    "{:.0} nodes/s, {} {:.0} nodes/s, ratio {:.2} (geometric means over {} of {} positions)",
                    summary.ours,
                    self.program.display(),
                    summary.theirs,
                    summary.ours / summary.theirs,
                    summary.compared,
                    pairs.len()
                )
            })
        })
    }

    fn ours(&self, player: &mut Player, position: &'static str) -> anyhow::Result<Speed> {
        let limits = Limits {
            time: Some(self.move_time),
            ..Limits::default()
        };
        let measured: Measurement = bench::measure(player, self.seed, position, &limits)?;
        Ok(Speed {
            nodes_per_second: measured.nodes_per_second(),
            time: measured.line.time,
        })
    }

    fn row(&self, pair: &Pair) -> String {
        let theirs = pair.theirs.as_ref();
        let theirs = theirs.map_or("-".to_owned(), |theirs| {
            format!("{:.0}", theirs.nodes_per_second)
        });
        let ratio = pair.ratio(self.move_time);
        format!(
            "{:>9.0} nodes/s, other {theirs:>9}, ratio {:>5}  {}",
            pair.ours.nodes_per_second,
            ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
            pair.position
        )
    }

    fn object(&self, pairs: &[Pair], summary: &SpeedSummary) -> Value {
        let positions: Vec<Value> = pairs
            .iter()
            .map(|pair| {
                let theirs = pair.theirs.as_ref();
                json!({
                    "position": pair.position,
                    "nps": pair.ours.nodes_per_second as u64,
                    "against_nps": theirs.map(|theirs| theirs.nodes_per_second as u64),
                    "ratio": pair.ratio(self.move_time),
                })
            })
            .collect();
        json!({
            "against": self.program.display().to_string(),
            "movetime_ms": self.move_time.as_millis() as u64,
            "nps": summary.ours as u64,
            "against_nps": summary.theirs as u64,
            "ratio": summary.ours / summary.theirs,
            "compared": summary.compared,
            "positions": positions,
        })
    }
}

/// Geometric means of nodes per second, over the positions that can be compared.
struct SpeedSummary {
    ours: f64,
    theirs: f64,
    compared: usize,
}

impl SpeedSummary {
    fn of(pairs: &[Pair], move_time: Duration) -> Option<Self> {
        let comparable = || {
            pairs
                .iter()
                .filter(move |pair| pair.ratio(move_time).is_some())
        };
        let compared = comparable().count();
        let mean = |logarithms: f64| (logarithms / compared as f64).exp();
        let ours = comparable().map(|pair| pair.ours.nodes_per_second.ln());
        let theirs = comparable().filter_map(|pair| pair.theirs.as_ref());
        (compared > 0).then(|| Self {
            ours: mean(ours.sum()),
            theirs: mean(theirs.map(|theirs| theirs.nodes_per_second.ln()).sum()),
            compared,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(nodes_per_second: f64, ms: u64) -> Speed {
        Speed {
            nodes_per_second,
            time: Duration::from_millis(ms),
        }
    }

    #[test]
    fn ratios_are_averaged_geometrically_where_both_really_searched() {
        let pair = |ours, theirs| Pair {
            position: bench::POSITIONS[0],
            ours,
            theirs,
        };
        let pairs = [
            pair(speed(400.0, 1000), Some(speed(100.0, 900))),
            pair(speed(100.0, 1000), Some(speed(100.0, 900))),
            pair(speed(9000.0, 2), Some(speed(100.0, 900))),
            pair(speed(9000.0, 1000), Some(speed(0.0, 900))),
            pair(speed(9000.0, 1000), None),
        ];
        let summary = SpeedSummary::of(&pairs, Duration::from_secs(1)).expect("two to compare");
        assert_eq!(summary.compared, 2);
        assert!((summary.ours - 200.0).abs() < 1e-6 && (summary.theirs - 100.0).abs() < 1e-6);
        assert!(SpeedSummary::of(&pairs[2..], Duration::from_secs(1)).is_none());
    }
}
