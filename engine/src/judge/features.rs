//! The features of a search by which it is judged.

use super::{
    stability::USUAL_EFFORT,
    stage::{STAGES, TimeStage},
};
use crate::{
    rules::{Game, Move, PieceKind, Position, Square},
    search::Iteration,
};

const DEPTHS: usize = 24;
const COUNTS: usize = 8;
const CHANGES: usize = 4;
const SCORES: usize = 16;
const EFFORTS: usize = 10;
const VICTIMS: usize = 1 + PieceKind::COUNT;

/// Share of an iteration's nodes, in parts of a thousand, from which its best move is singular.
const SINGULAR: u32 = 900;

/// Sizes of the groups of features, in the order in which [`SearchProgress::features`] names them.
const GROUPS: [usize; SearchProgress::FEATURES] = [
    1,
    DEPTHS,
    2 * STAGES,
    STAGES,
    DEPTHS * STAGES,
    2 * COUNTS,
    COUNTS * STAGES,
    COUNTS * STAGES,
    COUNTS * STAGES,
    COUNTS * STAGES,
    2 * STAGES,
    CHANGES * STAGES,
    CHANGES * 2 * DEPTHS,
    COUNTS * STAGES,
    SCORES * STAGES,
    SCORES * 2 * DEPTHS,
    SCORES * STAGES,
    COUNTS * STAGES,
    COUNTS * 2 * DEPTHS,
    EFFORTS,
    EFFORTS * STAGES,
    EFFORTS * COUNTS,
    2 * 2 * DEPTHS,
    2 * 2 * DEPTHS,
    2 * VICTIMS * 2,
    2 * VICTIMS * STAGES,
];

/// First feature of each group.
const OFFSETS: [usize; SearchProgress::FEATURES] = super::offsets(GROUPS);

/// Follows the iterations of one search.
#[derive(Clone, Debug)]
pub struct SearchJudge {
    position: Position,
    /// Destination of the last move of the game.
    last_destination: Option<Square>,
    first: Option<(Move, i32)>,
    last: Option<Iteration>,
    changes: usize,
    stays: usize,
    rises: usize,
    falls: usize,
    singulars: usize,
}

/// The progress of a search after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchProgress {
    depth: usize,
    is_odd: usize,
    is_singular: usize,
    is_first_best: usize,
    changes: usize,
    stays: usize,
    rises: usize,
    falls: usize,
    singulars: usize,
    share_of_stays: usize,
    since_last: usize,
    since_first: usize,
    common: usize,
    effort: usize,
    was_third: usize,
    is_third: usize,
    recaptures: usize,
    victim: usize,
}

impl SearchJudge {
    /// Begins a search of the last position of a game.
    pub fn new(game: &Game) -> Self {
        Self {
            position: game.position().clone(),
            last_destination: game.moves().last().map(|mv| mv.to()),
            first: None,
            last: None,
            changes: 0,
            stays: 0,
            rises: 0,
            falls: 0,
            singulars: 0,
        }
    }

    /// Takes a finished iteration.
    pub fn observe(&mut self, iteration: &Iteration) -> SearchProgress {
        let best = iteration.best_move();
        let (first_best, first_score) = *self.first.get_or_insert((best, iteration.score));
        let last = self.last.replace(iteration.clone());
        let last = last.as_ref();
        match last {
            Some(last) if last.best_move() != best => {
                self.changes += 1;
                (self.stays, self.rises, self.falls, self.singulars) = (0, 0, 0, 0);
            }
            Some(last) => {
                self.stays += 1;
                self.rises += usize::from(iteration.score > last.score);
                self.falls += usize::from(iteration.score < last.score);
            }
            None => {}
        }
        // Several threads or lanes do not count it.
        let effort = iteration.effort.unwrap_or(USUAL_EFFORT);
        let is_singular = usize::from(effort >= SINGULAR);
        self.singulars += is_singular;
        let third = |pv: &[Move]| pv.get(2).copied();
        let captured = self.position.piece(best.to()).get().map(|(_, kind)| kind);
        let recaptures = captured.is_some() && self.last_destination == Some(best.to());
        let depth = iteration.depth.max(1) as usize;
        SearchProgress {
            depth: depth.min(DEPTHS - 1),
            is_odd: depth % 2,
            is_singular,
            is_first_best: usize::from(best == first_best),
            changes: self.changes.min(CHANGES - 1),
            stays: self.stays,
            rises: self.rises.min(COUNTS - 1),
            falls: self.falls.min(COUNTS - 1),
            singulars: self.singulars.min(COUNTS - 1),
            share_of_stays: (8 * self.stays / depth).min(COUNTS - 1),
            since_last: step(
                iteration.score - last.map_or(iteration.score, |last| last.score),
                16,
            ),
            since_first: step(iteration.score - first_score, 24),
            common: last
                .map_or(0, |last| {
                    let pairs = last.pv.iter().zip(&iteration.pv);
                    pairs.take_while(|(one, other)| one == other).count()
                })
                .min(COUNTS - 1),
            effort: (effort as usize / 100).min(EFFORTS - 1),
            was_third: usize::from(last.is_some_and(|last| third(&last.pv) == Some(best))),
            is_third: usize::from(
                last.is_some_and(|last| third(&iteration.pv) == Some(last.best_move())),
            ),
            recaptures: usize::from(recaptures),
            victim: captured.map_or(0, |kind| 1 + kind.index()),
        }
    }
}

