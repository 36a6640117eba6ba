//! Win rates of scores that no curve has been learned for.

/// Centipawns over which the odds of winning grow by the factor e, without a calibration.
const UNCALIBRATED_SCALE: f64 = 600.0;

/// Returns the win rate for the side to move that a score in centipawns stands for without a calibration.
pub fn uncalibrated_win_rate(centipawns: i32) -> f64 {
    1.0 / (1.0 + (-f64::from(centipawns) / UNCALIBRATED_SCALE).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_odds_grow_with_the_score() {
        assert_eq!(uncalibrated_win_rate(0), 0.5);
        let rate = uncalibrated_win_rate(-600);
        assert!((rate - 0.2689).abs() < 1e-4, "{rate}");
        assert!(uncalibrated_win_rate(31_997) > 0.999);
    }
}
