//! A coordinator in this process, with its workers.

use super::{
    choices::Choices,
    error::{AssembleError, IgnoredChoice},
    fallback::{self, CoordinatorFallback},
    handle::{Embedded, Team},
    players::{DEFAULT_TEAM, local_players},
};
use crate::{
    config::{Config, RESIGN_AFTER, ReadFile},
    reload::ListReader,
};
use monju_coordinator::{
    book::OpeningBook,
    calibration::Calibration,
    choices::ConsultationChoices,
    record::Recorder,
    resignation::ResignationPolicy,
    roster::{Link, Roster},
    server,
    service::{Ensemble, Service},
};
use monju_host::{PlayerSpec, Players, PlayersSettings, fallback::FallbackHandle, load_book};
use monju_proto::{client::coordinator_client, serve};
use monju_worker::InProcessWorker;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Starts a coordinator in this process, and ignores choices that a team can do without.
pub(super) async fn embed_leniently(
    choices: &Choices,
    fallback: FallbackHandle,
) -> Result<Team, AssembleError> {
    let (mut config, list) = Config::load_with_file(choices.config.as_deref())?;
    // No worker finds a coordinator that does not listen.
    config.coordinator.awaits_workers = false;
    let mut choices = choices.clone();
    let ignored = remove_inapplicable(&mut config, &mut choices);
    let team = embed_with(config, &choices, list, None, fallback).await?;
    Ok(Team { ignored, ..team })
}

/// Removes choices and settings that cannot be applied and that a team can do without; returns them.
pub(super) fn remove_inapplicable(
    config: &mut Config,
    choices: &mut Choices,
) -> Vec<IgnoredChoice> {
    let mut ignored = Vec::new();
    remove_unknown_threads(config, choices, &mut ignored);
    remove_unknown_primary(config, choices, &mut ignored);
    let has_primary = config.ensemble.primary.is_some() || choices.consultation.primary.is_some();
    if !has_primary
        && let Some(rule) = (choices.consultation.rule).take_if(|rule| rule.needs_primary())
    {
        ignored.push(IgnoredChoice::NoPrimary {
            rule,
            instead: config.ensemble.rule,
        });
    }
    let log = choices.log.as_ref().or(config.coordinator.log.as_ref());
    if let Some(Err(error)) = log.map(|path| Recorder::open(path)) {
        ignored.push(IgnoredChoice::Log(error));
        choices.log = None;
        config.coordinator.log = None;
    }
    let book = choices.book.as_ref().or(config.book.file.as_ref());
    if let Some(Err(error)) = book.map(|path| load_book(path)) {
        ignored.push(IgnoredChoice::Book(error));
        choices.book = None;
        config.book.file = None;
    }
    let calibration = config.ensemble.calibration.as_deref();
    if let Some(Err(error)) = calibration.map(Calibration::read) {
        ignored.push(IgnoredChoice::Calibration(error));
        config.ensemble.calibration = None;
    }
    if config.ensemble.calibration.is_none() && choices.resign_below.take().is_some() {
        ignored.push(IgnoredChoice::NoWinRates);
    }
    ignored
}

/// Removes a number of threads for native players where there are none.
fn remove_unknown_threads(
    config: &Config,
    choices: &mut Choices,
    ignored: &mut Vec<IgnoredChoice>,
) {
    let has_natives = choices.players.is_some()
        || !config.players.iter().all(PlayerSpec::is_foreign)
        || (config.players.is_empty() && config.coordinator.workers.is_empty());
    if !has_natives && choices.threads.take().is_some() {
        ignored.push(IgnoredChoice::NoNatives);
    }
}

/// Removes a chosen primary that is no player, if all players are known.
fn remove_unknown_primary(
    config: &Config,
    choices: &mut Choices,
    ignored: &mut Vec<IgnoredChoice>,
) {
    if choices.consultation.primary.is_none() || !config.coordinator.workers.is_empty() {
        return;
    }
    // Players that cannot be had are reported when the team is started.
    let Ok(players) = local_players(DEFAULT_TEAM, config, choices) else {
        return;
    };
    let names = players.iter().map(|player| &*player.name);
    let primary = &mut choices.consultation.primary;
    if let Some(error) = unknown_primary(primary.as_deref(), names) {
        *primary = None;
        ignored.push(error);
    }
}

/// Returns the problem of a chosen primary that is none of these players.
pub(super) fn unknown_primary<'a>(
    primary: Option<&str>,
    names: impl Iterator<Item = &'a str>,
) -> Option<IgnoredChoice> {
    let names = Vec::from_iter(names);
    let primary = primary.filter(|primary| !names.contains(primary))?;
    Some(IgnoredChoice::UnknownPrimary {
        primary: primary.to_owned(),
        names: names.join(", "),
    })
}

/// Starts a coordinator in this process for the players of a configuration, which think in `turns` if
/// these are given (see [`Players::start_in_turns`]).
///
/// # Errors
/// A choice cannot be applied, or a player cannot be started.
pub async fn embed(
    config: Config,
    choices: &Choices,
    turns: Option<Arc<Semaphore>>,
) -> Result<Team, AssembleError> {
    // A referee has many teams and hardly ever needs the search.
    embed_with(config, choices, None, turns, fallback::start(false)?).await
}

