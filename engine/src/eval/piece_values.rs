//! Either of the two evaluators that add up values of pieces.

use super::{evaluator::Evaluator, linear::Linear, material::Material};
use crate::rules::{Move, Position};

/// `material` or `linear`. A search is compiled once for both, which costs a branch that is always taken the same way.
#[derive(Clone)]
pub(crate) enum PieceValues {
    Material(Material),
    Linear(Box<Linear>),
}

impl Evaluator for PieceValues {
    fn reset(&mut self, position: &Position) {
        match self {
            Self::Material(material) => material.reset(position),
            Self::Linear(linear) => linear.reset(position),
        }
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        match self {
            Self::Material(material) => material.push(position, mv),
            Self::Linear(linear) => linear.push(position, mv),
        }
    }

    #[inline]
    fn pop(&mut self) {
        match self {
            Self::Material(material) => material.pop(),
            Self::Linear(linear) => linear.pop(),
        }
    }

    #[inline]
    fn evaluate(&mut self, position: &Position) -> i32 {
        match self {
            Self::Material(material) => material.evaluate(position),
            Self::Linear(linear) => linear.evaluate(position),
        }
    }
}
