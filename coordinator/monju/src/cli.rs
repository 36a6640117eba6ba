//! The command line of `monju`: arguments are parsed, then resolved into ready objects.

mod analyse;
mod bench;
mod book;
mod consult;
mod csa;
mod danger;
mod doctor;
mod drain;
mod engine;
mod experiment;
mod failure;
mod learn;
mod logging;
mod manual;
mod r#match;
mod mate;
mod parsers;
mod perft;
mod record;
mod services;
mod status;
mod team;
mod tune;
mod usi;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use monju_commands::{
    calibrate::Calibrate,
    certificates::Certificates,
    doctor::Doctor,
    init::Init,
    replay::ReplayCommand,
    services::{CoordinatorService, WorkerService},
};
use monju_proto::{build, certificates::LastDay};
use std::{
    io::{self, IsTerminal},
    path::PathBuf,
    process::ExitCode,
};

/// Version and commit of this build.
const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("MONJU_COMMIT"), ")");

/// Monju: a shogi player made of many players
#[derive(Debug, Parser)]
#[command(name = "monju", version = BUILD, max_term_width = 100, after_help = AFTER_HELP)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
}

const AFTER_HELP: &str = "\
Without a command, and with a standard input that is not a terminal, monju is a USI engine. Logs go to \
standard error; MONJU_LOG=debug shows more of them, MONJU_LOG_FORMAT=json makes a JSON object of each line.";

