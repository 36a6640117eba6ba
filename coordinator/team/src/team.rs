//! Assembles the team that a command talks to: a coordinator embedded in this process, or one over TCP.

mod choices;
mod embedded;
mod error;
mod fallback;
mod handle;
mod players;
mod remote;
#[cfg(test)]
mod tests;

pub use choices::Choices;
pub use embedded::{StartedCoordinator, embed, ensemble, roster, start_coordinator};
pub use error::{AssembleError, IgnoredChoice};
pub use handle::Team;
pub use players::{DEFAULT_SIGMA, DEFAULT_TEAM, local_players};
pub use remote::connect_over;

use monju_host::fallback::FallbackHandle;

/// Connects to the coordinator that `choices` name, or starts one in this process together with its
/// workers, all of which talk gRPC over in-memory connections.
///
/// # Errors
/// A choice cannot be applied, the configuration is wrong, or the coordinator does not answer.
/// Missing remote workers are not an error: they may still come.
pub async fn assemble(choices: &Choices) -> Result<Team, AssembleError> {
    if let (Some(url), Some(what)) = (&choices.coordinator, choices.only_embedded().first()) {
        return Err(AssembleError::NotRemote {
            what,
            url: url.clone(),
        });
    }
    let mut team = match &choices.coordinator {
        Some(url) => remote::connect(url, choices).await?,
        None => embedded::embed_leniently(choices, fallback::start(true)?).await?,
    };
    match team.ignored.is_empty() {
        true => Ok(team),
        false => Err(AssembleError::Ignored(team.ignored.swap_remove(0))),
    }
}

/// As [`assemble`], but ignores choices that a remote coordinator makes itself or that a team can do
/// without, and lists them in [`Team::ignored`]: GUIs keep options from game to game, and a team must
/// not be lost for one of them. An embedded coordinator shares the `fallback` search of its process.
///
/// # Errors
/// Like those of [`assemble`].
pub async fn assemble_leniently(
    choices: &Choices,
    fallback: FallbackHandle,
) -> Result<Team, AssembleError> {
    match &choices.coordinator {
        Some(url) => remote::connect(url, choices).await,
        None => embedded::embed_leniently(choices, fallback).await,
    }
}
