//! The command line of `monju learn`.

mod convert;
mod linear;
mod material;
mod nnue;

use crate::commands::learn::{
    convert::ConvertRun, linear::LinearRun, material::MaterialRun, nnue::NetworkRun,
    records::RecordsRun, selfplay::SelfPlayRun,
};
use clap::Subcommand;

/// What to make.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Reads games of several formats, checks every move, and writes those that learners can use
    #[command(after_help = linear::RECORDS_HELP)]
    Records(linear::RecordsArguments),
    /// Learns the evaluator 'linear' from game records (the Bonanza method)
    #[command(after_help = linear::LINEAR_HELP)]
    Linear(linear::LinearArguments),
    /// Plays games against itself, and writes their positions with score, best move and result
    #[command(after_help = nnue::SELF_PLAY_HELP)]
    Selfplay(nnue::SelfPlayArguments),
    /// Learns values of pieces by square from such positions: the evaluator 'material'
    #[command(after_help = material::MATERIAL_HELP)]
    Material(material::MaterialArguments),
    /// Trains a network on such positions: the evaluator 'nnue', and a nn.bin for other engines
    #[command(after_help = nnue::NETWORK_HELP)]
    Nnue(nnue::NetworkArguments),
    /// Writes a network in another format
    #[command(after_help = convert::CONVERT_HELP)]
    Convert(convert::ConvertArguments),
}

impl Command {
    /// Makes it.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Records(arguments) => RecordsRun::from(arguments).run(),
            Self::Linear(arguments) => LinearRun::from(arguments).run(),
            Self::Selfplay(arguments) => SelfPlayRun::try_from(arguments)?.run(),
            Self::Material(arguments) => MaterialRun::from(arguments).run(),
            Self::Nnue(arguments) => NetworkRun::from(arguments).run(),
            Self::Convert(arguments) => ConvertRun::from(arguments).run(),
        }
    }
}
