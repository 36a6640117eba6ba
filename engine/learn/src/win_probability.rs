//! Conversion between scores in centipawns and win probabilities.

/// Margin that keeps probabilities away from 0 and 1.
const MARGIN: f64 = 1e-9;

/// Largest score in centipawns.
const MAX_SCORE: f64 = 32_000.0;

/// Returns the win probability of a score; `scale` centipawns are one unit of the logit.
pub(crate) fn from_score(score: f64, scale: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-score / scale))
}

/// Returns the score of a win probability; the inverse of [`from_score`], rounded and clamped.
pub(crate) fn to_score(probability: f64, scale: f64) -> i16 {
    let within = probability.clamp(MARGIN, 1.0 - MARGIN);
    let score = scale * libm::log(within / (1.0 - within));
    libm::round(score).clamp(-MAX_SCORE, MAX_SCORE) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_round_trip_and_certainty_has_a_finite_score() {
        for centipawns in [-9000, -640, -1, 0, 35, 650, 12_000] {
            let back = to_score(from_score(centipawns.into(), 650.0), 650.0);
            assert_eq!(i32::from(back), centipawns);
        }
        assert!(to_score(1.0, 650.0) > 13_000 && to_score(0.0, 650.0) < -13_000);
        assert_eq!(to_score(1.0, 5000.0), 32_000);
    }
}
