//! `monju worker` and `monju coordinator`: the two services over TCP. Started by hand, they outlive their terminal:
//! a game may be under way.

use super::page;
use crate::runtime;
use monju_coordinator::{choices::ConsultationChoices, server, voting::Rule};
use monju_engine::{EvaluatorChoice, eval::Sigma};
use monju_host::{Players, PlayersSettings};
use monju_proto::{client::coordinator_client, role::Role, serve};
use monju_team::{
    config::{self, Config, WORKER_LISTEN, WORKER_NAME},
    team::{self, Choices},
};
use monju_team::{enrolment::Enrolment, signals};
use monju_worker::Drain;
use std::{
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
    time::Duration,
};
use tokio::{
    sync::{oneshot, watch},
    time::sleep,
};
use tracing::{info, warn};

/// A worker on this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerService {
    /// Configuration file.
    pub config: Option<PathBuf>,
    /// `host:port` instead of the configured one.
    pub listen: Option<String>,
    /// Name instead of the configured one.
    pub name: Option<String>,
    /// Number of native players, instead of the configured players.
    pub players: Option<u32>,
    /// Noise of the native players.
    pub sigma: Option<Sigma>,
    /// Evaluator of the native players.
    pub evaluator: Option<EvaluatorChoice>,
    /// URLs of coordinators to enrol itself with, instead of the configured ones.
    pub coordinators: Vec<String>,
    /// Folder of the team's certificates, instead of the configured one.
    pub tls: Option<PathBuf>,
    /// Serves everybody who reaches the port, without certificates.
    pub without_tls: bool,
    /// `host:port` of the health service for probes, if it is served apart.
    pub health: Option<String>,
}

impl WorkerService {
    /// Serves until the process is told to end.
    ///
    /// # Errors
    /// The configuration is wrong, the port is in use, or a player cannot be started.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let mut config = Config::load(self.config.as_deref())?;
        if self.without_tls {
            config.do_without_tls();
        }
        // A worker hosts players of its own alone, not those of other workers.
        config.coordinator.workers.clear();
        config.coordinator.awaits_workers = false;
        let choices = Choices {
            players: self.players,
            sigma: self.sigma,
            evaluator: self.evaluator,
            ..Choices::default()
        };
        let tls = config.tls(self.tls.as_deref())?;
        if let Some(tls) = &tls {
            tls.need(Role::Worker, "serve as a worker")?;
        }
        let name = self.name.unwrap_or_else(|| config.worker.name.clone());
        config::check_name(&name)?;
        // Several workers of the default ensemble in one team need players of different names.
        let prefix = if name == WORKER_NAME {
            team::DEFAULT_TEAM
        } else {
            &name
        };
        let settings = PlayersSettings {
            players: team::local_players(prefix, &config, &choices)?,
            name,
            hash_mib: config.worker.hash_mib,
        };
        if !self.coordinators.is_empty() {
            config::check_coordinators(&self.coordinators)?;
            config.worker.coordinators = self.coordinators;
        }
        let enrolment = Enrolment::new(&config.worker.coordinators, tls.as_ref())?;
        let listen = self.listen.unwrap_or_else(|| config.worker.listen.clone());
        let admission = config.admission(tls.as_ref());
        let (listener, address) = serve::listen(&listen, admission).await?;
        let (name, players) = (settings.name.clone(), settings.players.len());
        let worker = Players::start(settings)?;
        info!(%address, name, players, "worker listening");
        enrolment.check(address);
        announce(address);
        let drain = Drain::default();
        let _health = match &self.health {
            Some(address) => {
                let is_ready = monju_worker::is_ready(&worker, drain.clone());
                Some(serve::health(address, is_ready).await?)
            }
            None => None,
        };
        let ending = drained(
            drain.clone(),
            enrolment,
            address.port(),
            config.worker.drain,
        );
        monju_worker::serve_tcp(listener, tls.as_ref(), worker, drain, ending).await?;
        info!("worker ended");
        Ok(())
    }
}

/// Keeps a worker enrolled until it is told to end, then waits until the questions under way are finished: at most
/// `patience`, or until it is told to end once more.
async fn drained(drain: Drain, enrolment: Enrolment, port: u16, patience: Duration) {
    let mut terminations = signals::terminations_beyond_terminal();
    tokio::select! {
        _ = terminations.recv() => {}
        never = enrolment.keep(port) => match never {},
    }
    drain.begin();
    let questions = drain.questions();
    if questions > 0 {
        info!(
            questions,
            "draining; tell it to end once more to end it at once"
        );
    }
    tokio::select! {
        () = drain.idle() => {}
        () = sleep(patience) => warn!("questions are cut off"),
        _ = terminations.recv() => warn!("questions are cut off"),
    }
}

