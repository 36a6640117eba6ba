//! From the scores of different engines to win rates, which can be compared.
//!
//! Engines' centipawns differ in scale. Each engine's curve is a logistic function that
//! `monju calibrate` has learned from recorded ballots. The key `calibration` of the configuration
//! names the file that it writes.

mod curve;
mod file;
pub mod fit;
pub mod learn;
mod score;
mod uncalibrated;

pub use curve::{Calibration, Curve};
pub use file::{CalibrationError, EngineCurve, FormError, render};
pub use score::scale_name;
pub use uncalibrated::uncalibrated_win_rate;

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Ballot, Bound, Line, PlayerInfo, Score, Vote, score::Kind};
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
    fn only_exact_scores_of_calibrated_engines_have_a_win_rate() {
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
    fn a_roster_tells_the_calibration() {
        let ours = calibration();
        assert_eq!(Calibration::of_curves(&ours.to_curves()), ours);
        let vote = |win_rate| Vote {
            player: Some(player("monju", "material")),
            line: Some(Line {
                score: Some(score(Kind::Cp(0))),
                ..Line::default()
            }),
            counted: true,
            win_rate,
            ..Vote::default()
        };
        let ballot = |rates: &[Option<f64>]| Ballot {
            votes: rates.iter().copied().map(vote).collect(),
            ..Ballot::default()
        };
        assert!(ours.gave(&ballot(&[Some(0.5), Some(0.5)])));
        for other in [Some(0.4), None] {
            assert!(!ours.gave(&ballot(&[Some(0.5), other])), "{other:?}");
        }
    }

    #[test]
    fn mates_rank_beyond_every_evaluation_and_shorter_ones_first() {
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
