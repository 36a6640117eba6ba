//! The command line of `monju`: arguments are parsed, then resolved into ready objects.

mod bench;
mod experiment;
mod learn;
mod r#match;
mod record;
mod tune;

use crate::commands::{
    calibrate::Calibrate,
    certificates::Certificates,
    consult::Consult,
    doctor::Doctor,
    perft::Perft,
    replay::ReplayCommand,
    services::{CoordinatorService, WorkerService},
};
use anyhow::{Context, bail};
use clap::{Args, CommandFactory, Parser, Subcommand, error::ErrorKind};
use monju_coordinator::{
    choices::ConsultationChoices, clock::TimePolicy, pondering::Pondering, voting::Rule,
};
use monju_engine::{EvaluatorChoice, eval::Sigma};
use monju_host::DEFAULT_HASH_MIB;
use monju_team::signals;
use monju_team::team::Choices;
use monju_usi::{self, engine::EngineChoices};
use std::{
    env,
    io::{self, IsTerminal},
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::{Layer as _, filter::Targets, prelude::*};

/// Searches that are still running at the end are not waited for any longer.
const SHUTDOWN_PATIENCE: Duration = Duration::from_millis(500);

/// Monju: a shogi player made of many players.
#[derive(Debug, Parser)]
#[command(name = "monju", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const AFTER_HELP: &str = "\
Without a command, and with standard input that is not a terminal, monju is a USI engine.
Logs go to standard error; MONJU_LOG=debug shows more of them.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Speaks USI with a GUI: one engine to the GUI, many players behind it
    #[command(after_help = monju_usi::proxy_help())]
    Usi(TeamArguments),
    /// Speaks USI as one native player alone: no team, no consultation
    #[command(after_help = monju_usi::engine_help())]
    Engine(EngineArguments),
    /// Consults once about a position and prints the ballot
    Consult(ConsultArguments),
    /// Hosts players for coordinators on this or other machines
    Worker(WorkerArguments),
    /// Coordinates workers on this or other machines
    Coordinator(CoordinatorArguments),
    /// Makes the certificates by which the machines of a team know each other
    #[command(after_help = CERTIFICATES_HELP)]
    Certificates {
        /// Where they go; it must hold none yet
        folder: PathBuf,
    },
    /// Counts the positions that a number of legal moves leads to
    Perft(PerftArguments),
    /// Searches a fixed suite of positions: total nodes (the search's signature) and nodes/second
    #[command(after_help = bench::HELP, after_long_help = bench::long_help())]
    Bench(Box<bench::Arguments>),
    /// Makes weights for the evaluators, and what they are made from
    #[command(subcommand)]
    Learn(learn::LearnCommand),
    /// Checks a configuration against reality: workers, players, engines; says what to mend
    Doctor(DoctorArguments),
    /// Plays, watches and reports experiments: grids of conditions, as in the papers
    #[command(subcommand)]
    Experiment(experiment::ExperimentAction),
    /// Plays two USI engines or native players against each other on paired openings
    #[command(after_help = r#match::HELP)]
    Match(Box<r#match::MatchArguments>),
    /// Tunes numbers of the search by games against itself, or screens changes of it
    #[command(after_help = tune::HELP)]
    Tune(tune::TuneArguments),
    /// Decides recorded ballots again under any rule, and tabulates who votes how
    Replay(record::ReplayArguments),
    /// Learns each engine's win rates by score from recorded ballots, and writes them to a file
    Calibrate(record::CalibrateArguments),
}

const CERTIFICATES_HELP: &str = "\
Copy the folder to every machine of the team, by a way that nobody else reads: whoever has it is a
member. Then, with --tls FOLDER or tls = \"FOLDER\" in the configuration, workers and coordinators
serve members alone, and URLs begin with https://. Machines may change their names and addresses.";

#[derive(Debug, Default, Args)]
struct TeamArguments {
    /// Configuration; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A running coordinator, such as http://127.0.0.1:7410, instead of players in this process
    #[arg(long, value_name = "URL")]
    coordinator: Option<String>,
    /// Native noise players in this process; default: one per core, 3 to 16
    #[arg(long, value_name = "M")]
    players: Option<u32>,
    /// Standard deviation of their noise: centipawns, or '1/4 pawn exchange'; default: 50
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    sigma: Option<Sigma>,
    /// Static evaluation, or one with the weights of a file: NAME:FILE
    #[arg(long, value_name = "NAME")]
    evaluator: Option<EvaluatorChoice>,
    /// Voting rule, such as majority, weighted, ranked, single or hand-over; configs/monju.toml lists all
    #[arg(long)]
    rule: Option<Rule>,
    /// How the time on a clock is spent: fixed, decided or agreement
    #[arg(long, alias = "tempo", value_name = "POLICY")]
    time_policy: Option<TimePolicy>,
    /// What is pondered on: predicted (all on one reply) or spread (each on the one it expects)
    #[arg(long)]
    pondering: Option<Pondering>,
    /// Transposition tables of all native players together, in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,
    /// Appends every decided ballot to this file, as a line of JSON
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Folder of the team's certificates, for URLs with https; see 'monju certificates'
    #[arg(long, value_name = "FOLDER")]
    tls: Option<PathBuf>,
}

impl From<TeamArguments> for Choices {
    fn from(arguments: TeamArguments) -> Self {
        Self {
            config: arguments.config,
            coordinator: arguments.coordinator,
            players: arguments.players,
            sigma: arguments.sigma,
            evaluator: arguments.evaluator,
            consultation: ConsultationChoices {
                rule: arguments.rule,
                time_policy: arguments.time_policy,
                pondering: arguments.pondering,
            },
            hash_mib: arguments.hash,
            log: arguments.log,
            tls: arguments.tls,
        }
    }
}

#[derive(Debug, Args)]
struct EngineArguments {
    /// Transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_HASH_MIB,
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// Standard deviation of the evaluation noise: centipawns, or '1/4 pawn exchange'
    #[arg(long, value_name = "S", default_value_t, allow_negative_numbers = true)]
    sigma: Sigma,
    /// Static evaluation, or one with the weights of a file: NAME:FILE
    #[arg(long, value_name = "NAME", default_value_t)]
    evaluator: EvaluatorChoice,
    /// Seed of the noise, the same in every game; default: every game has its own
    #[arg(long)]
    seed: Option<u64>,
}

impl From<EngineArguments> for EngineChoices {
    fn from(arguments: EngineArguments) -> Self {
        Self {
            hash_mib: arguments.hash,
            sigma: arguments.sigma,
            evaluator: arguments.evaluator,
            seed: arguments.seed,
        }
    }
}

#[derive(Debug, Args)]
struct ConsultArguments {
    /// startpos, startpos moves …, sfen …, or a bare SFEN; default: startpos
    position: Vec<String>,
    #[command(flatten)]
    team: TeamArguments,
    /// Seed of ties and noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Nodes per player
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Iterations per player
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Thinking time in milliseconds; default: 1000, unless there is another limit
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl From<ConsultArguments> for Consult {
    fn from(arguments: ConsultArguments) -> Self {
        Self {
            position: arguments.position.join(" "),
            choices: arguments.team.into(),
            seed: arguments.seed,
            nodes: arguments.nodes,
            depth: arguments.depth,
            time_ms: arguments.time,
            json: arguments.json,
        }
    }
}

#[derive(Debug, Args)]
struct WorkerArguments {
    /// Configuration; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where to listen; default: 127.0.0.1:7411
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// What rosters and ballots call this worker
    #[arg(long)]
    name: Option<String>,
    /// Native noise players, instead of the configured players
    #[arg(long, value_name = "M")]
    players: Option<u32>,
    /// Standard deviation of their noise: centipawns, or '1/4 pawn exchange'
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    sigma: Option<Sigma>,
    /// Static evaluation, or one with the weights of a file: NAME:FILE
    #[arg(long, value_name = "NAME")]
    evaluator: Option<EvaluatorChoice>,
    /// Folder of the team's certificates; nobody else is served then. See 'monju certificates'
    #[arg(long, value_name = "FOLDER")]
    tls: Option<PathBuf>,
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
            tls: arguments.tls,
        }
    }
}

