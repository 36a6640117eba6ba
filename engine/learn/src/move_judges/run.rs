//! The run behind `monju learn reductions` and `monju learn margins`.

use super::{
    examples::{MoveClass, MoveExample, examples_of, importance},
    measure::{HiddenMoveShares, SHARES, shares},
    training::MoveJudgeTraining,
};
use crate::{
    descent::DescentSettings,
    files::{FileError, check_outputs, with_suffix, write_atomically},
    logistic::{Example, Regression, loss, value},
    progress::ProgressObserver,
    searches::{DividedGames, LoggedGame, LogsError},
    setting::SettingError,
};
use monju_engine::search::{FEATURES, MoveJudgement, MoveWeights};
use std::{
    fmt::{self, Write as _},
    path::PathBuf,
};

/// Least weight of 100 centipawns from which margins can be told.
const LEAST_SLOPE: f32 = 0.05;

/// Training of a judge from samples.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveJudgeRun {
    /// The judgement to learn.
    pub judgement: MoveJudgement,
    /// Logs of searches with samples.
    pub logs: Vec<PathBuf>,
    /// The weights to write.
    pub output: PathBuf,
    /// Settings.
    pub settings: MoveJudgeTraining,
}

/// Error of a training.
#[derive(Debug, thiserror::Error)]
pub enum MoveJudgeRunError {
    /// A file is named twice, or cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The logs cannot be read, or hold too little to learn from.
    #[error(transparent)]
    Logs(#[from] LogsError),
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// No move of the games tells anything.
    #[error(
        "the logs have no samples that show a hidden move; make more with 'monju learn searches --samples {0}'"
    )]
    NoSamples(MoveJudgement),
    /// The samples do not show that moves above the margin beat alpha more often.
    #[error(
        "the samples are too few: in them, moves above the margin do not beat alpha more often"
    )]
    NoSlope,
}

/// Result of a training, on the samples of games that are held out.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveJudgeSummary {
    /// Samples that were learned from, and those that are held out.
    pub samples: [usize; 2],
    /// Held-out moves that a reduction hides, and those whose reduced search is repeated.
    pub faults: [usize; 2],
    /// Loss without features, and after the training.
    pub loss: [f64; 2],
    /// Share of hidden moves by the share of moves that are reduced by one ply more, or pruned, before and
    /// after.
    pub shares: [HiddenMoveShares; 2],
    /// Standard deviation of the judge's value, in plies or in units of 100 centipawns.
    pub spread: f64,
}

