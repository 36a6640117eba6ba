//! The evaluator `material`: piece values, hand values and piece-square values.

mod values;

pub use values::MaterialValues;

use super::{evaluator::Evaluator, noise::Noise, weights_error::WeightsError};
use crate::fnv1a::fnv1a;
use crate::rules::{Color, Move, Piece, PieceKind, Position, Square};
use std::sync::{Arc, LazyLock};

/// Made by `monju learn material`, with the recipe beside it.
const EMBEDDED: &[u8] = include_bytes!("../../weights/material.txt");

/// The values of `material` in lookup tables, shared by its evaluators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialWeights {
    /// Value of a piece on a square, from Black's side.
    piece_square: [[i32; Square::COUNT]; Piece::COUNT],
    /// Value of a kind in the hand.
    hand: [i32; 8],
    /// Value of the right to move.
    turn: i32,
    /// The values that fill the tables.
    values: MaterialValues,
    hash: u64,
}

impl MaterialWeights {
    /// Fills the lookup tables.
    pub fn new(values: &MaterialValues) -> Self {
        let mut piece_square = [[0; Square::COUNT]; Piece::COUNT];
        for kind in PieceKind::ALL {
            let black = Piece::new(Color::Black, kind).index();
            let white = Piece::new(Color::White, kind).index();
            for square in Square::all() {
                let value = values.placed(kind, square);
                piece_square[black][square.index()] = value;
                piece_square[white][square.flip().index()] = -value;
            }
        }
        let mut hand = [0; 8];
        hand[..values.hand.len()].copy_from_slice(&values.hand);
        Self {
            piece_square,
            hand,
            turn: values.turn,
            values: values.clone(),
            hash: fnv1a(values.to_string().as_bytes()),
        }
    }

    /// Returns the weights that this build carries.
    pub fn embedded() -> Arc<Self> {
        static WEIGHTS: LazyLock<Arc<MaterialWeights>> =
            LazyLock::new(|| match MaterialWeights::from_bytes(EMBEDDED) {
                Ok(weights) => Arc::new(weights),
                Err(error) => unreachable!("a test reads the weights of every build: {error}"),
            });
        Arc::clone(&WEIGHTS)
    }

    /// Reads a file of values.
    ///
    /// # Errors
    /// The bytes are not such a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        MaterialValues::from_bytes(bytes).map(|values| Self::new(&values))
    }

    /// Returns the values, without a player's noise.
    pub fn values(&self) -> &MaterialValues {
        &self.values
    }

    /// Returns the FNV-1a hash of the values' canonical text.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    #[inline(always)]
    fn piece_square(&self, piece: Piece, square: Square) -> i32 {
        self.piece_square[piece.index()][square.index()]
    }

    #[inline(always)]
    fn hand(&self, kind: PieceKind) -> i32 {
        self.hand[kind.index() & 7]
    }

    /// Returns the weights with noise added to each; White's weights mirror Black's.
    fn perturbed(&self, noise: &Noise) -> Self {
        let mut weights = self.clone();
        for kind in PieceKind::ALL {
            let black = Piece::new(Color::Black, kind).index();
            let white = Piece::new(Color::White, kind).index();
            for square in 0..Square::COUNT {
                let number = kind.index() * Square::COUNT + square;
                let value = self.piece_square[black][square] + noise.of(number as u64);
                weights.piece_square[black][square] = value;
                weights.piece_square[white][Square::COUNT - 1 - square] = -value;
            }
        }
        for kind in PieceKind::HAND {
            let number = PieceKind::COUNT * Square::COUNT + kind.index();
            weights.hand[kind.index() & 7] += noise.of(number as u64);
        }
        weights
    }
}

#[inline(always)]
fn sign(color: Color) -> i32 {
    match color {
        Color::Black => 1,
        Color::White => -1,
    }
}

/// The evaluator named `material`.
#[derive(Clone, Debug)]
pub struct Material {
    /// Values of the positions from the root on, from Black's side.
    values: Vec<i32>,
    weights: Arc<MaterialWeights>,
}

impl Material {
    /// Creates an evaluator that shares the weights.
    pub fn new(weights: Arc<MaterialWeights>) -> Self {
        Self {
            values: Vec::new(),
            weights,
        }
    }

