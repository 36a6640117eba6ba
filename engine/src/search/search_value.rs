//! The values of a search: one number, or a vector with one number for each virtual player.
//!
//! With one `i32` it is the ordinary search; with [`Lanes`](super::lanes::Lanes) it is the consultation inside one
//! search of Tohske, section 4, which cuts only when every lane is cut. Its tree is searched by code of its own
//! ([`vector_search`](super::vector_search)); what both share is written once, over [`SearchValue`].
//!
//! A lane is settled at a node once its value there has reached beta. From then on it has the window
//! (∞, -∞) in that node and below, so that every condition for a cut holds and its values mean
//! nothing. A single value is never settled: at beta its search is over.

use super::value::{INFINITE, MAX_PLY, Value};
use crate::{eval::Noise, rules::Move};
use std::{collections::TryReserveError, fmt::Debug};

/// Depth of table entries that hold proved mates, larger than that of any search.
pub(super) const PROVED: i32 = MAX_PLY as i32 - 1;

/// Effect of a move's value on the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Alpha has risen, in some lane.
    pub raised: bool,
    /// Beta has been reached, in every lane.
    pub cut: bool,
}

/// An entry of a transposition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableEntry<V: SearchValue> {
    pub mv: Option<Move>,
    /// Value of the position; mates are counted from it, not from the root.
    pub value: V,
    /// Kind of the value: exact or a bound.
    pub bounds: V::Bounds,
    /// Static evaluation without noise; minus infinity where it was not computed.
    pub evaluation: Value,
    pub depth: i32,
    /// The position has been on a principal variation.
    pub tt_pv: bool,
}

impl<V: SearchValue> TableEntry<V> {
    /// Returns the entry with a bound that tells nothing in place of a value that is not exact.
    #[cold]
    pub fn if_exact(self) -> Self {
        if self.bounds == V::exact() {
            return self;
        }
        Self {
            value: V::all(INFINITE),
            bounds: V::at_most(),
            ..self
        }
    }
}

/// A transposition table (Hosoe et al.) for one kind of values.
pub(crate) trait TranspositionTable<V: SearchValue>: Debug + Send + Sync + Sized {
    /// Allocates `mib` MiB, if the system has them.
    fn new(mib: usize) -> Result<Self, TryReserveError>;
    /// Removes all entries.
    fn clear(&mut self);
    /// Begins a new search, so that entries of earlier ones are replaced first.
    fn age(&mut self);
    /// Loads the place of a key into the cache.
    fn prefetch(&self, key: u64);
    /// Returns the entry of a key.
    fn get(&self, key: u64) -> Option<TableEntry<V>>;
    /// Stores an entry.
    fn put(&self, key: u64, entry: TableEntry<V>);
    /// Returns the share of the table with entries of this search, in parts of a thousand, from a sample
    /// of a thousand entries.
    fn permille_full(&self) -> u32;
}

