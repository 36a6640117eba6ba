//! The two searches, of one value and of vectors, behind one trait.

use super::{lanes::Lanes, search_value::SearchValue, searcher::Searcher, value::Value};
use crate::{eval::Evaluator, rules::CheckInfo};

/// A kind of values with the search that finds them.
pub(crate) trait RootSearch: SearchValue {
    /// Searches the root with a window for each lane.
    #[expect(private_interfaces, reason = "no other module searches by itself")]
    fn search_root<E: Evaluator + Clone>(
        searcher: &mut Searcher<'_, E, Self>,
        info: &CheckInfo,
        window: (Self, Self),
        depth: i32,
    ) -> Self;
}

impl RootSearch for Value {
    #[expect(private_interfaces, reason = "no other module searches by itself")]
    fn search_root<E: Evaluator + Clone>(
        searcher: &mut Searcher<'_, E, Self>,
        info: &CheckInfo,
        window: (Self, Self),
        depth: i32,
    ) -> Self {
        searcher.alpha_beta::<true>(info, window, depth, 0, false)
    }
}

impl RootSearch for Lanes {
    #[expect(private_interfaces, reason = "no other module searches by itself")]
    fn search_root<E: Evaluator + Clone>(
        searcher: &mut Searcher<'_, E, Self>,
        info: &CheckInfo,
        window: (Self, Self),
        depth: i32,
    ) -> Self {
        searcher.search_vector_root(info, window, depth)
    }
}