/// Returns the step of a difference of scores, with 7 for none.
fn step(difference: i32, width: i32) -> usize {
    (difference.div_euclid(width) + 7).clamp(0, SCORES as i32 - 1) as usize
}

impl SearchProgress {
    /// Number of features that are present at a time, one of each group.
    pub const FEATURES: usize = 26;

    /// Number of all features.
    pub const COUNT: usize = OFFSETS[Self::FEATURES - 1] + GROUPS[Self::FEATURES - 1];

    /// Returns the features that are present at a stage.
    pub fn features(&self, stage: TimeStage) -> [u16; Self::FEATURES] {
        let time = stage.index();
        let at = |index: usize| index * STAGES + time;
        let few = self.stays.min(COUNTS - 1);
        let singular = |index: usize| (index * 2 + self.is_singular) * DEPTHS + self.depth;
        let capture = self.recaptures * VICTIMS + self.victim;
        let in_groups = [
            0,
            self.depth,
            at(self.is_odd),
            time,
            at(self.depth),
            self.stays.min(2 * COUNTS - 1),
            at(few),
            at(self.rises),
            at(self.falls),
            at(self.singulars),
            at(self.is_first_best),
            at(self.changes),
            singular(self.changes),
            at(self.share_of_stays),
            at(self.since_last),
            singular(self.since_last),
            at(self.since_first),
            at(self.common),
            singular(self.common),
            self.effort,
            at(self.effort),
            self.effort * COUNTS + few,
            singular(self.was_third),
            singular(self.is_third),
            capture * 2 + self.is_singular,
            at(capture),
        ];
        super::placed(in_groups, &GROUPS, &OFFSETS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn game() -> Game {
        Game::from_usi("startpos moves 7g7f 3c3d 8h2b+").expect("a game")
    }

    fn iteration(depth: u32, mv: &str, score: i32, effort: Option<u32>) -> Iteration {
        Iteration {
            depth,
            nodes: 0,
            score,
            effort,
            pv: [mv, "8h2b+", "7g7f"]
                .map(|mv| mv.parse().expect("a move"))
                .to_vec(),
        }
    }

    #[test]
    fn an_unknown_effort_is_a_usual_one() {
        let observed = |effort| SearchJudge::new(&game()).observe(&iteration(9, "3a2b", 0, effort));
        assert_eq!(observed(None), observed(Some(USUAL_EFFORT)));
        assert_ne!(observed(None), observed(Some(0)));
    }

    #[test]
    fn features_are_of_different_groups_and_within_bounds() {
        let mut judge = SearchJudge::new(&game());
        let mut all = Vec::new();
        for (depth, mv, score, effort) in [
            (1, "3a2b", 0, 1_000),
            (2, "3a2b", -4_000, 0),
            (3, "8b2b", 4_000, 999),
            (99, "8b2b", 4_000, 950),
        ] {
            let progress = judge.observe(&iteration(depth, mv, score, Some(effort)));
            assert_eq!(progress.recaptures, 1);
            for elapsed in [0, 3, 1_000] {
                let stage = TimeStage::of(Duration::from_secs(elapsed), Duration::from_secs(9));
                let features = progress.features(stage);
                assert!(features.is_sorted());
                assert!(
                    features
                        .iter()
                        .all(|&one| usize::from(one) < SearchProgress::COUNT)
                );
                all.push(features);
            }
        }
        all.dedup();
        assert_eq!(all.len(), 12);
    }
}
