//! Whole lines of mates, where the mate search or the table gives only the first moves.

use super::{line::Score, search_value::SearchValue, searcher::Searcher};
use crate::{
    eval::Evaluator,
    mate::{MateQuestion, Verdict, solve_mate},
    rules::Move,
};

/// Most positions of a search for the rest of a line, and those that a search which has hardly begun may visit
/// for it; beside these it has one for each node.
const POSITIONS: u64 = 1 << 16;
const FIRST_POSITIONS: u64 = 1 << 12;

/// A line of a mate with all its moves.
pub(super) struct WholeMate {
    /// The moves.
    pub pv: Vec<Move>,
    /// The distance of the mate.
    pub score: Score,
    /// The mate was found from the root: it holds whatever the search says later.
    pub is_from_root: bool,
}

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Completes a line that ends before its mate: it is searched anew from the last move of the side that
    /// mates on. Returns the line with its mate, which may be nearer; nothing if the line is whole, if its
    /// score is no mate, or if the search finds none as near. What was not found is not looked for again before
    /// twice as many positions may be visited.
    pub(super) fn completed_mate(&self, pv: &[Move], score: Score) -> Option<WholeMate> {
        let Score::Mate(plies) = score else {
            return None;
        };
        let length = plies.unsigned_abs() as usize;
        if pv.is_empty() || pv.len() >= length || V::LANES > 1 || !self.trusts_mates() {
            return None;
        }
        // The side that mates moves at even plies after the root, or at odd ones.
        let attack = usize::from(plies < 0);
        let last = (0..pv.len()).rev().find(|ply| ply % 2 == attack)?;
        // Reports come from below the root as well, while other threads work there.
        let root = (self.root_split.as_ref()).map_or(&self.position, |split| &split.setup.position);
        let mut position = root.clone();
        for &mv in &pv[..last] {
            position.make(mv);
        }
        let nodes = POSITIONS.min(FIRST_POSITIONS + self.nodes);
        let place = (position.key(), length - last);
        let failed = self.not_completed.get();
        if failed.is_some_and(|(failed, tried)| failed == place && nodes < 2 * tried) {
            return None;
        }
        // A line longer than the mate that is known is shortened with more effort.
        for shortest in [false, true] {
            let question = MateQuestion {
                nodes,
                shortest,
                ..MateQuestion::new(1)
            };
            let solution = solve_mate(&position, &question, |_| self.control.is_over());
            let Verdict::Mate { line, .. } = solution.verdict else {
                break;
            };
            let whole = [&pv[..last], &line].concat();
            if whole.len() <= length && !self.ruled_out.contains(&whole[0]) {
                return Some(WholeMate {
                    score: Score::Mate(plies.signum() * whole.len() as i32),
                    pv: whole,
                    is_from_root: last == 0,
                });
            }
        }
        if !self.control.is_over() {
            self.not_completed.set(Some((place, nodes)));
        }
        None
    }
}
