//! Assembles the coordinator that a command talks to: embedded in this process, or over TCP.

use crate::{
    config::{Config, ConfigError},
    fallback::{self, CoordinatorFallback},
};
use monju_coordinator::{
    calibration::{Calibration, CalibrationError},
    clock::{TimePolicy, UnknownTimePolicy},
    pondering::{Pondering, UnknownPondering},
    record::{RecordError, Recorder},
    roster::{self, AddressError, Link, Roster},
    server,
    service::{Ensemble, Service},
    voting::{Rule, UnknownRule},
};
use monju_engine::{EvaluatorChoice, eval::Sigma};
use monju_host::{
    NativeSpec, PlayerKind, PlayerSpec, Players, PlayersError, PlayersSettings,
    fallback::FallbackHandle, noise_players,
};
use monju_proto::v1::{RosterRequest, coordinator_client::CoordinatorClient};
use monju_proto::{
    serve::{self, ServerTask},
    tls::TlsError,
};
use monju_worker::InProcessWorker;
use std::{fmt::Display, io, path::PathBuf, str::FromStr, sync::Arc, thread, time::Duration};
use tokio::{sync::Semaphore, time::timeout};
use tonic::transport::Channel;

/// Noise of the default ensemble in centipawns: about a quarter of what exchanging a pawn is worth to
/// the default evaluator, the best of paper 002 (section 3) for many nodes.
pub const DEFAULT_SIGMA: f64 = 50.0;

/// What the players of the default ensemble are called, before their number.
pub const DEFAULT_TEAM: &str = "monju";

/// A coordinator that does not answer within this time is not there.
const ANSWER_PATIENCE: Duration = Duration::from_secs(3);

/// What a user chose on the command line or through USI options; `None` leaves it to the
/// configuration file, or to the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// Configuration file (`monju.toml`).
    pub config: Option<PathBuf>,
    /// URL of a running coordinator; no embedded one is started then.
    pub coordinator: Option<String>,
    /// Number of embedded native players, M.
    pub players: Option<u32>,
    /// Standard deviation of their noise.
    pub sigma: Option<Sigma>,
    /// Evaluator of the embedded native players.
    pub evaluator: Option<EvaluatorChoice>,
    /// Voting rule.
    pub rule: Option<String>,
    /// How the time on a clock is spent.
    pub time_policy: Option<String>,
    /// What is pondered on.
    pub pondering: Option<String>,
    /// Transposition tables of all embedded native players together, in MiB.
    pub hash_mib: Option<u32>,
    /// Where ballots are recorded.
    pub log: Option<PathBuf>,
    /// Folder of the team's certificates.
    pub tls: Option<PathBuf>,
}

impl Choices {
    /// What is chosen here that the coordinator of these choices decides itself, being elsewhere.
    fn unfit(&self) -> Vec<&'static str> {
        let chosen = [
            ("the number of players", self.players.is_some()),
            ("sigma", self.sigma.is_some()),
            ("the evaluator", self.evaluator.is_some()),
            ("a log", self.log.is_some()),
        ];
        let unfit = chosen
            .iter()
            .filter(|(_, is_chosen)| *is_chosen && self.coordinator.is_some());
        unfit.map(|(what, _)| *what).collect()
    }
}

/// Why no coordinator could be reached or started. One line, with what would mend it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AssembleError(pub String);

impl AssembleError {
    pub(crate) fn fallback(error: io::Error) -> Self {
        Self(format!(
            "cannot start the thread of the fallback search: {error}"
        ))
    }
}

impl From<ConfigError> for AssembleError {
    fn from(error: ConfigError) -> Self {
        Self(error.to_string())
    }
}

impl From<AddressError> for AssembleError {
    fn from(error: AddressError) -> Self {
        Self(error.to_string())
    }
}

impl From<TlsError> for AssembleError {
    fn from(error: TlsError) -> Self {
        Self(error.to_string())
    }
}

impl From<UnknownRule> for AssembleError {
    fn from(error: UnknownRule) -> Self {
        Self(error.to_string())
    }
}

impl From<UnknownTimePolicy> for AssembleError {
    fn from(error: UnknownTimePolicy) -> Self {
        Self(error.to_string())
    }
}

impl From<CalibrationError> for AssembleError {
    fn from(error: CalibrationError) -> Self {
        Self(error.to_string())
    }
}