impl MoveJudgeRun {
    /// Trains for some seconds, and writes the weights and their recipe at the end.
    ///
    /// # Errors
    /// A file cannot be read or written or has other content, or a setting is out of range.
    pub fn run(
        &self,
        progress: &mut dyn ProgressObserver,
    ) -> Result<MoveJudgeSummary, MoveJudgeRunError> {
        self.settings.check()?;
        let recipe_path = with_suffix(&self.output, ".recipe");
        let inputs = self.logs.iter().map(PathBuf::as_path);
        check_outputs(inputs, &[self.output.clone(), recipe_path.clone()])?;
        let (training, validation, mut recipe) = self.examples()?;
        let settings = &self.settings;
        let weigh = |examples: &[MoveExample]| importance(examples, settings);
        let (regression, of_training) = (settings.regression, weigh(&training));
        let mut learner = Regression::new(regression, FEATURES, &training, of_training.clone());
        progress.begin(regression.epochs, 0, "epochs");
        for epoch in 1..=regression.epochs {
            let loss = learner.pass();
            progress.advance(epoch, &format!("loss {loss:.5}"));
        }
        progress.finish(regression.epochs, "");
        let mut weights = learner.weights().to_vec();
        let held_out = weigh(&validation);
        let before = loss_of_mean(&training, &of_training, &validation, &held_out);
        let after = loss(&weights, &validation, &held_out);
        let values: Vec<f32> = validation.iter().map(|one| value(&weights, one)).collect();
        let numbers: Vec<f32> = validation.iter().map(Example::number).collect();
        if self.judgement == MoveJudgement::Margins {
            let slope = std::mem::take(&mut weights[FEATURES]);
            if slope < LEAST_SLOPE {
                return Err(MoveJudgeRunError::NoSlope);
            }
            weights.iter_mut().for_each(|weight| *weight /= slope);
        }
        centre(&mut weights, &training);
        let file =
            MoveWeights::rounded(self.judgement, &weights[..FEATURES]).to_bytes(self.judgement);
        write_atomically(&self.output, &file)?;
        let DescentSettings {
            epochs,
            batch,
            rate,
            penalty,
            seed,
        } = regression;
        let MoveJudgeTraining { waste, late, .. } = settings;
        let _ = write!(
            recipe,
            "judgement = \"{}\"\nepochs = {epochs}\nbatch = {batch}\nrate = {rate}\nwaste = {waste}\nlate = {late}\n\
             penalty = {penalty}\nseed = {seed}\n",
            self.judgement
        );
        write_atomically(&recipe_path, recipe.as_bytes())?;
        let changes: Vec<f32> = validation.iter().map(|one| value(&weights, one)).collect();
        let count = |class| validation.iter().filter(|one| one.class == class).count();
        Ok(MoveJudgeSummary {
            samples: [training.len(), validation.len()],
            faults: [count(MoveClass::Hidden), count(MoveClass::Repeated)],
            loss: [before, after],
            shares: match self.judgement {
                // There are no late moves among the samples of the order.
                MoveJudgement::Reductions | MoveJudgement::Ordering => {
                    [SHARES, shares(&validation, &values)]
                }
                MoveJudgement::Margins => {
                    [&numbers, &values].map(|order| shares(&validation, order))
                }
            },
            spread: deviation(&changes),
        })
    }

    /// Returns the samples to learn from, those held out, and the lines of the recipe that name the logs.
    fn examples(&self) -> Result<(Vec<MoveExample>, Vec<MoveExample>, String), MoveJudgeRunError> {
        let DividedGames {
            training,
            validation,
            recipe,
        } = DividedGames::read(&self.logs)?;
        let of = |games: Vec<LoggedGame>| {
            let examples = games
                .into_iter()
                .flat_map(|game| examples_of(game, self.judgement));
            examples.collect::<Vec<_>>()
        };
        let (training, validation) = (of(training), of(validation));
        let tells = |examples: &[MoveExample]| {
            (examples.iter()).any(|example| example.class == MoveClass::Hidden)
        };
        if !tells(&training) || !tells(&validation) {
            return Err(MoveJudgeRunError::NoSamples(self.judgement));
        }
        Ok((training, validation, recipe))
    }
}

/// Moves the values to a mean of 0, so that the judge changes reductions, but not their mean.
fn centre(weights: &mut [f32], examples: &[MoveExample]) {
    let sum: f64 = (examples.iter())
        .map(|example| f64::from(value(weights, example)))
        .sum();
    let mean = sum / examples.len().max(1) as f64;
    let present = examples.first().map_or(1, |one| one.features().len());
    let each = (mean / present as f64) as f32;
    // As many features are present in every example. Those that none has shown stay at 0, the mean of the others.
    for weight in weights.iter_mut().filter(|weight| **weight != 0.0) {
        *weight -= each;
    }
}

/// Returns the loss of a judge that knows the frequency of the classes alone.
fn loss_of_mean(
    training: &[MoveExample],
    of_training: &[f32],
    validation: &[MoveExample],
    held_out: &[f32],
) -> f64 {
    let share = |examples: &[MoveExample], importance: &[f32]| {
        let positive = examples.iter().zip(importance);
        let positive = positive.filter(|(example, _)| example.is_positive());
        positive.map(|(_, one)| f64::from(*one)).sum::<f64>() / examples.len().max(1) as f64
    };
    let known = share(training, of_training);
    let seen = share(validation, held_out);
    -seen * known.ln() - (1.0 - seen) * (1.0 - known).ln()
}

