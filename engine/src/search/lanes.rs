//! Values for consultation inside one search (Tohske, section 4): lane *i* is the virtual player
//! *i*.

mod set;
mod table;
mod vector;

pub(super) use set::LaneSet;
pub use set::MAX_LANES;
pub(crate) use vector::Lanes;

use super::{
    search_value::{SearchValue, Taken},
    value::{INFINITE, Value, clamp_evaluation},
};
use crate::eval::Noise;
use set::{all, any, each};
use std::{
    array,
    sync::atomic::{AtomicU64, Ordering},
};
use table::LaneTable;
use vector::{END, INF, LaneBounds, SETTLED, mask, narrow};

impl SearchValue for Lanes {
    type Bounds = LaneBounds;
    type Atomic = [AtomicU64; MAX_LANES / 4];
    type Noises = [Noise];
    type Transpositions = LaneTable;

    const LANES: usize = MAX_LANES;

    fn noise_of(players: &[Noise]) -> &Self::Noises {
        players
    }

    #[inline(always)]
    fn all(value: Value) -> Self {
        Self([narrow(value); MAX_LANES])
    }

    #[inline(always)]
    fn lane(self, lane: usize) -> Value {
        Value::from(self.0[lane])
    }

    fn from_lanes(mut value: impl FnMut(usize) -> Value) -> Self {
        Self(each(|lane| narrow(value(lane))))
    }

    #[inline(always)]
    fn negated(self) -> Self {
        self.map(i16::saturating_neg)
    }

    #[inline(always)]
    fn plus(self, value: Value) -> Self {
        let value = narrow(value);
        self.map(|lane| lane.saturating_add(value).max(-SETTLED))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.zip(other, i16::max)
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.zip(other, i16::min)
    }

    #[inline(always)]
    fn all_at_least(self, other: Self) -> bool {
        all(|lane| self.0[lane] >= other.0[lane])
    }

    #[inline(always)]
    fn any_above(self, other: Self) -> bool {
        any(|lane| self.0[lane] > other.0[lane])
    }

    #[inline(always)]
    fn least_above(self, other: Self) -> Value {
        let differences = self.zip(other, i16::saturating_sub);
        Value::from(differences.0.into_iter().fold(i16::MAX, i16::min))
    }

    #[inline(always)]
    fn lead(self, other: Self, alpha: Self) -> Value {
        let differences = each(|lane| {
            if alpha.0[lane] < INF {
                self.0[lane].saturating_sub(other.0[lane])
            } else {
                i16::MIN
            }
        });
        Value::from(differences.into_iter().fold(i16::MIN, i16::max))
    }

    fn mixed(self, weight: i32, other: Self, other_weight: i32) -> Self {
        let mean = |one, two| (one * weight + two * other_weight) / (weight + other_weight);
        Self(each(|lane| narrow(mean(self.lane(lane), other.lane(lane)))))
    }

    #[inline(always)]
    fn settle((alpha, beta): (Self, Self)) -> (Self, Self) {
        let open = |lane: usize| alpha.0[lane] < beta.0[lane];
        let choose = |bound: Self, settled| {
            Self(each(
                |lane| {
                    if open(lane) { bound.0[lane] } else { settled }
                },
            ))
        };
        (choose(alpha, SETTLED), choose(beta, -SETTLED))
    }

    #[inline(always)]
    fn above(alpha: Self) -> (Self, Self) {
        let beta = alpha.map(|lane| if lane >= INF { -SETTLED } else { lane + 1 });
        (alpha, beta)
    }

    #[inline(always)]
    fn below(beta: Self) -> (Self, Self) {
        let alpha = beta.map(|lane| if lane <= -INF { SETTLED } else { lane - 1 });
        (alpha, beta)
    }

    #[inline(always)]
    fn take(best: &mut Self, alpha: &mut Self, beta: Self, value: Self) -> Taken {
        let before = *alpha;
        *best = Self(each(|lane| {
            if before.0[lane] < INF {
                best.0[lane].max(value.0[lane])
            } else {
                best.0[lane]
            }
        }));
        *alpha = Self(each(|lane| {
            let raised = before.0[lane].max(value.0[lane].min(INF));
            if raised >= beta.0[lane] {
                SETTLED
            } else {
                raised
            }
        }));
        Taken {
            raised: alpha.any_above(before),
            cut: alpha.all_at_least(Self([SETTLED; MAX_LANES])),
        }
    }

    #[inline(always)]
    fn is_decided(self, (alpha, beta): (Self, Self)) -> bool {
        any(|lane| {
            (alpha.0[lane] < beta.0[lane]) & ((self.0[lane] >= END) | (self.0[lane] <= -END))
        })
    }

    #[inline(always)]
    fn is_lost(self, alpha: Self) -> bool {
        any(|lane| (alpha.0[lane] < INF) & (self.0[lane] <= -END))
    }

    #[inline(always)]
    fn blanked(self, (alpha, beta): (Self, Self)) -> Self {
        Self(each(|lane| {
            if alpha.0[lane] < beta.0[lane] {
                self.0[lane]
            } else {
                -SETTLED
            }
        }))
    }