async fn embed_with(
    config: Config,
    choices: &Choices,
    list: Option<ReadFile>,
    turns: Option<Arc<Semaphore>>,
    fallback: FallbackHandle,
) -> Result<Team, AssembleError> {
    let overhead = config.coordinator.overhead;
    let StartedCoordinator {
        service,
        worker,
        recorder,
        reader,
    } = start_with(config, choices, list, turns, fallback).await?;
    service.settle().await;
    let (channel, server) = serve::in_process(server::router(service).await?);
    Ok(Team {
        client: coordinator_client(channel),
        name: "in-process".to_owned(),
        others: Vec::new(),
        consultation: ConsultationChoices::default(),
        overhead,
        ignored: Vec::new(),
        embedded: Some(Embedded {
            worker,
            recorder,
            _reader: reader,
            _server: server,
        }),
    })
}

/// A coordinator that was started in this process.
pub struct StartedCoordinator {
    /// The coordinator's service.
    pub service: Service,
    /// The worker in this process, if it has players.
    pub worker: Option<InProcessWorker>,
    /// The writer of the log, if there is one.
    pub recorder: Option<Arc<Recorder>>,
    /// The reader of the list of workers, which ends with this value.
    pub reader: Option<ListReader>,
}

/// Starts a coordinator with the players of this process, if it has any. It follows the list of workers in the file
/// `list`, from which the configuration was read.
///
/// # Errors
/// A choice cannot be applied, or a player cannot be started.
pub async fn start_coordinator(
    config: Config,
    choices: &Choices,
    list: Option<ReadFile>,
) -> Result<StartedCoordinator, AssembleError> {
    start_with(config, choices, list, None, fallback::start(true)?).await
}

async fn start_with(
    config: Config,
    choices: &Choices,
    list: Option<ReadFile>,
    turns: Option<Arc<Semaphore>>,
    fallback: FallbackHandle,
) -> Result<StartedCoordinator, AssembleError> {
    let ensemble = ensemble(&config, choices)?;
    let log = choices.log.as_ref().or(config.coordinator.log.as_ref());
    let recorder = match log {
        Some(path) => {
            let rotation = config.coordinator.rotation;
            Some(Arc::new(Recorder::open_rotating(path, rotation)?))
        }
        None => None,
    };
    let (roster, worker) = roster(&config, choices, turns).await?;
    let service = Service::new(
        ensemble,
        roster,
        recorder.clone(),
        Arc::new(CoordinatorFallback::new(fallback)),
    );
    Ok(StartedCoordinator {
        reader: list.map(|file| ListReader::follow(file, service.clone())),
        service,
        worker,
        recorder,
    })
}

/// Gathers the workers of a configuration: one with the players of this process, if it has any, and
/// the remote ones.
///
/// # Errors
/// A choice cannot be applied, a player cannot be started, or an address is wrong.
pub async fn roster(
    config: &Config,
    choices: &Choices,
    turns: Option<Arc<Semaphore>>,
) -> Result<(Roster, Option<InProcessWorker>), AssembleError> {
    let players = local_players(DEFAULT_TEAM, config, choices)?;
    let mut links = Vec::new();
    let worker = if players.is_empty() {
        None
    } else {
        let settings = PlayersSettings {
            name: config.worker.name.clone(),
            hash_mib: choices.hash_mib.unwrap_or(config.worker.hash_mib),
            players,
        };
        let worker = Players::start_in_turns(settings, turns)?;
        let worker = InProcessWorker::serve(worker).await?;
        links.push(Link::in_process(worker.channel()));
        Some(worker)
    };
    let roster = Roster::with_tls(links, config.tls(choices.tls.as_deref())?);
    roster.list(&config.coordinator.workers)?;
    if !config.coordinator.enrolment {
        roster.close_enrolment();
    }
    Ok((roster, worker))
}

/// Returns the way in which the ensemble of a configuration decides.
///
/// # Errors
/// The calibration or the book cannot be used, or the rule requires a primary player that is not configured.
pub fn ensemble(config: &Config, choices: &Choices) -> Result<Ensemble, AssembleError> {
    let settings = choices.consultation.over(config.consultation());
    let ensemble = Ensemble {
        settings,
        primary: (choices.consultation.primary.clone()).or(config.ensemble.primary.clone()),
        overhead: config.coordinator.overhead,
        calibration: Arc::new(match &config.ensemble.calibration {
            Some(path) => Calibration::read(path)?,
            None => Calibration::default(),
        }),
        resignation: match choices.resign_below {
            Some(percent) => Some(ResignationPolicy {
                below: f64::from(percent) / 100.0,
                after: (config.ensemble.resignation).map_or(RESIGN_AFTER, |policy| policy.after),
            }),
            None => config.ensemble.resignation,
        },
        book: match choices.book.as_ref().or(config.book.file.as_ref()) {
            Some(path) => Some(OpeningBook {
                book: load_book(path)?,
                plies: config.book.plies,
                voting: config.book.voting,
            }),
            None => None,
        },
    };
    match settings.rule.needs_primary() && ensemble.primary.is_none() {
        true => Err(AssembleError::NoPrimary(settings.rule)),
        false => Ok(ensemble),
    }
}
