//! The evaluator `nnue`: networks whose first layer follows a search move by move.

mod architecture;
mod features;
pub mod file;
mod network;
mod shape;
mod simd;

pub use architecture::Architecture;
pub use features::{PIECES_AND_KINGS, for_each, mirrored_numbers, turned_numbers};
pub use file::NetworkError;
pub use network::{FV_SCALE, Network};
pub use network::{Layer, Parts};
pub use shape::{HIDDEN, WIDTH};
pub use simd::{Vectorised, vectorised};

use super::{
    evaluator::Evaluator,
    material::{Material, MaterialWeights},
    noise::Noise,
};
use crate::{
    positions::MIDDLEGAME,
    rules::{Color, Move, PieceKind, Position},
};
use features::{FeatureChange, PieceNumbers};
use network::own_king;
use shape::WeightRow;
use std::sync::Arc;

/// Largest number of plies over which an accumulator is updated; beyond it a refresh is cheaper.
const HORIZON: usize = 8;

/// Largest number of plies that are updated in one step. Over more plies, the parent's accumulator is
/// computed as well, because the parent's other moves need it.
const HOP: usize = 2;

/// The sums of the first layer for one position on the way from the root.
#[derive(Clone, Debug, Default)]
struct Accumulator {
    /// Sums from Black's and from White's point of view, valid where `is_known`.
    sums: [WeightRow; 2],
    is_known: [bool; 2],
    /// Change by the move to the position.
    change: FeatureChange,
}

/// An evaluator with a [`Network`]. Sums of the first layer are computed only when needed, from those
/// of a position a few moves earlier.
#[derive(Clone, Debug)]
pub struct Nnue {
    network: Arc<Network>,
    /// Accumulators from the root on; those after `current` are unused.
    accumulators: Vec<Accumulator>,
    current: usize,
    perturbation: Option<Box<Perturbation>>,
}

/// Noise on the value of every piece on every square and in hand, as the difference of two material
/// evaluators: the weights of a network are not in centipawns.
#[derive(Clone, Debug)]
struct Perturbation {
    perturbed: Material,
    plain: Material,
}

impl Nnue {
    /// Creates an evaluator that shares the network.
    pub fn new(network: Arc<Network>) -> Self {
        Self {
            network,
            accumulators: vec![Accumulator::default()],
            current: 0,
            perturbation: None,
        }
    }

