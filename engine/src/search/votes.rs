//! The votes of the virtual players at the root.

use super::{line::Bound, search_value::SearchValue, value::Value};
use crate::rules::Move;

/// A root move that a virtual player prefers.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneChoice {
    /// The move.
    pub mv: Move,
    /// Its value to the player.
    pub value: Value,
    /// [`Bound::Lower`] of a move that has only been found to reach the end of the window.
    pub bound: Bound,
}

/// The choice of one virtual player.
#[derive(Clone, Copy, Debug, Default)]
struct LaneVote {
    /// Choice of the last whole iteration.
    last: Option<LaneChoice>,
    /// Best move of the running iteration so far.
    current: Option<LaneChoice>,
    /// The choice of the last iteration has been searched in this one, so that a better move is one.
    is_compared: bool,
}

impl LaneVote {
    fn choice(&self) -> Option<LaneChoice> {
        if self.is_compared {
            self.current.or(self.last)
        } else {
            self.last.or(self.current)
        }
    }
}

/// The choices of all virtual players of a search, with the line that follows each of them.
#[derive(Clone, Debug)]
pub(super) struct Votes {
    lanes: Vec<LaneVote>,
    /// The last principal variation that begins with each move.
    lines: Vec<Vec<Move>>,
}

impl Votes {
    pub fn new(lane_count: usize) -> Self {
        Self {
            lanes: vec![LaneVote::default(); lane_count],
            lines: Vec::new(),
        }
    }

    /// Begins a search of the root with a window for each lane; a lane without one keeps its choice.
    pub fn begin<V: SearchValue>(&mut self, (alpha, beta): (V, V)) {
        for (lane, vote) in self.lanes.iter_mut().enumerate() {
            if alpha.lane(lane) < beta.lane(lane) {
                vote.is_compared = vote.last.is_none();
            }
        }
    }

    /// Records that a root move has been searched, with its value, the window before it, and the
    /// line that begins with it. Lanes whose alpha it has raised choose it.
    pub fn record<V: SearchValue>(
        &mut self,
        mv: Move,
        value: V,
        (alpha, beta): (V, V),
        line: &[Move],
    ) {
        let mut is_chosen = false;
        for (lane, vote) in self.lanes.iter_mut().enumerate() {
            let (alpha, beta) = (alpha.lane(lane), beta.lane(lane));
            if alpha >= beta {
                continue;
            }
            vote.is_compared |= vote.last.is_some_and(|last| last.mv == mv);
            let value = value.lane(lane);
            if value > alpha {
                let bound = if value >= beta {
                    Bound::Lower
                } else {
                    Bound::Exact
                };
                vote.current = Some(LaneChoice { mv, value, bound });
                is_chosen = true;
            }
        }
        if is_chosen && line.first() == Some(&mv) {
            match self.lines.iter_mut().find(|line| line.first() == Some(&mv)) {
                Some(old) => line.clone_into(old),
                None => self.lines.push(line.to_vec()),
            }
        }
    }

    /// Ends an iteration that no limit has broken off.
    pub fn end_iteration(&mut self) {
        for vote in &mut self.lanes {
            vote.last = vote.current.take().or(vote.last);
        }
    }

    /// Returns the choice of each lane; `first`, whose value is unknown, for a lane that has none yet.
    pub fn choices(&self, first: Move) -> Vec<LaneChoice> {
        let unsearched = LaneChoice {
            mv: first,
            value: 0,
            bound: Bound::Lower,
        };
        (self.lanes.iter())
            .map(|vote| vote.choice().unwrap_or(unsearched))
            .collect()
    }

    /// Returns the choice of a lane, once it has one.
    pub fn choice(&self, lane: usize) -> Option<Move> {
        self.lanes[lane].choice().map(|choice| choice.mv)
    }

    /// Returns the chosen moves, those with the most votes first; of equals, that of the first lane.
    pub fn ranking(&self) -> Vec<Move> {
        let mut ranking: Vec<(Move, usize)> = Vec::new();
        for LaneChoice { mv, .. } in self.lanes.iter().filter_map(LaneVote::choice) {
            match ranking.iter_mut().find(|(other, _)| *other == mv) {
                Some((_, votes)) => *votes += 1,
                None => ranking.push((mv, 1)),
            }
        }
        ranking.sort_by_key(|&(_, votes)| std::cmp::Reverse(votes));
        ranking.into_iter().map(|(mv, _)| mv).collect()
    }

