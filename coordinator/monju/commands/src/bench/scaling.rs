//! `monju bench --threads 1,2` and `--lanes 1,8`: time to depth of several threads, and of one search that
//! carries several virtual players.

use super::{
    lane_costs::{DepthCost, costs},
    machine,
    stack::on_search_stack,
};
use crate::output::print_line;
use monju_engine::{
    Limits, Line, Player, PlayerSettings,
    bench::{self, MIDDLEGAME},
};
use monju_experiment::statistics::student_quantile;
use serde_json::{Value, json};
use std::time::Duration;
use strum::IntoStaticStr;

/// The quantity that is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Dimension {
    /// Threads that search together.
    Threads,
    /// Virtual players in one search (Tohske, section 4).
    Lanes,
}

impl Dimension {
    fn name(self) -> &'static str {
        self.into()
    }

    fn apply(self, settings: &PlayerSettings, count: usize) -> PlayerSettings {
        let mut settings = settings.clone();
        match self {
            Self::Threads => settings.threads = count,
            Self::Lanes => settings.lanes = count,
        }
        settings
    }
}

/// The middlegame positions at a fixed depth, with one number of threads or lanes after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// The player; its threads, or lanes, are those of `counts`, one after the other.
    pub settings: PlayerSettings,
    /// Its noise seed.
    pub seed: u64,
    /// Iterations in every position.
    pub depth: u32,
    /// The quantity that is varied.
    pub dimension: Dimension,
    /// Its values; the others are compared with the first.
    pub counts: Vec<usize>,
    /// Number of positions.
    pub positions: usize,
    /// Number of rounds over all of them, each with another noise seed.
    pub rounds: u64,
    /// One JSON object instead of text.
    pub json: bool,
}

/// All positions with one number of threads or lanes.
struct ScalingSeries {
    count: usize,
    player: Player,
    nodes: Vec<u64>,
    times: Vec<Duration>,
    /// The iterations of each search.
    iterations: Vec<Vec<Line>>,
    /// Ratio of the nodes/second that as many independent searches reach here to those of one search; for
    /// threads alone.
    machine: Option<f64>,
}

/// Geometric means over the positions of the ratios between a series and the first one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ScalingRatios {
    nodes_per_second: f64,
    nodes: f64,
    /// Ratio of the times to depth, above 1 where the depth is reached sooner.
    speedup: f64,
    /// The 95 % interval of `nodes` and `speedup` goes from the mean divided by these to the mean
    /// times these; one position has none.
    nodes_margin: Option<f64>,
    /// See `nodes_margin`.
    speedup_margin: Option<f64>,
}

