//! The leaves of the main search, and the noise that is added there once (Tohske, section 4).

use super::{
    search_value::SearchValue,
    searcher::Searcher,
    value::{DECIDED, Value, clamp_evaluation},
};
use crate::{
    danger::{self, Danger, DangerSettings},
    eval::Evaluator,
    rules::CheckInfo,
};

/// Changes the key of a position in quiescence where values there have no noise and those of the main
/// search have.
const WITHOUT_NOISE: u64 = 0x5bd1_e995_9e37_79b9;

/// Nodes that take about as long as the expansion of one by the danger-discriminating search.
const EXPANSION: u64 = 40;

/// Returns the bound that a value without noise has to reach, for its sum with the noise to reach
/// `bound`. Decided games have no noise.
pub(super) fn shifted(bound: Value, noise: Value) -> Value {
    if bound.abs() >= DECIDED {
        bound
    } else {
        clamp_evaluation(bound - noise)
    }
}

/// Returns a value of quiescence with noise, the same for a decided game.
pub(super) fn noisy(value: Value, noise: Value) -> Value {
    if value.abs() >= DECIDED {
        value
    } else {
        clamp_evaluation(value + noise)
    }
}

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns the value of the current node when only noisy moves follow.
    pub(super) fn leaf<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        (alpha, beta): (V, V),
        ply: usize,
    ) -> V {
        if PV && self.options.danger > 0 && self.cannot_keep_its_lead(info) {
            return self.alpha_beta::<PV>(info, (alpha, beta), 1, ply, false);
        }
        let Some(noise) = self.leaf_noise else {
            return self.quiescence::<PV>(info, (alpha, beta), 0, ply);
        };
        // The end of the game has no noise, wherever the search reaches it.
        if let Some(value) = self.value_at_end(!info.checkers.is_empty(), ply) {
            if PV {
                self.pv[ply].clear();
            }
            return value;
        }
        let noise = V::evaluation(0, noise, self.position.key());
        let shift = |bound: V| V::from_lanes(|lane| shifted(bound.lane(lane), noise.lane(lane)));
        let value = self.quiescence::<PV>(info, (shift(alpha), shift(beta)), 0, ply);
        V::from_lanes(|lane| noisy(value.lane(lane), noise.lane(lane)))
    }

    /// Tells whether the side to move is ahead in material and loses some whatever it moves, by the
    /// danger-discriminating search (Hiramatsu et al.), so that it should not stand pat.
    #[inline(never)]
    fn cannot_keep_its_lead(&mut self, info: &CheckInfo) -> bool {
        let us = self.position.side_to_move();
        if !info.checkers.is_empty() || danger::presumed_worse(&self.position) == us {
            return false;
        }
        // One node is left for the search, which ends at the limit.
        let left = self.node_limit.saturating_sub(self.nodes + 1) / EXPANSION;
        let settings = DangerSettings {
            worse: !us,
            absolute: false,
            nodes: left.min(self.options.danger as u64),
        };
        let position = self.position.clone();
        let before = self.nodes;
        let judged = danger::discriminate_until(&position, settings, &mut |expanded| {
            self.nodes = before + expanded * EXPANSION;
            self.poll();
            self.stopped
        });
        self.nodes = before + judged.expanded * EXPANSION;
        judged.danger == Danger::Fails
    }

    /// Returns the key under which the table knows the current node in quiescence.
    #[inline(always)]
    pub(super) fn quiescence_key(&self) -> u64 {
        let key = self.position.key();
        if self.leaf_noise.is_some() {
            key ^ WITHOUT_NOISE
        } else {
            key
        }
    }
}
