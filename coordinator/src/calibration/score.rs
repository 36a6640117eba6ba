//! Names of the scales of scores.

use monju_proto::v1::PlayerInfo;

/// Returns the name of the scale of a player's scores: its engine and evaluator, as ballots name
/// them.
pub fn scale_name(player: &PlayerInfo) -> String {
    match player.evaluator.as_str() {
        "" => player.engine.clone(),
        evaluator => format!("{}/{evaluator}", player.engine),
    }
}
