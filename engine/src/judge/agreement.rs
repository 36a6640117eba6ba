//! Agreement of the players of a team in the course of their searches for one move.

use super::score_trend::ScoreTrend;
use std::collections::BTreeMap;

/// Share of the votes for one move above which the move is easy (the original Monju, 2009).
const EASY_AGREEMENT: f64 = 0.9;
/// Share above which a move is normal rather than difficult.
const NORMAL_AGREEMENT: f64 = 0.7;
/// Iterations for which an easy move must have led.
const STEADY_ITERATIONS: u32 = 4;
/// Drop of the score in centipawns from which any move is difficult.
const PANIC_CENTIPAWNS: i32 = 60;
/// Drop of the score in centipawns from which no move is easy.
const UNEASY_CENTIPAWNS: i32 = 25;
/// Greatest score in centipawns that is told apart; mates count as this.
const CLEARLY_WON: i32 = 2_000;

/// The current opinion of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation<'a> {
    /// Its best move.
    pub mv: &'a str,
    /// Depth of its last iteration, finished or not.
    pub depth: u32,
    /// Its score in centipawns, or an upper bound of it; a mate is a large score. `None` for a lower
    /// bound.
    pub score: Option<i32>,
}

/// Difficulty of a team's move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difficulty {
    /// The players have agreed for some time, and their scores do not fall.
    Easy,
    /// Neither.
    Normal,
    /// The players differ, or their scores fall.
    Difficult,
}

/// The agreement of the players, by which a time policy judges the difficulty of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Share of the players present that support the leading move, from 0 to 1.
    pub agreement: f64,
    /// The same less the share of the players that support the second move.
    pub lead: f64,
    /// Number of different moves.
    pub moves: usize,
    /// Depth of the median player's last iteration.
    pub depth: u32,
    /// Number of times that another move has taken the lead.
    pub changes: u32,
    /// Iterations of the median player since the leading move took the lead.
    pub stable_iterations: u32,
    /// Median of the supporters' score drops: centipawns by which a player's score lies below its own
    /// smoothed earlier scores.
    pub score_drop: i32,
}

impl Agreement {
    /// Returns the difficulty of the move, by rules that were made by hand.
    pub fn difficulty(&self) -> Difficulty {
        if self.score_drop >= PANIC_CENTIPAWNS || self.agreement <= NORMAL_AGREEMENT {
            Difficulty::Difficult
        } else if self.agreement > EASY_AGREEMENT
            && self.stable_iterations >= STEADY_ITERATIONS
            && self.score_drop < UNEASY_CENTIPAWNS
        {
            Difficulty::Easy
        } else {
            Difficulty::Normal
        }
    }
}

/// Tracks the agreement from the first iteration of any player to the last.
#[derive(Clone, Debug, Default)]
pub struct AgreementTracker {
    leader: String,
    changes: u32,
    /// Median depth at which the leader took the lead.
    since: u32,
    trends: Vec<Option<ScoreTrend>>,
}

impl AgreementTracker {
    /// Takes one observation of every player, `None` for a silent one; `gone` of the silent players
    /// have failed. `leader` is the move that would be played now.
    pub fn observe(
        &mut self,
        leader: &str,
        observations: &[Option<Observation<'_>>],
        gone: usize,
    ) -> Agreement {
        self.trends.resize(observations.len(), None);
        for (trend, observation) in self.trends.iter_mut().zip(observations) {
            if let Some(Observation {
                depth,
                score: Some(score),
                ..
            }) = *observation
            {
                let score = score.clamp(-CLEARLY_WON, CLEARLY_WON);
                *trend = Some(match *trend {
                    None => ScoreTrend::new(depth, score),
                    Some(trend) => trend.follow(depth, score),
                });
            }
        }
        let supports = |observation: &&Option<Observation<'_>>| {
            observation.is_some_and(|observation| observation.mv == leader)
        };
        let mut supporters = BTreeMap::<&str, usize>::new();
        for observation in observations.iter().flatten() {
            *supporters.entry(observation.mv).or_default() += 1;
        }
        let moves = supporters.len();
        let leading = supporters.remove(leader).unwrap_or(0);
        let second = supporters.into_values().max().unwrap_or(0);
        let depth = median(
            observations
                .iter()
                .flatten()
                .map(|observation| observation.depth),
        )
        .unwrap_or(0);
        if self.leader != leader {
            self.changes += u32::from(!self.leader.is_empty());
            leader.clone_into(&mut self.leader);
            self.since = depth;
        }
        let drops = self
            .trends
            .iter()
            .zip(observations)
            .filter(|(_, observation)| supports(observation))
            .filter_map(|(trend, _)| trend.map(|trend| trend.score_drop()));
        // Without players the agreement is 0.
        let players = observations.len().saturating_sub(gone).max(1) as f64;
        Agreement {
            agreement: leading as f64 / players,
            lead: (leading as f64 - second as f64) / players,
            moves,
            depth,
            changes: self.changes,
            stable_iterations: depth.saturating_sub(self.since),
            score_drop: median(drops).unwrap_or(0),
        }
    }
}