/// The command to run.
#[derive(Debug, Subcommand)]
enum Command {
    /// Speaks USI with a GUI: one engine to the GUI, many players behind it
    #[command(after_help = monju_usi::proxy_help())]
    Usi(usi::UsiArguments),
    /// Speaks USI as one native player alone: no team, no consultation
    #[command(after_help = monju_usi::engine_help())]
    Engine(engine::EngineArguments),
    /// Consults the players once about a position and prints the ballot
    Consult(consult::ConsultArguments),
    /// Consults the players about every position of a game: comments in KIF and CSA, and a page to look at
    #[command(after_help = analyse::HELP)]
    Analyse(analyse::AnalyseArguments),
    /// Hosts players for coordinators on this or other machines
    Worker(services::WorkerArguments),
    /// Coordinates workers on this or other machines
    Coordinator(services::CoordinatorArguments),
    /// Plays on servers of the CSA protocol, such as floodgate and the World Computer Shogi Championship's
    #[command(override_usage = csa::USAGE, after_help = csa::HELP)]
    Csa(csa::CsaArguments),
    /// Shows the workers and players of a running coordinator; it disturbs no game
    #[command(after_help = status::HELP)]
    Status(status::StatusArguments),
    /// Lets workers finish the questions under way and take no others, for example before their PCs are restarted
    #[command(after_help = drain::HELP)]
    Drain(drain::DrainArguments),
    /// Makes the certificates by which the machines of a team know each other
    #[command(after_help = CERTIFICATES_HELP)]
    Certificates {
        /// New folder to write the certificates to, or the folder of the team to change
        folder: PathBuf,
        /// Makes a folder for each role: a worker's controls nobody, a GUI's the coordinator, an observer's only looks
        #[arg(long)]
        by_role: bool,
        /// Last day of the certificates; default: none
        #[arg(long, value_name = "YYYY-MM-DD", value_parser = parsers::last_day)]
        until: Option<LastDay>,
        /// Revokes all certificates of a member; in a team with one folder, NAME is 'member', and the
        /// certificate that --renew has replaced is revoked
        #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "by_role", value_parser = parsers::member)]
        revoke: Vec<String>,
        /// Makes a new certificate for a member
        #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "by_role", value_parser = parsers::member)]
        renew: Vec<String>,
        /// Makes one more member: a role and a name, such as worker-pc5
        #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "by_role", value_parser = parsers::new_member)]
        add: Vec<String>,
    },
    /// Counts the sequences of legal moves of a given length
    Perft(perft::PerftArguments),
    /// Tells whether a side keeps its material until the position settles (Hiramatsu et al.)
    #[command(after_help = danger::HELP)]
    Danger(danger::DangerArguments),
    /// Looks for a mate by checks alone and prints the whole line
    #[command(after_help = mate::HELP)]
    Mate(mate::MateArguments),
    /// Searches a fixed suite of positions: total nodes (the search's signature) and nodes/second
    #[command(after_help = bench::HELP, after_long_help = bench::long_help())]
    Bench(Box<bench::BenchArguments>),
    /// Makes, searches, shows and converts opening books
    #[command(subcommand)]
    Book(book::BookCommand),
    /// Makes weights for the evaluators, and the data that they are made from
    #[command(subcommand)]
    Learn(learn::LearnCommand),
    /// Checks a configuration against reality (workers, players, engines) and says how to mend it
    Doctor(doctor::DoctorArguments),
    /// Plays, watches and reports experiments: grids of conditions, as in the papers
    #[command(subcommand)]
    Experiment(experiment::ExperimentAction),
    /// Plays two USI engines or native players against each other on paired openings
    #[command(override_usage = r#match::USAGE, after_help = r#match::HELP)]
    Match(Box<r#match::MatchArguments>),
    /// Tunes search parameters by self-play, or screens changes to the search
    #[command(override_usage = tune::USAGE, after_help = tune::HELP)]
    Tune(tune::TuneArguments),
    /// Decides recorded ballots again under any rule, and tabulates the members' votes
    Replay(record::ReplayArguments),
    /// Learns each engine's curve from score to win rate from recorded ballots, and writes it to a file
    Calibrate(record::CalibrateArguments),
    /// Writes the documented configuration, the template of experiments and the examples
    #[command(after_help = INIT_HELP)]
    Init {
        /// Folder to write them to, made where it does not exist; none of the files may be there
        #[arg(default_value = "configs")]
        folder: PathBuf,
    },
    /// Prints the completions of a shell, to be kept where the shell looks for them
    #[command(after_help = manual::COMPLETIONS_HELP)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Writes a manual page for every command
    #[command(after_help = manual::MANUAL_HELP)]
    Manual {
        /// Folder to write them to, such as /usr/local/share/man/man1; made where it does not exist
        folder: PathBuf,
    },
}

const INIT_HELP: &str = "\
Examples: monju init, then monju usi --config configs/three-noise-players.toml
          monju init, then monju experiment run configs/experiments/template.toml";

const CERTIFICATES_HELP: &str = "\
Copy the folder to every machine of the team, in a way that no one else can read: whoever has it is a \
member. Then, with --tls FOLDER or tls = \"FOLDER\" in the configuration, workers and coordinators serve \
members alone, and URLs begin with https://. Machines may change their names and addresses. The keys that make \
and revoke members are in FOLDER-authority: keep that off the team's machines. With --by-role they are in \
FOLDER/authority, and each machine gets the folder of its role alone.";

/// Runs the command that the arguments name. Errors are one line on standard error; the status is
/// 0 when the thing asked for was done, 1 when it was not, 2 when the arguments make no sense.
pub fn main() -> ExitCode {
    build::set(BUILD.to_owned());
    let arguments = match CommandLine::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::refuse(&error),
    };
    let command = match arguments.command {
        Some(command) => command,
        None if io::stdin().is_terminal() => {
            let _ = CommandLine::command().print_help();
            return ExitCode::from(2);
        }
        // Many GUIs cannot pass arguments.
        None => Command::Usi(usi::UsiArguments::default()),
    };
    match command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

impl Command {
    fn run(self) -> anyhow::Result<()> {
        let _log = logging::to_stderr(self.log_level());
        match self {
            Self::Certificates {
                folder,
                by_role,
                until,
                revoke,
                renew,
                add,
            } => {
                let certificates = Certificates {
                    folder,
                    by_role,
                    last_day: until,
                    revoke,
                    renew,
                    add,
                };
                certificates.run()
            }
            Self::Init { folder } => Init { folder }.run(),
            Self::Completions { shell } => manual::print_completions(CommandLine::command(), shell),
            Self::Manual { folder } => manual::write_pages(CommandLine::command(), &folder),
            Self::Perft(arguments) => arguments.resolve()?.run(),
            Self::Danger(arguments) => arguments.resolve()?.run(),
            Self::Mate(arguments) => arguments.resolve()?.run(),
            Self::Bench(arguments) => arguments.run(),
            Self::Experiment(action) => action.run(),
            Self::Match(arguments) => arguments.resolve()?.run(),
            Self::Tune(arguments) => arguments.run(),
            Self::Book(command) => command.run(),
            Self::Learn(command) => command.run(),
            Self::Replay(arguments) => ReplayCommand::from(arguments).run(),
            Self::Calibrate(arguments) => Calibrate::from(arguments).run(),
            Self::Engine(arguments) => monju_commands::engine::run(arguments.into()),
            Self::Usi(arguments) => arguments.resolve().run(),
            Self::Worker(arguments) => WorkerService::from(arguments).run(),
            Self::Coordinator(arguments) => CoordinatorService::from(arguments).run(),
            Self::Doctor(arguments) => Doctor::from(arguments).run(),
            Self::Csa(arguments) => arguments.resolve()?.run(),
            Self::Status(arguments) => arguments.resolve()?.run(),
            Self::Drain(arguments) => arguments.resolve().run(),
            Self::Analyse(arguments) => arguments.resolve()?.run(),
            Self::Consult(arguments) => arguments.resolve()?.run(),
        }
    }

    /// The least severe log lines that the command shows.
    fn log_level(&self) -> &'static str {
        match self {
            Self::Worker(_) | Self::Coordinator(_) => "info",
            Self::Usi(_)
            | Self::Engine(_)
            | Self::Csa(_)
            | Self::Replay(_)
            | Self::Calibrate(_) => "warn",
            // Problems are in the ballot, or in the one line at the end.
            Self::Consult(_)
            | Self::Analyse(_)
            | Self::Status(_)
            | Self::Drain(_)
            | Self::Doctor(_)
            | Self::Certificates { .. }
            | Self::Init { .. }
            | Self::Completions { .. }
            | Self::Manual { .. }
            | Self::Perft(_)
            | Self::Danger(_)
            | Self::Mate(_)
            | Self::Bench(_)
            | Self::Experiment(_)
            | Self::Match(_)
            | Self::Tune(_)
            | Self::Book(_)
            | Self::Learn(_) => "error",
        }
    }
}

#[cfg(test)]
mod tests;
