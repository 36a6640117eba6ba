//! The command lines of `monju learn reductions` and `monju learn margins`.

use clap::Args;
use monju_engine::search::MoveJudgement;
use monju_learn::{
    DescentSettings,
    move_judges::{MoveJudgeRun, MoveJudgeTraining},
};
use std::path::PathBuf;

pub const REDUCTIONS_HELP: &str = "\
Learns which late moves may be reduced more and which less (Shimoyama, section 8), in a few seconds, from the \
samples of 'monju learn searches --samples reductions'. The games of every fourth opening are held out: on their samples it \
prints how many of the moves that a reduction hides are among those that the judge would reduce by one \
ply more. The same logs and options give the same weights; FILE.recipe beside them has the options. They \
are used with the search option learned_reduction; the program carries those of \
engine/weights/reductions.bin: to play with others, build it with them in that place.";

pub const MARGINS_HELP: &str = "\
Learns margins of futility pruning (Shimoyama, section 7), in a few seconds, from the samples of \
'monju learn searches --samples margins'. The games of every fourth opening are held out: on their samples it prints how many \
of the moves that beat alpha are among those that would be pruned, by the usual margin and by the \
learned one. The same logs and options give the same weights; FILE.recipe beside them has the options. \
They are used with the search option learned_margin; the program carries those of \
engine/weights/margins.bin: to play with others, build it with them in that place.";

/// Everything after the name of a judge of moves.
#[derive(Debug, Args)]
pub struct MoveJudgeArguments {
    /// Logs with samples, as 'monju learn searches' writes them
    #[arg(required = true)]
    logs: Vec<PathBuf>,
    /// The weights to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Number of epochs
    #[arg(long, value_name = "N", default_value = MoveJudgeTraining::default().regression.epochs.to_string(),
          value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Samples in a minibatch
    #[arg(long, value_name = "N", default_value = MoveJudgeTraining::default().regression.batch.to_string())]
    batch: usize,
    /// Initial learning rate; it falls by an equal share from epoch to epoch, to one share in the last
    #[arg(long, default_value = MoveJudgeTraining::default().regression.rate.to_string())]
    rate: f64,
    /// Weight of a needless search against a good move that is missed, from 0 to 1
    #[arg(long, default_value = MoveJudgeTraining::default().waste.to_string())]
    waste: f64,
    /// Additional weight of a hidden move at the end of a game
    #[arg(long, default_value = MoveJudgeTraining::default().late.to_string())]
    late: f64,
    /// Weight of half the squares of the weights
    #[arg(long, default_value = MoveJudgeTraining::default().regression.penalty.to_string())]
    penalty: f64,
    /// Seed of the order of the samples
    #[arg(long, default_value = MoveJudgeTraining::default().regression.seed.to_string())]
    seed: u64,
}

impl MoveJudgeArguments {
    /// Returns the run that learns a judgement.
    pub fn run(self, judgement: MoveJudgement) -> MoveJudgeRun {
        MoveJudgeRun {
            judgement,
            logs: self.logs,
            output: self.output,
            settings: MoveJudgeTraining {
                regression: DescentSettings {
                    epochs: self.epochs,
                    batch: self.batch,
                    rate: self.rate,
                    penalty: self.penalty,
                    seed: self.seed,
                },
                waste: self.waste,
                late: self.late,
            },
        }
    }
}
