//! Scores that rank, and the names of their scales.

use monju_engine::Score as Value;
use monju_proto::{
    convert::UNKNOWN_LENGTH,
    v1::{PlayerInfo, Score},
};

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
    let plies = |plies: i32| plies.saturating_abs().min(UNKNOWN_LENGTH);
    Some(match score.value().filter(|_| score.is_exact())? {
        Value::Cp(cp) => RankedScore::Centipawns(cp),
        Value::Mate(length) if length > 0 => RankedScore::Mates(plies(length)),
        Value::Mate(length) => RankedScore::Mated(plies(length)),
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
