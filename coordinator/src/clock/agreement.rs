//! Agreement of the players in the course of a consultation.

use monju_engine::judge::ScoreTrend;

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

/// The agreement of the players, by which a time policy judges the difficulty of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Share of the players present that support the leading move, from 0 to 1.
    pub agreement: f64,
    /// Iterations of the median player since the leading move took the lead.
    pub stable_iterations: u32,
    /// Median of the supporters' score drops: centipawns by which a player's score lies below its own
    /// smoothed earlier scores.
    pub score_drop: i32,
    /// After the leading move the opponent wins material. Only [`TimePolicy::Careful`](super::TimePolicy)
    /// asks.
    pub in_danger: bool,
}

/// Tracks the agreement from the first line of a consultation to its last.
#[derive(Clone, Debug, Default)]
pub struct AgreementTracker {
    leader: String,
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
                *trend = Some(match *trend {
                    None => ScoreTrend::new(depth, score),
                    Some(trend) => trend.follow(depth, score),
                });
            }
        }
        let supports = |observation: &&Option<Observation<'_>>| {
            observation.is_some_and(|observation| observation.mv == leader)
        };
        let supporters = observations.iter().filter(supports).count();
        let depth = median(
            observations
                .iter()
                .flatten()
                .map(|observation| observation.depth),
        )
        .unwrap_or(0);
        if self.leader != leader {
            leader.clone_into(&mut self.leader);
            self.since = depth;
        }
        let drops = self
            .trends
            .iter()
            .zip(observations)
            .filter(|(_, observation)| supports(observation))
            .filter_map(|(trend, _)| trend.map(|trend| trend.score_drop()));
        Agreement {
            agreement: match observations.len().saturating_sub(gone) {
                0 => 0.0,
                players => supporters as f64 / players as f64,
            },
            stable_iterations: depth.saturating_sub(self.since),
            score_drop: median(drops).unwrap_or(0),
            in_danger: false,
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

    #[test]
    fn a_score_drop_shows_at_once_and_fades() {
        let mut tracker = AgreementTracker::default();
        let mut at = |depth, score| {
            tracker
                .observe("7g7f", &[observation("7g7f", depth, score)], 0)
                .score_drop
        };
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

    proptest! {
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
