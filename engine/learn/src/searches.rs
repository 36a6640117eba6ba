//! Logs of searches: what each iteration found on the way to the last node, from games of a player against
//! itself. The time control learns from them.

mod games;
mod log;
mod run;

pub use games::{SearchGames, SearchGamesError, SearchGamesSettings};
pub use log::{LogError, LoggedGame, LoggedSearch, read_logs};
pub use run::{SearchesRun, SearchesRunError};
