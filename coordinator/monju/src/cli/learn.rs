//! The command line of `monju learn`.

mod convert;
mod linear;
mod material;
mod move_judges;
mod nnue;
mod ordering;
mod records;
mod searches;
mod self_play;
mod time_control;

use clap::Subcommand;
use monju_commands::learn;
use monju_engine::search::MoveJudgement;

/// Evaluators and their training data.
#[derive(Debug, Subcommand)]
pub enum LearnCommand {
    /// Imports game records of several formats, checks every move, and writes a file for 'learn linear'
    #[command(after_help = records::RECORDS_HELP)]
    Records(records::RecordsArguments),
    /// Trains the evaluator 'linear' on game records (the Bonanza method)
    #[command(after_help = linear::LINEAR_HELP)]
    Linear(linear::LinearArguments),
    /// Plays games against itself, and writes their positions with score, best move and result
    #[command(after_help = self_play::SELF_PLAY_HELP)]
    Selfplay(self_play::SelfPlayArguments),
    /// Plays games against itself, and logs every iteration of their searches
    #[command(after_help = searches::SEARCHES_HELP)]
    Searches(searches::SearchesArguments),
    /// Trains the evaluator 'material' on positions of 'learn selfplay': piece values by square
    #[command(after_help = material::MATERIAL_HELP)]
    Material(material::MaterialArguments),
    /// Trains a network for 'nnue' on positions of 'learn selfplay'; --nn-bin writes it for other engines, too
    #[command(after_help = nnue::NETWORK_HELP)]
    Nnue(nnue::NetworkArguments),
    /// Learns from logs of 'learn searches' when a search may end
    #[command(after_help = time_control::TIME_CONTROL_HELP)]
    TimeControl(time_control::TimeControlArguments),
    /// Learns from samples of late moves which of them may be reduced more, and which less
    #[command(after_help = move_judges::REDUCTIONS_HELP)]
    Reductions(move_judges::MoveJudgeArguments),
    /// Learns margins of futility pruning from samples of moves near them
    #[command(after_help = move_judges::MARGINS_HELP)]
    Margins(move_judges::MoveJudgeArguments),
    /// Learns a better order of moves from nodes that a move has cut
    #[command(after_help = ordering::ORDERING_HELP)]
    Ordering(ordering::OrderingArguments),
    /// Writes a network in another format
    #[command(after_help = convert::CONVERT_HELP)]
    Convert(convert::LearnConvertArguments),
}

impl LearnCommand {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Records(arguments) => learn::records(&arguments.into()),
            Self::Linear(arguments) => learn::linear(&arguments.into()),
            Self::Selfplay(arguments) => learn::self_play(&arguments.try_into()?),
            Self::Searches(arguments) => learn::searches(&arguments.try_into()?),
            Self::Material(arguments) => learn::material(&arguments.into()),
            Self::Nnue(arguments) => learn::nnue(&arguments.into()),
            Self::TimeControl(arguments) => learn::time_control(&arguments.into()),
            Self::Reductions(arguments) => {
                learn::move_judge(&arguments.run(MoveJudgement::Reductions))
            }
            Self::Margins(arguments) => learn::move_judge(&arguments.run(MoveJudgement::Margins)),
            Self::Ordering(arguments) => learn::ordering(&arguments.into()),
            Self::Convert(arguments) => learn::convert(&arguments.into()),
        }
    }
}
