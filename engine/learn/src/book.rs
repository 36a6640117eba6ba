//! Opening books: built from games, searched, converted.

mod build;
mod convert;
mod counts;
mod error;
mod file;
mod games;
mod pass;
mod search;
mod source;
#[cfg(test)]
mod tests;
mod values;
mod weigh;

pub use build::{BuildRun, BuildSummary};
pub use convert::BookConversionRun;
pub use error::BookRunError;
pub use file::{BookSize, read_book};
pub use search::{SearchRun, SearchSummary};
pub use source::BookSource;
