//! Whole lines of mates, where the mate search or the table gives only the first moves.

use super::{line::Score, search_value::SearchValue, searcher::Searcher};
use crate::{
    eval::Evaluator,
    mate::{MateQuestion, Verdict, solve_mate},
    rules::Move,
};

/// Positions of the search for the rest of a line.
const POSITIONS: u64 = 1 << 16;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Completes a line that ends before its mate: it is searched anew from the last move of the side that
    /// mates on. Returns the line with its mate, which may be nearer; nothing if the line is whole, if its
    /// score is no mate, or if the search finds none as near.
    pub(super) fn completed_mate(&self, pv: &[Move], score: Score) -> Option<(Vec<Move>, Score)> {
        let Score::Mate(plies) = score else {
            return None;
        };
        let length = plies.unsigned_abs() as usize;
        if pv.is_empty() || pv.len() >= length || V::LANES > 1 {
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
        // A line longer than the mate that is known is shortened with more effort.
        [false, true].into_iter().find_map(|shortest| {
            let question = MateQuestion {
                nodes: POSITIONS,
                shortest,
                ..MateQuestion::new(1)
            };
            let solution = solve_mate(&position, &question, |_| self.control.is_over());
            let Verdict::Mate { line, .. } = solution.verdict else {
                return None;
            };
            let whole = [&pv[..last], &line].concat();
            let is_as_near = whole.len() <= length && !self.ruled_out.contains(&whole[0]);
            let plies = plies.signum() * whole.len() as i32;
            is_as_near.then_some((whole, Score::Mate(plies)))
        })
    }
}
