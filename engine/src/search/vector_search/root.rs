//! The root of the vector search: its order of moves and its votes.

use crate::{
    eval::Evaluator,
    rules::{CheckInfo, Move},
    search::{
        lanes::{LaneSet, Lanes},
        line::Bound,
        searcher::Searcher,
    },
};

impl<E: Evaluator + Clone> Searcher<'_, E, Lanes> {
    /// Searches the root with a window for each lane.
    pub(in crate::search) fn search_vector_root(
        &mut self,
        info: &CheckInfo,
        window: (Lanes, Lanes),
        depth: i32,
    ) -> Lanes {
        self.votes.begin(window);
        self.vector_search::<true>(info, window, depth, 0, false)
    }

    /// Returns the moves that some lane prefers so far, those of most lanes first, each with these
    /// lanes; none but at the root.
    pub(super) fn favourites(&self, is_root: bool, info: &CheckInfo) -> Vec<(Move, LaneSet)> {
        if !is_root {
            return Vec::new();
        }
        (self.votes.ranking().into_iter())
            .filter(|&mv| self.position.is_legal_given(mv, info))
            .map(|mv| {
                let prefers = |lane| lane < self.lane_count && self.votes.choice(lane) == Some(mv);
                (mv, LaneSet::of(prefers))
            })
            .collect()
    }

    /// Records the values of a root move; `window` is the one before it. Reports a new leader.
    pub(super) fn record_votes(&mut self, mv: Move, value: Lanes, window: (Lanes, Lanes)) {
        self.votes.record(mv, value, window, &self.pv[0]);
        let leader = self.votes.ranking().first().copied();
        if leader.is_some()
            && leader != self.best.as_ref().and_then(|line| line.pv.first().copied())
        {
            self.report(value, Bound::Exact);
        }
    }
}