#[derive(Debug, Args)]
struct CoordinatorArguments {
    /// Configuration; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where to listen; default: 127.0.0.1:7410
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// A worker, such as http://127.0.0.1:7411; repeat it for several
    #[arg(long = "worker", value_name = "URL", num_args = 1..)]
    workers: Vec<String>,
    /// Voting rule, such as majority, weighted, ranked, single or hand-over; configs/monju.toml lists all
    #[arg(long)]
    rule: Option<Rule>,
    /// Appends every decided ballot to this file, as a line of JSON
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Folder of the team's certificates, for URLs with https; see 'monju certificates'
    #[arg(long, value_name = "FOLDER")]
    tls: Option<PathBuf>,
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
        }
    }
}

#[derive(Debug, Args)]
struct DoctorArguments {
    /// Configuration; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Milliseconds that every player gets for its test move
    #[arg(long, value_name = "MS", default_value_t = 2_000,
          value_parser = clap::value_parser!(u64).range(100..=600_000))]
    time: u64,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl From<DoctorArguments> for Doctor {
    fn from(arguments: DoctorArguments) -> Self {
        Self {
            config: arguments.config,
            test_time: Duration::from_millis(arguments.time),
            json: arguments.json,
        }
    }
}

#[derive(Debug, Args)]
struct PerftArguments {
    /// The position (default: startpos), and the depth in plies at the end
    #[arg(required = true, value_name = "POSITION DEPTH")]
    words: Vec<String>,
    /// Shows the count below every move, too
    #[arg(long)]
    divide: bool,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl PerftArguments {
    fn resolve(self) -> anyhow::Result<Perft> {
        let (last, position) = self
            .words
            .split_last()
            .map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
        let Ok(depth) = last.parse() else {
            bail!(
                "'{last}' is no depth; expected a number of plies at the end, as in: perft startpos 5"
            );
        };
        Ok(Perft {
            position: position.join(" "),
            depth,
            divide: self.divide,
            json: self.json,
        })
    }
}

/// Runs the command that the arguments name. Errors are one line on standard error; the status is
/// 0 when the thing asked for was done, 1 when it was not, 2 when the arguments make no sense.
pub fn main() -> ExitCode {
    let arguments = match Cli::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    let command = match arguments.command {
        Some(command) => command,
        None if io::stdin().is_terminal() => {
            let _ = Cli::command().print_help();
            return ExitCode::from(2);
        }
        // Many GUIs cannot pass arguments.
        None => Command::Usi(TeamArguments::default()),
    };
    match execute(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("monju: {}", one_line(&error));
            ExitCode::FAILURE
        }
    }
}

