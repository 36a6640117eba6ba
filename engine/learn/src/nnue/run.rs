//! The run behind `monju learn nnue`: a network, from positions of self-play.

use super::{
    examples::{NetworkSet, TeacherError},
    losses::{EpochLosses, from_table, to_svg, to_table},
    network_file::{NetworkFileError, read_network},
    trainer::{NetworkTrainer, TrainerError},
    training::NetworkTraining,
};
use crate::{
    chart::ChartError,
    dataset::{Dataset, DatasetError, ExampleSet, data_in_recipe},
    example::TrainingExample,
    files::{
        FileError, check_new, check_outputs, lock, read, read_text, with_suffix, write_atomically,
    },
    lambda_return::apply_lambda_returns,
    progress::ProgressObserver,
    recipe,
};
use monju_engine::eval::{Architecture, Network, nnue::NetworkError};
use std::{fs::File, path::PathBuf};

/// Training of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkRun {
    /// Files of training examples, as self-play writes them.
    pub data: Vec<PathBuf>,
    /// The network to write.
    pub output: PathBuf,
    /// The same network as a `nn.bin` for other engines.
    pub nn_bin: Option<PathBuf>,
    /// Initial network.
    pub start: Option<PathBuf>,
    /// Networks to distill from.
    pub teachers: Vec<PathBuf>,
    /// Resumes an earlier run.
    pub resume: bool,
    /// Stops after this epoch, to be resumed.
    pub until: Option<u64>,
    /// Settings of the training.
    pub settings: NetworkTraining,
}

/// Error of a training run.
#[derive(Debug, thiserror::Error)]
pub enum NetworkRunError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The training data cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A file marks no games, so that no score can take into account what follows it.
    #[error(
        "{} marks no ends of games, or is shuffled, so that no score has anything that follows it: leave out --trace-decay, or this file",
        .0.display()
    )]
    WithoutGames(PathBuf),
    /// The initial network or a teacher cannot be read.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// A setting or the initial network is unsuitable.
    #[error(transparent)]
    Trainer(#[from] TrainerError),
    /// A teacher is unsuitable.
    #[error(transparent)]
    Teacher(#[from] TeacherError),
    /// The losses cannot be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// Other engines have no networks of the architecture.
    #[error(
        "cannot write {}: other engines have no networks of architecture {architecture}; \
         --architecture k-p trains one for them",
        path.display()
    )]
    NnBin {
        /// The `nn.bin`.
        path: PathBuf,
        /// The architecture.
        architecture: Architecture,
    },
    /// The network cannot be encoded for other engines.
    #[error(transparent)]
    Encode(NetworkError),
    /// There is no recipe or no checkpoint of an earlier run.
    #[error("nothing to resume; train anew without --resume")]
    NothingToResume(#[source] FileError),
    /// The recipe of the earlier run is different.
    #[error(
        "{} was made with other options, data, --start or --teacher, or another use of --nn-bin, see {}: \
         use the same ones, or name another --output",
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
    #[error("in {}", path.display())]
    Checkpoint {
        /// The checkpoint.
        path: PathBuf,
        /// Reason.
        source: TrainerError,
    },
    /// The table of losses is damaged.
    #[error("in {}", path.display())]
    Losses {
        /// The table.
        path: PathBuf,
        /// Reason.
        source: csv::Error,
    },
    /// The training diverged.
    #[error(
        "the loss of epoch {0} is not a number, and nothing of that epoch was written: train with a lower --rate"
    )]
    Diverged(u64),
}