    /// Creates an evaluator with noise added to the value of every piece.
    pub fn perturbed(network: Arc<Network>, noise: &Noise) -> Self {
        let weights = MaterialWeights::embedded();
        Self {
            perturbation: Some(Box::new(Perturbation {
                perturbed: Material::perturbed(&weights, noise),
                plain: Material::new(weights),
            })),
            ..Self::new(network)
        }
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Returns the mean value of taking one of the opponent's pawns in hand, over the middlegames of
    /// the benchmark and their pawns, in centipawns.
    pub fn pawn_exchange(&mut self) -> f64 {
        let (mut sum, mut count) = (0, 0);
        let positions = MIDDLEGAME.iter().map(|sfen| Position::from_sfen(sfen));
        for position in positions.filter_map(Result::ok) {
            self.reset(&position);
            let before = self.evaluate(&position);
            for square in position.pieces(!position.side_to_move(), PieceKind::Pawn) {
                self.follow(FeatureChange::taking_pawn(&position, square));
                sum += self.evaluate(&position) - before;
                count += 1;
                self.pop();
            }
        }
        f64::from(sum) / f64::from(count.max(1))
    }

    /// Follows a change of the position.
    #[inline]
    fn follow(&mut self, change: FeatureChange) {
        self.current += 1;
        if self.current == self.accumulators.len() {
            self.accumulators.push(Accumulator::default());
        }
        let accumulator = &mut self.accumulators[self.current];
        accumulator.change = change;
        accumulator.is_known = [false; 2];
    }

    /// Computes the current position's sums from one side's point of view.
    #[inline]
    fn update(&mut self, position: &Position, side: Color) {
        let known = self.nearest(side, self.current);
        match known {
            Some(from) if self.current - from > HOP => {
                // `nearest` looks back only as far as the king has not moved.
                let king = own_king(position, side);
                self.advance(from, self.current - 1, side, king);
                self.advance(self.current - 1, self.current, side, king);
            }
            Some(from) => self.advance(from, self.current, side, own_king(position, side)),
            None => {
                self.refresh(position, side);
                self.retrace(position, side);
            }
        }
    }

    /// Returns the last position from which the sums can be updated.
    #[inline]
    fn nearest(&self, side: Color, to: usize) -> Option<usize> {
        let horizon = to.saturating_sub(HORIZON);
        for index in (horizon..=to).rev() {
            let accumulator = &self.accumulators[index];
            if accumulator.is_known[side.index()] {
                return Some(index);
            }
            let moves_king = accumulator.change.king == Some(side);
            if moves_king && self.network.architecture().follows_king() {
                return None;
            }
        }
        None
    }

    /// Computes the sums of accumulator `to` from those of accumulator `from`, at most [`HORIZON`]
    /// plies before it.
    #[inline]
    fn advance(&mut self, from: usize, to: usize, side: Color, king: usize) {
        if to - from == 1 {
            // The usual case, in which two rows each are enough.
            self.advance_by::<2>(from, to, side, king);
        } else {
            self.advance_by::<{ 2 * HORIZON }>(from, to, side, king);
        }
    }

    /// The same with room for `ROWS` added and as many removed rows.
    #[inline(always)]
    fn advance_by<const ROWS: usize>(&mut self, from: usize, to: usize, side: Color, king: usize) {
        let network = &*self.network;
        let (mut added, mut removed) = (Rows::<ROWS>::new(network), Rows::<ROWS>::new(network));
        let (before, after) = self.accumulators.split_at_mut(from + 1);
        for accumulator in &after[..to - from] {
            for &seen in accumulator.change.added() {
                added.push(network, seen, side, king);
            }
            for &seen in accumulator.change.removed() {
                removed.push(network, seen, side, king);
            }
        }
        let target = &mut after[to - from - 1];
        network.kernel.update(
            &mut target.sums[side.index()],
            &before[from].sums[side.index()],
            added.as_slice(),
            removed.as_slice(),
        );
        target.is_known[side.index()] = true;
    }

    /// Computes the parent's sums from the current ones, because the parent's other moves need them.
    fn retrace(&mut self, position: &Position, side: Color) {
        let network = &*self.network;
        let Some(before) = self.current.checked_sub(1) else {
            return;
        };
        let change = self.accumulators[self.current].change;
        if change.king == Some(side) && network.architecture().follows_king() {
            return;
        }
        let king = own_king(position, side);
        let (mut added, mut removed) = (Rows::<2>::new(network), Rows::<2>::new(network));
        for &seen in change.removed() {
            added.push(network, seen, side, king);
        }
        for &seen in change.added() {
            removed.push(network, seen, side, king);
        }
        let (earlier, later) = self.accumulators.split_at_mut(self.current);
        let target = &mut earlier[before];
        network.kernel.update(
            &mut target.sums[side.index()],
            &later[0].sums[side.index()],
            added.as_slice(),
            removed.as_slice(),
        );
        target.is_known[side.index()] = true;
    }

    /// Computes the sums of the current position from all features.
    #[cold]
    fn refresh(&mut self, position: &Position, side: Color) {
        let network = &*self.network;
        let king = own_king(position, side);
        let mut rows = Vec::with_capacity(40);
        for_each(position, |seen| {
            let index = network.architecture().index(seen, side, king);
            rows.extend(index.map(|index| network.row(index)));
        });
        let accumulator = &mut self.accumulators[self.current];
        let sums = &mut accumulator.sums[side.index()];
        network.kernel.update(sums, network.biases(), &rows, &[]);
        accumulator.is_known[side.index()] = true;
    }
}

/// The rows of the features that change, at most two for each ply.
struct Rows<'a, const ROWS: usize> {
    rows: [&'a WeightRow; ROWS],
    count: usize,
}

impl<'a, const ROWS: usize> Rows<'a, ROWS> {
    #[inline(always)]
    fn new(network: &'a Network) -> Self {
        Self {
            rows: [network.biases(); ROWS],
            count: 0,
        }
    }

    #[inline(always)]
    fn push(&mut self, network: &'a Network, seen: PieceNumbers, side: Color, king: usize) {
        if let Some(index) = network.architecture().index(seen, side, king) {
            self.rows[self.count] = network.row(index);
            self.count += 1;
        }
    }

    #[inline(always)]
    fn as_slice(&self) -> &[&'a WeightRow] {
        &self.rows[..self.count]
    }
}

impl Evaluator for Nnue {
    fn reset(&mut self, position: &Position) {
        if let Some(noise) = &mut self.perturbation {
            noise.perturbed.reset(position);
            noise.plain.reset(position);
        }
        self.current = 0;
        self.accumulators[0].is_known = [false; 2];
        self.accumulators[0].change = FeatureChange::default();
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        if let Some(noise) = &mut self.perturbation {
            noise.perturbed.push(position, mv);
            noise.plain.push(position, mv);
        }
        self.follow(FeatureChange::of(position, mv));
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(noise) = &mut self.perturbation {
            noise.perturbed.pop();
            noise.plain.pop();
        }
        self.current -= 1;
    }

    #[inline]
    fn evaluate(&mut self, position: &Position) -> i32 {
        for side in Color::ALL {
            if !self.accumulators[self.current].is_known[side.index()] {
                self.update(position, side);
            }
        }
        let us = position.side_to_move();
        let sums = &self.accumulators[self.current].sums;
        let value = self.network.value(&sums[us.index()], &sums[(!us).index()]);
        match &mut self.perturbation {
            None => value,
            Some(noise) => {
                value + noise.perturbed.evaluate(position) - noise.plain.evaluate(position)
            }
        }
    }
}

#[cfg(test)]
mod tests;
