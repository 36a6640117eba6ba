//! Logs of searches: what each iteration found on the way to the last node, from games of a player against
//! itself, and samples of its moves. The time control and the judges of moves learn from them.

mod divided;
mod games;
mod log;
mod run;

pub(crate) use divided::DividedGames;
pub use divided::LogsError;
pub use games::{Sampling, SearchGames, SearchGamesError, SearchGamesSettings};
pub use log::{LogError, LoggedGame, LoggedSearch, read_logs};
pub use run::{SearchesRun, SearchesRunError};