impl NetworkRun {
    /// Trains, and writes network, checkpoint, losses and their curve after every epoch. Returns the
    /// hash of the network.
    ///
    /// # Errors
    /// A file cannot be read or written or has other content, a setting is out of range, or the
    /// training diverges.
    pub fn run(&self, progress: &mut dyn ProgressObserver) -> Result<u64, NetworkRunError> {
        let _lock = self.check()?;
        let NetworkTraining {
            trace_decay,
            teacher_share,
            scale,
            threads,
            ..
        } = self.settings;
        let teachers: Vec<Network> = self
            .teachers
            .iter()
            .map(|path| read_network(path))
            .collect::<Result<_, _>>()?;
        let start = self.start.as_deref().map(read_network).transpose()?;
        let prepare = |game: &mut [TrainingExample]| apply_lambda_returns(game, trace_decay, scale);
        let mut data = Dataset::<NetworkSet>::read(&self.data, prepare)?;
        if let Some(path) = data.without_games.first()
            && trace_decay > 0.0
        {
            return Err(NetworkRunError::WithoutGames(path.clone()));
        }
        let recipe = self.recipe(start.as_ref(), &teachers, &data.contents);
        let (mut trainer, recipe) = self.trainer(start.as_ref(), recipe)?;
        let mut epochs = self.earlier_epochs(&trainer)?;

        progress.message(&data.summary());
        data.check()?;
        if !teachers.is_empty() {
            progress.message("moving the scores towards the teachers");
        }
        // The validation set keeps its scores, since those are what a network is to predict.
        data.training
            .distill(&teachers, teacher_share, scale, threads)?;
        let each = data.training.len() as u64;
        let begun = trainer.epochs_done();
        progress.begin(self.settings.epochs * each, begun * each, "positions");
        let last = self.until.unwrap_or(u64::MAX).min(self.settings.epochs);
        for number in begun + 1..=last {
            let training = trainer.epoch(&data.training, &mut |done, loss| {
                let done = (number - 1) * each + done as u64;
                progress.advance(done, &format!("epoch {number}, loss {loss:.5}"));
            });
            let validation = trainer.loss(&data.validation);
            if !(training.is_finite() && validation.is_finite()) {
                return Err(NetworkRunError::Diverged(number));
            }
            epochs.push(EpochLosses {
                number,
                training,
                validation,
            });
            progress.message(&format!(
                "epoch {number}: loss {training:.5}, {validation:.5} on held-out games"
            ));
            self.write(&trainer, &epochs, &recipe)?;
        }
        progress.finish(trainer.epochs_done() * each, "");
        Ok(trainer.network().hash())
    }

    /// Checks settings and files, and keeps other runs off the network as long as the handle is open.
    fn check(&self) -> Result<File, NetworkRunError> {
        self.settings.check().map_err(TrainerError::from)?;
        let architecture = self.settings.architecture;
        if let Some(path) = &self.nn_bin
            && architecture != Architecture::KP
        {
            return Err(NetworkRunError::NnBin {
                path: path.clone(),
                architecture,
            });
        }
        let inputs = self.data.iter().chain(&self.start).chain(&self.teachers);
        check_outputs(inputs.map(PathBuf::as_path), &self.outputs())?;
        let held = lock(&self.output)?;
        if !self.resume {
            check_new(&self.beside(".checkpoint"))?;
        }
        Ok(held)
    }

    /// Describes everything that determines the network, and in comments the names of files. Data are
    /// described by what was read, since files of self-play may grow.
    fn recipe(
        &self,
        start: Option<&Network>,
        teachers: &[Network],
        contents: &[(usize, u64)],
    ) -> String {
        let mut recipe = format!("{:#?}\n", self.settings);
        recipe += &data_in_recipe(&self.data, contents);
        for (path, start) in self.start.iter().zip(start) {
            recipe += &format!("# {}\nstart {:016x}\n", path.display(), start.hash());
        }
        for (path, teacher) in self.teachers.iter().zip(teachers) {
            recipe += &format!("# {}\nteacher {:016x}\n", path.display(), teacher.hash());
        }
        if let Some(path) = &self.nn_bin {
            recipe += &format!("# {}\nwith nn.bin\n", path.display());
        }
        recipe
    }

    /// Returns a new or resumed trainer and the recipe to keep beside its network.
    fn trainer(
        &self,
        start: Option<&Network>,
        recipe: String,
    ) -> Result<(NetworkTrainer, String), NetworkRunError> {
        let settings = self.settings.clone();
        if !self.resume {
            return Ok((NetworkTrainer::new(settings, start)?, recipe));
        }
        let (recipe_path, path) = (self.beside(".recipe"), self.beside(".checkpoint"));
        let made_by = read_text(&recipe_path).map_err(NetworkRunError::NothingToResume)?;
        if !recipe::are_same(&made_by, &recipe) {
            return Err(NetworkRunError::OtherRecipe {
                checkpoint: path,
                recipe: recipe_path,
            });
        }
        let bytes = read(&path).map_err(NetworkRunError::NothingToResume)?;
        let trainer = NetworkTrainer::resume(settings, &bytes)
            .map_err(|source| NetworkRunError::Checkpoint { path, source })?;
        Ok((trainer, made_by))
    }

    /// Returns the losses of the epochs before a resumed trainer's next one.
    fn earlier_epochs(
        &self,
        trainer: &NetworkTrainer,
    ) -> Result<Vec<EpochLosses>, NetworkRunError> {
        if !self.resume {
            return Ok(Vec::new());
        }
        let path = self.beside(".losses.tsv");
        let mut epochs = from_table(&read_text(&path)?)
            .map_err(|source| NetworkRunError::Losses { path, source })?;
        epochs.retain(|epoch| epoch.number <= trainer.epochs_done());
        Ok(epochs)
    }

