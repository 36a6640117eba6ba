//! The command lines of `monju worker` and `monju coordinator`.

use super::parsers;
use clap::Args;
use monju_commands::services::{CoordinatorService, WorkerService};
use monju_coordinator::voting::Rule;
use monju_engine::{EvaluatorChoice, eval::Sigma};
use std::path::PathBuf;

/// Everything after `monju worker`.
#[derive(Debug, Args)]
pub struct WorkerArguments {
    /// Configuration; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address to listen at; default: 127.0.0.1:7411
    #[arg(long, value_name = "HOST:PORT", value_parser = parsers::listen)]
    listen: Option<String>,
    /// Name of this worker in rosters and ballots
    #[arg(long, value_parser = parsers::name)]
    name: Option<String>,
    /// Native noise players, in place of the configured native ones
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(parsers::PLAYERS))]
    players: Option<u32>,
    /// Standard deviation of their noise: centipawns, or '1/4 pawn exchange'
    #[arg(long, value_name = "S", value_parser = parsers::sigma, allow_negative_numbers = true)]
    sigma: Option<Sigma>,
    /// Evaluator: material, linear or nnue, or NAME:FILE for one with the weights of a file
    #[arg(long, value_name = "NAME")]
    evaluator: Option<EvaluatorChoice>,
    /// A coordinator to enrol itself with, so that its list need not name this worker; repeat it for several
    #[arg(long = "enrol", value_name = "URL", num_args = 1.., value_parser = parsers::url)]
    coordinators: Vec<String>,
    /// Folder of the team's certificates: members alone are served. See 'monju certificates'
    #[arg(long, value_name = "FOLDER")]
    tls: Option<PathBuf>,
    /// Serves everybody who reaches the port, in place of the members of a team. Without certificates, services
    /// listen on loopback alone unless this is given
    #[arg(long, conflicts_with = "tls")]
    without_tls: bool,
    /// Serves gRPC health at this address, too, to everybody and without certificates: for the probes of Kubernetes
    #[arg(long, value_name = "HOST:PORT", value_parser = parsers::listen)]
    health: Option<String>,
}

impl From<WorkerArguments> for WorkerService {
    fn from(arguments: WorkerArguments) -> Self {
        Self {
            config: arguments.config,
            listen: arguments.listen,
            name: arguments.name,
            players: arguments.players,
            sigma: arguments.sigma,
            evaluator: arguments.evaluator,
            coordinators: arguments.coordinators,
            tls: arguments.tls,
            without_tls: arguments.without_tls,
            health: arguments.health,
        }
    }
}

/// Everything after `monju coordinator`.
#[derive(Debug, Args)]
pub struct CoordinatorArguments {
    /// Configuration; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address to listen at; default: 127.0.0.1:7410
    #[arg(long, value_name = "HOST:PORT", value_parser = parsers::listen)]
    listen: Option<String>,
    /// A worker, such as http://127.0.0.1:7411; repeat it for several
    #[arg(long = "worker", value_name = "URL", num_args = 1.., value_parser = parsers::url)]
    workers: Vec<String>,
    /// Voting rule
    #[arg(long, value_parser = parsers::named::<Rule>())]
    rule: Option<Rule>,
    /// Appends every decided ballot to this file, as a line of JSON
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Folder of the team's certificates, for URLs with https; see 'monju certificates'
    #[arg(long, value_name = "FOLDER")]
    tls: Option<PathBuf>,
    /// Serves everybody who reaches the port, in place of the members of a team. Without certificates, services
    /// listen on loopback alone unless this is given
    #[arg(long, conflicts_with = "tls")]
    without_tls: bool,
    /// Serves gRPC health at this address, too, to everybody and without certificates: for the probes of Kubernetes
    #[arg(long, value_name = "HOST:PORT", value_parser = parsers::listen)]
    health: Option<String>,
    /// Serves a page that shows the council; default: 127.0.0.1:7480
    #[arg(long, value_name = "HOST:PORT", value_parser = parsers::listen, num_args = 0..=1,
          default_missing_value = monju_commands::page::DEFAULT)]
    page: Option<String>,
    /// Serves numbers for Prometheus at /metrics; default: 127.0.0.1:7481
    #[arg(long, value_name = "HOST:PORT", value_parser = parsers::listen, num_args = 0..=1,
          default_missing_value = monju_commands::page::METRICS)]
    metrics: Option<String>,
}

impl From<CoordinatorArguments> for CoordinatorService {
    fn from(arguments: CoordinatorArguments) -> Self {
        Self {
            config: arguments.config,
            listen: arguments.listen,
            workers: arguments.workers,
            rule: arguments.rule,
            log: arguments.log,
            tls: arguments.tls,
            without_tls: arguments.without_tls,
            health: arguments.health,
            page: arguments.page,
            metrics: arguments.metrics,
        }
    }
}
