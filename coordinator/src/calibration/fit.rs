//! Logistic regression of results on scores.

use super::curve::Curve;

/// Greatest number of Newton steps; a curve that exists needs far fewer.
const STEPS: usize = 100;

/// One score, and the result that followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSample {
    /// The score in centipawns, from the side to move.
    pub centipawns: f64,
    /// Result for that side, from 0 (a loss) to 1 (a win).
    pub outcome: f64,
}

/// Returns the logistic function of greatest likelihood, with two artificial drawn samples at plus and
/// minus the root mean square of the scores. They keep the curve of few samples finite, and do not
/// matter for many.
///
/// `None` if the scores do not predict the results: there are none, or higher ones are no better.
pub fn curve(samples: &[FitSample]) -> Option<Curve> {
    let squares: f64 = samples.iter().map(|sample| sample.centipawns.powi(2)).sum();
    let spread = (squares / samples.len().max(1) as f64).sqrt();
    if !spread.is_finite() || spread == 0.0 {
        return None;
    }
    let anchors = [-spread, spread].map(|centipawns| FitSample {
        centipawns,
        outcome: 0.5,
    });
    // In units of the spread, so that both parameters are of the same order.
    let points = || {
        let all = samples.iter().chain(&anchors);
        all.map(|sample| (sample.centipawns / spread, sample.outcome))
    };
    let (mut constant, mut slope) = (0.0, 0.0);
    let mut loss = mean_loss(points(), constant, slope);
    for _ in 0..STEPS {
        let (step_constant, step_slope) = newton_step(points(), constant, slope)?;
        // Backtracking line search: a full step may overshoot.
        let mut factor = 1.0;
        let better = loop {
            let (next_constant, next_slope) = (
                constant + factor * step_constant,
                slope + factor * step_slope,
            );
            let next = mean_loss(points(), next_constant, next_slope);
            if next <= loss {
                (constant, slope) = (next_constant, next_slope);
                break loss - next;
            }
            factor /= 2.0;
            if factor < 1e-6 {
                break 0.0;
            }
        };
        loss -= better;
        if better < 1e-12 {
            break;
        }
    }
    // win rate = 1 / (1 + exp(-(constant + slope x / spread)))
    (slope > 1e-9).then(|| Curve {
        scale: spread / slope,
        offset: constant * spread / slope,
    })
}

fn logistic(constant: f64, slope: f64, x: f64) -> f64 {
    1.0 / (1.0 + (-(constant + slope * x)).exp())
}

fn newton_step(
    points: impl Iterator<Item = (f64, f64)>,
    constant: f64,
    slope: f64,
) -> Option<(f64, f64)> {
    let (mut gradient, mut hessian) = ([0.0; 2], [0.0; 3]);
    for (x, outcome) in points {
        let rate = logistic(constant, slope, x);
        let weight = rate * (1.0 - rate);
        gradient[0] += outcome - rate;
        gradient[1] += (outcome - rate) * x;
        hessian[0] += weight;
        hessian[1] += weight * x;
        hessian[2] += weight * x * x;
    }
    let determinant = hessian[0] * hessian[2] - hessian[1] * hessian[1];
    let solved = (
        (hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant,
        (hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant,
    );
    (solved.0.is_finite() && solved.1.is_finite()).then_some(solved)
}

fn mean_loss(points: impl Iterator<Item = (f64, f64)>, constant: f64, slope: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u32);
    for (x, outcome) in points {
        sum += loss_of(logistic(constant, slope, x), outcome);
        count += 1;
    }
    sum / f64::from(count.max(1))
}

fn loss_of(rate: f64, outcome: f64) -> f64 {
    let rate = rate.clamp(1e-12, 1.0 - 1e-12);
    -(outcome * rate.ln() + (1.0 - outcome) * (1.0 - rate).ln())
}

/// Returns the mean logarithmic loss of a curve in nats; a constant prediction of one half loses
/// ln 2 = 0.693.
pub fn loss(curve: &Curve, samples: &[FitSample]) -> f64 {
    let losses = samples
        .iter()
        .map(|sample| loss_of(curve.win_rate(sample.centipawns), sample.outcome));
    losses.sum::<f64>() / samples.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed;
    use proptest::prelude::*;

    /// Results sampled from a curve.
    fn sampled(truth: Curve, count: u64) -> Vec<FitSample> {
        let uniform = |seed: u64| seed::spread(seed) as f64 / u64::MAX as f64;
        (0..count)
            .map(|index| {
                let centipawns = (uniform(2 * index) - 0.5) * 4.0 * truth.scale;
                let won = uniform(2 * index + 1) < truth.win_rate(centipawns);
                FitSample {
                    centipawns,
                    outcome: f64::from(u8::from(won)),
                }
            })
            .collect()
    }

    #[test]
    fn the_curve_behind_sampled_results_is_found() {
        for truth in [(150.0, 0.0), (600.0, -80.0), (2_000.0, 300.0)] {
            let truth = Curve {
                scale: truth.0,
                offset: truth.1,
            };
            let samples = sampled(truth, 40_000);
            let found = curve(&samples).expect("a curve");
            let off = (found.scale / truth.scale - 1.0).abs();
            assert!(off < 0.05, "{found:?} for {truth:?}");
            assert!((found.offset - truth.offset).abs() < 0.05 * truth.scale);
            assert!(loss(&found, &samples) < std::f64::consts::LN_2);
        }
    }

    #[test]
    fn few_and_perfectly_separated_samples_give_a_finite_curve() {
        let samples = [-300.0, -100.0, 50.0, 400.0].map(|centipawns| FitSample {
            centipawns,
            outcome: f64::from(u8::from(centipawns > 0.0)),
        });
        let found = curve(&samples).expect("a curve");
        assert!(found.scale.is_finite() && found.scale > 10.0, "{found:?}");
        assert!(found.win_rate(1_000.0) < 1.0);
    }

    #[test]
    fn scores_that_predict_nothing_give_no_curve() {
        assert_eq!(curve(&[]), None);
        let level = FitSample {
            centipawns: 0.0,
            outcome: 1.0,
        };
        assert_eq!(curve(&[level; 9]), None);
        let backwards = [-200.0, -100.0, 100.0, 200.0].map(|centipawns| FitSample {
            centipawns,
            outcome: f64::from(u8::from(centipawns < 0.0)),
        });
        assert_eq!(curve(&backwards), None);
    }

    proptest! {
        #[test]
        fn the_unit_of_the_scores_does_not_matter(
            factor in 0.01_f64..100.0, seed in 0_u64..1_000,
        ) {
            let truth = Curve { scale: 400.0 + seed as f64, offset: 20.0 };
            let samples = sampled(truth, 300);
            let scaled: Vec<FitSample> = samples
                .iter()
                .map(|sample| FitSample { centipawns: sample.centipawns * factor, ..*sample })
                .collect();
            let (one, other) = (curve(&samples), curve(&scaled));
            if let (Some(one), Some(other)) = (one, other) {
                prop_assert!((one.scale * factor / other.scale - 1.0).abs() < 1e-6);
            } else {
                prop_assert_eq!(one.is_some(), other.is_some());
            }
        }
    }
}
