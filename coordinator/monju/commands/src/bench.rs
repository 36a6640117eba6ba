//! `monju bench`: the nodes that one player searches, and their number a second.

mod branching;
mod compare;
mod evaluators;
mod lane_costs;
mod machine;
mod mates;
mod rival;
mod scaling;
mod stack;

pub use branching::Branching;
pub use compare::RivalComparison;
pub use evaluators::Evaluators;
pub use mates::MateBench;
pub use rival::RivalOption;
pub use scaling::{Dimension, Scaling};

use crate::output::print_line;
use monju_engine::{
    Limits, Player, PlayerSettings, Score,
    bench::{self, Measurement},
    counted,
};
use serde_json::{Value, json};
use stack::on_search_stack;
use std::time::Duration;

/// The suite at a fixed depth.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteBench {
    /// The player; every position is a new game to it.
    pub settings: PlayerSettings,
    /// Its noise seed.
    pub seed: u64,
    /// Iterations in every position.
    pub depth: u32,
    /// One JSON object instead of text.
    pub json: bool,
}

impl SuiteBench {
    /// Searches the suite, and prints the measurements to standard output.
    ///
    /// # Errors
    /// The player cannot be made, or standard output is closed.
    pub fn run(&self) -> anyhow::Result<()> {
        on_search_stack(|| {
            let mut player = Player::new(self.settings.clone())?;
            let limits = Limits {
                depth: Some(self.depth),
                ..Limits::default()
            };
            let mut measured = Vec::new();
            for position in bench::POSITIONS {
                let measurement = bench::measure(&mut player, self.seed, position, &limits)?;
                if !self.json {
                    print_line(&row(&measurement))?;
                }
                measured.push(measurement);
            }
            let total = Total::of(&measured);
            let evaluation = bench::evaluation_time(&self.settings.evaluator)?.as_nanos() as u64;
            if self.json {
                print_line(&format!("{:#}", self.object(&measured, &total, evaluation)))
            } else {
                print_line(&format!(
                    "{} at depth {} in {:.3} s, {} nodes/s, {evaluation} ns an evaluation",
                    counted(total.nodes, "node"),
                    self.depth,
                    total.time.as_secs_f64(),
                    total.nodes_per_second()
                ))
            }
        })
    }

    fn object(&self, measured: &[Measurement], total: &Total, evaluation_ns: u64) -> Value {
        let positions: Vec<Value> = measured.iter().map(position_object).collect();
        json!({
            "nodes": total.nodes,
            "nps": total.nodes_per_second(),
            "depth": self.depth,
            "time_ms": total.time.as_millis() as u64,
            "evaluation_ns": evaluation_ns,
            "evaluator": self.settings.evaluator.to_string(),
            "hash_mib": self.settings.hash_mib,
            "sigma": self.settings.sigma,
            "noise_model": self.settings.noise_model.name(),
            "seed": self.seed,
            "positions": positions,
        })
    }
}

struct Total {
    nodes: u64,
    time: Duration,
}

impl Total {
    fn of(measured: &[Measurement]) -> Self {
        Self {
            nodes: measured.iter().map(|measured| measured.line.nodes).sum(),
            time: measured.iter().map(|measured| measured.line.time).sum(),
        }
    }

    fn nodes_per_second(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-9)) as u64
    }
}

fn row(measured: &Measurement) -> String {
    let score = match measured.line.score {
        Score::Cp(cp) => format!("cp {cp}"),
        Score::Mate(plies) => format!("mate {plies}"),
    };
    format!(
        "{:>10} nodes {:>6} ms  {:<7} {score:<9} {}",
        measured.line.nodes,
        measured.line.time.as_millis(),
        measured.answer,
        measured.position
    )
}

fn position_object(measured: &Measurement) -> Value {
    json!({
        "position": measured.position,
        "nodes": measured.line.nodes,
        "nps": measured.nodes_per_second() as u64,
        "time_ms": measured.line.time.as_millis() as u64,
        "bestmove": measured.answer.to_string(),
        "score": match measured.line.score {
            Score::Cp(cp) => json!({ "cp": cp }),
            Score::Mate(plies) => json!({ "mate": plies }),
        },
    })
}
