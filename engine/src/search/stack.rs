//! The search stack: data of each ply for the nodes below it.

use super::{history::Context, search_value::SearchValue, value::Value};
use crate::rules::Move;

/// Data of one ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackEntry<V> {
    /// Context of the move being searched.
    pub context: Context,
    /// Corrected static evaluation.
    pub evaluation: V,
    /// Static evaluation of the evaluator, without noise.
    pub raw_evaluation: Value,
    /// Quiet moves that cut at siblings.
    pub killers: [Option<Move>; 2],
    /// Move left out by a search for singular moves.
    pub excluded: Option<Move>,
    /// Number of siblings at this ply that failed high.
    pub cuts: i32,
    /// The move being searched, if it is quiet.
    pub quiet: Option<Move>,
}

impl<V: SearchValue> StackEntry<V> {
    pub fn empty() -> Self {
        Self {
            context: Context::NONE,
            evaluation: V::all(0),
            raw_evaluation: 0,
            killers: [None; 2],
            excluded: None,
            cuts: 0,
            quiet: None,
        }
    }
}

/// Entries before the root's, so that a node can look four plies back.
pub(super) const STACK_OFFSET: usize = 4;
