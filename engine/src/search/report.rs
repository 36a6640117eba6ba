//! Reports of a running search: its principal variation and the choices of the virtual players.

use super::{
    line::{Bound, Candidate, Line, RootMove, Score},
    search_value::{SearchValue, TranspositionTable},
    searcher::Searcher,
    thread_pool::ThreadPool,
    value::{Value, score},
};
use crate::{eval::Evaluator, rules::Move};
use std::time::Duration;

/// Duration of a search before the entries of its table are counted.
const HASH_COUNT_AFTER: Duration = Duration::from_millis(100);

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Reports a root move that has raised alpha.
    pub(super) fn report_new_best(&mut self, value: V, beta: V) {
        if self.ranked > 0 {
            return;
        }
        let bound = if value.all_at_least(beta) {
            Bound::Lower
        } else {
            Bound::Exact
        };
        let changed = self.best.as_ref().and_then(|line| line.pv.first().copied())
            != self.pv[0].first().copied();
        if changed || bound == Bound::Lower {
            self.report(value, bound);
        }
    }

    /// Tells which root move is searched next; `number` counts from 1 behind the ranked ones.
    pub(super) fn note_root_move(&self, mv: Move, number: usize) {
        self.control.note_root_move(RootMove {
            mv,
            number: (self.ranked + number) as u16,
            depth: self.root_depth as u16,
        });
    }

    /// Returns the best root move so far, for a table that has lost it; in a ranking, the move that had
    /// this rank in the last one.
    pub(super) fn best_so_far(&self, is_root: bool) -> Option<Move> {
        if !is_root {
            return None;
        }
        let best = self.best.as_ref()?;
        let mv = match self.ranked {
            0 => best.pv.first().copied(),
            ranked => best.candidates.get(ranked).map(|candidate| candidate.mv),
        };
        mv.filter(|mv| !self.ruled_out.contains(mv))
    }

    /// Reports that the root has failed low, before it is searched again: the best line stays, with
    /// `value` as an upper bound.
    pub(super) fn report_fail_low(&mut self, value: V) {
        if self.lane_count > 1 || self.ranked > 0 || self.found_mate.is_some() {
            return;
        }
        if let Some(best) = self.best.clone() {
            let line = Line {
                score: score(value.lane(0)),
                bound: Bound::Upper,
                ends_iteration: false,
                best_move_effort: None,
                depth: self.root_depth as u32,
                nodes: self.total_nodes(),
                time: self.started.elapsed(),
                ..best
            };
            (self.progress)(&line);
        }
    }

    /// Reports the line of an iteration that has ended.
    pub(super) fn report_iteration(&mut self, value: V) {
        self.report_line(value, Bound::Exact, true);
    }

    /// Reports the current line and keeps it as the best. Virtual players have bounds of their own.
    pub(super) fn report(&mut self, value: V, bound: Bound) {
        self.report_line(value, bound, false);
    }

    fn report_line(&mut self, value: V, bound: Bound, ends_iteration: bool) {
        let Some((pv, value, bound, lanes)) = self.current_line(value, bound) else {
            return;
        };
        let nodes = self.total_nodes();
        let selective_depth = self
            .pool
            .map_or(self.selective_depth, ThreadPool::selective_depth);
        let last = self.best.take();
        let best_move_effort = (ends_iteration && self.pool.is_none() && self.lane_count == 1)
            .then(|| self.root_effort.share_of(*pv.first()?))
            .flatten();
        let (pv, score, bound) = self.with_whole_mate(pv, score(value), bound, last.as_ref());
        let (candidates, ranked_depth) = last
            .map(|last| (last.candidates, last.ranked_depth))
            .unwrap_or_default();
        let line = Line {
            pv,
            score,
            bound,
            depth: self.root_depth as u32,
            selective_depth: selective_depth as u32,
            nodes,
            time: self.started.elapsed(),
            hash_full: self.hash_full(),
            candidates,
            ranked_depth,
            ends_iteration,
            best_move_effort,
            lanes,
        };
        (self.progress)(&line);
        self.best = Some(line);
    }

    /// Returns the line to report. That of a mate has all its moves, if they can be found; another one has the rest
    /// of the line that was told last, if the search has found only its beginning. A mate that was found at the root
    /// is not given up for a longer one, and is exact whatever the bound of the search's value is.
    fn with_whole_mate(
        &mut self,
        pv: Vec<Move>,
        score: Score,
        bound: Bound,
        last: Option<&Line>,
    ) -> (Vec<Move>, Score, Bound) {
        if let Some((found, nearer)) = &self.found_mate
            && !matches!(score, Score::Mate(plies) if (1..*nearer).contains(&plies))
            && self.ranked == 0
        {
            return (found.clone(), Score::Mate(*nearer), Bound::Exact);
        }
        let Score::Mate(_) = score else {
            // A move that fails at the root has no line, and a GUI ponders on the second move.
            return match last {
                Some(last) if bound != Bound::Exact && last.pv.starts_with(&pv) => {
                    (last.pv.clone(), score, bound)
                }
                _ => (pv, score, bound),
            };
        };
        if let Some(whole) = self.completed_mate(&pv, score) {
            if let Score::Mate(plies) = whole.score
                && whole.is_from_root
            {
                self.found_mate = Some((whole.pv.clone(), plies));
            }
            return (whole.pv, whole.score, bound);
        }
        // The rest of the line that was told last.
        match last {
            Some(last) if last.score == score && last.pv.starts_with(&pv) => {
                (last.pv.clone(), score, bound)
            }
            _ => (pv, score, bound),
        }
    }

    /// Returns the share of the table that this search has filled, in parts of a thousand, once the
    /// search has lasted long enough for the count to cost nothing.
    pub(super) fn hash_full(&self) -> Option<u32> {
        let is_long = self.started.elapsed() >= HASH_COUNT_AFTER;
        is_long.then(|| self.table.permille_full())
    }

    /// Brings the votes of the last report up to date, for a search that a limit has broken off.
    pub(super) fn refresh_votes(&mut self) {
        if self.lane_count > 1
            && let Some((pv, value, bound, lanes)) = self.leading_line()
            && let Some(best) = &mut self.best
        {
            (best.pv, best.score, best.bound, best.lanes) = (pv, score(value), bound, lanes);
        }
    }

    /// Returns the principal variation, its value and the meaning of that, and in a vector search the choice of
    /// each virtual player.
    fn current_line(
        &self,
        value: V,
        bound: Bound,
    ) -> Option<(Vec<Move>, Value, Bound, Vec<Candidate>)> {
        if self.lane_count > 1 {
            return self.leading_line();
        }
        let line = &self.pv[0];
        (!line.is_empty()).then(|| (line.clone(), value.lane(0), bound, Vec::new()))
    }

    /// Returns the line of the move that most virtual players choose, the mean of their values, and
    /// the choice of each. The mean is a lower bound where one of the values is.
    fn leading_line(&self) -> Option<(Vec<Move>, Value, Bound, Vec<Candidate>)> {
        let leader = self.votes.ranking().first().copied()?;
        let choices = self.votes.choices(leader);
        let own = || choices.iter().filter(|choice| choice.mv == leader);
        let values: Value = own().map(|choice| choice.value).sum();
        let mean = values / own().count().max(1) as Value;
        let bound = match own().all(|choice| choice.bound == Bound::Exact) {
            true => Bound::Exact,
            false => Bound::Lower,
        };
        let candidates = choices.iter().map(|choice| Candidate {
            mv: choice.mv,
            score: score(choice.value),
            bound: choice.bound,
            pv: Vec::new(),
        });
        Some((self.votes.line(leader), mean, bound, candidates.collect()))
    }
}
