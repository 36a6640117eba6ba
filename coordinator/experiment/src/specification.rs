//! Specifications: an experiment as one TOML file, checked before the first game.
//!
//! `configs/experiments/template.toml` documents every key.

mod adjudication;
mod base;
mod definition;
mod driven_engine;
mod ensemble;
mod file;
mod named_files;
mod parameters;
mod read;
mod report_table;
mod side_table;
mod unguided_rule;

#[cfg(test)]
mod tests;

pub use adjudication::{Adjudication, DeclarationRule, RepetitionRule};
pub use base::Base;
pub use definition::{Cell, Specification, UnknownCell};
pub use driven_engine::DrivenEngine;
pub(crate) use ensemble::asked_threads;
pub use ensemble::{CrashRule, Members, SideEnsemble};
pub(crate) use file::MOST_PAIRS;
pub(crate) use parameters::{cells_of, describe_cells, labels_of};
pub use report_table::{Axes, ReportTable};
pub use unguided_rule::UnguidedRule;
