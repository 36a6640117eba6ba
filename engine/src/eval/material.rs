//! Piece values, hand values and piece-square values: integers set by hand, no learning.

use super::{Evaluator, Noise};
use crate::rules::{Color, Move, Piece, PieceKind, Position, Square};
use std::sync::{Arc, LazyLock};

/// Value of a piece on the board, in centipawns, by the number of its kind.
const BOARD: [i32; PieceKind::COUNT] = [
    100, 320, 380, 530, 840, 990, 590, 0, 540, 540, 560, 580, 1120, 1360,
];

/// Value of a piece in the hand, in centipawns.
const HAND: [i32; 8] = [115, 360, 420, 580, 920, 1090, 640, 0];

/// Bonus by rank as the owner sees it, from the opponent's back rank to the own one.
const RANK: [[i32; 9]; PieceKind::COUNT] = [
    [0, 30, 25, 18, 14, 8, 0, 0, 0],
    [0, 0, 10, 0, 0, 5, 0, 0, 10],
    [0, 0, 20, 10, 15, -10, 0, -10, 0],
    [-10, 10, 20, 20, 15, 12, 5, 0, -20],
    [0, 0, 0, 0, 5, 5, 0, 5, 0],
    [40, 40, 30, 5, 0, 0, 0, 10, 0],
    [-30, -10, 5, 5, 0, 0, 5, 12, 0],
    [60, 50, 40, -60, -80, -80, -60, -20, 20],
    [0, 20, 25, 15, 5, 0, -10, -20, -30],
    [0, 20, 20, 10, 5, 0, -10, -20, -30],
    [0, 20, 20, 10, 5, 0, -10, -20, -30],
    [0, 20, 20, 10, 5, 0, -10, -20, -30],
    [20, 30, 30, 15, 15, 15, 10, 10, 0],
    [40, 40, 40, 20, 10, 5, 0, 0, 0],
];

/// Bonus by distance from the edge, file 1 or 9 first, the middle file last.
const FILE: [[i32; 5]; PieceKind::COUNT] = [
    [0, 2, 4, 4, 2],
    [0, 0, 0, 0, 0],
    [-15, 0, 5, 5, 0],
    [-15, 0, 5, 10, 8],
    [-5, 0, 0, 5, 8],
    [-5, 8, 5, 0, 0],
    [-15, 0, 8, 10, 5],
    [20, 35, 20, -10, -30],
    [-15, 0, 5, 10, 10],
    [-15, 0, 5, 10, 10],
    [-15, 0, 5, 10, 10],
    [-15, 0, 5, 10, 10],
    [-10, 0, 5, 10, 15],
    [0, 5, 5, 5, 5],
];

/// Value of a kind on the board, in centipawns, wherever it stands.
#[inline(always)]
pub const fn board_value(kind: PieceKind) -> i32 {
    BOARD[kind.index()]
}

/// Value of a kind in the hand, in centipawns.
#[inline(always)]
pub const fn hand_value(kind: PieceKind) -> i32 {
    HAND[kind.index() & 7]
}

/// What capturing a piece swings: its loss on one side and its gain in the hand of the other.
/// For a pawn this is the pawn exchange value in which the papers quote σ.
#[inline(always)]
pub const fn exchange_value(kind: PieceKind) -> i32 {
    BOARD[kind.index()] + HAND[kind.index() & 7]
}

const fn square_value(color: Color, kind: PieceKind, square: Square) -> i32 {
    let file = square.file();
    let from_edge = if file < 5 { file } else { 8 - file };
    BOARD[kind.index()]
        + RANK[kind.index()][square.relative_rank(color)]
        + FILE[kind.index()][from_edge]
}

/// Value of a piece on a square, from Black's side.
static PIECE_SQUARE: [[i32; Square::COUNT]; Piece::COUNT] = {
    let mut table = [[0; Square::COUNT]; Piece::COUNT];
    let mut kind = 0;
    while kind < PieceKind::COUNT {
        let mut square = 0;
        while square < Square::COUNT {
            let at = Square::from_index(square);
            let kind = PieceKind::ALL[kind];
            let black = Piece::new(Color::Black, kind).index();
            let white = Piece::new(Color::White, kind).index();
            table[black][square] = square_value(Color::Black, kind, at);
            table[white][square] = -square_value(Color::White, kind, at);
            square += 1;
        }
        kind += 1;
    }
    table
};

