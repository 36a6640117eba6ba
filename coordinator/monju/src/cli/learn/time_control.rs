//! The command line of `monju learn time-control`.

use clap::Args;
use monju_engine::judge::JudgeKind;
use monju_learn::{
    DescentSettings,
    time_control::{TimeControlRun, TimeControlTraining},
};
use std::path::PathBuf;

pub const TIME_CONTROL_HELP: &str = "\
Learns after which iteration a search may end (Shimoyama, section 6), in a few seconds. The games of \
every fourth opening are held out: on their searches it prints how often a fixed time, the judge 'agreement' and the learned one \
end with the move of the whole search, at several mean times. The same logs and options give the same \
weights. They are used where the time policy is 'learned'; the program carries those of \
engine/weights/time_control.bin, for one player, and of team_time_control.bin beside it, for a team: \
to play with others, build it with them in their places.";

/// Everything after `monju learn time-control`.
#[derive(Debug, Args)]
pub struct TimeControlArguments {
    /// Logs, as 'monju learn searches' writes them
    #[arg(required = true)]
    logs: Vec<PathBuf>,
    /// Judges the searches for a move together, as those of a team: logs of 'monju learn searches --players'
    #[arg(long)]
    team: bool,
    /// The weights to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Number of epochs
    #[arg(long, value_name = "N", default_value = TimeControlTraining::default().regression.epochs.to_string(),
          value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// States in a minibatch
    #[arg(long, value_name = "N", default_value = TimeControlTraining::default().regression.batch.to_string())]
    batch: usize,
    /// Initial learning rate; it falls by an equal share from epoch to epoch, to one share in the last
    #[arg(long, default_value = TimeControlTraining::default().regression.rate.to_string())]
    rate: f64,
    /// Weight of wasted time against wrong moves, from 0 to 1
    #[arg(long, default_value = TimeControlTraining::default().waste.to_string())]
    waste: f64,
    /// Weight of half the squares of the weights
    #[arg(long, default_value = TimeControlTraining::default().regression.penalty.to_string())]
    penalty: f64,
    /// Mean part of the longest time that searches are to take
    #[arg(long, default_value = TimeControlTraining::default().share.to_string())]
    share: f64,
    /// Seed of the order of the states
    #[arg(long, default_value = TimeControlTraining::default().regression.seed.to_string())]
    seed: u64,
}

impl From<TimeControlArguments> for TimeControlRun {
    fn from(arguments: TimeControlArguments) -> Self {
        Self {
            kind: match arguments.team {
                true => JudgeKind::Team,
                false => JudgeKind::Search,
            },
            logs: arguments.logs,
            output: arguments.output,
            settings: TimeControlTraining {
                regression: DescentSettings {
                    epochs: arguments.epochs,
                    batch: arguments.batch,
                    rate: arguments.rate,
                    penalty: arguments.penalty,
                    seed: arguments.seed,
                },
                waste: arguments.waste,
                share: arguments.share,
            },
        }
    }
}
