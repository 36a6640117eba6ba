//! The command line of `monju tune`.

use super::parsers::{even, no_sense, positive};
use clap::Args;
use monju_commands::tune::{ScreenCommand, TuneCommand};
use monju_engine::{EvaluatorChoice, SearchChoices, SearchOptionsError};
use monju_experiment::{
    paired_match::name_of_store,
    spsa::TunedParameter,
    statistics::{EloModel, MINIMUM_PAIRS, Sprt},
    store::Address,
    tuning::Screening,
};
use std::{num::NonZeroUsize, path::PathBuf, thread};

/// Usage of the command, which is wider than a terminal on one line.
pub const USAGE: &str = "\
monju tune --state <FILE> --openings <FILE> [OPTIONS]
                  <NUMBER|CHANGE>...";

/// Text below the options in the help.
pub const HELP: &str = "\
Without --screen, numbers of the search are tuned by SPSA: NAME:STEP varies a number by STEP, which should \
change the strength by some ten Elo. The result is a function of the arguments, for any number of jobs, \
and has still to win a match against the defaults. 'monju bench --help' lists the numbers.

With --screen, every NAME=VALUE,… is a change that plays against the search as it is until a sequential \
test has decided between --elo0 and --elo1.

Examples: monju tune --state tune.json --openings configs/openings/records2016_24ply.sfen \\
              margin_scale:10 reduction_divisor:20
          monju tune --screen --state screen.db --openings configs/openings/records2016_24ply.sfen \\
              probcut=0 mate_search=2,mate_defence=25";

/// Everything after `monju tune`.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// Numbers to tune, as NAME:STEP or NAME:STEP:START; with --screen, changes, as NAME=VALUE,…
    #[arg(required = true, value_name = "NUMBER|CHANGE")]
    parameters: Vec<String>,
    /// File of the state, from which the same arguments go on; with --screen, the store of the games
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Openings, one 'startpos moves …' or 'sfen …' a line; each is played with both colours. The last fifth is held
    /// out, for 'monju match --held-out'
    #[arg(long, value_name = "FILE")]
    openings: PathBuf,
    /// Static evaluation of both sides, or one with the weights of a file: NAME:FILE
    #[arg(long, value_name = "NAME", default_value_t)]
    evaluator: EvaluatorChoice,
    /// Nodes of each move
    #[arg(long, value_name = "N", default_value = "25000",
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seed of all random choices
    #[arg(long, default_value = "1")]
    seed: u32,
    /// Games at the same time; default: one per core
    #[arg(long, alias = "concurrency", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Updates of the numbers
    #[arg(
        long,
        value_name = "N",
        default_value = "200",
        conflicts_with = "screen",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    updates: u32,
    /// Pairs of games before each update
    #[arg(
        long,
        value_name = "N",
        default_value = "16",
        conflicts_with = "screen",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pairs: u32,
    /// Steps by which a point moves a number in the last update
    #[arg(
        long,
        value_name = "STEPS",
        default_value = "0.01",
        conflicts_with = "screen",
        value_parser = positive
    )]
    gain: f64,
    /// Goes on with a state that another build has made
    #[arg(long, conflicts_with = "screen")]
    accept_build: bool,
    /// Tests changes of the search, each against the search as it is
    #[arg(long)]
    screen: bool,
    /// Largest number of games for a change
    #[arg(long, value_name = "N", default_value = "2000", requires = "screen",
          value_parser = even)]
    games: u32,
    /// Normalized Elo difference that the test rejects in favour of --elo1
    #[arg(
        long,
        value_name = "ELO",
        default_value = "0",
        requires = "screen",
        allow_negative_numbers = true
    )]
    elo0: f64,
    /// Normalized Elo difference that the test accepts
    #[arg(
        long,
        value_name = "ELO",
        default_value = "10",
        requires = "screen",
        allow_negative_numbers = true
    )]
    elo1: f64,
}

impl TuneArguments {
    /// Runs the tuning or the screening.
    ///
    /// # Errors
    /// The arguments are wrong, a game failed, or it was interrupted.
    pub fn run(self) -> anyhow::Result<()> {
        let jobs = match self.jobs {
            Some(jobs) => jobs as usize,
            None => thread::available_parallelism().map_or(1, NonZeroUsize::get),
        };
        if self.screen {
            let changes: Vec<SearchChoices> = self
                .parameters
                .iter()
                .map(|text| text.parse())
                .collect::<Result<_, SearchOptionsError>>()
                .map_err(|error| no_sense(error.to_string()))?;
            let screening = Screening {
                name: name_of_store(&self.state),
                changes,
                evaluator: self.evaluator,
                nodes: self.nodes,
                games: self.games,
                seed: self.seed,
                openings: self.openings,
                stop: Sprt {
                    model: EloModel::Normalized,
                    elo0: self.elo0,
                    elo1: self.elo1,
                    alpha: 0.05,
                    beta: 0.05,
                    minimum_pairs: MINIMUM_PAIRS,
                },
            };
            let checked = screening.stop.check();
            checked.map_err(|error| no_sense(error.to_string()))?;
            let screen = ScreenCommand {
                screening,
                address: Address::Sqlite(self.state),
                jobs,
            };
            return screen.run();
        }
        let parameters = TunedParameter::parse_all(&self.parameters, self.evaluator.kind)
            .map_err(|error| no_sense(error.to_string()))?;
        let tune = TuneCommand {
            parameters,
            words: self.parameters,
            state: self.state,
            openings: self.openings,
            evaluator: self.evaluator,
            nodes: self.nodes,
            updates: self.updates as usize,
            pairs: self.pairs as usize,
            gain: self.gain,
            seed: self.seed,
            jobs,
            accepts_builds: self.accept_build,
        };
        tune.run()
    }
}

#[cfg(test)]
mod tests {
    use super::super::CommandLine;
    use clap::{Parser, error::ErrorKind};

    #[test]
    fn a_seed_of_which_a_part_would_be_lost_is_refused() {
        let parse = |seed: &str| {
            let words = "monju tune --state a --openings b margin_scale:10 --seed";
            CommandLine::try_parse_from(words.split(' ').chain([seed]))
        };
        parse("4294967295").expect("32 bits");
        for seed in ["4294967296", "9223372036854775808"] {
            let refused = parse(seed).expect_err("more than 32 bits");
            assert_eq!(refused.kind(), ErrorKind::ValueValidation, "{refused}");
        }
    }
}
