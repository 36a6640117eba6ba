//! The best move of each virtual player at the root.

use super::{search_value::SearchValue, value::Value};
use crate::rules::Move;

/// The best move of each virtual player at the root with its value, once there is one.
pub(super) type LaneMoves = Vec<Option<(Move, Value)>>;

/// Records a root move for the virtual players whose alpha it has raised. `window` is the window
/// before the move.
pub(super) fn record_lane_moves<V: SearchValue>(
    lanes: &mut LaneMoves,
    mv: Move,
    value: V,
    (alpha, beta): (V, V),
) {
    for (lane, best) in lanes.iter_mut().enumerate() {
        let (alpha, beta) = (alpha.lane(lane), beta.lane(lane));
        if alpha < beta && value.lane(lane) > alpha {
            *best = Some((mv, value.lane(lane)));
        }
    }
}
