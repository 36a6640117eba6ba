//! What a search counts in: one value, or a vector with one value for each virtual player.
//!
//! The search is written once, over [`SearchValue`]. With one `i32` it is the ordinary search; with
//! [`Lanes`](super::lanes::Lanes) it is the consultation inside one search of paper 000, section 4:
//! a cut is made only when every lane is cut.
//!
//! A lane that is settled at a node, because its value there has reached beta, has the window
//! (∞, -∞) from then on, in that node and below: every condition for a cut holds there, and its
//! values mean nothing. A single value is never settled: its search is over.

use super::value::{MAX_PLY, Value};
use crate::{eval::Noise, rules::Move};
use std::{collections::TryReserveError, fmt::Debug};

/// Depth of table entries that hold proved mates, larger than that of any search.
pub(super) const PROVED: i32 = MAX_PLY as i32 - 1;

/// What became of a window when a move's value was taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Alpha has risen, in some lane.
    pub raised: bool,
    /// Beta has been reached, in every lane.
    pub cut: bool,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableEntry<V: SearchValue> {
    pub mv: Option<Move>,
    /// Mates count from the position, not from the root.
    pub value: V,
    /// How the value is meant.
    pub bounds: V::Bounds,
    /// The evaluator's value, without noise; minus infinity when it was not asked.
    pub evaluation: Value,
    pub depth: i32,
    /// It has stood on a principal variation.
    pub tt_pv: bool,
}

/// A transposition table (paper 004) for one kind of values.
pub(crate) trait TranspositionTable<V: SearchValue>: Debug + Send + Sync + Sized {
    /// Allocates `mib` MiB, unless the system has no such room.
    fn new(mib: usize) -> Result<Self, TryReserveError>;
    /// Forgets everything.
    fn clear(&mut self);
    /// A new search begins: entries of earlier ones become the first to be replaced.
    fn age(&mut self);
    /// Fetches what belongs to this key into the cache, to be read soon.
    fn prefetch(&self, key: u64);
    /// What is known of the position with this key.
    fn get(&self, key: u64) -> Option<TableEntry<V>>;
    /// Stores an entry.
    fn put(&self, key: u64, entry: TableEntry<V>);
}

/// One value or several, each from the side to move.
pub(crate) trait SearchValue: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// How each value is meant.
    type Bounds: Copy + Debug + PartialEq + Send + Sync;
    /// SearchValue that several threads see.
    type Atomic: Debug + Send + Sync;
    /// The noise of each virtual player.
    type Noise: ?Sized + Sync;
    /// The table that holds such values.
    type Transpositions: TranspositionTable<Self>;

    /// How many values it can hold.
    const LANES: usize;

    /// The noise of the virtual players, of whom there is at least one.
    fn noise_of(players: &[Noise]) -> &Self::Noise;
    /// The same value in every lane.
    fn all(value: Value) -> Self;
    /// The value of a lane.
    fn lane(self, lane: usize) -> Value;
    /// A value for each lane.
    fn from_lanes(value: impl FnMut(usize) -> Value) -> Self;

    /// SearchValue with the side to move exchanged.
    fn negated(self) -> Self;
    /// Every value changed by the same amount.
    fn plus(self, value: Value) -> Self;
    /// The larger of two, lane by lane.
    fn larger(self, other: Self) -> Self;
    /// The smaller of two, lane by lane.
    fn smaller(self, other: Self) -> Self;
    /// Whether every lane is at least that of `other`.
    fn all_at_least(self, other: Self) -> bool;
    /// Whether every lane is at least that of `other`, but for `dissent` percent of those that are
    /// not settled; where they are, `alpha` says.
    fn mostly_at_least(self, other: Self, alpha: Self, quorum: i32) -> bool;
    /// Whether some lane is above that of `other`.
    fn any_above(self, other: Self) -> bool;
    /// The largest difference `self - other` of any lane.
    fn most_above(self, other: Self) -> Value;
    /// The smallest difference `self - other` of any lane.
    fn least_above(self, other: Self) -> Value;
    /// Whether the lanes stand above those of `other` on the whole.
    fn is_above_in_sum(self, other: Self) -> bool;

    /// Marks lanes without a window as settled.
    fn settle(window: (Self, Self)) -> (Self, Self);
    /// The window of one point above alpha; settled lanes stay so.
    fn above(alpha: Self) -> (Self, Self);
    /// The window of one point below beta; settled lanes stay so.
    fn below(beta: Self) -> (Self, Self);
    /// The window that the other side sees.
    fn turned((alpha, beta): (Self, Self)) -> (Self, Self) {
        (beta.negated(), alpha.negated())
    }
    /// Takes the value of a move into the best so far and into alpha, where lanes are not settled.
    fn take(best: &mut Self, alpha: &mut Self, beta: Self, value: Self) -> Taken;
    /// Whether some lane that is not settled stands for a mate.
    fn has_mate(self, window: (Self, Self)) -> bool;
    /// Whether the best so far loses the game, by mate or by perpetual check, in some lane that is not
    /// settled.
    fn is_lost(self, alpha: Self) -> bool;
    /// Minus infinity in lanes that are settled in a window.
    fn blanked(self, window: (Self, Self)) -> Self;
    /// The window within bounds that every value has, but only where that leaves a window; whether
    /// it leaves none in any lane.
    fn narrowed(window: (Self, Self), low: Value, high: Value) -> ((Self, Self), bool);

    /// The static evaluation of each player.
    fn evaluation(raw: Value, noise: &Self::Noise, key: u64) -> Self;
    /// Every lane changed by a correction, within the range of evaluations.
    fn corrected(self, correction: Value) -> Self;
    /// By how much the search differs from the evaluation, if it says something about it.
    /// `raised` tells whether a move has raised alpha.
    fn error(self, evaluation: Self, beta: Self, raised: bool) -> Option<Value>;

    /// How the values of a node are meant whose window was (alpha, beta).
    fn bounds(self, window: (Self, Self), exact: bool) -> Self::Bounds;
    /// SearchValue that are meant as they stand.
    fn exact() -> Self::Bounds;
    /// Whether the stored values decide a node without a search (paper 004, section 4).
    fn decides(self, bounds: Self::Bounds, window: (Self, Self)) -> bool;
    /// The stored values where their bounds make them a better guess than the evaluation.
    fn better_guess(self, bounds: Self::Bounds, evaluation: Self) -> Self;
    /// Whether no lane that is not settled is known by an upper bound alone, or not at all.
    fn holds_from_below(bounds: Self::Bounds, window: (Self, Self)) -> bool;
    /// Whether some lane is known to stay below `limit`.
    fn falls_short(self, bounds: Self::Bounds, limit: Self) -> bool;

    /// From plies since the root to plies since the node, for the table.
    fn stored(self, ply: usize) -> Self;
    /// The reverse of [`SearchValue::stored`].
    fn recalled(self, ply: usize) -> Self;

    /// SearchValue that several threads see.
    fn share(self) -> Self::Atomic;
    /// Reads what is shared.
    fn load(shared: &Self::Atomic) -> Self;
    /// Writes what is shared; values only ever rise.
    fn store(self, shared: &Self::Atomic);
}
