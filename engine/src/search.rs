//! Search: principal-variation search with a transposition table and quiescence, by one thread or
//! by several that split nodes (YBWC).

mod alphabeta;
mod assess;
mod attempt;
mod correction;
mod ending;
mod history;
mod iterate;
mod lanes;
mod limits;
mod line;
mod mates;
mod memory;
mod node;
mod options;
mod pace;
mod picker;
mod prune;
mod quiescence;
mod replies;
mod report;
mod see;
mod split;
mod start;
mod step;
mod table;
mod team;
mod value;
mod values;

use iterate::Search;
pub(crate) use lanes::Lanes;
pub use lanes::MAX_LANES;
pub use limits::{Control, Limits};
pub use line::{Bound, Candidate, Line, Score};
pub(crate) use memory::Memory;
pub use options::{SearchChoices, SearchOptions, SearchOptionsError};
pub use see::gains_at_least;
pub(crate) use start::search;
pub(crate) use table::Table;
pub(crate) use values::Values;

/// Stack, in bytes, of a thread on which a player thinks: a search recurses once a ply. Threads that a
/// search starts have as much.
pub const STACK_BYTES: usize = 16 << 20;
