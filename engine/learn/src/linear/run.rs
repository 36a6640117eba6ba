//! The run behind `monju learn linear`: the Bonanza method, with checkpoints, a loss curve and a report.

use super::{
    checkpoint::CheckpointError,
    move_match::{MoveMatch, measure},
    report::{SMOOTHING, smoothed, to_svg},
    trainer::LinearTrainer,
    training::{LinearTraining, TrainingStep},
};
use crate::{
    chart::ChartError,
    files::{
        FileError, check_new, check_outputs, lock, read, read_text, with_suffix, write_atomically,
    },
    progress::ProgressObserver,
    recipe,
};
use monju_engine::{
    Model,
    eval::{LinearWeights, WeightsError},
    fnv1a,
};
use monju_records::{self as records, GameRecord, RecordFileError};
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

/// One game of so many is held out for validation.
const VALIDATION_SHARE: usize = 50;

/// Greatest width and tolerance in centipawns, far beyond all values: their sums with values stay numbers.
const GREATEST_LEAD: f32 = 1e6;

/// Time between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Training of the linear evaluator.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearRun {
    /// Games, as `monju learn records` writes them.
    pub games: PathBuf,
    /// The file of weights to write.
    pub output: PathBuf,
    /// Resumes an earlier run.
    pub resume: bool,
    /// Number of validation positions to measure the move match on.
    pub measured: usize,
    /// Settings of the training.
    pub settings: LinearTraining,
}

/// Error of a training run.
#[derive(Debug, thiserror::Error)]
pub enum LinearRunError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The loss cannot be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// A setting is out of range.
    #[error("--{name} must be a number of centipawns {expected}, not {given}")]
    Setting {
        /// Name of the option.
        name: &'static str,
        /// Allowed range, in words.
        expected: &'static str,
        /// Rejected value.
        given: f32,
    },
    /// The games cannot be decoded.
    #[error("{}", path.display())]
    Records {
        /// The file of games.
        path: PathBuf,
        /// Reason.
        source: RecordFileError,
    },
    /// No game can be held out.
    #[error(
        "{} has {games} games; at least {VALIDATION_SHARE} are needed to hold one out",
        path.display()
    )]
    TooFewGames {
        /// The file of games.
        path: PathBuf,
        /// Number of its games.
        games: usize,
    },
    /// There is no recipe or no checkpoint of an earlier run.
    #[error("nothing to resume; train anew without --resume")]
    NothingToResume(#[source] FileError),
    /// The recipe of the earlier run is different.
    #[error(
        "{} was made with other options or games, see {}: use the same ones, or name another \
         --output",
        checkpoint.display(),
        recipe.display()
    )]
    OtherRecipe {
        /// The checkpoint.
        checkpoint: PathBuf,
        /// The recipe of the earlier run.
        recipe: PathBuf,
    },
    /// The checkpoint is damaged.
    #[error("{}", path.display())]
    Checkpoint {
        /// The checkpoint.
        path: PathBuf,
        /// Reason.
        source: CheckpointError,
    },
    /// The training diverged.
    #[error("the training diverged in step {0}; train with a lower --rate or another --width")]
    Diverged(u64),
    /// The weights cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// Games of a file.
struct Games {
    training: Vec<GameRecord>,
    validation: Vec<GameRecord>,
    /// FNV-1a hash of the file.
    hash: u64,
}

impl LinearRun {
    /// Trains, measures the move match, and writes weights, loss curve and report. Returns the report.
    ///
    /// # Errors
    /// A file cannot be read or written or has other content, a setting is out of range, or the
    /// training diverges.
    pub fn run(&self, progress: &mut dyn ProgressObserver) -> Result<String, LinearRunError> {
        let _lock = self.check()?;
        let games = self.read_games()?;
        let recipe = self.recipe(games.hash);
        let (game_count, validation) = (games.training.len(), games.validation);
        let mut trainer = self.trainer(games.training, &recipe)?;
        let material = Arc::new(LinearWeights::material());
        let before = measure(&material, &self.settings, &validation, self.measured);
        self.train(&mut trainer, &recipe, progress)?;
        let weights = trainer.weights();
        let learned = Arc::new(LinearWeights::from_bytes(&weights)?);
        let after = measure(&learned, &self.settings, &validation, self.measured);
        let history = trainer.history();
        write_atomically(&self.beside(".loss.svg"), to_svg(history)?.as_bytes())?;
        let report = LinearReport {
            run: self,
            games: game_count,
            positions: trainer.positions(),
            held_out: validation.len(),
            model: &Model::Linear(learned),
            first: smoothed(&history[..SMOOTHING.min(history.len())]),
            last: smoothed(history),
            before,
            after,
        };
        let report = report.text();
        write_atomically(&self.beside(".report"), report.as_bytes())?;
        write_atomically(&self.output, &weights)?;
        Ok(report)
    }

