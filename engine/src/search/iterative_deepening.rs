//! Iterative deepening and aspiration windows.

use super::{
    last_search::FinishedIteration,
    limits::Limits,
    line::{Bound, Line},
    numbers::aspiration,
    root_search::RootSearch,
    searcher::Searcher,
    value::{INFINITE, MATE, MATE_BOUND, MAX_PLY, Value, score},
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, Move},
};

impl<E: Evaluator + Clone, V: RootSearch> Searcher<'_, E, V> {
    /// Searches deeper and deeper until a limit is reached, from the iteration after `resumed` on; returns
    /// the last line, and the iteration after which a further search goes on.
    pub(super) fn run(
        mut self,
        limits: &Limits,
        legal: &[Move],
        resumed: Option<FinishedIteration<V>>,
    ) -> (Line, Option<FinishedIteration<V>>) {
        let chosen = self.rule_out_unasked(limits, legal);
        self.is_forced = chosen == 1;
        let mut previous = V::all(0);
        let mut ranked_values = Vec::new();
        let mut finished = 0;
        if let Some(resumed) = resumed {
            finished = resumed.depth;
            previous = resumed.value;
            self.mean_square = resumed.mean_square;
            let line = Line {
                nodes: 0,
                time: self.started.elapsed(),
                ends_iteration: false,
                ..resumed.line
            };
            (self.progress)(&line);
            self.best = Some(line);
        }
        for depth in finished + 1..MAX_PLY as i32 {
            if depth as u32 > self.control.depth_limit() {
                break;
            }
            self.root_depth = depth;
            self.selective_depth = 0;
            self.root_effort.clear();
            if let Some(pool) = self.pool {
                pool.reset_selective_depth();
            }
            let value = self.search_iteration(depth, previous);
            if self.stopped {
                break;
            }
            let square = value.lane(0).clamp(-2_000, 2_000).pow(2);
            self.mean_square = if depth == 1 {
                square
            } else {
                (self.mean_square + square) / 2
            };
            previous = value;
            finished = depth;
            self.votes.end_iteration();
            self.report_iteration(value);
            let wanted = match self.lane_count {
                1 => (limits.multi_pv.unwrap_or(1) as usize).min(chosen),
                _ => 1,
            };
            if wanted > 1 {
                self.rank_others(depth, value, wanted, &mut ranked_values);
                if self.stopped {
                    break;
                }
            }
            // At this depth, a shorter mate would have been found.
            let is_proof = |value: Value| {
                value.abs() >= MATE_BOUND && MATE_DISTANCE_SLACK * depth >= mate_plies(value)
            };
            let proved = (0..self.lane_count).all(|lane| is_proof(value.lane(lane)))
                && ranked_values
                    .iter()
                    .all(|ranked: &V| is_proof(ranked.lane(0)));
            let is_limited = limits.multi_pv.is_some() || self.control.has_limit();
            if proved && is_limited || self.is_forced && self.control.has_deadline() {
                break;
            }
        }
        let time = self.started.elapsed();
        self.refresh_votes();
        let mut line = self.best.take().unwrap_or_else(|| {
            let mut moves = legal.iter().copied();
            let first = moves.find(|mv| !self.ruled_out.contains(mv));
            Line::unsearched(Vec::from_iter(first), score(0), Bound::Lower)
        });
        line.nodes = self.total_nodes();
        line.time = time;
        line.hash_full = self.hash_full();
        let finished = (finished > 0).then(|| FinishedIteration {
            depth: finished,
            value: previous,
            mean_square: self.mean_square,
            line: line.clone(),
        });
        (line, finished)
    }

    /// Returns the full window of every virtual player; unused lanes are settled.
    fn whole_window(&self) -> (V, V) {
        let bound = |sign: Value| {
            V::from_lanes(|lane| {
                if lane < self.lane_count {
                    sign * INFINITE
                } else {
                    -sign * INFINITE
                }
            })
        };
        (bound(-1), bound(1))
    }

    /// Searches one iteration with an aspiration window around the value of the last one, widened
    /// until it holds the value. A lane whose value lies in its window is settled while the others
    /// are searched again.
    pub(super) fn search_iteration(&mut self, depth: i32, previous: V) -> V {
        let whole = self.whole_window();
        if depth < 5 || self.options.root_aspiration == 0 {
            return self.search_root(whole, depth);
        }
        // The more the value has varied, the wider the window.
        let mut margin = aspiration::least()
            + (self.mean_square / aspiration::variance())
                .min(aspiration::most() - aspiration::least());
        margin = self.options.margin(margin).max(1);
        let mut failures = 0;
        let mut windows: Vec<(Value, Value)> = (0..V::LANES)
            .map(|lane| {
                let previous = previous.lane(lane);
                let low = (previous - margin).max(whole.0.lane(lane));
                (low, (previous + margin).min(whole.1.lane(lane)))
            })
            .collect();
        let mut values = previous;
        loop {
            let window = (
                V::from_lanes(|lane| windows[lane].0),
                V::from_lanes(|lane| windows[lane].1),
            );
            let value = self.search_root(window, (depth - failures).max(1));
            if self.stopped {
                return value;
            }
            values = V::from_lanes(|lane| {
                let (low, high) = windows[lane];
                if low < high {
                    value.lane(lane)
                } else {
                    values.lane(lane)
                }
            });
            let (mut is_settled, mut has_fallen, mut has_risen) = (true, false, false);
            for (lane, (low, high)) in windows.iter_mut().enumerate() {
                if low >= high {
                    continue;
                }
                let value = value.lane(lane);
                if value <= *low {
                    has_fallen = true;
                    *high = (*low + *high) / 2;
                    *low = (value - margin).max(-INFINITE);
                } else if value >= *high {
                    has_risen = true;
                    *high = (value + margin).min(INFINITE);
                } else {
                    (*low, *high) = (INFINITE, -INFINITE);
                    continue;
                }
                is_settled = false;
                if margin > aspiration::open() {
                    (*low, *high) = (-INFINITE, INFINITE);
                }
            }
            if is_settled {
                return values;
            }
            // After a fail low the full depth is needed; after a fail high the move is likely good.
            failures = if has_fallen || self.lane_count > 1 {
                0
            } else {
                failures + i32::from(has_risen)
            };
            if has_fallen {
                self.report_fail_low(value);
            }
            margin += (margin / 3).max(1);
        }
    }

    fn search_root(&mut self, window: (V, V), depth: i32) -> V {
        debug_assert_eq!(self.after_null_move, 0, "every null move is taken back");
        let info = CheckInfo::new(&self.position);
        self.set_root_window(window.1.lead(window.0, window.0));
        V::search_root(self, &info, window, depth)
    }
}

/// A mate of n plies counts as the shortest from depth n / 3 on, because checks are extended.
const MATE_DISTANCE_SLACK: i32 = 3;

fn mate_plies(value: Value) -> i32 {
    MATE - value.abs()
}