impl From<UnknownPondering> for AssembleError {
    fn from(error: UnknownPondering) -> Self {
        Self(error.to_string())
    }
}

impl From<RecordError> for AssembleError {
    fn from(error: RecordError) -> Self {
        Self(error.to_string())
    }
}

impl From<PlayersError> for AssembleError {
    fn from(error: PlayersError) -> Self {
        // The players of a command line have no table that could be named.
        Self(error.problem.to_string())
    }
}

/// A coordinator to talk to. Dropping it ends what was started for it, foreign engines included.
#[derive(Debug)]
pub struct Team {
    /// The client; cheap to clone.
    pub client: CoordinatorClient<Channel>,
    /// What to name as the rule of a consultation: the chosen one; empty for the ensemble's own.
    pub rule: String,
    /// What to name as its time_policy, in the same way.
    pub time_policy: String,
    /// What to name as its pondering, in the same way.
    pub pondering: String,
    /// What the coordinator sets aside of every clock.
    pub overhead: Duration,
    /// What was chosen and does not hold, because the coordinator is elsewhere; one line each.
    pub ignored: Vec<String>,
    embedded: Option<Embedded>,
}

/// What runs inside this process.
#[derive(Debug)]
struct Embedded {
    worker: Option<InProcessWorker>,
    recorder: Option<Arc<Recorder>>,
    _server: ServerTask,
}

impl Team {
    /// Ends what was started for the team, and waits for it, at most 5 s.
    pub async fn close(self) {
        let Some(embedded) = self.embedded else {
            return;
        };
        if let Some(recorder) = &embedded.recorder {
            recorder.flush();
        }
        if let Some(worker) = embedded.worker {
            worker.close().await;
        }
    }
}

/// Connects to the coordinator that `choices` names, or starts one inside this process together
/// with its workers, all talking gRPC over in-memory connections.
///
/// # Errors
/// A choice cannot be applied, the configuration is wrong, or the coordinator does not answer.
/// Remote workers that are not there are no error: they may still come.
pub async fn assemble(choices: &Choices) -> Result<Team, AssembleError> {
    if let (Some(url), Some(what)) = (&choices.coordinator, choices.unfit().first()) {
        return Err(AssembleError(format!(
            "{what} cannot be chosen for the coordinator at {url}, \
             which has its own configuration, as have its workers; choose one of the two"
        )));
    }
    let team = match &choices.coordinator {
        Some(url) => connect(url, choices).await?,
        None => embed(choices, fallback::start(true)?).await?,
    };
    match team.ignored.first() {
        None => Ok(team),
        Some(ignored) => Err(AssembleError(ignored.clone())),
    }
}

/// Like [`assemble`], but what a coordinator elsewhere decides itself, and what a team can do without, is passed
/// over and noted in [`Team::ignored`]: GUIs keep options from game to game, and a team must not be lost for
/// one of them. An embedded coordinator shares the `fallback` search of its process.
///
/// # Errors
/// Like those of [`assemble`].
pub async fn assemble_anyhow(
    choices: &Choices,
    fallback: FallbackHandle,
) -> Result<Team, AssembleError> {
    match &choices.coordinator {
        Some(url) => connect(url, choices).await,
        None => embed(choices, fallback).await,
    }
}

async fn connect(url: &str, choices: &Choices) -> Result<Team, AssembleError> {
    let mut ignored: Vec<String> = (choices.unfit().iter())
        .map(|what| {
            format!(
                "{what} is left to the coordinator at {url}, which has its own configuration; \
                 take the choice back"
            )
        })
        .collect();
    let tls = Config::load(choices.config.as_deref())?.tls(choices.tls.as_deref())?;
    let endpoint = roster::endpoint(url, tls.as_ref())?;
    let mut client = CoordinatorClient::new(endpoint.connect_lazy());
    let answer = match timeout(ANSWER_PATIENCE, client.roster(RosterRequest {})).await {
        Ok(Ok(answer)) => Ok(answer.into_inner()),
        Ok(Err(status)) => Err(roster::first_reason(&status)),
        Err(_) => Err(format!("no answer within {} s", ANSWER_PATIENCE.as_secs())),
    };
    let roster = answer.map_err(|reason| {
        AssembleError(format!(
            "no coordinator at {url}: {reason}; start one with 'monju coordinator', \
             or correct the address"
        ))
    })?;
    let overhead = Duration::from_millis(roster.overhead_ms.into());
    let mut rule = known::<Rule>(choices.rule.as_deref(), &mut ignored);
    let time_policy = known::<TimePolicy>(choices.time_policy.as_deref(), &mut ignored);
    let pondering = known::<Pondering>(choices.pondering.as_deref(), &mut ignored);
    if roster.primary.is_empty() && rule.parse().is_ok_and(Rule::needs_primary) {
        ignored.push(format!(
            "rule '{rule}' needs a primary player, and the coordinator at {url} has none; name one in its \
             configuration by primary = …, or choose another rule than its own, {}",
            roster.rule
        ));
        rule.clear();
    }
    Ok(Team {
        client,
        rule,
        time_policy,
        pondering,
        overhead,
        ignored,
        embedded: None,
    })
}

