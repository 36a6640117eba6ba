//! The parameters: the four groups of Tohske, section 3, whose sums are the evaluator's values.
//!
//! A piece's value is the sum of its kind's and its square's; a pair's value is the sum of its relative
//! position's and its two squares'. So rare features share what common ones have learned.

use monju_engine::{
    eval::linear::{
        UNIT, Values,
        index::{self, Meaning},
        layout::{self, Layout, SINGLE},
    },
    rules::{PieceKind, Square},
};
use monju_gradient::linear::LinearGradient;
use std::{collections::HashMap, sync::OnceLock};

// Index of the first parameter of each group.
const TURN: usize = 0;
const KINDS: usize = TURN + 1;
/// Number of kinds on the board and of kinds in hand.
const KIND_COUNT: usize = PieceKind::COUNT + PieceKind::HAND.len();
const SINGLES: usize = KINDS + KIND_COUNT;
const RELATIVE: usize = SINGLES + SINGLE;

/// Assignment of parameters to values.
pub(super) struct ParameterGroups {
    /// Parameter of the relative position of each pair, and its sign, which is 0 for pairs with pieces
    /// in hand.
    relative: Vec<(u32, f32)>,
    pairs: usize,
    len: usize,
}

impl ParameterGroups {
    /// Returns the one instance.
    pub fn get() -> &'static Self {
        static GROUPS: OnceLock<ParameterGroups> = OnceLock::new();
        GROUPS.get_or_init(Self::compute)
    }

    fn compute() -> Self {
        let mut numbers: HashMap<RelativePair, usize> = HashMap::new();
        let mut relative = Vec::with_capacity(Layout::get().pairs().len());
        for &(one, two) in Layout::get().pairs() {
            let entry = RelativePair::of(one.into(), two.into()).map(|(key, negated)| {
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

    /// Returns the number of parameters.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the material evaluator's values in 1/[`UNIT`] centipawn, the initial parameters.
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

    /// Returns the sums of the parameters, rounded and saturated to 16 bits.
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

    /// Returns the gradient by the parameters from that by the values.
    pub fn fold(&self, gradient: &LinearGradient) -> Vec<f32> {
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

    /// Returns the value of a set of unpromoted pieces without kings, in centipawns: for each piece the
    /// mean of its value in hand and of its mean value on the board.
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
    // The smallest 16-bit number cannot be negated.
    value.round().clamp(-32_767.0, 32_767.0) as i16
}

/// Returns the index of a value's kind within the group of kinds.
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

/// Two pieces on the board and their relative position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct RelativePair {
    /// Side and kind of the first piece.
    one: (usize, usize),
    two: (usize, usize),
    files: i8,
    ranks: i8,
}

impl RelativePair {
    /// Returns the smallest of the pairs that are equal by symmetry, and true if this one is its negative.
    /// `None` for pairs with pieces in hand and for pairs that symmetry makes worthless.
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
        // A pair that is its own negative has the value 0.
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

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{
        eval::{Evaluator, Linear, LinearWeights},
        rules::Game,
    };
    use std::sync::Arc;

    #[test]
    fn the_initial_parameters_are_the_material_evaluator() {
        let groups = ParameterGroups::get();
        assert_eq!(groups.values(&groups.material()), Values::material());
    }

    #[test]
    fn the_evaluation_is_the_product_of_gradient_and_parameters() {
        let groups = ParameterGroups::get();
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
            let mut gradient = LinearGradient::new();
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
