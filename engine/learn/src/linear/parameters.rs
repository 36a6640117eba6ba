//! What is learned: the four groups of paper 000, section 3, and how they add up to the
//! evaluator's values.
//!
//! A piece's value is that of its kind and that of its square; a relation's is that of its
//! relative position and that of the two squares. So what is seen rarely learns from what is seen
//! often.

use monju_engine::{
    eval::linear::{
        UNIT, Values,
        index::{self, Meaning, SET},
        layout::{self, Layout, SINGLE},
    },
    rules::{Color, PieceKind, Position, Square},
};
use std::{collections::HashMap, sync::OnceLock};

/// Where each group begins.
const TURN: usize = 0;
const KINDS: usize = TURN + 1;
/// Of pieces on the board, then of pieces in hand.
const KIND_COUNT: usize = PieceKind::COUNT + PieceKind::HAND.len();
const SINGLES: usize = KINDS + KIND_COUNT;
const RELATIVE: usize = SINGLES + SINGLE;

/// Which parameters add up to which value.
pub(super) struct Groups {
    /// For each relation's value: the parameter of its relative position, and its sign. Relations
    /// with pieces in hand have none: their sign is 0.
    relative: Vec<(u32, f32)>,
    pairs: usize,
    len: usize,
}

impl Groups {
    /// The only ones there are.
    pub fn get() -> &'static Self {
        static GROUPS: OnceLock<Groups> = OnceLock::new();
        GROUPS.get_or_init(Self::compute)
    }

    fn compute() -> Self {
        let mut numbers: HashMap<Relative, usize> = HashMap::new();
        let mut relative = Vec::with_capacity(Layout::get().len());
        for &(one, two) in Layout::get().pairs() {
            let entry = Relative::of(one.into(), two.into()).map(|(key, negated)| {
                let next = RELATIVE + numbers.len();
                let number = *numbers.entry(key).or_insert(next);
                (number as u32, if negated { -1.0 } else { 1.0 })
            });
            relative.push(entry.unwrap_or((0, 0.0)));
        }
        let pairs = RELATIVE + numbers.len();
        Self {
            len: pairs + relative.len(),
            pairs,
            relative,
        }
    }

    /// How many parameters there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The material evaluator's values, in 1/[`UNIT`] centipawn: where learning starts.
    pub fn material(&self) -> Vec<f32> {
        let values = Values::material();
        let mut parameters = vec![0.0; self.len];
        parameters[TURN] = f32::from(values.turn);
        for kind in PieceKind::ALL {
            let value = monju_engine::eval::board_value(kind) * UNIT;
            parameters[KINDS + kind.index()] = value as f32;
        }
        for kind in PieceKind::HAND {
            let value = monju_engine::eval::hand_value(kind) * UNIT;
            parameters[KINDS + PieceKind::COUNT + kind.index()] = value as f32;
        }
        for (single, &value) in values.single.iter().enumerate() {
            let kind = parameters[KINDS + kind_of(single)];
            parameters[SINGLES + single] = f32::from(value) - kind;
        }
        parameters
    }

    /// The values that parameters add up to, rounded, and cut off where 16 bits end.
    pub fn values(&self, parameters: &[f32]) -> Values {
        let single = (0..SINGLE)
            .map(|single| parameters[KINDS + kind_of(single)] + parameters[SINGLES + single]);
        let pairs = self.relative.iter().enumerate();
        let pairs = pairs.map(|(pair, &(group, sign))| {
            sign * parameters[group as usize] + parameters[self.pairs + pair]
        });
        Values {
            turn: round(parameters[TURN]),
            single: single.map(round).collect(),
            pairs: pairs.map(round).collect(),
        }
    }

    /// The gradient of the parameters, from that of the values.
    pub fn fold(&self, gradient: &Gradient) -> Vec<f32> {
        let mut folded = vec![0.0; self.len];
        folded[TURN] = gradient.turn;
        for (single, &slope) in gradient.single.iter().enumerate() {
            folded[KINDS + kind_of(single)] += slope;
            folded[SINGLES + single] = slope;
        }
        for ((pair, &slope), &(group, sign)) in
            gradient.pairs.iter().enumerate().zip(&self.relative)
        {
            if slope != 0.0 {
                folded[self.pairs + pair] = slope;
                folded[group as usize] += sign * slope;
            }
        }
        folded
    }

    /// The sum of the values of the pieces of a set but the kings, none promoted, each half on the
    /// board, on all squares alike, and half in hand, in centipawns.
    pub fn piece_sum(&self, parameters: &[f32]) -> f32 {
        let values = self.values(parameters);
        let mut sum = 0.0;
        for kind in PieceKind::HAND {
            let count = kind.count_in_set() as f32;
            let on_board: f32 = Square::all()
                .map(|square| f32::from(values.single[layout::placed(kind, square)]))
                .sum();
            let in_hand = f32::from(values.single[layout::HELD + index::hand_place(kind, 1)]);
            sum += count * (on_board / Square::COUNT as f32 + in_hand) / 2.0;
        }
        sum / UNIT as f32
    }
}

