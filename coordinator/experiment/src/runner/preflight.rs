//! What can be known to fail is refused before the first game.

use crate::{
    side::Seat,
    specification::{Ensemble, Members, Specification},
};
use monju_coordinator::voting::Rule;
use monju_engine::Game;
use monju_host::PlayerKind;
use monju_proto::v1::{Arrival, Limits, Vote};
use monju_team::config::ConfigError;
use std::{sync::Arc, time::Duration};
use tokio::{sync::Semaphore, time};

/// An engine that is not ready after so many seconds does not start.
const TRIES: u32 = 20;

/// An engine that has named no move so often names none.
const LATE_TRIES: u32 = 3;

/// What is said of an engine without a move, before the time it had.
const LATE: &str = "it names no move within";

/// Time for the test move, in milliseconds.
const TEST_MOVE_MS: u64 = 500;

/// Starts every foreign engine, asks it for a move, and reaches every coordinator. Returns what is
/// odd but no reason not to play, one line each: options that an engine does not declare, and values that do not
/// fit. Some engines take them all the same, so they may be meant.
///
/// # Errors
/// One of them does not play; the error names its line.
pub async fn preflight(specification: &Specification) -> Result<Vec<String>, ConfigError> {
    let mut tested: Vec<Members> = Vec::new();
    let mut warnings = Vec::new();
    for cell in &specification.cells {
        for ensemble in [&cell.first, &cell.second] {
            for trial in trials(ensemble) {
                if tested.contains(&trial.members) {
                    continue;
                }
                let tried = match doubts(&trial).await {
                    Ok(doubts) => test(&trial).await.map(|()| doubts),
                    Err(reason) => Err(reason),
                };
                let doubts = tried.map_err(|reason| match &trial.members {
                    Members::Here { players, .. } => {
                        let player = &players[0].name;
                        let what = format!(
                            "player \"{player}\" does not play: {reason}; correct its command, \
                             options or go"
                        );
                        specification.player_error(&ensemble.name, player, what)
                    }
                    Members::Elsewhere { .. } => {
                        specification.ensemble_error(&ensemble.name, "coordinator", reason)
                    }
                })?;
                if let (Members::Here { players, .. }, false) = (&trial.members, doubts.is_empty())
                {
                    let player = &players[0].name;
                    let what = format!(
                        "the engine of player \"{player}\" may not do what options asks for: {}; \
                         correct what is misspelt",
                        doubts.join("; ")
                    );
                    let warning = specification.player_error(&ensemble.name, player, what);
                    let warning = warning.to_string();
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
                tested.push(trial.members);
            }
        }
    }
    Ok(warnings)
}

/// What is odd about the options of the engine under trial; nothing where it is elsewhere.
///
/// # Errors
/// It does not start.
async fn doubts(trial: &Ensemble) -> Result<Vec<String>, String> {
    match trial.players() {
        [player] => match &player.kind {
            PlayerKind::Usi(spec) => {
                let doubts = monju_host::handshake(&player.name, spec).await;
                doubts.map_err(|error| error.to_string())
            }
            PlayerKind::Native(_) => Ok(Vec::new()),
        },
        _ => Ok(Vec::new()),
    }
}

/// Each foreign engine of an ensemble alone, or the coordinator.
fn trials(ensemble: &Ensemble) -> Vec<Ensemble> {
    let limits = Limits {
        time_ms: Some(TEST_MOVE_MS),
        ..Limits::default()
    };
    let trial = |members| Ensemble {
        members,
        limits,
        ..ensemble.clone()
    };
    match &ensemble.members {
        Members::Elsewhere { .. } => vec![trial(ensemble.members.clone())],
        Members::Here { .. } => ensemble
            .foreign()
            .map(|player| {
                trial(Members::Here {
                    players: vec![player.clone()],
                    rule: Rule::default(),
                    primary: None,
                })
            })
            .collect(),
    }
}

async fn test(ensemble: &Ensemble) -> Result<(), String> {
    let turns = Arc::new(Semaphore::new(1));
    let seat = Seat::take(ensemble, &turns).await;
    let mut seat = seat.map_err(|error| error.to_string())?;
    let mut outcome = Err(String::new());
    let mut late = 0;
    for _ in 0..TRIES {
        outcome = ask(&mut seat).await;
        let Err(reason) = &outcome else { break };
        // An engine that loads is waited for, and one that loads in its first search is asked again; one that
        // ended is not.
        let is_late = reason.starts_with(LATE);
        late += u32::from(is_late);
        if !(reason.contains("starting") || is_late && late < LATE_TRIES) {
            break;
        }
        time::sleep(Duration::from_secs(1)).await;
    }
    seat.leave().await;
    outcome
}

async fn ask(seat: &mut Seat) -> Result<(), String> {
    seat.new_game("preflight")
        .await
        .map_err(|lost| lost.to_string())?;
    let answer = seat.consult(&Game::startpos(), "preflight", 1).await;
    let ballot = answer.map_err(|lost| lost.to_string())?.ballot;
    let failed = ballot
        .votes
        .iter()
        .find(|vote| matches!(vote.arrival(), Arrival::Failed | Arrival::Illegal));
    let is_silent = |vote: &Vote| matches!(vote.arrival(), Arrival::Late | Arrival::Unspecified);
    match failed {
        Some(vote) => Err(vote.failure.clone()),
        None if ballot.votes.is_empty() => Err("it has no players".to_owned()),
        // An engine that still starts is late like one that never speaks.
        None if ballot.votes.iter().all(is_silent) => Err(format!("{LATE} {TEST_MOVE_MS} ms")),
        None => Ok(()),
    }
}
