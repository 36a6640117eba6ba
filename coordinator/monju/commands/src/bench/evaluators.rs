//! `monju bench --evaluators`: the cost of each evaluator, in one run.

use super::stack::on_search_stack;
use crate::output::print_line;
use anyhow::{Context, bail};
use monju_engine::{
    Limits, Model, Player, PlayerSettings,
    bench::{self, Measurement},
};
use serde_json::{Value, json};
use std::time::Duration;

/// The suite, searched with each evaluator for the same time. They take turns at every position,
/// so that other work of the machine slows all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluators {
    /// The player, but for its evaluator; every position is a new game.
    pub settings: PlayerSettings,
    /// Its noise seed.
    pub seed: u64,
    /// The evaluators; the others are compared with the first.
    pub models: Vec<Model>,
    /// Time for each position and evaluator.
    pub move_time: Duration,
    /// One JSON object instead of text.
    pub json: bool,
}

/// Cost of one evaluator.
struct Cost {
    name: String,
    nodes_per_second: f64,
    /// Geometric mean of the ratios to the first evaluator's nodes per second.
    ratio: f64,
    evaluation_ns: u64,
}

impl Evaluators {
    /// Measures all of them, and prints their costs to standard output.
    ///
    /// # Errors
    /// A player cannot be made, no position was searched long enough, or standard output is closed.
    pub fn run(&self) -> anyhow::Result<()> {
        on_search_stack(|| {
            let player = |evaluator: &Model| {
                Player::new(PlayerSettings {
                    evaluator: evaluator.clone(),
                    ..self.settings.clone()
                })
            };
            let mut players = self
                .models
                .iter()
                .map(player)
                .collect::<Result<Vec<_>, _>>()?;
            let limits = Limits {
                time: Some(self.move_time),
                ..Limits::default()
            };
            let mut speeds = Vec::new();
            for position in bench::POSITIONS {
                let mut measure = |player: &mut Player| -> anyhow::Result<Measurement> {
                    Ok(bench::measure(player, self.seed, position, &limits)?)
                };
                let all = players
                    .iter_mut()
                    .map(&mut measure)
                    .collect::<Result<Vec<_>, _>>()?;
                // A search that found a mate at once would measure the clock.
                if all
                    .iter()
                    .all(|measured| measured.line.time >= self.move_time / 10)
                {
                    speeds.push(all.iter().map(Measurement::nodes_per_second).collect());
                }
            }
            if speeds.is_empty() {
                bail!("no position was searched long enough; give more --movetime");
            }
            let costs = self.costs(&speeds)?;
            if self.json {
                return print_line(&format!("{:#}", self.object(&costs, speeds.len())));
            }
            for cost in &costs {
                print_line(&format!(
                    "{:>9.0} nodes/s, ratio {:.3}, {:>4} ns an evaluation  {}",
                    cost.nodes_per_second, cost.ratio, cost.evaluation_ns, cost.name
                ))?;
            }
            print_line(&format!(
                "geometric means over {} of {} positions",
                speeds.len(),
                bench::POSITIONS.len()
            ))
        })
    }

    /// Derives the costs from the nodes per second of each position, in the order of the evaluators.
    fn costs(&self, speeds: &[Vec<f64>]) -> anyhow::Result<Vec<Cost>> {
        let mean = |of: &dyn Fn(&Vec<f64>) -> f64| {
            let logarithms: f64 = speeds.iter().map(|speeds| of(speeds).ln()).sum();
            (logarithms / speeds.len() as f64).exp()
        };
        let cost = |(index, model): (usize, &Model)| -> anyhow::Result<Cost> {
            let evaluation =
                bench::evaluation_time(model).with_context(|| format!("cannot measure {model}"))?;
            Ok(Cost {
                name: model.to_string(),
                nodes_per_second: mean(&|speeds| speeds[index]),
                ratio: mean(&|speeds| speeds[index] / speeds[0]),
                evaluation_ns: evaluation.as_nanos() as u64,
            })
        };
        self.models.iter().enumerate().map(cost).collect()
    }

    fn object(&self, costs: &[Cost], compared: usize) -> Value {
        let evaluators: Vec<Value> = costs
            .iter()
            .map(|cost| {
                json!({
                    "evaluator": cost.name,
                    "nps": cost.nodes_per_second as u64,
                    "ratio": cost.ratio,
                    "evaluation_ns": cost.evaluation_ns,
                })
            })
            .collect();
        json!({
            "movetime_ms": self.move_time.as_millis() as u64,
            "compared": compared,
            "evaluators": evaluators,
        })
    }
}