/// One value or a vector of values, each from the side to move.
pub(crate) trait SearchValue: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// Kind of each value: exact or a bound.
    type Bounds: Copy + Debug + PartialEq + Send + Sync;
    /// Form that several threads can read and write.
    type Atomic: Debug + Send + Sync;
    /// Noise of each virtual player.
    type Noises: ?Sized + Sync;
    /// Table that holds such values.
    type Transpositions: TranspositionTable<Self>;

    /// Number of values.
    const LANES: usize;

    /// Returns the noise of the virtual players, at least one.
    fn noise_of(players: &[Noise]) -> &Self::Noises;
    /// Returns the same value in every lane.
    fn all(value: Value) -> Self;
    /// Returns the value of a lane.
    fn lane(self, lane: usize) -> Value;
    /// Computes the value of each lane.
    fn from_lanes(value: impl FnMut(usize) -> Value) -> Self;

    /// Returns the values from the other side.
    fn negated(self) -> Self;
    /// Adds the same amount to every lane.
    fn plus(self, value: Value) -> Self;
    /// Returns the larger of two values, lane by lane.
    fn larger(self, other: Self) -> Self;
    /// Returns the smaller of two values, lane by lane.
    fn smaller(self, other: Self) -> Self;
    /// Tells whether every lane is at least that of `other`.
    fn all_at_least(self, other: Self) -> bool;
    /// Tells whether some lane is above that of `other`.
    fn any_above(self, other: Self) -> bool;
    /// Returns the smallest difference `self - other` of any lane.
    fn least_above(self, other: Self) -> Value;
    /// Returns the largest difference `self - other` of any open lane. Settled lanes are known by
    /// `alpha`.
    fn lead(self, other: Self, alpha: Self) -> Value;
    /// Returns the mean of two values with weights, lane by lane.
    fn mixed(self, weight: i32, other: Self, other_weight: i32) -> Self;

    /// Marks lanes without a window as settled.
    fn settle(window: (Self, Self)) -> (Self, Self);
    /// Returns the null window above alpha; settled lanes stay settled.
    fn above(alpha: Self) -> (Self, Self);
    /// Returns the null window below beta; settled lanes stay settled.
    fn below(beta: Self) -> (Self, Self);
    /// Returns the window from the other side.
    fn turned((alpha, beta): (Self, Self)) -> (Self, Self) {
        (beta.negated(), alpha.negated())
    }
    /// Updates the best value and alpha of the open lanes with the value of a move.
    fn take(best: &mut Self, alpha: &mut Self, beta: Self, value: Self) -> Taken;
    /// Tells whether some open lane has the value of a decided game, by mate or by perpetual check.
    fn is_decided(self, window: (Self, Self)) -> bool;
    /// Tells whether some open lane loses the game, by mate or by perpetual check.
    fn is_lost(self, alpha: Self) -> bool;
    /// Sets the lanes without a window to minus infinity.
    fn blanked(self, window: (Self, Self)) -> Self;
    /// Narrows the window to `low` and `high` in the lanes that keep a window. The flag is true when
    /// no lane keeps one.
    fn narrowed(window: (Self, Self), low: Value, high: Value) -> ((Self, Self), bool);

    /// Returns the static evaluation of each player.
    fn evaluation(raw: Value, noise: &Self::Noises, key: u64) -> Self;
    /// Adds a correction to every lane, within the range of evaluations.
    fn corrected(self, correction: Value) -> Self;
    /// Returns the difference of the search from the evaluation, where the bounds allow one.
    /// `raised` tells whether a move has raised alpha.
    fn error(self, evaluation: Self, beta: Self, raised: bool) -> Option<Value>;

    /// Returns the kind of the values of a node that was searched with this window.
    fn bounds(self, window: (Self, Self), exact: bool) -> Self::Bounds;
    /// Returns the kind of upper bounds.
    fn at_most() -> Self::Bounds;
    /// Returns the kind of exact values.
    fn exact() -> Self::Bounds;
    /// Tells whether stored values decide a node without a search (Hosoe et al., section 4).
    fn decides(self, bounds: Self::Bounds, window: (Self, Self)) -> bool;
    /// Returns the stored values where their bounds make them a better guess than the evaluation.
    fn better_guess(self, bounds: Self::Bounds, evaluation: Self) -> Self;
    /// Tells whether the stored values of all open lanes are exact or lower bounds.
    fn holds_from_below(bounds: Self::Bounds, window: (Self, Self)) -> bool;
    /// Tells whether the stored value of some lane is an upper bound below `limit`.
    fn falls_short(self, bounds: Self::Bounds, limit: Self) -> bool;

    /// Converts mates for the table, from plies after the root to plies after the node.
    fn stored(self, ply: usize) -> Self;
    /// Converts mates of the table back, the reverse of [`SearchValue::stored`].
    fn recalled(self, ply: usize) -> Self;

    /// Returns the form for several threads.
    fn share(self) -> Self::Atomic;
    /// Reads shared values.
    fn load(shared: &Self::Atomic) -> Self;
    /// Writes shared values, which only ever rise.
    fn store(self, shared: &Self::Atomic);
}
