//! The leaves of the vector search: a quiescence search with the noise of every static evaluation, or
//! as in Tohske one without noise, to whose result each lane adds its own.

use crate::{
    eval::Evaluator,
    rules::CheckInfo,
    search::{
        lanes::Lanes,
        leaf::{noisy, shifted},
        search_value::SearchValue,
        searcher::Searcher,
        value::{INFINITE, Value},
    },
};

impl<E: Evaluator + Clone> Searcher<'_, E, Lanes> {
    /// Returns the values of the current node when only noisy moves follow.
    pub(super) fn vector_leaf<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        window: (Lanes, Lanes),
        ply: usize,
    ) -> Lanes {
        let Some(noises) = self.leaf_noise else {
            return self.vector_quiescence::<PV>(info, window, 0, ply);
        };
        // The end of the game has no noise, wherever the search reaches it.
        if let Some(value) = self.value_at_end(!info.checkers.is_empty(), ply) {
            if PV {
                self.pv[ply].clear();
            }
            return value;
        }
        let key = self.position.key();
        let (alpha, beta) = Lanes::settle(window);
        let open = alpha.open();
        let (mut low, mut high) = (INFINITE, -INFINITE);
        for (lane, noise) in noises
            .iter()
            .enumerate()
            .filter(|(lane, _)| open.has(*lane))
        {
            let noise = noise.of(key);
            low = low.min(shifted(alpha.lane(lane), noise));
            high = high.max(shifted(beta.lane(lane), noise));
        }
        // One lane stands for all: the others are settled.
        let one = |bound: Value, settled: Value| {
            Lanes::from_lanes(|lane| if lane == 0 { bound } else { settled })
        };
        let window = (one(low, INFINITE), one(high, -INFINITE));
        let value = self.vector_quiescence::<PV>(info, window, 0, ply).lane(0);
        Lanes::from_lanes(|lane| match noises.get(lane) {
            Some(noise) => noisy(value, noise.of(key)),
            None => value,
        })
    }
}
