//! Values of an ordinary search: a single number.

use super::{
    line::Bound,
    search_value::{SearchValue, Taken},
    single_table::SingleTable,
    value::{DECIDED, Value, clamp_evaluation, from_table, to_table},
};
use crate::eval::Noise;
use std::sync::atomic::{AtomicI32, Ordering};

impl SearchValue for Value {
    type Bounds = Bound;
    type Atomic = AtomicI32;
    type Noises = Noise;
    type Transpositions = SingleTable;

    const LANES: usize = 1;

    fn noise_of(players: &[Noise]) -> &Self::Noises {
        &players[0]
    }

    #[inline(always)]
    fn all(value: Value) -> Self {
        value
    }

    #[inline(always)]
    fn lane(self, _: usize) -> Value {
        self
    }

    #[inline(always)]
    fn from_lanes(mut value: impl FnMut(usize) -> Value) -> Self {
        value(0)
    }

    #[inline(always)]
    fn negated(self) -> Self {
        -self
    }

    #[inline(always)]
    fn plus(self, value: Value) -> Self {
        self + value
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.max(other)
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.min(other)
    }

    #[inline(always)]
    fn all_at_least(self, other: Self) -> bool {
        self >= other
    }

    #[inline(always)]
    fn any_above(self, other: Self) -> bool {
        self > other
    }

    #[inline(always)]
    fn least_above(self, other: Self) -> Value {
        self - other
    }

    #[inline(always)]
    fn lead(self, other: Self, _: Self) -> Value {
        self - other
    }

    #[inline(always)]
    fn mixed(self, weight: i32, other: Self, other_weight: i32) -> Self {
        (self * weight + other * other_weight) / (weight + other_weight)
    }

    #[inline(always)]
    fn settle(window: (Self, Self)) -> (Self, Self) {
        window
    }

    #[inline(always)]
    fn above(alpha: Self) -> (Self, Self) {
        (alpha, alpha + 1)
    }

    #[inline(always)]
    fn below(beta: Self) -> (Self, Self) {
        (beta - 1, beta)
    }

    #[inline(always)]
    fn take(best: &mut Self, alpha: &mut Self, beta: Self, value: Self) -> Taken {
        *best = (*best).max(value);
        let raised = value > *alpha;
        let cut = raised && value >= beta;
        if raised && !cut {
            *alpha = value;
        }
        Taken { raised, cut }
    }

    #[inline(always)]
    fn is_decided(self, _: (Self, Self)) -> bool {
        self.abs() >= DECIDED
    }

    #[inline(always)]
    fn is_lost(self, _: Self) -> bool {
        self <= -DECIDED
    }

    #[inline(always)]
    fn blanked(self, _: (Self, Self)) -> Self {
        self
    }

    #[inline(always)]
    fn narrowed((alpha, beta): (Self, Self), low: Value, high: Value) -> ((Self, Self), bool) {
        let (alpha, beta) = (alpha.max(low), beta.min(high));
        ((alpha, beta), alpha >= beta)
    }

    #[inline(always)]
    fn evaluation(raw: Value, noise: &Noise, key: u64) -> Self {
        clamp_evaluation(raw + noise.of(key))
    }

    #[inline(always)]
    fn corrected(self, correction: Value) -> Self {
        clamp_evaluation(self + correction)
    }

    #[inline(always)]
    fn error(self, evaluation: Self, beta: Self, raised: bool) -> Option<Value> {
        // A bound is evidence only on its own side of the evaluation.
        let is_evidence = (self < beta || self > evaluation) && (raised || self < evaluation);
        (is_evidence && self.abs() < DECIDED).then_some(self - evaluation)
    }

    #[inline(always)]
    fn bounds(self, (alpha, beta): (Self, Self), exact: bool) -> Bound {
        if self >= beta {
            Bound::Lower
        } else if exact && self > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    #[inline(always)]
    fn at_most() -> Bound {
        Bound::Upper
    }

    #[inline(always)]
    fn exact() -> Bound {
        Bound::Exact
    }

    #[inline(always)]
    fn decides(self, bounds: Bound, (alpha, beta): (Self, Self)) -> bool {
        match bounds {
            Bound::Exact => true,
            Bound::Lower => self >= beta,
            Bound::Upper => self <= alpha,
        }
    }

    #[inline(always)]
    fn better_guess(self, bounds: Bound, evaluation: Self) -> Self {
        let better = match bounds {
            Bound::Exact => true,
            Bound::Lower => self > evaluation,
            Bound::Upper => self < evaluation,
        };
        if better && self.abs() < DECIDED {
            self
        } else {
            evaluation
        }
    }

    #[inline(always)]
    fn holds_from_below(bounds: Bound, _: (Self, Self)) -> bool {
        bounds != Bound::Upper
    }

    #[inline(always)]
    fn falls_short(self, bounds: Bound, limit: Self) -> bool {
        bounds != Bound::Lower && self < limit
    }

    #[inline(always)]
    fn stored(self, ply: usize) -> Self {
        to_table(self, ply)
    }

    #[inline(always)]
    fn recalled(self, ply: usize) -> Self {
        from_table(self, ply)
    }

    #[inline(always)]
    fn share(self) -> AtomicI32 {
        AtomicI32::new(self)
    }

    #[inline(always)]
    fn load(shared: &AtomicI32) -> Self {
        shared.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(self, shared: &AtomicI32) {
        shared.store(self, Ordering::Relaxed);
    }
}
