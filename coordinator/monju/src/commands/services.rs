//! `monju worker` and `monju coordinator`: the two services over TCP.

use super::page;
use monju_coordinator::{choices::ConsultationChoices, server, voting::Rule};
use monju_engine::{EvaluatorChoice, eval::Sigma};
use monju_host::{Players, PlayersSettings};
use monju_proto::{serve, v1::coordinator_client::CoordinatorClient};
use monju_team::signals;
use monju_team::{
    config::{self, Config, WORKER_LISTEN, WORKER_NAME},
    team::{self, Choices},
};
use std::{
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
};
use tokio::sync::watch;
use tracing::info;

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
    /// Folder of the team's certificates, instead of the configured one.
    pub tls: Option<PathBuf>,
    /// Serves everybody who reaches the port, without certificates.
    pub without_tls: bool,
}

impl WorkerService {
    /// Serves until the process is told to end.
    ///
    /// # Errors
    /// The configuration is wrong, the port is in use, or a player cannot be started.
    pub async fn run(self) -> anyhow::Result<()> {
        let mut config = Config::load(self.config.as_deref())?;
        if self.without_tls {
            config.do_without_tls();
        }
        // A worker hosts players of its own alone, not those of other workers.
        config.coordinator.workers.clear();
        let choices = Choices {
            players: self.players,
            sigma: self.sigma,
            evaluator: self.evaluator,
            ..Choices::default()
        };
        let tls = config.tls(self.tls.as_deref())?;
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
        let listen = self.listen.unwrap_or_else(|| config.worker.listen.clone());
        let admission = config.admission(tls.as_ref());
        let (listener, address) = serve::listen(&listen, admission).await?;
        let (name, players) = (settings.name.clone(), settings.players.len());
        let worker = Players::start(settings)?;
        info!(%address, name, players, "worker listening");
        announce(address);
        monju_worker::serve_tcp(listener, tls.as_ref(), worker, signals::termination()).await?;
        info!("worker ended");
        Ok(())
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
    pub async fn run(self) -> anyhow::Result<()> {
        let mut config = Config::load(self.config.as_deref())?;
        if self.without_tls {
            config.do_without_tls();
        }
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
        if config.coordinator.workers.is_empty() && config.players.is_empty() {
            let scheme = if tls.is_some() { "https" } else { "http" };
            let worker = format!("{scheme}://{WORKER_LISTEN}");
            config.coordinator.workers.push(worker);
        }
        let listen = self.listen.unwrap_or(config.coordinator.listen.clone());
        let admission = config.admission(tls.as_ref());
        let (listener, address) = serve::listen(&listen, admission).await?;
        let started = team::start_coordinator(config, &choices).await?;
        let service = started.service;
        // Page and metrics are a client like others, but over memory.
        let observed = match self.page.is_some() || self.metrics.is_some() {
            true => Some(serve::in_process(server::router(service.clone()).await?)),
            false => None,
        };
        let client = observed
            .as_ref()
            .map(|(channel, _)| CoordinatorClient::new(channel.clone()));
        let (_observer, coordinator) = watch::channel(client);
        if let Some(address) = &self.page {
            page::serve(address, coordinator.clone()).await?;
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
        let serving = server::serve_tcp(listener, tls.as_ref(), service, signals::termination());
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
