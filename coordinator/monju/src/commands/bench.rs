//! `monju bench`: how much one player searches, and how fast.

mod compare;
mod evaluators;
mod machine;
mod rival;
mod scaling;

pub use compare::Comparison;
pub use evaluators::Evaluators;
pub use rival::RivalOption;
use rival::{Rival, Speed};
pub use scaling::{Dimension, Scaling};

use anyhow::Context;
use monju_engine::{
    Limits, Player, PlayerSettings, STACK_BYTES, Score,
    bench::{self, Measurement},
};
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    thread,
    time::Duration,
};

/// The suite at a fixed depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Bench {
    /// The player; every position is a new game to it.
    pub settings: PlayerSettings,
    /// Its noise seed.
    pub seed: u64,
    /// Iterations in every position.
    pub depth: u32,
    /// One JSON object instead of text.
    pub json: bool,
}

impl Bench {
    /// Searches the suite, and prints what came of it to standard output.
    ///
    /// # Errors
    /// The player cannot be made, or nobody reads.
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
                    print(&row(&measurement))?;
                }
                measured.push(measurement);
            }
            let total = Total::of(&measured);
            let evaluation = bench::evaluation_time(&self.settings.evaluator)?.as_nanos() as u64;
            if self.json {
                print(&format!("{:#}", self.object(&measured, &total, evaluation)))
            } else {
                print(&format!(
                    "{} nodes at depth {} in {:.3} s, {} nodes/s, {evaluation} ns an evaluation",
                    total.nodes,
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

/// Runs `work` on a thread with the stack that a search needs.
fn on_search_stack<T: Send>(work: impl FnOnce() -> anyhow::Result<T> + Send) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let search = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .context("cannot start the search thread")?;
        // A panic has been told where it happened; here it goes on.
        search
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn print(line: &str) -> anyhow::Result<()> {
    writeln!(io::stdout().lock(), "{line}").context("cannot write to standard output")
}