/// A choice that the coordinator will be told of; nothing where it would only refuse it, move by move.
fn known<T: FromStr<Err: Display>>(choice: Option<&str>, ignored: &mut Vec<String>) -> String {
    let Some(choice) = choice.filter(|choice| !choice.is_empty()) else {
        return String::new();
    };
    match choice.parse::<T>() {
        Ok(_) => choice.to_owned(),
        Err(error) => {
            ignored.push(format!("{error}; the coordinator's own choice stands"));
            String::new()
        }
    }
}

async fn embed(choices: &Choices, fallback: FallbackHandle) -> Result<Team, AssembleError> {
    let mut config = Config::load(choices.config.as_deref())?;
    let mut choices = choices.clone();
    let ignored = do_without(&mut config, &mut choices);
    let team = host_with(config, &choices, None, fallback).await?;
    Ok(Team { ignored, ..team })
}

/// Takes back what cannot be done, and without which a team plays all the same; says what, and why.
fn do_without(config: &mut Config, choices: &mut Choices) -> Vec<String> {
    let mut ignored = Vec::new();
    let rule = choices.rule.as_deref().map(str::parse::<Rule>);
    if let Some(Ok(rule)) = rule
        && rule.needs_primary()
        && config.ensemble.primary.is_none()
    {
        ignored.push(format!(
            "rule '{rule}' needs a primary player; name one in the configuration by primary = …, or choose \
             another rule than '{}', which decides now",
            config.ensemble.rule
        ));
        choices.rule = None;
    }
    let log = choices.log.as_ref().or(config.coordinator.log.as_ref());
    if let Some(Err(error)) = log.map(|path| Recorder::open(path)) {
        ignored.push(format!("{error}; nothing is recorded"));
        choices.log = None;
        config.coordinator.log = None;
    }
    if let Some(Err(error)) = config
        .ensemble
        .calibration
        .as_deref()
        .map(Calibration::read)
    {
        ignored.push(format!(
            "{error}; scores of different engines are not compared"
        ));
        config.ensemble.calibration = None;
    }
    ignored
}

/// Starts a coordinator inside this process for the players of a configuration, which think in
/// `turns` where they are given (see [`Players::start_in_turns`]).
///
/// # Errors
/// A choice cannot be applied, or a player cannot be started.
pub async fn host(
    config: Config,
    choices: &Choices,
    turns: Option<Arc<Semaphore>>,
) -> Result<Team, AssembleError> {
    // A referee hardly ever needs it, and has many teams.
    host_with(config, choices, turns, fallback::start(false)?).await
}

async fn host_with(
    config: Config,
    choices: &Choices,
    turns: Option<Arc<Semaphore>>,
    fallback: FallbackHandle,
) -> Result<Team, AssembleError> {
    let overhead = config.coordinator.overhead;
    let Started {
        service,
        worker,
        recorder,
    } = start_with(config, choices, turns, fallback).await?;
    service.settle().await;
    let router = server::router(service).await.map_err(internal)?;
    let (channel, server) = serve::in_process(router);
    Ok(Team {
        client: CoordinatorClient::new(channel),
        rule: String::new(),
        time_policy: String::new(),
        pondering: String::new(),
        overhead,
        ignored: Vec::new(),
        embedded: Some(Embedded {
            worker,
            recorder,
            _server: server,
        }),
    })
}

/// A coordinator that was started in this process.
pub struct Started {
    /// The coordinator's service.
    pub service: Service,
    /// The players of the same process, if it has any.
    pub worker: Option<InProcessWorker>,
    /// What writes the log, if there is one.
    pub recorder: Option<Arc<Recorder>>,
}

