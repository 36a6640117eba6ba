//! The cost of virtual players by depth, over one player without noise.

use monju_engine::Line;
use serde_json::{Value, json};
use std::time::Duration;

/// Least depth that is reported: below, a search takes no time.
const LEAST_DEPTH: u32 = 4;

/// Cost of a search with lanes up to one depth: geometric means over the positions of the ratios to one
/// player without noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthCost {
    depth: u32,
    nodes: f64,
    time: f64,
    /// Share of the positions in which the lanes choose at least two moves.
    differing: f64,
}

impl DepthCost {
    /// Returns a line of text.
    pub fn row(&self, lanes: usize) -> String {
        let Self {
            depth,
            nodes,
            time,
            differing,
        } = *self;
        format!(
            "{lanes} lanes over one player without noise, to depth {depth}: nodes x {nodes:.2}, time x {time:.2}; \
             they differ in {:.0} % of the positions",
            100.0 * differing
        )
    }

    /// Returns the object of JSON.
    pub fn object(&self) -> Value {
        json!({
            "depth": self.depth,
            "nodes_ratio": self.nodes,
            "time_ratio": self.time,
            "differing": self.differing,
        })
    }
}

/// Compares two searches of each position depth by depth, where both have finished the iteration.
pub fn costs(lanes: &[Vec<Line>], one: &[Vec<Line>], depth: u32) -> Vec<DepthCost> {
    let at = |depth, iterations: &[Line]| -> Option<Line> {
        iterations.iter().find(|line| line.depth == depth).cloned()
    };
    let cost = |depth| {
        let pairs: Vec<(Line, Line)> = (lanes.iter().zip(one))
            .filter_map(|(lanes, one)| Some((at(depth, lanes)?, at(depth, one)?)))
            .collect();
        if pairs.is_empty() {
            return None;
        }
        let mean = |ratio: &dyn Fn(&(Line, Line)) -> f64| {
            pairs.iter().map(ratio).sum::<f64>() / pairs.len() as f64
        };
        let seconds = |time: Duration| time.as_secs_f64().max(1e-9);
        let differ = |lanes: &Line| lanes.lanes.iter().any(|lane| lane.mv != lanes.lanes[0].mv);
        Some(DepthCost {
            depth,
            nodes: mean(&|(lanes, one)| (lanes.nodes as f64 / one.nodes.max(1) as f64).ln()).exp(),
            time: mean(&|(lanes, one)| (seconds(lanes.time) / seconds(one.time)).ln()).exp(),
            differing: mean(&|(lanes, _)| f64::from(differ(lanes))),
        })
    };
    (LEAST_DEPTH..=depth).filter_map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{Bound, Candidate, Score};

    fn line(depth: u32, nodes: u64, moves: &[&str]) -> Line {
        let lanes = moves.iter().map(|mv| Candidate {
            mv: mv.parse().expect("a move"),
            score: Score::Cp(0),
            bound: Bound::Exact,
            pv: Vec::new(),
        });
        Line {
            pv: Vec::new(),
            score: Score::Cp(0),
            bound: Bound::Exact,
            depth,
            selective_depth: depth,
            nodes,
            time: Duration::from_millis(nodes),
            hash_full: None,
            candidates: Vec::new(),
            ranked_depth: 0,
            lanes: lanes.collect(),
            ends_iteration: true,
            best_move_effort: None,
        }
    }

    #[test]
    fn costs_are_geometric_means_of_the_iterations_that_both_have_finished() {
        let lanes = [
            vec![
                line(4, 200, &["7g7f", "7g7f"]),
                line(5, 800, &["7g7f", "2g2f"]),
            ],
            vec![line(4, 800, &["7g7f", "2g2f"])],
        ];
        let one = [
            vec![line(4, 100, &[]), line(5, 100, &[])],
            vec![line(4, 100, &[]), line(5, 300, &[])],
        ];
        let costs = costs(&lanes, &one, 6);
        assert_eq!(
            costs.iter().map(|cost| cost.depth).collect::<Vec<_>>(),
            [4, 5]
        );
        assert!((costs[0].nodes - 4.0).abs() < 1e-9 && (costs[0].time - 4.0).abs() < 1e-9);
        assert!((costs[0].differing - 0.5).abs() < 1e-9);
        assert!((costs[1].nodes - 8.0).abs() < 1e-9 && costs[1].differing > 0.99);
        assert!(costs[0].row(8).contains("depth 4: nodes x 4.00"));
    }
}
