//! Weights of moves by their values.

/// A move as its weight is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeighedMove {
    /// Number of times that it was played.
    pub count: u32,
    /// Value for the side to move, in centipawns.
    pub value: i32,
}

/// The formula that prefers moves of high value (Shimoyama, section 11, which prints none): the weight of
/// a move is √count · exp((value − best) / temperature), and moves that lose too much are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueWeights {
    /// Difference of values in centipawns that makes a weight e times as small.
    pub temperature: f64,
    /// Largest loss against the best move, in centipawns.
    pub margin: i32,
    /// Least value in the opening, in centipawns.
    pub floor: i32,
    /// Number of plies from the start of the game for which the floor holds.
    pub floor_plies: u32,
}

impl Default for ValueWeights {
    fn default() -> Self {
        Self {
            temperature: 50.0,
            margin: 100,
            floor: -150,
            floor_plies: 20,
        }
    }
}

/// The weight of the best move if it was played once.
const SCALE: f64 = 1000.0;

impl ValueWeights {
    /// Returns the weights of the moves of one position; 0 leaves a move out. `ply` is the number of the
    /// next move, from 1.
    pub fn of(&self, ply: u32, moves: &[WeighedMove]) -> Vec<u32> {
        let best = moves.iter().map(|one| one.value).max().unwrap_or(0);
        let weight = |one: &WeighedMove| {
            let is_bad = one.value < best.saturating_sub(self.margin)
                || (ply <= self.floor_plies && one.value < self.floor);
            if is_bad {
                return 0;
            }
            let loss = f64::from(best) - f64::from(one.value);
            // The square root is exact, and this exponential is the same on every machine.
            let share = f64::from(one.count).sqrt() * libm::exp(-loss / self.temperature);
            (SCALE * share).round() as u32
        };
        moves.iter().map(weight).collect()
    }
}
