//! The command line of `monju learn searches`.

use super::super::parsers;
use clap::{Args, builder::RangedU64ValueParser};
use monju_engine::{EvaluatorChoice, PlayerSettings, search::MoveJudgement};
use monju_host::load_evaluator;
use monju_learn::searches::{Sampling, SearchGamesSettings, SearchesRun};
use std::path::PathBuf;

pub const SEARCHES_HELP: &str = "\
Both sides search every move to the last node, and the log keeps each iteration on the way: depth, nodes, \
score, variation, and the share of its nodes below the best move. The same options give the same log. \
Started again with them, the command continues it, which also grows with more --games. FILE.recipe beside \
it has the options.

'monju learn time-control' learns from it when a search may end. With --samples, it has samples of moves too: \
searched reduced and in full, for 'monju learn reductions', or near the margin of futility pruning, for \
'monju learn margins', or nodes that a move has cut, for 'monju learn ordering'.";

/// Everything after `monju learn searches`.
#[derive(Debug, Args)]
pub struct SearchesArguments {
    /// The log to write or to continue
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Openings, one 'startpos moves …' a line; each is played once, in an order that the seed shuffles
    #[arg(long, value_name = "FILE")]
    openings: PathBuf,
    /// Number of games to reach
    #[arg(long, value_name = "N", default_value = "200")]
    games: usize,
    /// Nodes per move
    #[arg(long, default_value = SearchGamesSettings::default().nodes.to_string(),
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Evaluator: material, linear or nnue, or NAME:FILE for one with the weights of a file
    #[arg(long, value_name = "NAME", default_value_t)]
    evaluator: EvaluatorChoice,
    /// Standard deviation of the evaluation noise in centipawns
    #[arg(long, value_name = "S", default_value = "0")]
    sigma: f64,
    /// Players of each side, which differ by their noise; every search of each is logged, and the move that most
    /// of them name is played
    #[arg(long, value_name = "N", default_value = SearchGamesSettings::default().players.to_string(),
          value_parser = clap::value_parser!(u16).range(1..=256))]
    players: u16,
    /// Seed of the order of the openings
    #[arg(long, default_value = SearchGamesSettings::default().seed.to_string())]
    seed: u64,
    /// Length at which a game ends
    #[arg(long, value_name = "PLIES", default_value = SearchGamesSettings::default().maximum_plies.to_string(),
          value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    maximum_plies: usize,
    /// Lead in centipawns that ends a game when four searches in a row, of both sides, agree on it; 0 for none
    #[arg(long, value_name = "SCORE", default_value = SearchGamesSettings::default().decided_score.to_string(),
          value_parser = clap::value_parser!(i32).range(0..))]
    decided_score: i32,
    /// Also takes samples of moves, from which a judgement of the search is learned; this changes the
    /// searches a little
    #[arg(long, value_name = "JUDGEMENT")]
    samples: Option<MoveJudgement>,
    /// Samples one move in N; with --samples ordering, one node in N
    #[arg(long, value_name = "N", default_value = "50", requires = "samples",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    sample_every: u32,
    /// Transposition table of each player in MiB
    #[arg(long, value_name = "MIB", default_value = SearchGamesSettings::default().player.hash_mib.to_string(),
          value_parser = parsers::table_mib::<usize>())]
    hash: usize,
}

impl TryFrom<SearchesArguments> for SearchesRun {
    type Error = anyhow::Error;

    fn try_from(arguments: SearchesArguments) -> anyhow::Result<Self> {
        Ok(Self {
            output: arguments.output,
            games: arguments.games,
            openings: arguments.openings,
            settings: SearchGamesSettings {
                player: PlayerSettings {
                    evaluator: load_evaluator(&arguments.evaluator)?,
                    sigma: arguments.sigma,
                    hash_mib: arguments.hash,
                    ..PlayerSettings::default()
                },
                players: arguments.players.into(),
                nodes: arguments.nodes,
                seed: arguments.seed,
                maximum_plies: arguments.maximum_plies,
                sampling: arguments.samples.map(|judgement| Sampling {
                    judgement,
                    every: arguments.sample_every,
                }),
                decided_score: arguments.decided_score,
            },
        })
    }
}