/// A coordinator on this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoordinatorService {
    /// Configuration file.
    pub config: Option<PathBuf>,
    /// `host:port` instead of the configured one.
    pub listen: Option<String>,
    /// URLs of workers, instead of the configured ones.
    pub workers: Vec<String>,
    /// Voting rule instead of the configured one.
    pub rule: Option<Rule>,
    /// File of recorded ballots instead of the configured one.
    pub log: Option<PathBuf>,
    /// Folder of the team's certificates, instead of the configured one.
    pub tls: Option<PathBuf>,
    /// Serves everybody who reaches the port, without certificates.
    pub without_tls: bool,
    /// `host:port` of the health service for probes, if it is served apart.
    pub health: Option<String>,
    /// `host:port` of a page to look at the council, if one is served.
    pub page: Option<String>,
    /// `host:port` of numbers for Prometheus, if they are served.
    pub metrics: Option<String>,
}

impl CoordinatorService {
    /// Serves until the process is told to end.
    ///
    /// # Errors
    /// The configuration is wrong, or the port is in use.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let (mut config, file) = Config::load_with_file(self.config.as_deref())?;
        if self.without_tls {
            config.do_without_tls();
        }
        // A list of the command line does not change.
        let list = file.filter(|_| self.workers.is_empty());
        if !self.workers.is_empty() {
            config::check_workers(&self.workers)?;
            config.coordinator.workers = self.workers;
        }
        let choices = Choices {
            consultation: ConsultationChoices {
                rule: self.rule,
                ..ConsultationChoices::default()
            },
            log: self.log,
            tls: self.tls,
            ..Choices::default()
        };
        let tls = config.tls(choices.tls.as_deref())?;
        if let Some(tls) = &tls {
            tls.need(Role::Coordinator, "serve as a coordinator")?;
        }
        let has_voters = !config.coordinator.workers.is_empty() || !config.players.is_empty();
        if !has_voters && !config.coordinator.awaits_workers {
            let scheme = if tls.is_some() { "https" } else { "http" };
            let worker = format!("{scheme}://{WORKER_LISTEN}");
            config.coordinator.workers.push(worker);
        }
        let listen = self.listen.unwrap_or(config.coordinator.listen.clone());
        let admission = config.admission(tls.as_ref());
        let (listener, address) = serve::listen(&listen, admission).await?;
        let drain = config.coordinator.drain;
        let started = team::start_coordinator(config, &choices, list).await?;
        let service = started.service;
        let _health = match &self.health {
            Some(address) => Some(serve::health(address, service.is_ready()).await?),
            None => None,
        };
        // Page and metrics are a client like others, but over memory.
        let observed = match self.page.is_some() || self.metrics.is_some() {
            true => Some(serve::in_process(server::router(service.clone()).await?)),
            false => None,
        };
        let client = observed
            .as_ref()
            .map(|(channel, _)| coordinator_client(channel.clone()));
        let (_observer, coordinator) = watch::channel(client);
        let log = started
            .recorder
            .as_ref()
            .map(|recorder| recorder.path().to_owned());
        let (_log, log) = watch::channel(log);
        if let Some(address) = &self.page {
            page::serve(address, coordinator.clone(), log).await?;
        }
        if let Some(address) = &self.metrics {
            page::serve_metrics(address, coordinator).await?;
        }
        let announcing = {
            let service = service.clone();
            async move {
                service.settle().await;
                info!(%address, "coordinator listening");
                announce(address);
            }
        };
        // A coordinator that is started again in the middle of a game serves at once.
        let mut terminations = signals::terminations_beyond_terminal();
        let (again, told_again) = oneshot::channel();
        let ending = async move {
            terminations.recv().await;
            tokio::spawn(async move {
                terminations.recv().await;
                // The service may have ended by itself.
                let _ = again.send(());
            });
        };
        let closing = {
            let service = service.clone();
            async move {
                tokio::select! {
                    () = service.drained(drain) => {}
                    _ = told_again => {}
                }
            }
        };
        let pages = [&self.page, &self.metrics].into_iter().flatten().count();
        let others = pages * monju_page::server::DESCRIPTORS;
        let serving = server::serve_tcp(listener, tls.as_ref(), service, others, ending, closing);
        tokio::pin!(serving);
        tokio::select! {
            served = &mut serving => served?,
            () = announcing => serving.await?,
        }
        if let Some(worker) = started.worker {
            worker.close().await;
        }
        if let Some(recorder) = started.recorder {
            recorder.flush();
        }
        info!("coordinator ended");
        Ok(())
    }
}

/// Prints the address that the service listens at: with port 0 it is not known before.
fn announce(address: SocketAddr) {
    let mut output = io::stdout().lock();
    // A service lives on when its output is closed.
    let _ = writeln!(output, "listening on {address}");
    let _ = output.flush();
}
