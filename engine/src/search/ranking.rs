//! The ranking of several moves (multi-PV), and the choice among some of the moves alone.

use super::{
    limits::Limits,
    line::{Bound, Candidate, Score},
    root_search::RootSearch,
    search_value::SearchValue,
    searcher::Searcher,
    value::score,
};
use crate::{
    eval::Evaluator,
    rules::{Move, MoveList},
};

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns the next asked root move that the picker does not know. `searched` counts those before it.
    pub(super) fn next_unlisted(
        &self,
        table_move: Option<Move>,
        searched: &mut usize,
    ) -> Option<Move> {
        let mut left = self.unlisted.iter().copied().skip(*searched);
        left.find(|&mv| {
            *searched += 1;
            Some(mv) != table_move
        })
    }
}

impl<E: Evaluator + Clone, V: RootSearch> Searcher<'_, E, V> {
    /// Rules out the root moves that were not asked for; returns the number of those left. With several
    /// lanes all moves are left.
    pub(super) fn rule_out_unasked(&mut self, limits: &Limits, legal: &[Move]) -> usize {
        let is_asked = |mv: &Move| limits.search_moves.contains(mv);
        if self.lane_count == 1 && legal.iter().any(is_asked) {
            self.ruled_out = legal.iter().copied().filter(|mv| !is_asked(mv)).collect();
        }
        if !self.ruled_out.is_empty() {
            let listed = MoveList::useful(&self.position);
            let is_left_out = |mv: &Move| is_asked(mv) && !listed.contains(mv);
            self.unlisted = legal.iter().copied().filter(is_left_out).collect();
        }
        legal.len() - self.ruled_out.len()
    }

    /// Ranks `wanted` moves: searches the root without its best move, then without its two best, and so
    /// on. `best` is the value of the best move. `values` holds the values of the last ranking from the
    /// second move on, and of this one in the end.
    pub(super) fn rank_others(&mut self, depth: i32, best: V, wanted: usize, values: &mut Vec<V>) {
        let unasked = self.ruled_out.len();
        let mut ranking: Vec<(V, Candidate)> = Vec::with_capacity(wanted);
        ranking.extend(self.ranked_move(best));
        while !ranking.is_empty() && ranking.len() < wanted {
            self.ranked = ranking.len();
            self.ruled_out.truncate(unasked);
            self.ruled_out
                .extend(ranking.iter().map(|(_, ranked)| ranked.mv));
            // A move has about the value that its rank had in the last iteration.
            let worse = ranking.last().map_or(best, |&(value, _)| value);
            let expected = values.get(ranking.len() - 1).copied().unwrap_or(worse);
            let value = self.search_iteration(depth, expected);
            if self.stopped {
                break;
            }
            let Some(next) = self.ranked_move(value) else {
                break;
            };
            ranking.push(next);
        }
        self.ranked = 0;
        self.ruled_out.truncate(unasked);
        // After an interrupted ranking, the last complete one stays.
        if self.stopped || ranking.is_empty() {
            return;
        }
        // A later search may have found a higher value. Equals stay in the order of their searches.
        // A mate may be told nearer than the search has found it.
        ranking.sort_by_key(|(_, ranked)| std::cmp::Reverse(ranked.score.to_centipawns()));
        *values = ranking.iter().skip(1).map(|&(value, _)| value).collect();
        if let Some(mut line) = self.best.take() {
            line.candidates = ranking.into_iter().map(|(_, ranked)| ranked).collect();
            self.put_found_mate_first(&mut line.candidates);
            line.ranked_depth = depth as u32;
            if let Some(first) = line.candidates.first() {
                line.pv.clone_from(&first.pv);
                (line.score, line.bound) = (first.score, Bound::Exact);
            }
            // It was told when it ended.
            line.ends_iteration = false;
            line.nodes = self.total_nodes();
            line.time = self.started.elapsed();
            line.hash_full = self.hash_full();
            (self.progress)(&line);
            self.best = Some(line);
        }
    }

    /// Puts the mate that was found at the root before all that are farther.
    fn put_found_mate_first(&self, candidates: &mut Vec<Candidate>) {
        let Some((pv, nearest)) = &self.found_mate else {
            return;
        };
        let is_as_near = |candidate: &Candidate| match candidate.score {
            Score::Mate(plies) => (1..=*nearest).contains(&plies),
            Score::Cp(_) => false,
        };
        if candidates.first().is_some_and(is_as_near) {
            return;
        }
        let count = candidates.len();
        candidates.retain(|candidate| candidate.mv != pv[0]);
        candidates.insert(
            0,
            Candidate {
                mv: pv[0],
                score: Score::Mate(*nearest),
                bound: Bound::Exact,
                pv: pv.clone(),
            },
        );
        candidates.truncate(count);
    }

    /// Returns the move that the root search has found, with its value; `None` without one.
    fn ranked_move(&self, value: V) -> Option<(V, Candidate)> {
        let (pv, score) = (self.pv[0].clone(), score(value.lane(0)));
        let (pv, score) = match self.completed_mate(&pv, score) {
            Some(whole) => (whole.pv, whole.score),
            None => (pv, score),
        };
        let candidate = Candidate {
            mv: *pv.first()?,
            score,
            bound: Bound::Exact,
            pv,
        };
        Some((value, candidate))
    }
}