    /// Checks settings and files, and keeps other runs off the weights as long as the handle is open.
    fn check(&self) -> Result<File, LinearRunError> {
        let LinearTraining {
            rate,
            width,
            tolerance,
            penalty,
            ..
        } = self.settings;
        for (name, given, expected, is_valid) in [
            ("rate", rate, "above 0", rate > 0.0),
            (
                "width",
                width,
                "above 0 and at most 1000000",
                width > 0.0 && width <= GREATEST_LEAD,
            ),
            (
                "tolerance",
                tolerance,
                "from 0 to 1000000",
                (0.0..=GREATEST_LEAD).contains(&tolerance),
            ),
            ("penalty", penalty, "from 0", penalty >= 0.0),
        ] {
            if !(given.is_finite() && is_valid) {
                return Err(LinearRunError::Setting {
                    name,
                    expected,
                    given,
                });
            }
        }
        let suffixes = ["", ".loss.svg", ".report", ".recipe", ".checkpoint"];
        let outputs = suffixes.map(|suffix| self.beside(suffix));
        check_outputs([self.games.as_path()], &outputs)?;
        let held = lock(&self.output)?;
        if !self.resume {
            check_new(&self.beside(".checkpoint"))?;
        }
        Ok(held)
    }

    fn read_games(&self) -> Result<Games, LinearRunError> {
        let bytes = read(&self.games)?;
        let all = records::from_bytes(&bytes).map_err(|source| LinearRunError::Records {
            path: self.games.clone(),
            source,
        })?;
        let (mut training, mut validation) = (Vec::new(), Vec::new());
        for (number, record) in all.into_iter().enumerate() {
            if number % VALIDATION_SHARE == VALIDATION_SHARE - 1 {
                validation.push(record);
            } else {
                training.push(record);
            }
        }
        if validation.is_empty() {
            return Err(LinearRunError::TooFewGames {
                path: self.games.clone(),
                games: training.len(),
            });
        }
        Ok(Games {
            training,
            validation,
            hash: fnv1a(&bytes),
        })
    }

    /// Returns a new or resumed trainer.
    fn trainer(
        &self,
        games: Vec<GameRecord>,
        recipe: &str,
    ) -> Result<LinearTrainer, LinearRunError> {
        if !self.resume {
            return Ok(LinearTrainer::new(self.settings.clone(), games));
        }
        let (recipe_path, path) = (self.beside(".recipe"), self.beside(".checkpoint"));
        let made_by = read_text(&recipe_path).map_err(LinearRunError::NothingToResume)?;
        if !recipe::are_same(&made_by, recipe) {
            return Err(LinearRunError::OtherRecipe {
                checkpoint: path,
                recipe: recipe_path,
            });
        }
        let bytes = read(&path).map_err(LinearRunError::NothingToResume)?;
        LinearTrainer::resume(self.settings.clone(), games, &bytes)
            .map_err(|source| LinearRunError::Checkpoint { path, source })
    }

    fn train(
        &self,
        trainer: &mut LinearTrainer,
        recipe: &str,
        progress: &mut dyn ProgressObserver,
    ) -> Result<(), LinearRunError> {
        progress.begin(self.settings.steps, trainer.history().len() as u64, "steps");
        let mut saved = Instant::now();
        let mut is_first = !self.resume;
        while !trainer.is_finished() {
            if let Some(step) = trainer.step()
                && !(step.loss.is_finite() && trainer.is_finite())
            {
                return Err(LinearRunError::Diverged(step.number));
            }
            let TrainingStep {
                number,
                loss,
                agreement,
            } = smoothed(trainer.history());
            let remark = format!("loss {loss:.3}, agreement {:.1} %", 100.0 * agreement);
            progress.advance(number, &remark);
            if saved.elapsed() >= CHECKPOINT_INTERVAL {
                self.save(trainer, recipe, std::mem::take(&mut is_first))?;
                saved = Instant::now();
            }
        }
        self.save(trainer, recipe, is_first)?;
        progress.finish(self.settings.steps, "trained");
        Ok(())
    }

    /// Writes weights and checkpoint, the first time also the recipe.
    fn save(&self, trainer: &LinearTrainer, recipe: &str, is_first: bool) -> Result<(), FileError> {
        if is_first {
            write_atomically(&self.beside(".recipe"), recipe.as_bytes())?;
        }
        write_atomically(&self.output, &trainer.weights())?;
        write_atomically(&self.beside(".checkpoint"), &trainer.checkpoint())
    }

    /// Describes everything that determines the weights, given the hash of the games.
    fn recipe(&self, games: u64) -> String {
        // The material values are the initial weights, and the sum of pieces is kept near theirs.
        let material = Model::material().hash();
        format!(
            "{}\n# {}\ngames {games:016x}\nmaterial {material:016x}\n",
            self.options(),
            self.games.display()
        )
    }

    /// Formats the command's options, without files.
    fn options(&self) -> String {
        let LinearTraining {
            seed,
            window,
            steps,
            batch,
            depth,
            rate,
            width,
            tolerance,
            penalty,
            threads,
        } = &self.settings;
        format!(
            "--seed {seed} --window {window} --steps {steps} --batch {batch} --depth {depth} --rate {rate} \
             --width {width} --tolerance {tolerance} --penalty {penalty} --threads {threads}"
        )
    }

