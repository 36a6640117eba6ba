//! The run behind `monju learn material`: piece-square values, from positions of self-play.

use super::{examples::MaterialSet, trainer::MaterialTrainer, training::MaterialTraining};
use crate::{
    dataset::{Dataset, DatasetError, data_in_recipe},
    files::{FileError, check_outputs, with_suffix, write_atomically},
    progress::ProgressObserver,
    setting::SettingError,
};
use monju_engine::eval::{MaterialValues, WeightsError};
use std::path::PathBuf;

/// Training of piece-square values.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialRun {
    /// Files of training examples, as self-play writes them.
    pub data: Vec<PathBuf>,
    /// The values to write.
    pub output: PathBuf,
    /// Settings of the training.
    pub settings: MaterialTraining,
}

/// Losses on the validation set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialSummary {
    /// Loss before the training.
    pub before: f64,
    /// Loss after the training.
    pub after: f64,
    /// Centipawns in one unit of the logit before and after, since the file keeps the value of a set of pieces.
    pub units: [f64; 2],
}

/// Error of a training run.
#[derive(Debug, thiserror::Error)]
pub enum MaterialRunError {
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The training data cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The pieces of a set are worth nothing together, so that no scale gives them their exchange value.
    #[error(
        "a set of pieces has learned no worth, and nothing was written: scores and results must be those of the side \
         to move; look whether the positions have them with the sign turned, or give more positions"
    )]
    Worthless,
    /// A value is one that the evaluator refuses.
    #[error(
        "the evaluator would refuse the learned values, and nothing was written: scores and results must be those of \
         the side to move; look whether some positions have them with the sign turned, or give more positions"
    )]
    Values(#[source] WeightsError),
}

impl MaterialRun {
    /// Trains for some seconds, and writes the values and their recipe at the end.
    ///
    /// # Errors
    /// A file cannot be read or written or has other content, a setting is out of range, or what was learned is of no
    /// use.
    pub fn run(
        &self,
        progress: &mut dyn ProgressObserver,
    ) -> Result<MaterialSummary, MaterialRunError> {
        let recipe_path = with_suffix(&self.output, ".recipe");
        let inputs = self.data.iter().map(PathBuf::as_path);
        check_outputs(inputs, &[self.output.clone(), recipe_path.clone()])?;
        let mut trainer = MaterialTrainer::new(self.settings.clone())?;
        let data = Dataset::<MaterialSet>::read(&self.data, |_| ())?;
        progress.message(&data.summary());
        data.check()?;
        progress.begin(self.settings.epochs, 0, "epochs");
        let (before, unit) = (trainer.loss(&data.validation), trainer.unit());
        let mut epochs = 0;
        while !trainer.is_finished() {
            let loss = trainer.epoch(&data.training);
            epochs += 1;
            progress.advance(epochs, &format!("loss {loss:.5}"));
        }
        progress.finish(epochs, "");
        let after = trainer.loss(&data.validation);
        let units = [unit, trainer.unit()];
        if units[1] <= 0.0 {
            return Err(MaterialRunError::Worthless);
        }
        write_atomically(&self.output, text_of(&trainer.values())?.as_bytes())?;
        let data = data_in_recipe(&self.data, &data.contents);
        let recipe = format!("{:#?}\n{data}", self.settings);
        write_atomically(&recipe_path, recipe.as_bytes())?;
        Ok(MaterialSummary {
            before,
            after,
            units,
        })
    }
}

/// Returns the text of values, which the evaluator reads.
fn text_of(values: &MaterialValues) -> Result<String, MaterialRunError> {
    let text = values.to_string();
    MaterialValues::from_bytes(text.as_bytes()).map_err(MaterialRunError::Values)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        error_chain, example::TrainingExample, progress::NoProgress, self_play::testing::play,
    };
    use monju_engine::{EvaluatorKind, Model};
    use std::fs;

    #[test]
    fn values_learned_from_self_play_make_an_evaluator() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games.psv");
        play(&games, 2000, 1);
        let run = MaterialRun {
            data: vec![games],
            output: folder.path().join("values.txt"),
            settings: MaterialTraining {
                epochs: 2,
                ..MaterialTraining::default()
            },
        };
        run.run(&mut NoProgress).unwrap();
        let bytes = fs::read(&run.output).unwrap();
        let model = Model::from_bytes(EvaluatorKind::Material, &bytes).unwrap();
        assert_ne!(model, Model::material());
        let recipe = fs::read_to_string(with_suffix(&run.output, ".recipe")).unwrap();
        assert!(recipe.contains("epochs: 2,"), "{recipe}");
        assert!(recipe.contains("games.psv\ndata "), "{recipe}");
        let over = MaterialRun {
            output: run.data[0].clone(),
            ..run.clone()
        };
        let error = over.run(&mut NoProgress).unwrap_err().to_string();
        assert!(error.contains("which is read"), "{error}");
        let wrong = MaterialRun {
            data: vec![run.output.clone()],
            output: folder.path().join("other.txt"),
            ..run
        };
        let error = error_chain(&wrong.run(&mut NoProgress).unwrap_err());
        assert!(error.contains("values.txt, position 1"), "{error}");
    }

    #[test]
    fn values_without_worth_are_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games.psv");
        play(&games, 2000, 1);
        // Scores and results of the other side.
        let mut bytes = fs::read(&games).unwrap();
        for bytes in bytes.as_chunks_mut::<{ TrainingExample::SIZE }>().0 {
            let mut example = TrainingExample::from_bytes(bytes).unwrap();
            (example.score, example.result) = (-example.score, -example.result);
            *bytes = example.to_bytes();
        }
        fs::write(&games, bytes).unwrap();
        let run = MaterialRun {
            data: vec![games],
            output: folder.path().join("values.txt"),
            settings: MaterialTraining {
                batch: 64,
                rate: 0.1,
                ..MaterialTraining::default()
            },
        };
        let error = run.run(&mut NoProgress).unwrap_err();
        assert!(matches!(error, MaterialRunError::Worthless), "{error}");
        assert!(!run.output.exists());

        let mut huge = MaterialValues::flat();
        huge.turn = 176_467;
        let error = error_chain(&text_of(&huge).unwrap_err());
        assert!(
            error.contains("from -10000 to 10000, found '176467'"),
            "{error}"
        );
    }
}
