//! Samples of nodes that a move has cut.

use crate::rules::{Move, Position, Square};
use strum::{Display, EnumString, VariantArray};

/// A stage of the picker, whose moves are ordered among themselves and have weights of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum OrderStage {
    /// Captures, and promotions of pawns, bishops and rooks.
    Noisy,
    /// All other moves.
    Quiet,
    /// All moves in check.
    Evasion,
}

/// The move before a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastMove {
    /// Its destination.
    pub to: Square,
    /// It captured.
    pub captures: bool,
}

/// A node that a move has cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSample {
    /// The position.
    pub position: Position,
    /// The stage of the picker in which the move came.
    pub stage: OrderStage,
    /// The move before.
    pub last: Option<LastMove>,
    /// The moves of that stage with their scores, the one that cut first.
    pub moves: Vec<(Move, i32)>,
}
