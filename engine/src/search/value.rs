//! Values of the search: centipawns, with mates counted down from [`MATE`].

use super::line::Score;
use crate::mate::MAX_PLIES;

pub(super) type Value = i32;

/// Largest ply of a search.
pub(super) const MAX_PLY: usize = 128;

/// Bound above every value.
pub(super) const INFINITE: Value = 32_001;

/// Value of a mate in zero plies.
pub(super) const MATE: Value = Score::MATE;

/// Smallest mate value: the longest mate that is proved at the largest ply.
pub(super) const MATE_BOUND: Value = MATE - (MAX_PLY + MAX_PLIES) as Value;

/// Largest static evaluation, noise included.
const MAX_EVALUATION: Value = 30_000;

/// Smallest value of a decided game, by mate or by perpetual check.
pub(super) const DECIDED: Value = MAX_EVALUATION + 1;

/// Value of a node whose value does not matter, and of a draw where a game says nothing else.
pub(super) const DRAW: Value = 0;

pub(super) const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

pub(super) const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

pub(super) fn clamp_evaluation(value: Value) -> Value {
    value.clamp(-MAX_EVALUATION, MAX_EVALUATION)
}

/// Converts the value of a decided game for the table, from plies after the root to plies after the
/// node.
pub(super) const fn to_table(value: Value, ply: usize) -> Value {
    if value >= DECIDED {
        value + ply as Value
    } else if value <= -DECIDED {
        value - ply as Value
    } else {
        value
    }
}

/// Converts the value of a decided game from the table back, the reverse of [`to_table`].
pub(super) const fn from_table(value: Value, ply: usize) -> Value {
    if value >= DECIDED {
        value - ply as Value
    } else if value <= -DECIDED {
        value + ply as Value
    } else {
        value
    }
}

/// Returns the score of a value.
pub(super) fn score(value: Value) -> Score {
    if value >= MATE_BOUND {
        Score::Mate(MATE - value)
    } else if value <= -MATE_BOUND {
        Score::Mate(-(MATE + value))
    } else {
        Score::Cp(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_plies_from_the_side_to_move() {
        assert_eq!(score(mate_in(3)), Score::Mate(3));
        assert_eq!(score(mated_in(4)), Score::Mate(-4));
        assert_eq!(score(-120), Score::Cp(-120));
        assert_eq!(from_table(to_table(mate_in(9), 4), 4), mate_in(9));
        let longest = (MAX_PLY + MAX_PLIES) as i32;
        assert_eq!(score(mate_in(longest as usize)), Score::Mate(longest));
        for value in [
            0,
            77,
            -30_000,
            mate_in(1),
            mated_in(0),
            mated_in(2),
            mate_in(320),
        ] {
            assert_eq!(score(value).to_centipawns(), value);
        }
        let distant = Score::Mate(i32::MAX).to_centipawns();
        assert!(distant > MAX_EVALUATION && distant < MATE_BOUND);
        assert_eq!(Score::Mate(i32::MIN).to_centipawns(), -distant);
    }
}