    fn write(
        &self,
        trainer: &NetworkTrainer,
        epochs: &[EpochLosses],
        recipe: &str,
    ) -> Result<(), NetworkRunError> {
        let network = trainer.network();
        write_atomically(&self.output, &network.to_bytes())?;
        if let Some(path) = &self.nn_bin {
            let bytes = network.to_nn_bin().map_err(NetworkRunError::Encode)?;
            write_atomically(path, &bytes)?;
        }
        let write = |suffix, bytes: &[u8]| write_atomically(&self.beside(suffix), bytes);
        write(".losses.tsv", to_table(epochs).as_bytes())?;
        write(".loss.svg", to_svg(epochs)?.as_bytes())?;
        write(".recipe", recipe.as_bytes())?;
        // The checkpoint comes last, so that a resumed run finds everything else.
        write(".checkpoint", &trainer.checkpoint())?;
        Ok(())
    }

    /// Returns the path of the output with a suffix.
    fn beside(&self, suffix: &str) -> PathBuf {
        with_suffix(&self.output, suffix)
    }

    /// Returns the paths of all files that are written.
    fn outputs(&self) -> Vec<PathBuf> {
        let suffixes = ["", ".losses.tsv", ".loss.svg", ".recipe", ".checkpoint"];
        let own = suffixes.iter().map(|suffix| self.beside(suffix));
        own.chain(self.nn_bin.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{error_chain, progress::NoProgress, self_play::testing::play};
    use monju_engine::{fnv1a, rules::Position};
    use std::fs;

    #[test]
    fn a_training_is_saved_and_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("games.psv");
        play(&data, 3000, 2);
        let run = |name: &str, until, resume| NetworkRun {
            data: vec![data.clone()],
            output: folder.path().join(name),
            nn_bin: Some(folder.path().join("nn.bin")),
            start: None,
            teachers: Vec::new(),
            resume,
            until,
            settings: NetworkTraining {
                architecture: Architecture::KP,
                epochs: 2,
                batch: 256,
                ..NetworkTraining::default()
            },
        };
        run("whole", None, false).run(&mut NoProgress).unwrap();
        run("resumed", Some(1), false).run(&mut NoProgress).unwrap();
        run("resumed", None, true).run(&mut NoProgress).unwrap();
        let file = |name: &str| fs::read(folder.path().join(name)).unwrap();
        assert!(file("whole.loss.svg").starts_with(b"<svg"));
        let own = Network::from_bytes(&file("whole")).unwrap();
        let foreign = Network::from_bytes(&file("nn.bin")).unwrap();
        assert_eq!(own, foreign);
        for ending in ["", ".checkpoint", ".losses.tsv"] {
            let [one, two] = ["whole", "resumed"].map(|name| file(&format!("{name}{ending}")));
            assert!(
                one == two,
                "a resumed training equals an uninterrupted one{ending}"
            );
        }
        let mut other = run("resumed", None, true);
        other.settings.scale = 400.0;
        let error = other.run(&mut NoProgress).unwrap_err().to_string();
        assert!(error.contains("other options"), "{error}");
        let mut elsewhere = run("resumed", None, true);
        elsewhere.start = Some(folder.path().join("whole"));
        let error = elsewhere.run(&mut NoProgress).unwrap_err().to_string();
        assert!(error.contains("--start"), "{error}");
        // Otherwise an old nn.bin would stay beside a new network.
        let mut without = run("resumed", None, true);
        without.nn_bin = None;
        let error = without.run(&mut NoProgress).unwrap_err().to_string();
        assert!(error.contains("--nn-bin"), "{error}");

        // A run that was begun anew replaced the network of another run; one that fails leaves its files.
        let endings = ["", ".checkpoint", ".losses.tsv", ".recipe"];
        let saved = || endings.map(|ending| file(&format!("whole{ending}")));
        let before = saved();
        let error = run("whole", None, false)
            .run(&mut NoProgress)
            .unwrap_err()
            .to_string();
        let expected = "whole.checkpoint exists: continue with --resume, name another --output";
        assert!(error.contains(expected), "{error}");
        let damaged = folder.path().join("damaged.psv");
        fs::write(&damaged, [7; 400]).unwrap();
        let mut failing = run("whole", None, true);
        failing.data = vec![damaged];
        assert!(failing.run(&mut NoProgress).is_err());
        assert!(saved() == before, "the files are unchanged");

        // Weights that are NaN, as after divergence.
        run("half", Some(1), false).run(&mut NoProgress).unwrap();
        let mut bytes = file("half.checkpoint");
        let content = bytes.len() - 8;
        let output_bias = 32 + (content - 32) / 3 - 4;
        bytes[output_bias..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
        let hash = fnv1a(&bytes[..content]);
        bytes[content..].copy_from_slice(&hash.to_le_bytes());
        fs::write(folder.path().join("half.checkpoint"), &bytes).unwrap();
        let network = file("half");
        let error = run("half", None, true)
            .run(&mut NoProgress)
            .unwrap_err()
            .to_string();
        assert!(error.contains("epoch 2 is not a number"), "{error}");
        assert!(file("half") == network && file("half.checkpoint") == bytes);

        // Damage to a single bit, in the checkpoint and in the data.
        let damage = |name: &str| {
            let mut bytes = file(name);
            // In the data it is the lowest bit of a score.
            let middle = bytes.len() / 2 / TrainingExample::SIZE * TrainingExample::SIZE + 32;
            bytes[middle] ^= 1;
            fs::write(folder.path().join(name), bytes).unwrap();
            error_chain(&run("whole", None, true).run(&mut NoProgress).unwrap_err())
        };
        let error = damage("whole.checkpoint");
        assert!(error.contains("damaged"), "{error}");
        let error = damage("games.psv");
        assert!(error.contains("other options, data"), "{error}");

        for output in ["games.psv", "./games.psv"] {
            let error = run(output, None, false)
                .run(&mut NoProgress)
                .unwrap_err()
                .to_string();
            assert!(error.contains("which is read"), "{error}");
        }
    }

    #[test]
    fn recipes_keep_their_format() {
        let run = NetworkRun {
            data: vec![PathBuf::from("games.psv")],
            output: PathBuf::from("network"),
            nn_bin: Some(PathBuf::from("nn.bin")),
            start: None,
            teachers: Vec::new(),
            resume: false,
            until: None,
            settings: NetworkTraining::default(),
        };
        let expected = "NetworkTraining {\n    architecture: KP,\n    seed: 1,\n    epochs: 12,\n    \
                        batch: 8192,\n    rate: 0.001,\n    lambda: 0.7,\n    trace_decay: 0.0,\n    \
                        teacher_share: 0.5,\n    scale: 650.0,\n    threads: 2,\n}\n\
                        # games.psv\ndata 000000000000002a, 7 positions\n# nn.bin\nwith nn.bin\n";
        assert_eq!(run.recipe(None, &[], &[(7, 42)]), expected);
    }

    #[test]
    fn unsuitable_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("games.psv");
        fs::write(&data, [7; 400]).unwrap();
        let run = NetworkRun {
            data: vec![data],
            output: folder.path().join("network"),
            nn_bin: None,
            start: None,
            teachers: Vec::new(),
            resume: false,
            until: None,
            settings: NetworkTraining::default(),
        };
        let error = error_chain(&run.run(&mut NoProgress).unwrap_err());
        assert!(error.contains("games.psv, position 1"), "{error}");
        // The file of another program, for λ-returns.
        let example = TrainingExample {
            position: Position::startpos().to_packed().unwrap(),
            score: 0,
            best_move: "7g7f".parse().unwrap(),
            ply: 1,
            result: 0,
            is_last: false,
        };
        fs::write(&run.data[0], example.to_bytes()).unwrap();
        let without_games = NetworkRun {
            settings: NetworkTraining {
                trace_decay: 0.9,
                ..NetworkTraining::default()
            },
            ..run.clone()
        };
        let error = error_chain(&without_games.run(&mut NoProgress).unwrap_err());
        assert!(
            error.contains("games.psv marks no ends of games"),
            "{error}"
        );
        // The settings are checked before the data are read.
        let refused = NetworkRun {
            data: vec![folder.path().join("absent.psv")],
            settings: NetworkTraining {
                lambda: 2.0,
                ..NetworkTraining::default()
            },
            ..run.clone()
        };
        let error = error_chain(&refused.run(&mut NoProgress).unwrap_err());
        assert!(
            error.contains("lambda must be between 0 and 1, not 2"),
            "{error}"
        );
        let run = NetworkRun {
            nn_bin: Some(folder.path().join("nn.bin")),
            settings: NetworkTraining {
                architecture: Architecture::KPPairs,
                ..NetworkTraining::default()
            },
            ..run
        };
        let error = error_chain(&run.run(&mut NoProgress).unwrap_err());
        assert!(error.contains("--architecture k-p trains one"), "{error}");
    }
}
