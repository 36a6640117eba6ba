//! The trend of a player's score.

/// Divisor by which a new iteration enters the smoothed score.
const SMOOTHING: f64 = 4.0;

/// Scores of one player, smoothed over its iterations.
#[derive(Clone, Copy, Debug)]
pub struct ScoreTrend {
    depth: u32,
    smoothed: f64,
    last: i32,
}

impl ScoreTrend {
    /// Begins with a first score.
    pub fn new(depth: u32, score: i32) -> Self {
        Self {
            depth,
            smoothed: score.into(),
            last: score,
        }
    }

    /// Takes the next score, which replaces the last one of the same iteration.
    pub fn follow(self, depth: u32, score: i32) -> Self {
        let smoothed = if depth > self.depth {
            self.smoothed + (f64::from(self.last) - self.smoothed) / SMOOTHING
        } else {
            self.smoothed
        };
        Self {
            depth: self.depth.max(depth),
            smoothed,
            last: score,
        }
    }

    /// Returns the centipawns by which the last score lies below the smoothed earlier ones.
    pub fn score_drop(self) -> i32 {
        (self.smoothed - f64::from(self.last)) as i32
    }
}
