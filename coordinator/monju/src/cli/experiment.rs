//! The command line of `monju experiment`.

use super::parsers::{self, StoreAddress};
use clap::{Args, Error, Subcommand, error::ErrorKind};
use monju_commands::experiment::{
    ExportCommand, ImportCommand, ReportCommand, RunCommand, ServeCommand, StatusCommand,
};
use monju_experiment::{
    bundle::is_bundle,
    runner::LEASE,
    store::{Accepted, Address},
};
use std::{path::PathBuf, time::Duration};

/// Subcommands of `monju experiment`.
#[derive(Debug, Subcommand)]
pub enum ExperimentAction {
    /// Plays an experiment, or resumes it; several machines can share one store
    #[command(after_help = RUN_HELP)]
    Run(RunArguments),
    /// Shows the progress of an experiment
    Status(ExperimentStatusArguments),
    /// Writes the tables, figures and games of an experiment
    #[command(after_help = REPORT_HELP)]
    Report(ReportArguments),
    /// Serves a page that shows an experiment while it is played
    Serve(ServeArguments),
    /// Seals everything that a report needs in a folder, which 'report' reads without the store
    Export(ExportArguments),
    /// Fills a store from a sealed bundle, so that the experiment can be continued
    Import(ImportArguments),
}

const REPORT_HELP: &str = "\
FILE may be the folder of a sealed bundle ('monju experiment export'), which needs no store.";

const RUN_HELP: &str = "\
The first interrupt finishes the pairs under way, the second gives them back. The pairs of a killed \
runner are free again after a minute. With limits of nodes or depth, single-threaded native players and the \
same build, the same file gives the same games, in any order, on any number of machines.";

/// Address of an experiment's page if none is given.
const PAGE: &str = "127.0.0.1:7490";

/// The experiment and its store, in the arguments of every subcommand.
#[derive(Debug, Args)]
struct ExperimentArguments {
    /// The specification; configs/experiments/template.toml of 'monju init' documents it
    file: PathBuf,
    /// An SQLite file, or postgres://user@host/database; default: FILE with .db for .toml
    #[arg(long, value_name = "FILE|URL", value_parser = StoreAddress)]
    store: Option<Address>,
}

impl ExperimentArguments {
    fn address(&self) -> Address {
        match &self.store {
            Some(address) => address.clone(),
            None => Address::Sqlite(self.file.with_extension("db")),
        }
    }
}

/// Everything after `monju experiment run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    experiment: ExperimentArguments,
    /// Games at the same time; default: one per core, or 1 where time is measured
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Largest number of games in a cell, even if the file says more
    #[arg(long, value_name = "N", value_parser = parsers::even)]
    games: Option<u32>,
    /// Seconds for which a runner without a sign of life holds a pair
    #[arg(long, value_name = "SECONDS", default_value = LEASE.as_secs().to_string(),
          value_parser = clap::value_parser!(u32).range(1..=86_400))]
    lease: u32,
    /// Begins cells anew that have games of other settings; those games stay in the store, apart
    #[arg(long)]
    accept_changes: bool,
    /// Counts games of another build with those of this one
    #[arg(long)]
    accept_build: bool,
    /// Plays the pairs again that failed three times and were given up
    #[arg(long)]
    retry_given_up: bool,
    /// Serves a page that shows it while it is played, with the games of this runner move by move
    #[arg(long, value_name = "HOST:PORT", value_parser = parsers::listen,
          num_args = 0..=1, default_missing_value = PAGE)]
    serve: Option<String>,
}

/// Everything after `monju experiment status`.
#[derive(Debug, Args)]
pub struct ExperimentStatusArguments {
    #[command(flatten)]
    experiment: ExperimentArguments,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

/// Everything after `monju experiment report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    #[command(flatten)]
    experiment: ExperimentArguments,
    /// Writes report.md, report.csv, report.json, figures and the specification.toml into this
    /// folder, instead of Markdown to standard output
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Writes all games below this folder: CSA, KIF, and their ballots as JSON lines
    #[arg(long, value_name = "FOLDER")]
    games: Option<PathBuf>,
    /// Writes report.html, one page with all tables and figures that needs nothing else
    ///
    /// Without --out it goes to standard output.
    #[arg(long)]
    html: bool,
    /// Machine, in words, for the report; default: the machines and days that the store knows
    #[arg(long, value_name = "TEXT")]
    machine: Option<String>,
    /// Cell, by its label or some of its parameters, with which the others are compared; default: base of the file
    #[arg(long, value_name = "LABEL")]
    base: Option<String>,
}

/// Everything after `monju experiment serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    #[command(flatten)]
    experiment: ExperimentArguments,
    /// Address of the page
    #[arg(long, value_name = "HOST:PORT", value_parser = parsers::listen, default_value = PAGE)]
    page: String,
}

/// Everything after `monju experiment export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    #[command(flatten)]
    experiment: ExperimentArguments,
    /// New folder of the bundle
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Seals the ballots of all games, too, which are many times larger than the games
    #[arg(long)]
    ballots: bool,
}

/// Everything after `monju experiment import`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// Folder of the bundle
    bundle: PathBuf,
    /// An SQLite file, or postgres://user@host/database, without games of the experiment
    #[arg(long, value_name = "FILE|URL", value_parser = StoreAddress)]
    store: Address,
}

impl ExperimentAction {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// The file is wrong, the store or an engine fails, or the run was interrupted.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Run(arguments) => {
                let run = RunCommand {
                    address: arguments.experiment.address(),
                    file: arguments.experiment.file,
                    jobs: arguments.jobs.map(|jobs| jobs as usize),
                    games: arguments.games,
                    lease: Duration::from_secs(arguments.lease.into()),
                    accepted: Accepted {
                        changes: arguments.accept_changes,
                        build: arguments.accept_build,
                    },
                    retry_given_up: arguments.retry_given_up,
                    page: arguments.serve,
                };
                run.run()
            }
            Self::Status(arguments) => {
                let status = StatusCommand {
                    address: arguments.experiment.address(),
                    file: arguments.experiment.file,
                    json: arguments.json,
                };
                status.run()
            }
            Self::Serve(arguments) => {
                let serve = ServeCommand {
                    address: arguments.experiment.address(),
                    file: arguments.experiment.file,
                    page: arguments.page,
                };
                serve.run()
            }
            Self::Export(arguments) => {
                let export = ExportCommand {
                    address: arguments.experiment.address(),
                    file: arguments.experiment.file,
                    out: arguments.out,
                    ballots: arguments.ballots,
                };
                export.run()
            }
            Self::Import(arguments) => {
                let import = ImportCommand {
                    bundle: arguments.bundle,
                    address: arguments.store,
                };
                import.run()
            }
            Self::Report(arguments) => {
                if is_bundle(&arguments.experiment.file) && arguments.experiment.store.is_some() {
                    let what = "a sealed bundle needs no --store; remove it";
                    return Err(Error::raw(ErrorKind::ArgumentConflict, what).into());
                }
                let report = ReportCommand {
                    address: arguments.experiment.address(),
                    file: arguments.experiment.file,
                    out: arguments.out,
                    games: arguments.games,
                    html: arguments.html,
                    machine: arguments.machine,
                    base: arguments.base,
                };
                report.run()
            }
        }
    }
}
