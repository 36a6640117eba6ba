//! From the scores of different engines to win rates, which can be compared.
//!
//! Engines' centipawns differ in scale. Each engine's curve is a logistic function that
//! `monju calibrate` has learned from recorded ballots; nobody types it in. The file that it
//! writes is named by the key `calibration` of the configuration.

mod file;
pub mod fit;
pub mod learn;

pub use file::{CalibrationError, EngineCurve, render};

use monju_engine::Score as Value;
use monju_proto::{
    convert::UNKNOWN_LENGTH,
    v1::{PlayerInfo, Score},
};
use std::collections::BTreeMap;

/// What a mate loses in win rate by every ply of its length, so that shorter mates rank first.
const MATE_PLY: f64 = 1e-6;

/// A win rate as a logistic function of centipawns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Centipawns that multiply the odds by e; positive.
    pub scale: f64,
    /// Centipawns that the engine's score is below the truth on average.
    pub offset: f64,
}

impl Curve {
    /// The expected result for the side to move, between 0 and 1.
    pub fn win_rate(&self, centipawns: f64) -> f64 {
        let rate = 1.0 / (1.0 + (-(centipawns + self.offset) / self.scale).exp());
        // Below every mate that wins and above every mate that loses.
        let bound = MATE_PLY * f64::from(UNKNOWN_LENGTH + 1);
        rate.clamp(bound, 1.0 - bound)
    }
}

/// The curves of the engines that are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    curves: BTreeMap<String, Curve>,
}

impl Calibration {
    /// Curves by the names that [`scale_name`] gives.
    pub fn new(curves: impl IntoIterator<Item = (String, Curve)>) -> Self {
        Self {
            curves: curves.into_iter().collect(),
        }
    }

    /// Whether the scores of this player's engine can be read as win rates.
    pub fn knows(&self, player: &PlayerInfo) -> bool {
        self.curves.contains_key(&scale_name(player))
    }

    /// The expected result for the side to move; `None` when the engine is not calibrated, and for
    /// scores that do not rank: bounds.
    pub fn win_rate(&self, player: &PlayerInfo, score: &Score) -> Option<f64> {
        let curve = self.curves.get(&scale_name(player))?;
        match standing(score)? {
            Standing::Centipawns(cp) => Some(curve.win_rate(cp.into())),
            Standing::Mates(plies) => Some(1.0 - MATE_PLY * f64::from(plies)),
            Standing::Mated(plies) => Some(MATE_PLY * f64::from(plies)),
        }
    }
}

/// What tells whose scores share a scale: the engine and its evaluator, as ballots name them.
pub fn scale_name(player: &PlayerInfo) -> String {
    match player.evaluator.as_str() {
        "" => player.engine.clone(),
        evaluator => format!("{}/{evaluator}", player.engine),
    }
}

/// A score that ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A value in the engine's own centipawns.
    Centipawns(i32),
    /// The side to move mates in so many plies.
    Mates(i32),
    /// The side to move is mated in so many plies.
    Mated(i32),
}

/// Reads a score; `None` for bounds, which do not rank.
pub fn standing(score: &Score) -> Option<Standing> {
    let plies = |plies: i32| plies.saturating_abs().min(UNKNOWN_LENGTH);
    Some(match score.value().filter(|_| score.is_exact())? {
        Value::Cp(cp) => Standing::Centipawns(cp),
        Value::Mate(length) if length > 0 => Standing::Mates(plies(length)),
        Value::Mate(length) => Standing::Mated(plies(length)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Bound, score::Kind};
    use proptest::prelude::*;

    fn score(kind: Kind) -> Score {
        Score {
            kind: Some(kind),
            bound: Bound::Exact.into(),
        }
    }

    fn player(engine: &str, evaluator: &str) -> PlayerInfo {
        PlayerInfo {
            engine: engine.to_owned(),
            evaluator: evaluator.to_owned(),
            ..PlayerInfo::default()
        }
    }

    fn calibration() -> Calibration {
        let curve = Curve {
            scale: 300.0,
            offset: 0.0,
        };
        Calibration::new([("monju/material".to_owned(), curve)])
    }

    #[test]
    fn only_scores_that_rank_of_engines_that_are_known_have_a_win_rate() {
        let calibration = calibration();
        let monju = player("monju", "material");
        let rate = |player: &PlayerInfo, score: &Score| calibration.win_rate(player, score);
        assert_eq!(rate(&monju, &score(Kind::Cp(0))), Some(0.5));
        assert_eq!(rate(&player("monju", "linear"), &score(Kind::Cp(0))), None);
        assert_eq!(rate(&player("gpsusi", ""), &score(Kind::Cp(0))), None);
        let bound = Score {
            bound: Bound::Lower.into(),
            ..score(Kind::Cp(900))
        };
        assert_eq!(rate(&monju, &bound), None);
        assert_eq!(rate(&monju, &Score::default()), None);
    }

    #[test]
    fn mates_go_before_every_evaluation_and_shorter_ones_first() {
        let kinds = [
            Kind::Mate(0),
            Kind::Mate(-2),
            Kind::MateOfUnknownLength(false),
            Kind::Cp(i32::MIN),
            Kind::Cp(0),
            Kind::Cp(i32::MAX),
            Kind::MateOfUnknownLength(true),
            Kind::Mate(9),
            Kind::Mate(1),
        ];
        let monju = player("monju", "material");
        let rates = kinds.map(|kind| {
            let rate = calibration().win_rate(&monju, &score(kind));
            rate.expect("a win rate")
        });
        assert!(rates.is_sorted_by(|one, two| one < two), "{rates:?}");
    }

    proptest! {
        #[test]
        fn win_rates_grow_with_the_score(
            scale in 1.0_f64..5_000.0, offset in -500.0_f64..500.0,
            one in -40_000_i32..40_000, more in 0_i32..10_000,
        ) {
            let curve = Curve { scale, offset };
            let (low, high) = (curve.win_rate(one.into()), curve.win_rate((one + more).into()));
            prop_assert!(0.0 < low && low <= high && high < 1.0);
        }
    }
}
