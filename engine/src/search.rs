//! Search: principal-variation search with a transposition table and quiescence.

mod alphabeta;
mod history;
mod iterate;
mod limits;
mod line;
mod picker;
mod quiescence;
mod see;
mod table;
mod value;

pub(crate) use iterate::{Memory, Search};
pub use limits::{Control, Limits};
pub use line::{Bound, Line, Score};
pub(crate) use table::Table;