/// Every weight of the evaluation.
#[derive(Debug)]
struct Weights {
    /// Value of a piece on a square, from Black's side.
    piece_square: [[i32; Square::COUNT]; Piece::COUNT],
    /// Value of a kind in the hand.
    hand: [i32; 8],
}

/// The weights without noise.
static PLAIN: LazyLock<Arc<Weights>> = LazyLock::new(|| {
    Arc::new(Weights {
        piece_square: PIECE_SQUARE,
        hand: HAND,
    })
});

impl Weights {
    #[inline(always)]
    fn piece_square(&self, piece: Piece, square: Square) -> i32 {
        self.piece_square[piece.index()][square.index()]
    }

    #[inline(always)]
    fn hand(&self, kind: PieceKind) -> i32 {
        self.hand[kind.index() & 7]
    }

    /// The weights with noise added to each: White's are Black's turned round.
    fn perturbed(&self, noise: &Noise) -> Self {
        let mut weights = Self {
            piece_square: self.piece_square,
            hand: self.hand,
        };
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

/// Bonus for the right to move, in centipawns.
const TEMPO: i32 = 25;

/// The evaluator named `material`.
#[derive(Clone, Debug)]
pub struct Material {
    /// Values from Black's side, the root's first.
    values: Vec<i32>,
    weights: Arc<Weights>,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            weights: Arc::clone(&PLAIN),
        }
    }
}

impl Material {
    /// The evaluator with noise added to each of its weights.
    pub fn perturbed(noise: &Noise) -> Self {
        Self {
            values: Vec::new(),
            weights: Arc::new(PLAIN.perturbed(noise)),
        }
    }
}

/// The value of a position from Black's side, computed from scratch.
fn full(weights: &Weights, position: &Position) -> i32 {
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
            let placed = if mv.is_promotion() {
                Piece::new(us, piece.kind().promoted())
            } else {
                piece
            };
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
        sign(position.side_to_move()) * value + TEMPO
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;

    #[test]
    fn the_start_position_is_level() {
        let mut material = Material::default();
        material.reset(&Position::startpos());
        assert_eq!(material.evaluate(&Position::startpos()), TEMPO);
    }

    #[test]
    fn following_moves_equals_starting_afresh() {
        let mut state = 7u64;
        let mut game = Game::startpos();
        let mut followed = Material::default();
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
            let mut fresh = Material::default();
            fresh.reset(game.position());
            assert_eq!(
                followed.evaluate(game.position()),
                fresh.evaluate(game.position())
            );
        }
        for _ in game.moves() {
            followed.pop();
        }
        assert_eq!(followed.evaluate(&Position::startpos()), TEMPO);
    }

    #[test]
    fn noise_on_the_weights_is_fair_to_both_sides_and_of_the_size_that_was_asked_for() {
        let noise = Noise::new(50.0, 7).unwrap();
        let mut perturbed = Material::perturbed(&noise);
        perturbed.reset(&Position::startpos());
        assert_eq!(
            perturbed.evaluate(&Position::startpos()),
            TEMPO,
            "the start position is its own mirror image"
        );
        let plain = &PLAIN.piece_square;
        let differences: Vec<f64> = perturbed
            .weights
            .piece_square
            .iter()
            .zip(plain)
            .flat_map(|(noisy, plain)| noisy.iter().zip(plain))
            .map(|(noisy, plain)| f64::from(noisy - plain))
            .filter(|difference| *difference != 0.0)
            .collect();
        let squares: f64 = differences.iter().map(|value| value * value).sum();
        let deviation = (squares / differences.len() as f64).sqrt();
        assert!((deviation - 50.0).abs() < 4.0, "{deviation}");
        let again = Material::perturbed(&noise);
        assert_eq!(again.weights.piece_square, perturbed.weights.piece_square);
        assert_eq!(again.weights.hand, perturbed.weights.hand);
        assert_ne!(again.weights.hand, PLAIN.hand);
    }
}