/// Starts a coordinator with the players of its own process, if it has any.
pub async fn start(config: Config, choices: &Choices) -> Result<Started, AssembleError> {
    start_with(config, choices, None, fallback::start(true)?).await
}

async fn start_with(
    config: Config,
    choices: &Choices,
    turns: Option<Arc<Semaphore>>,
    fallback: FallbackHandle,
) -> Result<Started, AssembleError> {
    let ensemble = ensemble(&config, choices)?;
    let log = choices.log.as_ref().or(config.coordinator.log.as_ref());
    let recorder = match log {
        Some(path) => Some(Arc::new(Recorder::open(path)?)),
        None => None,
    };
    let (roster, worker) = hire(&config, choices, turns).await?;
    Ok(Started {
        service: Service::new(
            ensemble,
            roster,
            recorder.clone(),
            Arc::new(CoordinatorFallback::new(fallback)),
        ),
        worker,
        recorder,
    })
}

/// The workers of a configuration: one with the players of this process, if it has any, and those
/// elsewhere.
pub async fn hire(
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
        let worker = Players::start_in_turns(settings, turns);
        let worker = InProcessWorker::serve(worker.map_err(internal)?).await;
        let worker = worker.map_err(internal)?;
        links.push(Link::in_process(worker.channel()));
        Some(worker)
    };
    let tls = config.tls(choices.tls.as_deref())?;
    for url in &config.coordinator.workers {
        links.push(Link::remote(url, tls.as_ref())?);
    }
    Ok((Roster::new(links), worker))
}

/// How the ensemble of a configuration decides.
pub fn ensemble(config: &Config, choices: &Choices) -> Result<Ensemble, AssembleError> {
    let ensemble = Ensemble {
        rule: match &choices.rule {
            Some(rule) => rule.parse()?,
            None => config.ensemble.rule,
        },
        primary: config.ensemble.primary.clone(),
        overhead: config.coordinator.overhead,
        time_policy: match &choices.time_policy {
            Some(time_policy) => time_policy.parse()?,
            None => config.coordinator.time_policy,
        },
        pondering: match &choices.pondering {
            Some(pondering) => pondering.parse()?,
            None => config.coordinator.pondering,
        },
        calibration: Arc::new(match &config.ensemble.calibration {
            Some(path) => Calibration::read(path)?,
            None => Calibration::default(),
        }),
        resignation: config.ensemble.resignation,
    };
    if ensemble.rule.needs_primary() && ensemble.primary.is_none() {
        return Err(AssembleError(format!(
            "rule '{}' needs a primary player; name one in the configuration by primary = …",
            ensemble.rule
        )));
    }
    Ok(ensemble)
}

/// The players of this process: M as chosen, else those of the configuration, else, where there
/// are no remote workers, the default ensemble. Players that no configuration names are called
/// `team-1`, `team-2`, and so on.
pub fn local_players(
    team: &str,
    config: &Config,
    choices: &Choices,
) -> Result<Vec<PlayerSpec>, AssembleError> {
    let sigma = choices.sigma.unwrap_or(DEFAULT_SIGMA.into());
    let defaults = config.players.is_empty() && config.coordinator.workers.is_empty();
    let mut players = match choices.players {
        Some(count) => noise_players(team, count, sigma)?,
        None if defaults => noise_players(team, default_count(), sigma)?,
        None => config.players.clone(),
    };
    if let Some(sigma) = choices.sigma {
        // The check is that of a player of this sigma.
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
    Ok(players)
}

/// The native players of this process, of which something is chosen.
fn natives<'a>(
    chosen: &str,
    players: &'a mut [PlayerSpec],
) -> Result<Vec<&'a mut NativeSpec>, AssembleError> {
    let natives: Vec<_> = players
        .iter_mut()
        .filter_map(|player| match &mut player.kind {
            PlayerKind::Native(native) => Some(&mut **native),
            PlayerKind::Usi(_) => None,
        })
        .collect();
    if natives.is_empty() {
        return Err(AssembleError(format!(
            "{chosen} cannot be chosen: the configuration has no native players of its own; \
             leave it out, or choose a number of players, too"
        )));
    }
    Ok(natives)
}

/// As many players as cores, but enough for a vote to mean something, and no more than the papers
/// have shown to help.
fn default_count() -> u32 {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    cores.clamp(3, 16) as u32
}

fn internal(error: impl std::fmt::Display) -> AssembleError {
    AssembleError(error.to_string())
}

#[cfg(test)]
mod tests;
