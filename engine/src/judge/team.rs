//! The features of a team's searches by which they are judged.

use super::{
    agreement::Agreement,
    stage::{STAGES, TimeStage},
};

const DEPTHS: usize = 24;
const COUNTS: usize = 8;
const CHANGES: usize = 4;
const SCORES: usize = 16;

/// Width of a step of a score drop in centipawns.
const SCORE_STEP: i32 = 12;

/// Sizes of the groups of features, in the order in which [`TeamProgress::features`] names them.
const GROUPS: [usize; TeamProgress::FEATURES] = [
    1,
    DEPTHS,
    STAGES,
    DEPTHS * STAGES,
    COUNTS * STAGES,
    COUNTS * STAGES,
    COUNTS * STAGES,
    COUNTS * STAGES,
    COUNTS * STAGES,
    CHANGES * STAGES,
    SCORES * STAGES,
    COUNTS * COUNTS * STAGES,
    COUNTS * COUNTS,
];

/// First feature of each group.
const OFFSETS: [usize; TeamProgress::FEATURES] = super::offsets(GROUPS);

/// The progress of a team after an iteration of one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamProgress {
    depth: usize,
    agreement: usize,
    lead: usize,
    moves: usize,
    steady: usize,
    share_of_steady: usize,
    changes: usize,
    score_drop: usize,
}

impl From<&Agreement> for TeamProgress {
    fn from(agreement: &Agreement) -> Self {
        let &Agreement {
            agreement,
            lead,
            moves,
            depth,
            changes,
            stable_iterations,
            score_drop,
        } = agreement;
        let steady = stable_iterations as usize;
        let depth = depth.max(1) as usize;
        Self {
            depth: depth.min(DEPTHS - 1),
            agreement: eighth(agreement),
            lead: eighth(lead),
            moves: moves.saturating_sub(1).min(COUNTS - 1),
            steady: steady.min(COUNTS - 1),
            share_of_steady: (8 * steady / depth).min(COUNTS - 1),
            changes: (changes as usize).min(CHANGES - 1),
            score_drop: (score_drop.div_euclid(SCORE_STEP) + 7).clamp(0, SCORES as i32 - 1)
                as usize,
        }
    }
}

/// Returns the eighth of a share, from 0 (at most 1/8) to 7 (more than 7/8).
fn eighth(share: f64) -> usize {
    let eighths = (share * COUNTS as f64).ceil() as usize;
    eighths.saturating_sub(1).min(COUNTS - 1)
}

impl TeamProgress {
    /// Number of features that are present at a time, one of each group.
    pub const FEATURES: usize = 13;

    /// Number of all features.
    pub const COUNT: usize = OFFSETS[Self::FEATURES - 1] + GROUPS[Self::FEATURES - 1];

    /// Returns the features that are present at a stage.
    pub fn features(&self, stage: TimeStage) -> [u16; Self::FEATURES] {
        let at = |index: usize| index * STAGES + stage.index();
        let in_groups = [
            0,
            self.depth,
            stage.index(),
            at(self.depth),
            at(self.agreement),
            at(self.lead),
            at(self.moves),
            at(self.steady),
            at(self.share_of_steady),
            at(self.changes),
            at(self.score_drop),
            at(self.agreement * COUNTS + self.steady),
            self.agreement * COUNTS + self.moves,
        ];
        super::placed(in_groups, &GROUPS, &OFFSETS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    #[test]
    fn shares_are_told_apart_by_eighths() {
        let of = |share| (share, eighth(share));
        for (share, expected) in [
            (1.0, 7),
            (0.875, 6),
            (2.0 / 3.0, 5),
            (0.5, 3),
            (1.0 / 3.0, 2),
            (0.1, 0),
            (0.0, 0),
        ] {
            assert_eq!(of(share), (share, expected));
        }
        assert_eq!(eighth(-0.5), 0);
    }

    proptest! {
        #[test]
        fn features_are_of_different_groups_and_within_bounds(
            agreement in 0.0..=1.0_f64,
            lead in -1.0..=1.0_f64,
            moves in 0..100_usize,
            (depth, stable_iterations) in (0..300_u32, 0..300_u32),
            changes in 0..100_u32,
            score_drop in -5_000..5_000_i32,
            elapsed in 0..200_u64,
        ) {
            let agreement = Agreement { agreement, lead, moves, depth, changes, stable_iterations, score_drop };
            let stage = TimeStage::of(Duration::from_millis(elapsed), Duration::from_millis(150));
            let features = TeamProgress::from(&agreement).features(stage);
            for (group, &feature) in features.iter().enumerate() {
                let first = OFFSETS[group];
                prop_assert!((first..first + GROUPS[group]).contains(&usize::from(feature)));
            }
        }
    }
}
