//! The USI engines that a GUI talks to: the proxy of a whole team ([`run`]), or a single player
//! ([`run_engine`]). Either is one engine to the GUI.
//!
//! A GUI's line takes this way:
//! - `stdio` reads it, `command` and `go` parse it, and `session` obeys it.
//! - The session gives every `go` to its `backend`, which is a `proxy` or a single player in
//!   `engine`, keeps it as an `outstanding_go` and answers it by a `best_move`. An
//!   `answer_gate` holds back an answer that may not be told yet. `go_mate` answers `go mate`.
//! - Lines to the GUI go through `output`; `info_line` gives `info` lines their form.
//! - `option_table` declares and sets options; `game` gives every game its name and seed.
//! - In the proxy, `proxy::connection` assembles and keeps the team, and `proxy::search` consults it;
//!   without a team the fallback player of `monju_host` answers.
//!
//! `usi` is answered at once. The team is assembled at `isready`, with an empty line every 5 s until
//! `readyok`, or at the first `go` of a GUI that skips `isready`. If that fails, the GUI gets the
//! reason by `info string error: …` and its `readyok` nevertheless: the next `isready` tries again,
//! and until then one player answers alone.
//!
//! Every `go` is answered by exactly one `bestmove`, except `go mate`, which is answered by one
//! `checkmate` that this process finds alone: the team votes on moves, not on mates. A `go` without
//! a usable position is answered by `bestmove resign`: the GUI and the engine then disagree about
//! the game, and a move from an older position would probably be illegal. The resignation ends the
//! game visibly, and the reason is in the GUI's log.
//!
//! `gameover` counts as a `stop`, and so does a new `position`, `go` or `usinewgame` during a
//! search. `quit`, the end of the input, a GUI that stops reading, and the system's request to
//! terminate end everything.
#![forbid(unsafe_code)]

mod answer_gate;
mod backend;
mod best_move;
mod book_options;
mod clock_options;
mod command;
pub mod engine;
mod front_end_error;
#[doc(hidden)]
pub mod fuzzing;
mod game;
mod go;
mod go_mate;
mod info_line;
mod option_table;
mod output;
mod outstanding_go;
mod proxy;
mod roles;
mod rule_options;
mod scheduling_delay;
mod session;
#[doc(hidden)]
pub mod simulation;
mod stdio;
#[cfg(test)]
mod tests;

pub use front_end_error::FrontEndError;

use engine::{EngineChoices, SinglePlayer};
use monju_host::fallback::FallbackSearch;
use monju_proto::v1::coordinator_client::CoordinatorClient;
use monju_team::team::{self, Choices};
use proxy::{
    Proxy, assembled_team::AssembledTeam, connection::TeamConnection, team_claim::TeamClaim,
};
use roles::Roles;
use scheduling_delay::SchedulingDelay;
use std::path::{Path, PathBuf};
use tokio::sync::watch;
use tonic::transport::Channel;

/// Those who look at the team of a session, such as pages. Clones tell the same.
#[derive(Clone, Debug)]
pub struct Observers {
    /// The coordinator; `None` while there is none.
    pub coordinator: watch::Sender<Option<CoordinatorClient<Channel>>>,
    /// The ballot log that this process writes, if it writes one.
    pub log: watch::Sender<Option<PathBuf>>,
}

/// Speaks USI for a team on standard input and output until `quit`.
///
/// `choices` are those of the command line; options that the GUI sets override them. Without a
/// configuration file and a coordinator, `monju.toml` beside the executable is used if it exists.
///
/// `observers` hear which coordinator speaks for the team, for pages that look at it. The GUI hears the `remark` as an
/// `info string` once it is ready.
///
/// # Errors
/// The system refuses a thread. A team that cannot be assembled is reported to the GUI.
pub async fn run(
    mut choices: Choices,
    observers: Observers,
    remark: Option<String>,
) -> Result<(), FrontEndError> {
    if choices.config.is_none() && choices.coordinator.is_none() {
        choices.config = beside_executable();
    }
    let fallback = FallbackSearch::start().map_err(|source| FrontEndError::Thread {
        name: "fallback player",
        source,
    })?;
    let shared = fallback.handle();
    let claim = TeamClaim::new();
    let connection = TeamConnection::start(move |choices| {
        let (shared, claim) = (shared.clone(), claim.clone());
        let observers = observers.clone();
        async move {
            let team = team::assemble_leniently(&choices, shared).await?;
            observers.log.send_replace(team.log().map(Path::to_owned));
            Ok(AssembledTeam::of(team, claim, observers.coordinator))
        }
    });
    let delay = SchedulingDelay::measured();
    let proxy = Proxy::new(choices, connection, fallback, delay);
    stdio::speak(Roles::new(proxy), remark).await
}

/// Returns the help on the proxy's USI options.
pub fn proxy_help() -> String {
    let options = option_table::help(proxy::options::OPTIONS);
    format!("USI options, which override these:\n{options}")
}

/// Returns the help on the single player's commands and USI options.
pub fn engine_help() -> String {
    let options = option_table::help(engine::options::OPTIONS);
    format!("{ENGINE_COMMANDS}\n\nUSI options, which override these:\n{options}")
}

const ENGINE_COMMANDS: &str = "\
Obeys usi, isready, setoption, usinewgame, position, go, stop, ponderhit, gameover and quit; go with
btime, wtime, binc, winc, byoyomi, nodes, depth, movetime, searchmoves, infinite and ponder, and
go mate [MS], a search for a mate by checks alone. With one thread and a limit of nodes or depth alone, a game with
the same seed repeats to the last node.";

/// Speaks USI for one native player on standard input and output until `quit`.
///
/// # Errors
/// The evaluator or the noise is wrong, or the system refuses a thread.
pub async fn run_engine(choices: EngineChoices) -> Result<(), FrontEndError> {
    let player = SinglePlayer::start(choices, SchedulingDelay::measured())?;
    stdio::speak(player, None).await
}

fn beside_executable() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let file = executable
        .parent()
        .unwrap_or(Path::new(""))
        .join("monju.toml");
    file.is_file().then_some(file)
}
