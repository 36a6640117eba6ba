//! `monju experiment`: plays, watches and reports experiments.

pub mod drive;
mod export;
mod import;
mod mismatch;
mod progress;
mod report;
mod resume;
mod run;
mod serve;
mod speed;
mod status;

pub use export::ExportCommand;
pub use import::ImportCommand;
pub use report::ReportCommand;
pub use run::RunCommand;
pub use serve::ServeCommand;
pub use status::StatusCommand;
