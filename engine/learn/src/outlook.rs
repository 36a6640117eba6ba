//! Scores in centipawns as probabilities to win, and back.

/// Nothing is surer to be won or lost than that.
const SURE: f64 = 1e-9;

/// No score is further from zero, in centipawns.
const MOST: f64 = 32_000.0;

/// The probability to win with this score, where one of `scale` centipawns is one unit of the logit.
pub fn probability(score: f64, scale: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-score / scale))
}

/// The score with which that is the probability to win.
pub fn score(probability: f64, scale: f64) -> i16 {
    let within = probability.clamp(SURE, 1.0 - SURE);
    let score = scale * libm::log(within / (1.0 - within));
    libm::round(score).clamp(-MOST, MOST) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_come_back_and_certainty_has_one_too() {
        for centipawns in [-9000, -640, -1, 0, 35, 650, 12_000] {
            let back = score(probability(centipawns.into(), 650.0), 650.0);
            assert_eq!(i32::from(back), centipawns);
        }
        assert!(score(1.0, 650.0) > 13_000 && score(0.0, 650.0) < -13_000);
        assert_eq!(score(1.0, 5000.0), 32_000);
    }
}
