//! The arguments that choose a team.

use super::parsers;
use clap::Args;
use monju_coordinator::{
    choices::ConsultationChoices, clock::TimePolicy, pondering::Pondering, voting::Rule,
};
use monju_engine::{EvaluatorChoice, eval::Sigma};
use monju_team::team::Choices;
use std::path::PathBuf;

/// The team that a command asks.
#[derive(Debug, Default, Args)]
pub struct TeamArguments {
    /// Configuration; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A running coordinator, such as http://127.0.0.1:7410, instead of players in this process; a second one
    /// takes over when the first fails
    #[arg(long = "coordinator", value_name = "URL", value_parser = parsers::url)]
    coordinators: Vec<String>,
    /// Native noise players in this process, in place of the configured native ones; default: one per core, 3 to 16
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(parsers::PLAYERS))]
    players: Option<u32>,
    /// Standard deviation of their noise: centipawns, or '1/4 pawn exchange'; default: 50
    #[arg(long, value_name = "S", value_parser = parsers::sigma, allow_negative_numbers = true)]
    sigma: Option<Sigma>,
    /// Evaluator: material, linear or nnue, or NAME:FILE for one with the weights of a file
    #[arg(long, value_name = "NAME")]
    evaluator: Option<EvaluatorChoice>,
    /// Threads of each native player in this process; default: 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(parsers::THREADS))]
    threads: Option<u32>,
    /// Voting rule
    #[arg(long, value_parser = parsers::named::<Rule>())]
    rule: Option<Rule>,
    /// Name of the player that some rules follow, and that decides ties
    #[arg(long, value_name = "PLAYER")]
    primary: Option<String>,
    /// Policy by which the time on a clock is spent
    #[arg(long, alias = "tempo", value_name = "POLICY", value_parser = parsers::named::<TimePolicy>())]
    time_policy: Option<TimePolicy>,
    /// What to ponder on: the predicted reply, each player's own prediction (spread), or the opponent's position
    #[arg(long, value_parser = parsers::named::<Pondering>())]
    pondering: Option<Pondering>,
    /// Transposition tables of all native players together, in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,
    /// Appends every decided ballot to this file, as a line of JSON
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Opening book: one of 'monju book', or a .db of YaneuraOu
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Leaves the configured opening book aside
    #[arg(long, conflicts_with = "book")]
    no_book: bool,
    /// Folder of the team's certificates, for URLs with https; see 'monju certificates'
    #[arg(long, value_name = "FOLDER")]
    tls: Option<PathBuf>,
}

impl TeamArguments {
    /// Tells whether an opening book is named.
    pub fn names_book(&self) -> bool {
        self.book.is_some()
    }
}

impl From<TeamArguments> for Choices {
    fn from(arguments: TeamArguments) -> Self {
        let mut coordinators = arguments.coordinators.into_iter();
        Self {
            config: arguments.config,
            coordinator: coordinators.next(),
            standby: coordinators.collect(),
            players: arguments.players,
            sigma: arguments.sigma,
            evaluator: arguments.evaluator,
            consultation: ConsultationChoices {
                rule: arguments.rule,
                time_policy: arguments.time_policy,
                pondering: arguments.pondering,
                primary: arguments.primary,
                without_book: arguments.no_book,
                book_plies: None,
            },
            threads: arguments.threads,
            resign_below: None,
            hash_mib: arguments.hash,
            log: arguments.log,
            book: arguments.book,
            tls: arguments.tls,
        }
    }
}
