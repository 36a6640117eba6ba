//! Gradients by the evaluator's values.

use monju_engine::{
    eval::linear::{
        index::{self, SET},
        layout::{self, Layout, SINGLE},
    },
    rules::{Color, PieceKind, Position},
};

/// Gradient of the loss by the evaluator's values.
#[derive(Clone)]
pub struct LinearGradient {
    /// Slope by the value of the turn.
    pub turn: f32,
    /// Slopes by the values of single pieces.
    pub single: Vec<f32>,
    /// Slopes by the values of pairs.
    pub pairs: Vec<f32>,
}

impl Default for LinearGradient {
    fn default() -> Self {
        Self::new()
    }
}

impl LinearGradient {
    /// Returns a gradient of 0.
    pub fn new() -> Self {
        Self {
            turn: 0.0,
            single: vec![0.0; SINGLE],
            pairs: vec![0.0; Layout::get().pairs().len()],
        }
    }

    /// Adds `slope` times the gradient of a position's evaluation from the side `view`.
    pub fn add(&mut self, position: &Position, view: Color, slope: f32) {
        let layout = Layout::get();
        self.turn += if position.side_to_move() == view {
            slope
        } else {
            -slope
        };
        let slope = if view == Color::Black { slope } else { -slope };
        let signed = |color, slope: f32| if color == Color::Black { slope } else { -slope };
        let mut list = [0_u16; SET];
        let mut len = 0;
        let mut push = |number| {
            if len < SET {
                list[len] = number;
                len += 1;
            }
        };
        for square in position.occupied().squares() {
            let piece = position.piece(square);
            let own = if piece.color() == Color::Black {
                square
            } else {
                square.flip()
            };
            self.single[layout::placed(piece.kind(), own)] += signed(piece.color(), slope);
            push(index::on_board(piece, square));
        }
        for color in Color::ALL {
            for kind in PieceKind::HAND {
                for count in 1..=position.hand(color).count(kind) {
                    self.single[layout::HELD + index::hand_place(kind, count)] +=
                        signed(color, slope);
                    push(index::in_hand(color, kind, count));
                }
            }
        }
        for (place, &one) in list[..len].iter().enumerate() {
            for &two in &list[place + 1..len] {
                if let Some((value, negated)) = layout.value(one, two) {
                    self.pairs[value] += if negated { -slope } else { slope };
                }
            }
        }
    }

    /// Adds another gradient.
    pub fn add_all(&mut self, other: &Self) {
        self.turn += other.turn;
        let both = self.single.iter_mut().chain(&mut self.pairs);
        for (own, other) in both.zip(other.single.iter().chain(&other.pairs)) {
            *own += other;
        }
    }
}