impl Scaling {
    /// Searches every position with every number in turn, so that a machine that slows down slows all
    /// alike, and prints the ratios.
    ///
    /// # Errors
    /// A player cannot be made, or standard output is closed.
    pub fn run(&self) -> anyhow::Result<()> {
        on_search_stack(|| {
            let mut series = Vec::new();
            for &count in &self.counts {
                let is_parallel = self.dimension == Dimension::Threads && count > 1;
                series.push(ScalingSeries {
                    count,
                    machine: match is_parallel {
                        true => Some(machine::limit(&self.settings, count)?),
                        false => None,
                    },
                    player: Player::new(self.dimension.apply(&self.settings, count))?,
                    nodes: Vec::new(),
                    times: Vec::new(),
                    iterations: Vec::new(),
                });
            }
            if self.dimension == Dimension::Lanes {
                series.insert(0, self.without_noise()?);
            }
            let limits = Limits {
                depth: Some(self.depth),
                ..Limits::default()
            };
            // Virtual players have seeds one after the other: no player of a round is one of another.
            let most = match self.dimension {
                Dimension::Lanes => self.counts.iter().max().map_or(1, |&most| most as u64),
                Dimension::Threads => 1,
            };
            let rounds =
                (0..self.rounds).map(|round| self.seed.wrapping_add(round.wrapping_mul(most)));
            let positions = MIDDLEGAME.into_iter().take(self.positions);
            for (seed, position) in
                rounds.flat_map(|seed| positions.clone().map(move |p| (seed, p)))
            {
                for one in &mut series {
                    let measured = bench::measure(&mut one.player, seed, position, &limits)?;
                    one.nodes.push(measured.line.nodes);
                    one.times.push(measured.line.time);
                    one.iterations.push(measured.iterations);
                }
                if !self.json {
                    print_line(&row(&series, position))?;
                }
            }
            if self.json {
                return print_line(&format!("{:#}", self.object(&series)));
            }
            for one in &series {
                print_line(&self.summary(one, &series[0]))?;
            }
            if self.dimension == Dimension::Lanes {
                for one in &series[1..] {
                    for cost in costs(&one.iterations, &series[0].iterations, self.depth) {
                        print_line(&cost.row(one.count))?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Returns the series of one player without noise, with which lanes are compared.
    fn without_noise(&self) -> anyhow::Result<ScalingSeries> {
        let settings = PlayerSettings {
            sigma: 0.0,
            ..self.dimension.apply(&self.settings, 1)
        };
        Ok(ScalingSeries {
            count: 1,
            player: Player::new(settings)?,
            nodes: Vec::new(),
            times: Vec::new(),
            iterations: Vec::new(),
            machine: None,
        })
    }

    fn summary(&self, series: &ScalingSeries, first: &ScalingSeries) -> String {
        let ScalingRatios {
            nodes_per_second,
            nodes,
            speedup,
            nodes_margin,
            speedup_margin,
        } = series.against(first, self.rounds);
        let interval = |mean: f64, margin: Option<f64>| match margin {
            Some(margin) => format!("{mean:.3} ({:.2}-{:.2})", mean / margin, mean * margin),
            None => format!("{mean:.3}"),
        };
        let name = self.dimension.name();
        format!(
            "{} {}: {} nodes to depth {} in {:.1} s; geometric means with 95 % intervals: nodes/s x \
             {nodes_per_second:.3}, nodes x {}, time to depth x {}",
            series.count,
            match series.count {
                1 => name.trim_end_matches('s'),
                _ => name,
            },
            series.nodes.iter().sum::<u64>(),
            self.depth,
            series.times.iter().sum::<Duration>().as_secs_f64(),
            interval(nodes, nodes_margin),
            interval(speedup, speedup_margin),
        ) + &series.machine.map_or(String::new(), |limit| {
            let count = series.count;
            format!("; {count} independent searches reach nodes/s x {limit:.3} on this machine")
        })
    }

    fn object(&self, series: &[ScalingSeries]) -> Value {
        let rows: Vec<Value> = series
            .iter()
            .map(|one| {
                let ratios = one.against(&series[0], self.rounds);
                let time: Duration = one.times.iter().sum();
                let nodes: u64 = one.nodes.iter().sum();
                json!({
                    self.dimension.name(): one.count,
                    "nodes": nodes,
                    "nps": (nodes as f64 / time.as_secs_f64().max(1e-9)) as u64,
                    "time_to_depth_ms": time.as_millis() as u64,
                    "nps_ratio": ratios.nodes_per_second,
                    "nodes_ratio": ratios.nodes,
                    "nodes_ratio_margin": ratios.nodes_margin,
                    "speedup": ratios.speedup,
                    "speedup_margin": ratios.speedup_margin,
                    "independent_nps_ratio": one.machine,
                    "depths": match self.dimension {
                        Dimension::Threads => Value::Null,
                        Dimension::Lanes => (costs(&one.iterations, &series[0].iterations, self.depth).iter())
                            .map(DepthCost::object)
                            .collect(),
                    },
                })
            })
            .collect();
        json!({
            "depth": self.depth,
            "positions": self.positions.min(MIDDLEGAME.len()),
            "rounds": self.rounds,
            "evaluator": self.settings.evaluator.to_string(),
            "hash_mib": self.settings.hash_mib,
            "sigma": self.settings.sigma,
            "noise_model": self.settings.noise_model.name(),
            self.dimension.name(): rows,
        })
    }
}

impl ScalingSeries {
    fn against(&self, first: &Self, rounds: u64) -> ScalingRatios {
        let nodes: Vec<f64> = (self.nodes.iter().zip(&first.nodes))
            .map(|(own, first)| *own as f64 / (*first).max(1) as f64)
            .collect();
        let speedups: Vec<f64> = (self.times.iter().zip(&first.times))
            .map(|(own, first)| first.as_secs_f64() / own.as_secs_f64().max(1e-9))
            .collect();
        let (nodes, nodes_margin) = geometric_mean(&nodes, rounds);
        let (speedup, speedup_margin) = geometric_mean(&speedups, rounds);
        ScalingRatios {
            nodes_per_second: nodes * speedup,
            nodes,
            speedup,
            nodes_margin,
            speedup_margin,
        }
    }
}

fn row(series: &[ScalingSeries], position: &str) -> String {
    let mut text = String::new();
    for one in series {
        if let (Some(nodes), Some(time)) = (one.nodes.last(), one.times.last()) {
            text += &format!("{nodes:>11} nodes {:>7.2} s  ", time.as_secs_f64());
        }
    }
    text + position
}

/// Returns the mean, and the factor between it and each end of its 95 % interval, by Student's t. The values are those
/// of all positions in the first round, then in the second, and so on. The searches of one position are alike, so that
/// each position counts once, and one position alone tells nothing about others.
fn geometric_mean(values: &[f64], rounds: u64) -> (f64, Option<f64>) {
    let rounds = rounds.max(1) as usize;
    let positions = values.len() / rounds;
    let count = positions.max(1) as f64;
    let of_position = |position| {
        let own = values.iter().skip(position).step_by(positions.max(1));
        own.map(|value: &f64| value.max(1e-12).ln()).sum::<f64>() / rounds as f64
    };
    let logarithms: Vec<f64> = (0..positions).map(of_position).collect();
    let mean = logarithms.iter().sum::<f64>() / count;
    let squares: f64 = (logarithms.iter())
        .map(|value| (value - mean).powi(2))
        .sum();
    let error = || (squares / (count - 1.0) / count).sqrt();
    let margin = || (student_quantile(count - 1.0) * error()).exp();
    (mean.exp(), (positions > 1).then(margin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_geometric_means_over_the_positions() {
        let series = |count, nodes: [u64; 2], milliseconds: [u64; 2]| ScalingSeries {
            count,
            player: Player::new(PlayerSettings {
                hash_mib: 1,
                ..PlayerSettings::default()
            })
            .expect("good settings"),
            nodes: nodes.to_vec(),
            times: milliseconds.map(Duration::from_millis).to_vec(),
            iterations: Vec::new(),
            machine: None,
        };
        let one = series(1, [100, 400], [1000, 4000]);
        let two = series(2, [200, 400], [500, 2000]);
        let ratios = two.against(&one, 1);
        assert!((ratios.speedup - 2.0).abs() < 1e-9);
        assert!((ratios.nodes - 2f64.sqrt()).abs() < 1e-9);
        assert!((ratios.nodes_per_second - 2.0 * 2f64.sqrt()).abs() < 1e-9);
        // The speedup is 2 in both positions: no doubt. The ratios of nodes are 2 and 1: the standard error
        // of ln 2 and ln 1 is half their difference, and Student's quantile of one degree of freedom is 12.706.
        let margin = |margin: Option<f64>| margin.expect("two positions");
        assert!((margin(ratios.speedup_margin) - 1.0).abs() < 1e-9);
        assert!((margin(ratios.nodes_margin) - 2f64.powf(12.706_205 / 2.0)).abs() < 1e-3);
    }

    #[test]
    fn more_rounds_over_the_same_positions_do_not_narrow_the_interval() {
        let once = geometric_mean(&[1.0, 2.0, 4.0], 1);
        let often = geometric_mean(&[1.0, 2.0, 4.0].repeat(10), 10);
        assert!((once.0 - often.0).abs() < 1e-9);
        let margins = [once.1, often.1].map(|margin| margin.expect("three positions"));
        assert!((margins[0] - margins[1]).abs() < 1e-9);
        assert_eq!(geometric_mean(&[3.0, 3.0], 2).1, None);
    }
}