    /// Creates an evaluator with noise added to each weight.
    pub fn perturbed(weights: &MaterialWeights, noise: &Noise) -> Self {
        Self::new(Arc::new(weights.perturbed(noise)))
    }
}

/// Computes the value of a position from Black's side.
fn full(weights: &MaterialWeights, position: &Position) -> i32 {
    let board: i32 = position
        .occupied()
        .squares()
        .map(|square| weights.piece_square(position.piece(square), square))
        .sum();
    let hands: i32 = Color::ALL
        .iter()
        .flat_map(|&color| PieceKind::HAND.iter().map(move |&kind| (color, kind)))
        .map(|(color, kind)| {
            sign(color) * position.hand(color).count(kind) as i32 * weights.hand(kind)
        })
        .sum();
    board + hands
}

impl Evaluator for Material {
    fn reset(&mut self, position: &Position) {
        self.values.clear();
        self.values.push(full(&self.weights, position));
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        let us = position.side_to_move();
        let to = mv.to();
        let weights = &*self.weights;
        let mut value = self.values.last().copied().unwrap_or_default();
        if let Some(from) = mv.from() {
            let piece = position.piece(from);
            let placed = mv.placed(piece);
            value += weights.piece_square(placed, to) - weights.piece_square(piece, from);
            if let Some((_, kind)) = position.piece(to).get() {
                value -= weights.piece_square(position.piece(to), to);
                value += sign(us) * weights.hand(kind);
            }
        } else if let Some(kind) = mv.dropped() {
            value += weights.piece_square(Piece::new(us, kind), to) - sign(us) * weights.hand(kind);
        }
        self.values.push(value);
    }

    #[inline]
    fn pop(&mut self) {
        self.values.pop();
    }

    #[inline]
    fn evaluate(&mut self, position: &Position) -> i32 {
        let value = self.values.last().copied().unwrap_or_default();
        sign(position.side_to_move()) * value + self.weights.turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;

    fn weights() -> Arc<MaterialWeights> {
        MaterialWeights::embedded()
    }

    fn material() -> Material {
        Material::new(weights())
    }

    #[test]
    fn the_start_position_is_level() {
        let mut evaluator = material();
        evaluator.reset(&Position::startpos());
        assert_eq!(evaluator.evaluate(&Position::startpos()), weights().turn);
    }

    #[test]
    fn following_moves_equals_starting_afresh() {
        let mut state = 7u64;
        let mut game = Game::startpos();
        let mut followed = material();
        followed.reset(game.position());
        for _ in 0..300 {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            let mv = moves[(state >> 33) as usize % moves.len()];
            followed.push(game.position(), mv);
            game.play(mv).unwrap();
            let mut fresh = material();
            fresh.reset(game.position());
            assert_eq!(
                followed.evaluate(game.position()),
                fresh.evaluate(game.position())
            );
        }
        for _ in game.moves() {
            followed.pop();
        }
        assert_eq!(followed.evaluate(&Position::startpos()), weights().turn);
    }

    #[test]
    fn noise_on_the_weights_is_symmetric_and_has_the_given_deviation() {
        let noise = Noise::new(50.0, 7).unwrap();
        let mut perturbed = Material::perturbed(&weights(), &noise);
        perturbed.reset(&Position::startpos());
        assert_eq!(
            perturbed.evaluate(&Position::startpos()),
            weights().turn,
            "the start position is its own mirror image"
        );
        let plain = weights();
        let differences: Vec<f64> = perturbed
            .weights
            .piece_square
            .iter()
            .zip(&plain.piece_square)
            .flat_map(|(noisy, plain)| noisy.iter().zip(plain))
            .map(|(noisy, plain)| f64::from(noisy - plain))
            .filter(|difference| *difference != 0.0)
            .collect();
        let squares: f64 = differences.iter().map(|value| value * value).sum();
        let deviation = (squares / differences.len() as f64).sqrt();
        assert!((deviation - 50.0).abs() < 4.0, "{deviation}");
        let again = Material::perturbed(&weights(), &noise);
        assert_eq!(again.weights.piece_square, perturbed.weights.piece_square);
        assert_eq!(again.weights.hand, perturbed.weights.hand);
        assert_ne!(again.weights.hand, plain.hand);
    }
}