    #[inline(always)]
    fn narrowed((alpha, beta): (Self, Self), low: Value, high: Value) -> ((Self, Self), bool) {
        let narrowed = (alpha.larger(Self::all(low)), beta.smaller(Self::all(high)));
        if narrowed.0.all_at_least(narrowed.1) {
            return (narrowed, true);
        }
        let open = |lane: usize| narrowed.0.0[lane] < narrowed.1.0[lane];
        let choose = |one: Self, other: Self| {
            Self(each(|lane| {
                if open(lane) {
                    one.0[lane]
                } else {
                    other.0[lane]
                }
            }))
        };
        ((choose(narrowed.0, alpha), choose(narrowed.1, beta)), false)
    }

    #[inline]
    fn evaluation(raw: Value, noise: &[Noise], key: u64) -> Self {
        let mut lanes = [narrow(clamp_evaluation(raw)); MAX_LANES];
        for (lane, noise) in lanes.iter_mut().zip(noise) {
            *lane = narrow(clamp_evaluation(raw + noise.of(key)));
        }
        Self(lanes)
    }

    #[inline(always)]
    fn corrected(self, correction: Value) -> Self {
        let correction = narrow(correction);
        self.map(|lane| narrow(clamp_evaluation(lane.saturating_add(correction).into())))
    }

    fn error(self, evaluation: Self, beta: Self, raised: bool) -> Option<Value> {
        let (mut sum, mut count) = (0, 0);
        for lane in 0..MAX_LANES {
            let (value, evaluation) = (self.lane(lane), evaluation.lane(lane));
            // Lanes settled above the node have no value.
            if value > -INFINITE
                && let Some(error) = value.error(evaluation, beta.lane(lane), raised)
            {
                sum += error;
                count += 1;
            }
        }
        (count > 0).then(|| sum / count)
    }

    #[inline(always)]
    fn bounds(self, (alpha, beta): (Self, Self), exact: bool) -> LaneBounds {
        let open: [bool; MAX_LANES] = each(|lane| alpha.0[lane] < beta.0[lane]);
        let lower = each(|lane| {
            let reached = self.0[lane] >= beta.0[lane];
            open[lane] & (reached | (exact & (self.0[lane] > alpha.0[lane])))
        });
        let upper = each(|lane| open[lane] & (self.0[lane] < beta.0[lane]));
        LaneBounds {
            lower: mask(lower),
            upper: mask(upper),
        }
    }

    #[inline(always)]
    fn at_most() -> LaneBounds {
        LaneBounds {
            lower: 0,
            upper: u16::MAX,
        }
    }

    #[inline(always)]
    fn exact() -> LaneBounds {
        LaneBounds {
            lower: u16::MAX,
            upper: u16::MAX,
        }
    }

    #[inline(always)]
    fn decides(self, bounds: LaneBounds, (alpha, beta): (Self, Self)) -> bool {
        let (lower, upper) = bounds.masks();
        all(|lane| {
            let value = self.0[lane];
            (alpha.0[lane] >= beta.0[lane])
                | (lower[lane] & (upper[lane] | (value >= beta.0[lane])))
                | (upper[lane] & (value <= alpha.0[lane]))
        })
    }

    #[inline(always)]
    fn better_guess(self, bounds: LaneBounds, evaluation: Self) -> Self {
        let (lower, upper) = bounds.masks();
        Self(each(|lane| {
            let (value, evaluation) = (self.0[lane], evaluation.0[lane]);
            let better = (lower[lane] & (upper[lane] | (value > evaluation)))
                | (upper[lane] & (value < evaluation));
            if better & (value < END) & (value > -END) {
                value
            } else {
                evaluation
            }
        }))
    }

    #[inline(always)]
    fn holds_from_below(bounds: LaneBounds, (alpha, beta): (Self, Self)) -> bool {
        let (lower, _) = bounds.masks();
        all(|lane| lower[lane] | (alpha.0[lane] >= beta.0[lane]))
    }

    #[inline(always)]
    fn falls_short(self, bounds: LaneBounds, limit: Self) -> bool {
        let (_, upper) = bounds.masks();
        any(|lane| upper[lane] & (self.0[lane] < limit.0[lane]))
    }

    #[inline(always)]
    fn stored(self, ply: usize) -> Self {
        let ply = ply as i16;
        self.map(|lane| match lane {
            END.. => lane.saturating_add(ply),
            _ if lane <= -END => lane.saturating_sub(ply),
            _ => lane,
        })
    }

    #[inline(always)]
    fn recalled(self, ply: usize) -> Self {
        let ply = ply as i16;
        self.map(|lane| match lane {
            END.. => lane - ply,
            _ if lane <= -END => lane + ply,
            _ => lane,
        })
    }

    fn share(self) -> Self::Atomic {
        self.words().map(AtomicU64::new)
    }

    // Lanes only rise, and each lies within one word, so that a mixture of old and new lanes is valid.
    #[inline(always)]
    fn load(shared: &Self::Atomic) -> Self {
        Self::from_words(array::from_fn(|word| shared[word].load(Ordering::Relaxed)))
    }

    #[inline(always)]
    fn store(self, shared: &Self::Atomic) {
        for (shared, word) in shared.iter().zip(self.words()) {
            shared.store(word, Ordering::Relaxed);
        }
    }
}