/// Returns the median; of an even number of values, the lower middle one.
fn median<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn observation(mv: &str, depth: u32, score: i32) -> Option<Observation<'_>> {
        Some(Observation {
            mv,
            depth,
            score: Some(score),
        })
    }

    #[test]
    fn silent_players_do_not_agree() {
        let mut tracker = AgreementTracker::default();
        let observations = [
            observation("7g7f", 3, 0),
            observation("7g7f", 3, 0),
            None,
            None,
        ];
        assert_eq!(tracker.observe("7g7f", &observations, 0).agreement, 0.5);
        assert_eq!(
            tracker.observe("7g7f", &observations, 2).agreement,
            1.0,
            "all players present"
        );
        assert_eq!(tracker.observe("7g7f", &[], 0).agreement, 0.0);
    }

    #[test]
    fn moves_and_their_lead_are_counted() {
        let mut tracker = AgreementTracker::default();
        let moves = ["7g7f", "2g2f", "7g7f", "2g2f", "7g7f", "6g6f"];
        let mut at = |leader, gone| {
            let seen = moves.map(|mv| observation(mv, 4, 0));
            tracker.observe(leader, &[&seen[..], &[None; 2]].concat(), gone)
        };
        let agreement = at("7g7f", 2);
        assert_eq!((agreement.agreement, agreement.moves), (0.5, 3));
        assert!((agreement.lead - 1.0 / 6.0).abs() < 1e-9, "{agreement:?}");
        assert_eq!((agreement.depth, agreement.changes), (4, 0));
        let agreement = at("2g2f", 0);
        assert_eq!((agreement.agreement, agreement.lead), (0.25, -0.125));
        assert_eq!(agreement.changes, 1);
        assert_eq!(at("2g2f", 0).changes, 1);
    }

    #[test]
    fn stability_counts_iterations_since_the_lead_changed() {
        let mut tracker = AgreementTracker::default();
        let mut at = |leader, depth| {
            tracker
                .observe(leader, &[observation(leader, depth, 0)], 0)
                .stable_iterations
        };
        assert_eq!(at("7g7f", 2), 0);
        assert_eq!(at("7g7f", 7), 5);
        assert_eq!(at("2g2f", 7), 0);
        assert_eq!(at("2g2f", 9), 2);
    }

    /// The score drop of one player after each of its iterations.
    fn score_drops() -> impl FnMut(u32, i32) -> i32 {
        let mut tracker = AgreementTracker::default();
        move |depth, score| {
            tracker
                .observe("7g7f", &[observation("7g7f", depth, score)], 0)
                .score_drop
        }
    }

    #[test]
    fn a_score_drop_shows_at_once_and_fades() {
        let mut at = score_drops();
        for depth in 1..6 {
            assert_eq!(at(depth, 30), 0);
        }
        assert_eq!(at(6, -90), 120);
        assert_eq!(at(6, -90), 120, "the same iteration changes nothing");
        assert_eq!(at(7, -90), 90);
        assert!(at(12, -90) < at(8, -90) + 90);
        assert!(at(13, 300) < 0);
    }

    #[test]
    fn a_mate_is_no_more_than_clearly_won() {
        let mut at = score_drops();
        assert_eq!(at(5, 31_000), 0);
        assert_eq!(at(6, 2_500), 0);
        assert_eq!(at(7, 1_900), 100);
    }

    #[test]
    fn only_scores_of_supporters_count() {
        let mut tracker = AgreementTracker::default();
        let at = |tracker: &mut AgreementTracker, score| {
            let observations = [
                observation("7g7f", if score == 0 { 5 } else { 6 }, 20),
                observation("7g7f", 6, 25),
                observation("2g2f", if score == 0 { 5 } else { 6 }, score),
            ];
            tracker.observe("7g7f", &observations, 0).score_drop
        };
        at(&mut tracker, 0);
        assert_eq!(at(&mut tracker, -500), 0);
    }

    #[test]
    fn a_lower_bound_is_not_a_score() {
        let mut tracker = AgreementTracker::default();
        tracker.observe("7g7f", &[observation("7g7f", 5, 100)], 0);
        let bound = Some(Observation {
            mv: "7g7f",
            depth: 6,
            score: None,
        });
        assert_eq!(tracker.observe("7g7f", &[bound], 0).score_drop, 0);
    }

    fn difficulty(agreement: f64, stable_iterations: u32, score_drop: i32) -> Difficulty {
        Agreement {
            agreement,
            lead: agreement,
            moves: 1,
            depth: 9,
            changes: 0,
            stable_iterations,
            score_drop,
        }
        .difficulty()
    }

    #[test]
    fn agreement_makes_moves_easy_and_dispute_makes_them_difficult() {
        assert_eq!(difficulty(1.0, 4, 0), Difficulty::Easy);
        assert_eq!(difficulty(1.0, 3, 0), Difficulty::Normal, "not stable yet");
        assert_eq!(
            difficulty(0.9, 9, 0),
            Difficulty::Normal,
            "90 % is not enough"
        );
        assert_eq!(difficulty(0.7, 9, 0), Difficulty::Difficult);
        assert_eq!(difficulty(0.34, 0, 0), Difficulty::Difficult);
    }

    #[test]
    fn a_falling_score_makes_a_move_difficult_at_any_agreement() {
        let unanimous = |score_drop| difficulty(1.0, 9, score_drop);
        assert_eq!(unanimous(60), Difficulty::Difficult);
        assert_eq!(unanimous(30), Difficulty::Normal);
        assert_eq!(unanimous(-200), Difficulty::Easy, "a rising score");
    }

    proptest! {
        #[test]
        fn more_agreement_is_never_harder_and_a_score_drop_never_easier(
            one in 0.0..=1.0_f64,
            other in 0.0..=1.0_f64,
            stable_iterations in 0..20_u32,
            score_drop in -500..500_i32,
            further in 0..500_i32,
        ) {
            let (less, more) = if one < other { (one, other) } else { (other, one) };
            let at = |agreement, score_drop| difficulty(agreement, stable_iterations, score_drop);
            prop_assert!(at(more, score_drop) <= at(less, score_drop));
            prop_assert!(at(one, score_drop) <= at(one, score_drop + further));
        }

        #[test]
        fn agreement_is_a_share_and_stability_is_below_the_depth(
            rounds in prop::collection::vec(
                prop::collection::vec(("[ab]", 1..30_u32, -3_000..3_000_i32), 1..6),
                1..10,
            ),
        ) {
            let mut tracker = AgreementTracker::default();
            for round in &rounds {
                let observations: Vec<_> = round
                    .iter()
                    .map(|(mv, depth, score)| observation(mv, *depth, *score))
                    .collect();
                let agreement = tracker.observe(&round[0].0, &observations, 0);
                prop_assert!((0.0..=1.0).contains(&agreement.agreement));
                prop_assert!(agreement.agreement > 0.0, "the leader has a supporter");
                prop_assert!(agreement.stable_iterations < 30);
                prop_assert!(agreement.score_drop.abs() <= 6_000);
            }
        }
    }
}
