//! Scores that rank, and the names of their scales.

use monju_proto::v1::{Bound, PlayerInfo, Score, score::Kind};

/// Length in plies that a mate of unknown length counts as.
pub(super) const UNKNOWN_LENGTH: i32 = 1_000;

/// A score that ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedScore {
    /// A value in the engine's own centipawns.
    Centipawns(i32),
    /// The side to move mates in so many plies.
    Mates(i32),
    /// The side to move is mated in so many plies.
    Mated(i32),
}

/// Reads a score; `None` for bounds, which do not rank.
pub fn ranked_score(score: &Score) -> Option<RankedScore> {
    if matches!(score.bound(), Bound::Lower | Bound::Upper) {
        return None;
    }
    let plies = |plies: i32| plies.saturating_abs().min(UNKNOWN_LENGTH);
    Some(match score.kind? {
        Kind::Cp(cp) => RankedScore::Centipawns(cp),
        Kind::Mate(length) if length > 0 => RankedScore::Mates(plies(length)),
        Kind::Mate(length) => RankedScore::Mated(plies(length)),
        Kind::MateOfUnknownLength(true) => RankedScore::Mates(UNKNOWN_LENGTH),
        Kind::MateOfUnknownLength(false) => RankedScore::Mated(UNKNOWN_LENGTH),
    })
}

/// Returns the name of the scale of a player's scores: its engine and evaluator, as ballots name
/// them.
pub fn scale_name(player: &PlayerInfo) -> String {
    match player.evaluator.as_str() {
        "" => player.engine.clone(),
        evaluator => format!("{}/{evaluator}", player.engine),
    }
}