/// An error and its causes; those that the text names already are not named again.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if line.is_empty() {
            line = cause;
        } else if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    line.replace('\n', " ")
}

/// Shows help and versions as they are, and what is wrong with the arguments as one line.
fn refuse(error: &clap::Error) -> ExitCode {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    match error.kind() {
        DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
        _ => {
            let text = error.to_string();
            let lines = text.lines().take_while(|line| !line.trim().is_empty());
            let words: Vec<&str> = lines.map(str::trim).collect();
            let line = words.join(" ");
            let line = line.strip_prefix("error: ").unwrap_or(&line);
            eprintln!("monju: {line}; see --help");
            ExitCode::from(2)
        }
    }
}

fn execute(command: Command) -> anyhow::Result<()> {
    let _log = log_to_stderr(match command {
        Command::Worker(_) | Command::Coordinator(_) => "info",
        Command::Usi(_) | Command::Engine(_) | Command::Replay(_) | Command::Calibrate(_) => "warn",
        // What goes wrong is in the ballot, or in the one line at the end.
        Command::Consult(_)
        | Command::Doctor(_)
        | Command::Certificates { .. }
        | Command::Perft(_)
        | Command::Bench(_)
        | Command::Experiment(_)
        | Command::Match(_)
        | Command::Tune(_)
        | Command::Learn(_) => "error",
    });
    match command {
        Command::Certificates { folder } => Certificates { folder }.run(),
        Command::Perft(arguments) => arguments.resolve()?.run(),
        Command::Bench(arguments) => arguments.run(),
        Command::Experiment(action) => block_on(action.run()),
        Command::Match(arguments) => block_on(arguments.resolve()?.run()),
        Command::Tune(arguments) => block_on(arguments.run()),
        Command::Learn(command) => command.run(),
        Command::Replay(arguments) => ReplayCommand::from(arguments).run(),
        Command::Calibrate(arguments) => Calibrate::from(arguments).run(),
        Command::Engine(arguments) => {
            block_on(async { Ok(monju_usi::run_engine(arguments.into()).await?) })
        }
        Command::Usi(arguments) => block_on(async { Ok(monju_usi::run(arguments.into()).await?) }),
        Command::Worker(arguments) => block_on(WorkerService::from(arguments).run()),
        Command::Coordinator(arguments) => block_on(CoordinatorService::from(arguments).run()),
        Command::Doctor(arguments) => block_on(async {
            tokio::select! {
                outcome = Doctor::from(arguments).run() => outcome,
                () = signals::termination() => bail!("interrupted"),
            }
        }),
        Command::Consult(arguments) => block_on(async {
            tokio::select! {
                outcome = Consult::from(arguments).run() => outcome,
                () = signals::termination() => bail!("interrupted"),
            }
        }),
    }
}

