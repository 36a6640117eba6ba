//! Training of evaluators and of the judges that the search and the clock follow: self-play, logs of
//! searches, the Bonanza method, piece-square values, networks; and opening books.
//!
//! Each command of `monju learn` is a run of this crate: an object with the command's arguments whose
//! `run` reports to a [`ProgressObserver`].
#![forbid(unsafe_code)]

pub mod book;
mod chart;
mod dataset;
mod descent;
mod example;
pub mod files;
mod lambda_return;
mod lead;
pub mod linear;
mod logistic;
pub mod material;
pub mod move_judges;
pub mod nnue;
pub mod ordering;
mod progress;
mod recipe;
pub mod records;
pub mod searches;
pub mod self_play;
mod setting;
mod threads;
pub mod time_control;
mod win_probability;

pub use chart::ChartError;
pub use dataset::{DatasetError, ExampleSet};
pub use descent::DescentSettings;
pub use example::{TrainingExample, TrainingExampleError};
pub use progress::ProgressObserver;
pub use setting::SettingError;

/// Formats an error with its sources, as the binary shows it.
#[cfg(test)]
fn error_chain(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(error.source(), |error| error.source());
    let sources = sources.map(|source| format!(": {source}"));
    std::iter::once(error.to_string()).chain(sources).collect()
}