    /// Returns the path of the output with a suffix.
    fn beside(&self, suffix: &str) -> PathBuf {
        with_suffix(&self.output, suffix)
    }
}

/// Results of a training, as a text.
struct LinearReport<'a> {
    run: &'a LinearRun,
    games: usize,
    positions: usize,
    held_out: usize,
    model: &'a Model,
    first: TrainingStep,
    last: TrainingStep,
    before: MoveMatch,
    after: MoveMatch,
}

impl LinearReport<'_> {
    fn text(&self) -> String {
        let Self {
            run,
            first,
            last,
            before,
            after,
            ..
        } = self;
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        format!(
            "weights     {} in {}\n\
             recipe      monju learn linear --games {} {}\n\
             games       {} to learn from, with {} positions; {} held out\n\
             loss        {:.4} per position in the first {SMOOTHING} steps, {:.4} in the last\n\
             move match  {} by chance, {} before, {} after, on {} held-out positions\n",
            self.model,
            file_name(&run.output),
            run.games.display(),
            run.options(),
            self.games,
            self.positions,
            self.held_out,
            first.loss,
            last.loss,
            percent(after.chance()),
            percent(before.share()),
            percent(after.share()),
            after.positions,
        )
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{error_chain, progress::NoProgress};
    use monju_engine::Game;
    use monju_records::RecordedResult;
    use std::fs;

    /// Short games, all different.
    fn games(count: usize) -> Vec<GameRecord> {
        let game = |number: usize| {
            let mut game = Game::startpos();
            for ply in 0..10 {
                let legal = game.legal_moves();
                game.play(legal[(7 * number + 3 * ply) % legal.len()])
                    .expect("a legal move");
            }
            GameRecord::new(None, game.moves().to_vec(), RecordedResult::Unknown).expect("a record")
        };
        (0..count).map(game).collect()
    }

    #[test]
    fn a_training_is_saved_resumed_and_not_confused_with_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::write(file("games"), records::to_bytes(&games(100))).unwrap();
        let run = |name: &str, resume| LinearRun {
            games: file("games"),
            output: file(name),
            resume,
            measured: 20,
            settings: LinearTraining {
                steps: 3,
                batch: 8,
                threads: 1,
                ..LinearTraining::default()
            },
        };
        run("whole", false).run(&mut NoProgress).unwrap();
        let weights = fs::read(file("whole")).unwrap();
        assert!(LinearWeights::from_bytes(&weights).is_ok());
        let curve = fs::read_to_string(file("whole.loss.svg")).unwrap();
        assert!(curve.starts_with("<svg"), "{curve:.40}");
        let report = fs::read_to_string(file("whole.report")).unwrap();
        for words in ["98 to learn from", "2 held out", "by chance", "--steps 3"] {
            assert!(report.contains(words), "{words}: {report}");
        }

        // The same games under another name.
        fs::rename(file("games"), file("moved")).unwrap();
        let mut moved = run("whole", true);
        moved.games = file("moved");
        moved.run(&mut NoProgress).unwrap();
        assert_eq!(fs::read(file("whole")).unwrap(), weights);
        fs::rename(file("moved"), file("games")).unwrap();
        let refused = |run: &LinearRun| error_chain(&run.run(&mut NoProgress).unwrap_err());
        let mut other = run("whole", true);
        other.settings.rate = 9.0;
        let error = refused(&other);
        assert!(error.contains("other options or games"), "{error}");
        // Other games of the same size in bytes.
        let mut others = games(101);
        others.remove(0);
        let bytes = records::to_bytes(&others);
        assert_eq!(bytes.len(), fs::read(file("games")).unwrap().len());
        fs::write(file("games"), bytes).unwrap();
        let error = refused(&run("whole", true));
        assert!(error.contains("other options or games"), "{error}");

        // A run that was begun anew replaced the weights of another run.
        let saved = || {
            ["", ".report", ".recipe"].map(|end| fs::read(file(&format!("whole{end}"))).unwrap())
        };
        let before = saved();
        let error = refused(&run("whole", false));
        let expected = "whole.checkpoint exists: continue with --resume, name another --output";
        assert!(error.contains(expected), "{error}");
        assert!(saved() == before, "the files are unchanged");

        // A run that fails before its first checkpoint leaves the files of another run.
        fs::remove_file(file("whole.checkpoint")).unwrap();
        let mut wild = run("whole", false);
        wild.settings.width = f32::MIN_POSITIVE;
        let error = refused(&wild);
        assert!(error.contains("diverged in step 1;"), "{error}");
        assert!(saved() == before, "the files are unchanged");

        for (name, width, tolerance) in [("width", 1.1e6, 0.0), ("tolerance", 60.0, 3e9)] {
            let mut wide = run("wide", false);
            (wide.settings.width, wide.settings.tolerance) = (width, tolerance);
            let error = refused(&wide);
            assert!(error.starts_with(&format!("--{name} must be")), "{error}");
            assert!(error.contains("1000000, not"), "{error}");
        }

        let mut over = run("whole", false);
        over.output = folder.path().join("./games");
        let error = refused(&over);
        assert!(error.contains("which is read"), "{error}");
    }
}
