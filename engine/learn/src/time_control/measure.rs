//! The measure of a time control: how often its searches end with the move of the whole search, by the time
//! that they take on average.

use super::states::SearchState;

/// Mean parts of the longest time at which time controls are compared.
pub const TIME_SHARES: [f64; 5] = [0.15, 0.2, 0.25, 1.0 / 3.0, 0.45];

/// Share of right moves at each of [`TIME_SHARES`].
pub type RightMoveShares = [f64; TIME_SHARES.len()];

/// Returns the curve of a time control: a search ends at its first state whose urge is as great as a bound,
/// which is set so that searches take the mean time.
pub(super) fn curve<const N: usize>(states: &[SearchState<N>], urges: &[f32]) -> RightMoveShares {
    TIME_SHARES.map(|share| {
        let bound = bound_for(states, urges, share);
        ends(states, urges, bound).1
    })
}

/// Returns the least bound at which searches take at least `share` of their longest time on average.
pub(super) fn bound_for<const N: usize>(
    states: &[SearchState<N>],
    urges: &[f32],
    share: f64,
) -> f32 {
    let (mut low, mut high) = (urges.iter()).fold((f32::MAX, f32::MIN), |(low, high), &urge| {
        (low.min(urge), high.max(urge))
    });
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        match ends(states, urges, middle).0 < share {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// Returns the mean part of the longest time that is taken, and the share of right moves.
fn ends<const N: usize>(states: &[SearchState<N>], urges: &[f32], bound: f32) -> (f64, f64) {
    let (mut searches, mut time, mut right) = (0_u32, 0.0, 0_u32);
    let mut has_ended = true;
    for (index, (state, &urge)) in states.iter().zip(urges).enumerate() {
        if state.begins {
            searches += 1;
            has_ended = false;
        }
        if has_ended {
            continue;
        }
        let is_last = states.get(index + 1).is_none_or(|next| next.begins);
        if urge >= bound {
            time += f64::from(state.share);
            right += u32::from(state.is_right);
        } else if is_last {
            // The whole search, whose move is right, also where the iteration that was broken off has changed it.
            time += 1.0;
            right += 1;
        } else {
            continue;
        }
        has_ended = true;
    }
    let searches = f64::from(searches.max(1));
    (time / searches, f64::from(right) / searches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(begins: bool, share: f32, is_right: bool) -> SearchState<1> {
        SearchState {
            features: [0],
            is_high: is_right,
            is_right,
            share,
            next: 0.1,
            difficulty: 1.0,
            begins,
        }
    }

    #[test]
    fn searches_end_at_the_first_urge_beyond_the_bound_or_take_all_their_time() {
        let states = [
            state(true, 0.1, false),
            state(false, 0.3, true),
            state(true, 0.2, true),
            state(false, 0.6, true),
        ];
        let urges = [0.0, 2.0, 1.0, 1.0];
        assert_eq!(ends(&states, &urges, 3.0), (1.0, 1.0));
        let (time, right) = ends(&states, &urges, 0.5);
        assert!((time - 0.25).abs() < 1e-6 && right == 1.0);
        assert_eq!(ends(&states, &urges, 0.0).1, 0.5);
        let bound = bound_for(&states, &urges, 0.6);
        assert!(bound > 1.0 && bound <= 2.0, "{bound}");
    }

    #[test]
    fn a_search_that_takes_all_its_time_has_its_own_move() {
        // The iteration that was broken off has changed it.
        let states = [state(true, 0.1, true), state(false, 0.6, false)];
        assert_eq!(ends(&states, &[0.0, 0.0], 1.0), (1.0, 1.0));
        assert_eq!(ends(&states, &[0.0, 2.0], 1.0).1, 0.0);
    }
}