fn deviation(values: &[f32]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|&one| f64::from(one)).sum::<f64>() / count;
    let squares = values.iter().map(|&one| (f64::from(one) - mean).powi(2));
    (squares.sum::<f64>() / count).sqrt()
}

impl fmt::Display for MoveJudgeSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [training, validation] = self.samples;
        let [hidden, repeated] = self.faults;
        let [before, after] = self.loss;
        writeln!(
            f,
            "{training} moves to learn from, {validation} held out, {hidden} of them hidden and {repeated} \
             repeated; loss there {after:.5}, {before:.5} without features; standard deviation of the change {:.2}",
            self.spread
        )?;
        write!(f, "least likely moves     ")?;
        for share in SHARES {
            write!(f, "{:>8.1} %", 100.0 * share)?;
        }
        for (name, shares) in ["before", "after"].into_iter().zip(self.shares) {
            write!(f, "\nhidden among them, {name:<6}")?;
            for share in shares {
                write!(f, "{:>6.1} %", 100.0 * share)?;
            }
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        progress::NoProgress,
        searches::{Sampling, SearchGamesSettings, SearchesRun},
    };
    use monju_engine::{Model, PlayerSettings};
    use std::{fs, path::Path};

    /// Logs games with samples of one move of `every`.
    fn log(folder: &Path, judgement: MoveJudgement, every: u32) -> PathBuf {
        let openings = folder.join("openings.sfen");
        let first = [
            "7g7f", "2g2f", "6g6f", "5g5f", "1g1f", "9g9f", "4g4f", "3g3f",
        ];
        let lines = first.map(|mv| format!("startpos moves {mv}\n"));
        fs::write(&openings, lines.concat()).expect("writable");
        let output = folder.join("log");
        let searches = SearchesRun {
            output: output.clone(),
            games: 8,
            openings,
            settings: SearchGamesSettings {
                player: PlayerSettings {
                    evaluator: Model::material(),
                    hash_mib: 1,
                    ..PlayerSettings::default()
                },
                nodes: 3_000,
                maximum_plies: 60,
                sampling: Some(Sampling { judgement, every }),
                ..SearchGamesSettings::default()
            },
        };
        searches.run(&mut NoProgress).expect("played");
        output
    }

    #[test]
    fn judges_learned_from_samples_hide_fewer_moves_of_other_games() {
        for (judgement, every) in [(MoveJudgement::Reductions, 8), (MoveJudgement::Margins, 20)] {
            let folder = tempfile::tempdir().expect("a folder");
            let run = MoveJudgeRun {
                judgement,
                logs: vec![log(folder.path(), judgement, every)],
                output: folder.path().join("weights"),
                settings: MoveJudgeTraining {
                    regression: DescentSettings {
                        batch: 256,
                        ..DescentSettings::default()
                    },
                    ..MoveJudgeTraining::default()
                },
            };
            let summary = run.run(&mut NoProgress).expect("trained");
            assert!(summary.loss[1] < summary.loss[0], "{judgement}: {summary}");
            let [before, after] = summary.shares;
            assert!(after[1] < before[1], "{judgement}: {summary}");
            let bytes = fs::read(&run.output).expect("weights");
            MoveWeights::from_bytes(run.judgement, &bytes).expect("whole");
            assert_eq!(run.run(&mut NoProgress).expect("again"), summary);
            assert_eq!(fs::read(&run.output).expect("weights"), bytes);
            let other = MoveJudgeRun {
                judgement: match judgement {
                    MoveJudgement::Reductions => MoveJudgement::Margins,
                    _ => MoveJudgement::Reductions,
                },
                ..run
            };
            let error = other.run(&mut NoProgress).expect_err("other samples");
            assert!(error.to_string().contains("--samples"), "{error}");
        }
    }
}