fn round(value: f32) -> i16 {
    // The smallest number has no negative of its own.
    value.round().clamp(-32_767.0, 32_767.0) as i16
}

/// The kind's place among the values of kinds.
fn kind_of(single: usize) -> usize {
    if single < layout::HELD {
        return single / 45;
    }
    let place = single - layout::HELD;
    let kinds = PieceKind::HAND.iter().rev();
    let kind = kinds
        .copied()
        .find(|&kind| index::hand_place(kind, 1) <= place);
    PieceKind::COUNT + kind.map_or(0, PieceKind::index)
}

/// Two pieces on the board and how one stands to the other, wherever that is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Relative {
    /// Side and kind.
    one: (usize, usize),
    two: (usize, usize),
    files: i8,
    ranks: i8,
}

impl Relative {
    /// The first of the relations that symmetry makes equal, and whether this one is its negative.
    fn of(one: usize, two: usize) -> Option<(Self, bool)> {
        let images = [
            (one, two, false),
            (index::mirrored(one), index::mirrored(two), false),
            (index::flipped(one), index::flipped(two), true),
            (
                index::mirrored(index::flipped(one)),
                index::mirrored(index::flipped(two)),
                true,
            ),
        ];
        let plain = images
            .iter()
            .flat_map(|&(one, two, negated)| {
                [Self::plain(one, two), Self::plain(two, one)].map(|key| (key, negated))
            })
            .map(|(key, negated)| key.map(|key| (key, negated)))
            .collect::<Option<Vec<_>>>()?;
        let (first, negated) = *plain.iter().min()?;
        // What is its own negative is worth nothing.
        (!plain.contains(&(first, !negated))).then_some((first, negated))
    }

    fn plain(one: usize, two: usize) -> Option<Self> {
        match (index::meaning(one), index::meaning(two)) {
            (
                Meaning::Board(color, kind, square),
                Meaning::Board(other_color, other_kind, other),
            ) => {
                let step = |to: usize, from: usize| to as i8 - from as i8;
                Some(Self {
                    one: (color.index(), kind),
                    two: (other_color.index(), other_kind),
                    files: step(other.file(), square.file()),
                    ranks: step(other.rank(), square.rank()),
                })
            }
            _ => None,
        }
    }
}

/// What a step would change, by the evaluator's values.
#[derive(Clone)]
pub(super) struct Gradient {
    pub turn: f32,
    pub single: Vec<f32>,
    pub pairs: Vec<f32>,
}

impl Gradient {
    /// Nothing.
    pub fn new() -> Self {
        Self {
            turn: 0.0,
            single: vec![0.0; SINGLE],
            pairs: vec![0.0; Layout::get().len()],
        }
    }

    /// Adds `slope` times what the values contribute to the evaluation of a position from the side
    /// `view`.
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

    /// Adds another one.
    pub fn add_all(&mut self, other: &Self) {
        self.turn += other.turn;
        let both = self.single.iter_mut().chain(&mut self.pairs);
        for (own, other) in both.zip(other.single.iter().chain(&other.pairs)) {
            *own += other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{
        eval::{Evaluator, Linear, LinearWeights},
        rules::Game,
    };
    use std::sync::Arc;

    #[test]
    fn learning_starts_from_the_material_evaluator() {
        let groups = Groups::get();
        assert_eq!(groups.values(&groups.material()), Values::material());
    }

    #[test]
    fn the_gradient_of_a_position_is_what_its_evaluation_is_made_of() {
        let groups = Groups::get();
        let mut state = 5_u64;
        let parameters: Vec<f32> = (0..groups.len())
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                ((state >> 40) % 64) as f32 - 32.0
            })
            .collect();
        let weights = Arc::new(LinearWeights::new(&groups.values(&parameters)));
        let mut linear = Linear::new(weights);
        for start in monju_engine::bench::POSITIONS {
            let game = Game::from_usi(start).expect("a position");
            let position = game.position();
            linear.reset(position);
            let mut gradient = Gradient::new();
            gradient.add(position, position.side_to_move(), 1.0);
            let folded = groups.fold(&gradient);
            let sum: f32 = folded
                .iter()
                .zip(&parameters)
                .map(|(slope, value)| slope * value)
                .sum();
            let value = linear.evaluate(position);
            assert!(
                (sum / UNIT as f32 - value as f32).abs() <= 1.0,
                "{sum} and {value}"
            );
        }
    }
}
