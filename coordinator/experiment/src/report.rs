//! Reports of an experiment: tables, figures, and files of games.

mod cell_games;
mod csv;
mod figures;
mod findings;
mod games;
mod html;
mod json;
mod markdown;
mod pdf;
mod plot;
mod repeats;
mod times;

#[cfg(test)]
pub(crate) mod tests;

pub use csv::csv;
pub use figures::{condorcet_gain, figures};
pub use findings::{CellFindings, Findings, MachineShare, WinRateTest, gather};
pub use games::{WriteError, Written, write_games};
pub use html::html;
pub use json::json;
pub use markdown::markdown;
pub use pdf::{letters_without_pdf, pdf};
pub use repeats::DifferentGames;
pub use times::{TimeLosses, slowest_moves};
