//! The players of this process.

use super::{choices::Choices, error::AssembleError};
use crate::config::Config;
use monju_host::{NativeSpec, PlayerKind, PlayerSpec, noise_players};
use std::thread;

/// Noise of the default ensemble in centipawns: about a quarter of a pawn exchange for the default
/// evaluator, the best of Ito et al. (2011) (section 3) for many nodes.
pub const DEFAULT_SIGMA: f64 = 50.0;

/// Name prefix of the players of the default ensemble.
pub const DEFAULT_TEAM: &str = "monju";

/// Returns the players of this process: a chosen number of noise players in place of the native ones of the
/// configuration, else those of the configuration, else, if there are no remote workers, the default ensemble. Players
/// without a name in the configuration are called `team-1`, `team-2`, and so on.
///
/// # Errors
/// The number or sigma is out of range, or a choice for native players finds none.
pub fn local_players(
    team: &str,
    config: &Config,
    choices: &Choices,
) -> Result<Vec<PlayerSpec>, AssembleError> {
    let sigma = choices.sigma.unwrap_or(DEFAULT_SIGMA.into());
    let has_others = !config.coordinator.workers.is_empty() || config.coordinator.awaits_workers;
    let defaults = config.players.is_empty() && !has_others;
    let mut players = match choices.players {
        Some(count) => {
            let mut players = noise_players(team, count, sigma)?;
            let others = config.players.iter().filter(|player| player.is_foreign());
            players.extend(others.cloned());
            players
        }
        None if defaults => noise_players(team, default_count(), sigma)?,
        None => config.players.clone(),
    };
    if let Some(sigma) = choices.sigma {
        // Checks sigma.
        noise_players(team, 1, sigma)?;
        for native in natives("sigma", &mut players)? {
            native.sigma = sigma;
        }
    }
    if let Some(evaluator) = &choices.evaluator {
        for native in natives("the evaluator", &mut players)? {
            native.evaluator = evaluator.clone();
        }
    }
    if let Some(threads) = choices.threads {
        for native in natives("the number of threads", &mut players)? {
            // The lanes of a vector search share one thread.
            if native.lanes == 1 {
                native.threads = threads;
            }
        }
    }
    Ok(players)
}

/// Returns the native players of this process, to which the choice `what` applies.
fn natives<'a>(
    what: &'static str,
    players: &'a mut [PlayerSpec],
) -> Result<Vec<&'a mut NativeSpec>, AssembleError> {
    let natives: Vec<_> = players
        .iter_mut()
        .filter_map(|player| match &mut player.kind {
            PlayerKind::Native(native) => Some(&mut **native),
            PlayerKind::Usi(_) => None,
        })
        .collect();
    match natives.is_empty() {
        true => Err(AssembleError::NoNatives { what }),
        false => Ok(natives),
    }
}

/// Returns one player per core, but enough for a meaningful vote, and no more than the papers have
/// shown to help.
fn default_count() -> u32 {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    cores.clamp(3, 16) as u32
}
