//! Search: principal variation search with a transposition table and quiescence, by one thread or by
//! several that split nodes (YBWC).
//!
//! Reading order: `start` begins a search, `iterative_deepening` runs it, `alphabeta` is the main
//! search with `prune`, `extension` and `move_loop`, and `quiescence` evaluates its leaves.

mod alphabeta;
mod effort;
mod evaluate;
#[cfg(test)]
mod evaluator_tests;
mod extension;
mod history;
mod iteration;
mod iterative_deepening;
mod kept_proofs;
mod lanes;
mod last_search;
mod leaf;
mod limits;
mod line;
mod make_move;
mod mate_line;
mod mate_replay;
mod mates;
mod memory;
mod move_features;
mod move_judge;
mod move_loop;
mod node;
mod numbers;
mod options;
mod picker;
mod polling;
mod ponder_table;
mod prune;
mod quiescence;
mod ranking;
mod repetition;
mod replacement;
mod report;
mod reward;
mod root_search;
mod sampling;
mod search_value;
mod searcher;
mod single_table;
mod single_value;
mod split;
mod split_point;
mod stack;
mod start;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod testing;
mod thread_pool;
#[cfg(feature = "tuning")]
mod tunable;
#[cfg(feature = "tuning")]
mod tuned_numbers;
mod value;
mod vector_search;
mod votes;

pub use iteration::Iteration;
pub(crate) use lanes::Lanes;
pub use lanes::MAX_LANES;
pub use limits::{Control, Limits};
pub use line::{Bound, Candidate, Line, RootMove, Score};
pub(crate) use memory::SearchMemory;
pub(crate) use move_judge::Sampler;
pub use move_judge::{
    FEATURES, LastMove, MoveJudgement, MoveSample, MoveWeights, ORDER_FEATURES, OrderFeatures,
    OrderNode, OrderSample, OrderStage, SampleOutcome, SearchSample,
};
pub use options::{SearchChoices, SearchOption, SearchOptions, SearchOptionsError};
pub(crate) use root_search::RootSearch;
pub(crate) use search_value::SearchValue;
pub use single_table::MAX_TABLE_MIB;
pub use start::STACK_BYTES;
pub(crate) use start::{PlayersNoise, search};
