//! `monju learn material`: values of pieces by square, from positions of self-play.

use super::{Progress, data, keep_apart, write_whole};
use monju_learn::{MaterialSet, MaterialTrainer, MaterialTraining};
use std::path::PathBuf;

/// What to learn.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialRun {
    /// Files of samples, as self-play writes them.
    pub data: Vec<PathBuf>,
    /// The values to write.
    pub output: PathBuf,
    /// How they are learned.
    pub settings: MaterialTraining,
}

impl MaterialRun {
    /// Learns, tells the losses, and writes the values at the end: it is a matter of seconds.
    ///
    /// # Errors
    /// A file cannot be read or written, or is not what it should be; a setting makes no sense.
    pub fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.iter().map(PathBuf::as_path);
        keep_apart(inputs, std::slice::from_ref(&self.output))?;
        let mut trainer = MaterialTrainer::new(self.settings.clone())?;
        let data = data::read(&self.data, |_| (), MaterialSet::add)?;
        data.check(MaterialSet::len)?;
        let mut progress = Progress::new(self.settings.epochs, 0, "epochs");
        let before = trainer.loss(&data.held_out);
        let mut epochs = 0;
        while !trainer.is_finished() {
            let loss = trainer.epoch(&data.learned);
            epochs += 1;
            progress.advance(epochs, &format!("loss {loss:.5}"));
        }
        progress.finish(epochs, "");
        let after = trainer.loss(&data.held_out);
        write_whole(&self.output, trainer.values().to_string().as_bytes())?;
        println!(
            "{}: loss {after:.5} on what it has not seen, {before:.5} before",
            self.output.display()
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::learn::selfplay;
    use monju_engine::{EvaluatorKind, Model};
    use std::fs;

    #[test]
    fn values_learned_from_self_play_are_those_of_an_evaluator() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games.psv");
        selfplay::tests::run(&games, 2000, 1).run().unwrap();
        let run = MaterialRun {
            data: vec![games],
            output: folder.path().join("values.txt"),
            settings: MaterialTraining {
                epochs: 2,
                ..MaterialTraining::default()
            },
        };
        run.run().unwrap();
        let bytes = fs::read(&run.output).unwrap();
        let model = Model::from_bytes(EvaluatorKind::Material, &bytes).unwrap();
        assert_ne!(model, Model::material());
        let over = MaterialRun {
            output: run.data[0].clone(),
            ..run.clone()
        };
        let error = over.run().unwrap_err().to_string();
        assert!(error.contains("which is read"), "{error}");
        let wrong = MaterialRun {
            data: vec![run.output.clone()],
            output: folder.path().join("other.txt"),
            ..run
        };
        let error = format!("{:#}", wrong.run().unwrap_err());
        assert!(error.contains("values.txt, position 1"), "{error}");
    }
}