fn block_on(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let outcome = runtime.block_on(command);
    runtime.shutdown_timeout(SHUTDOWN_PATIENCE);
    outcome
}

/// Logs at `default` and above, or as `MONJU_LOG` says, as `LEVEL` or `TARGET=LEVEL,…`, for as long as
/// the guard lives. A GUI that never reads standard error must not stop the clock, so the log has a
/// thread of its own, and lines that find it stuck are dropped.
fn log_to_stderr(default: &str) -> WorkerGuard {
    let chosen = env::var("MONJU_LOG").unwrap_or_else(|_| default.to_owned());
    // HTTP/2 logs every frame, which would drown everything else; errors of databases are in our own errors.
    let quiet = "h2=warn,hyper=warn,tower=warn,sqlx=off";
    let filter = format!("{quiet},{chosen}")
        .parse::<Targets>()
        .or_else(|_| format!("{quiet},{default}").parse())
        .unwrap_or_default();
    let (writer, guard) = tracing_appender::non_blocking(io::stderr());
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(writer)
        .with_ansi(io::stderr().is_terminal());
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .init();
    guard
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Command {
        let arguments = ["monju"].iter().chain(arguments);
        let cli = Cli::try_parse_from(arguments).expect("understood");
        cli.command.expect("a command")
    }

    #[test]
    fn errors_are_one_line_that_says_everything_once() {
        let cause = anyhow::anyhow!("no such file");
        let error = cause.context("cannot read 'a': no such file");
        assert_eq!(
            one_line(&error.context("position 'b'\nof c")),
            "position 'b' of c: cannot read 'a': no such file"
        );
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_position_may_be_several_words() {
        let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        let words: Vec<&str> = ["consult", "sfen"]
            .into_iter()
            .chain(sfen.split(' '))
            .collect();
        let Command::Consult(arguments) = parse(&[&words[..], &["--nodes", "9"]].concat()) else {
            panic!("another command")
        };
        let consult = Consult::from(arguments);
        assert_eq!(consult.position, format!("sfen {sfen}"));
        assert_eq!((consult.nodes, consult.seed), (Some(9), 1));
    }

    #[test]
    fn perft_takes_its_depth_from_the_end() {
        let resolve = |words: &[&str]| match parse(&[&["perft"], words].concat()) {
            Command::Perft(arguments) => arguments.resolve(),
            _ => panic!("another command"),
        };
        let perft = resolve(&["startpos", "moves", "7g7f", "4"]).expect("understood");
        assert_eq!(
            (perft.position.as_str(), perft.depth),
            ("startpos moves 7g7f", 4)
        );
        assert_eq!(resolve(&["5"]).expect("understood").position, "");
        assert!(resolve(&["startpos"]).is_err());
    }
}
