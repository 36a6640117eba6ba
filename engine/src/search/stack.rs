//! The search stack: data of each ply for the nodes below it.

use super::{history::Context, search_value::SearchValue, value::Value};
use crate::rules::Move;

/// Data of one ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackEntry<V> {
    /// Corrected static evaluation; in check, that of two plies before.
    pub evaluation: V,
    /// The same without noise.
    pub score: Value,
    /// Static evaluation of the evaluator, without noise.
    pub raw_evaluation: Value,
    /// Correction of the static evaluation.
    pub correction: Value,
    pub in_check: bool,
    /// The node lies on a principal variation or has done so before, as the table remembers.
    pub tt_pv: bool,
    /// Move left out by a search for singular moves.
    pub excluded: Option<Move>,
    /// Number of siblings at this ply that failed high.
    pub cuts: i32,
    /// Context of the move being searched.
    pub context: Context,
    /// The move being searched, if it is quiet.
    pub quiet: Option<Move>,
    /// If it is a capture or a promotion, the number of the captured piece.
    pub noisy: Option<usize>,
    /// Number of that move, 1 for the first.
    pub move_count: usize,
    /// That move is the table's.
    pub is_table_move: bool,
    /// Its history, by which it was reduced.
    pub history: i32,
    /// Plies by which the moves up to this one are extended.
    pub extended: i32,
    /// Plies by which it is reduced.
    pub reduction: i32,
}

impl<V: SearchValue> StackEntry<V> {
    pub fn empty() -> Self {
        Self {
            evaluation: V::all(0),
            score: 0,
            raw_evaluation: 0,
            correction: 0,
            in_check: false,
            tt_pv: false,
            excluded: None,
            cuts: 0,
            context: Context::NONE,
            quiet: None,
            noisy: None,
            move_count: 0,
            is_table_move: false,
            history: 0,
            extended: 0,
            reduction: 0,
        }
    }
}

/// Entries before the root's, so that a child of the root can look seven plies back.
pub(super) const STACK_OFFSET: usize = 7;