    /// Returns the line that begins with a move.
    pub fn line(&self, mv: Move) -> Vec<Move> {
        let line = self.lines.iter().find(|line| line.first() == Some(&mv));
        line.cloned().unwrap_or_else(|| vec![mv])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Lanes, value::INFINITE};

    fn mv(text: &str) -> Move {
        text.parse().expect("a move")
    }

    fn values(values: [Value; 3]) -> Lanes {
        Lanes::from_lanes(|lane| *values.get(lane).unwrap_or(&-INFINITE))
    }

    fn choices(votes: &Votes) -> Vec<String> {
        let choices = votes.choices(mv("1g1f"));
        choices.iter().map(|choice| choice.mv.to_string()).collect()
    }

    /// Window of three lanes.
    fn window(alpha: [Value; 3]) -> (Lanes, Lanes) {
        let beta = Lanes::from_lanes(|lane| if lane < 3 { INFINITE } else { -INFINITE });
        (
            Lanes::from_lanes(|lane| *alpha.get(lane).unwrap_or(&INFINITE)),
            beta,
        )
    }

    #[test]
    fn a_broken_iteration_changes_only_votes_that_it_has_compared() {
        let whole = window([-INFINITE; 3]);
        let (one, two, three) = (mv("7g7f"), mv("2g2f"), mv("3g3f"));
        let mut votes = Votes::new(3);
        votes.begin(whole);
        votes.record(one, values([10, 20, 30]), whole, &[one, two]);
        votes.record(two, values([5, 40, 20]), window([10, 20, 30]), &[two]);
        assert_eq!(choices(&votes), ["7g7f", "2g2f", "7g7f"]);
        votes.end_iteration();
        assert_eq!(votes.ranking(), [one, two]);
        assert_eq!(votes.line(one), [one, two]);

        // The next iteration begins with the move of most lanes; the second lane's own move is to come.
        votes.begin(whole);
        votes.record(one, values([1, 2, 3]), whole, &[one]);
        votes.record(three, values([9, 9, 2]), window([1, 2, 3]), &[three]);
        assert_eq!(choices(&votes), ["3g3f", "2g2f", "7g7f"]);
        votes.record(two, values([0, 8, 0]), window([9, 9, 3]), &[two]);
        assert_eq!(choices(&votes), ["3g3f", "3g3f", "7g7f"]);
    }

    #[test]
    fn a_value_at_the_end_of_the_window_is_a_bound() {
        let (one, two) = (mv("7g7f"), mv("2g2f"));
        let mut votes = Votes::new(3);
        let whole = window([-INFINITE; 3]);
        votes.begin(whole);
        assert!(
            votes
                .choices(one)
                .iter()
                .all(|choice| choice.bound == Bound::Lower)
        );
        votes.record(one, values([10, 20, 30]), whole, &[one]);
        let bounds =
            |votes: &Votes| Vec::from_iter(votes.choices(one).iter().map(|choice| choice.bound));
        assert_eq!(bounds(&votes), [Bound::Exact; 3]);
        votes.end_iteration();
        let narrow = (values([0, 10, 20]), values([20, 30, 40]));
        votes.begin(narrow);
        votes.record(one, values([20, 25, 15]), narrow, &[one]);
        assert_eq!(bounds(&votes), [Bound::Lower, Bound::Exact, Bound::Exact]);
        votes.record(two, values([0, 30, 45]), narrow, &[two]);
        assert_eq!(bounds(&votes), [Bound::Lower; 3]);
    }

    #[test]
    fn a_lane_without_a_window_keeps_its_choice() {
        let whole = window([-INFINITE; 3]);
        let (one, two) = (mv("7g7f"), mv("2g2f"));
        let mut votes = Votes::new(3);
        votes.begin(whole);
        votes.record(one, values([10, 20, 30]), whole, &[one]);
        let rest = window([INFINITE, -INFINITE, -INFINITE]);
        votes.begin(rest);
        votes.record(two, values([90, 90, 90]), rest, &[two]);
        assert_eq!(choices(&votes), ["7g7f", "2g2f", "2g2f"]);
    }
}
