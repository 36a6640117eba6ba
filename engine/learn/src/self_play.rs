//! Self-play: training examples from games of a player against itself.

mod file;
mod games;
mod run;
mod settings;
#[cfg(test)]
pub(crate) mod testing;

pub use file::GamesFileError;
pub use games::{SelfPlay, SelfPlayError};
pub use run::{SelfPlayRun, SelfPlayRunError};
pub use settings::SelfPlaySettings;
