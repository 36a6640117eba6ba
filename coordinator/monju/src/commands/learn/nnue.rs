//! `monju learn nnue`: a network, from positions of self-play.

mod curve;

use super::{
    Progress, beside, data,
    inputs::{read_file, read_text},
    keep_apart, recipe, remove, write_whole,
};
use anyhow::{Context, bail};
use curve::Epoch;
use monju_engine::eval::{Architecture, Network};
use monju_learn::{NetworkTrainer, NetworkTraining, Sample, TrainingSet, look_ahead};
use std::path::{Path, PathBuf};

/// What to train.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkRun {
    /// Files of samples, as self-play writes them.
    pub data: Vec<PathBuf>,
    /// The network to write.
    pub output: PathBuf,
    /// The same as a `nn.bin` for other engines.
    pub nn_bin: Option<PathBuf>,
    /// A network to start from.
    pub start: Option<PathBuf>,
    /// Networks that teach.
    pub teachers: Vec<PathBuf>,
    /// Goes on where an earlier run stopped.
    pub resume: bool,
    /// Stops after this epoch, to be resumed.
    pub until: Option<u64>,
    /// How it is trained.
    pub settings: NetworkTraining,
}

impl NetworkRun {
    /// Trains, and writes network, checkpoint, losses and their curve after every epoch.
    ///
    /// # Errors
    /// A file cannot be read or written, or is not what it should be; a setting makes no sense.
    pub fn run(&self) -> anyhow::Result<()> {
        let architecture = self.settings.architecture;
        if let Some(path) = self
            .nn_bin
            .as_ref()
            .filter(|_| architecture != Architecture::KP)
        {
            bail!(
                "cannot write {}: other engines have no networks of architecture {architecture}; \
                 --architecture k-p trains one for them",
                path.display()
            );
        }
        let inputs = self.data.iter().chain(&self.start).chain(&self.teachers);
        keep_apart(inputs.map(PathBuf::as_path), &self.outputs())?;
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
        let prepare = |game: &mut [Sample]| look_ahead(game, trace_decay, scale);
        let mut data = data::read(&self.data, prepare, TrainingSet::add)?;
        let recipe = self.recipe(start.as_ref(), &teachers, &data.contents);
        let (mut trainer, recipe) = self.trainer(start.as_ref(), recipe)?;
        let mut epochs = if self.resume {
            let path = self.beside(".losses.tsv");
            let text = read_text(&path)?;
            Epoch::parse_all(&text).with_context(|| format!("in {}", path.display()))?
        } else {
            Vec::new()
        };
        epochs.retain(|epoch| epoch.number <= trainer.epochs_done());

        data.check(TrainingSet::len)?;
        if !teachers.is_empty() {
            eprintln!("asking {} networks about every position", teachers.len());
        }
        // What is held out stays what it was: that is to be foretold.
        data.learned.ask(&teachers, teacher_share, scale, threads)?;
        let each = data.learned.len() as u64;
        let total = self.settings.epochs * each;
        let begun = trainer.epochs_done();
        let mut progress = Progress::new(total, begun * each, "positions");
        let last = self.until.unwrap_or(u64::MAX).min(self.settings.epochs);
        for number in begun + 1..=last {
            let learning = trainer.epoch(&data.learned, &mut |done, loss| {
                let done = (number - 1) * each + done as u64;
                progress.advance(done, &format!("epoch {number}, loss {loss:.5}"));
            });
            let epoch = Epoch {
                number,
                learning,
                held_out: trainer.loss(&data.held_out),
            };
            if !(epoch.learning.is_finite() && epoch.held_out.is_finite()) {
                bail!(
                    "the loss of epoch {number} is no number, and nothing of it was written: train \
                     with a lower --rate"
                );
            }
            epochs.push(epoch);
            progress.say_line(&format!(
                "epoch {number}: loss {learning:.5}, {:.5} on what it has not seen",
                epoch.held_out
            ));
            self.write(&trainer, &epochs, &recipe)?;
        }
        progress.finish(trainer.epochs_done() * each, "");
        println!(
            "{} {:016x}",
            self.output.display(),
            trainer.network().hash()
        );
        Ok(())
    }

    /// Everything that has a say in what is written, and for people the names of files. Of the data it is told what
    /// was read, since files of self-play may grow.
    fn recipe(
        &self,
        start: Option<&Network>,
        teachers: &[Network],
        contents: &[(usize, u64)],
    ) -> String {
        let mut recipe = format!("{:#?}\n", self.settings);
        for (path, (positions, hash)) in self.data.iter().zip(contents) {
            let path = path.display();
            recipe += &format!("# {path}\ndata {hash:016x}, {positions} positions\n");
        }
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

    /// A trainer, new or resumed, and what it makes is made of.
    fn trainer(
        &self,
        start: Option<&Network>,
        recipe: String,
    ) -> anyhow::Result<(NetworkTrainer, String)> {
        let settings = self.settings.clone();
        if self.resume {
            let made_by = read_text(&self.beside(".recipe"))
                .context("nothing to resume; train anew without --resume")?;
            let path = self.beside(".checkpoint");
            if !recipe::are_same(&made_by, &recipe) {
                bail!(
                    "{} was made with other options, data, --start or --teacher, or another use of --nn-bin, see {}: \
                     give the same, or train anew without --resume",
                    path.display(),
                    self.beside(".recipe").display()
                );
            }
            let bytes = read_file(&path)?;
            let trainer = NetworkTrainer::resume(settings, &bytes)
                .with_context(|| format!("in {}", path.display()))?;
            return Ok((trainer, made_by));
        }
        Ok((NetworkTrainer::new(settings, start)?, recipe))
    }

    fn write(
        &self,
        trainer: &NetworkTrainer,
        epochs: &[Epoch],
        recipe: &str,
    ) -> anyhow::Result<()> {
        let network = trainer.network();
        if !self.resume && epochs.len() == 1 {
            // Nobody shall go on with what another run has left behind, once this one has
            // something to keep.
            remove(&self.beside(".checkpoint"))?;
        }
        write_whole(&self.output, &network.to_bytes())?;
        if let Some(path) = &self.nn_bin {
            write_whole(path, &network.to_nn_bin()?)?;
        }
        write_whole(&self.beside(".losses.tsv"), Epoch::table(epochs).as_bytes())?;
        write_whole(&self.beside(".loss.svg"), curve::draw(epochs)?.as_bytes())?;
        write_whole(&self.beside(".recipe"), recipe.as_bytes())?;
        // Last: whoever resumes finds all the rest.
        write_whole(&self.beside(".checkpoint"), &trainer.to_bytes())
    }

    /// The output's name with an ending.
    fn beside(&self, ending: &str) -> PathBuf {
        beside(&self.output, ending)
    }

    /// Every file that it writes.
    fn outputs(&self) -> Vec<PathBuf> {
        let endings = ["", ".losses.tsv", ".loss.svg", ".recipe", ".checkpoint"];
        let own = endings.iter().map(|ending| self.beside(ending));
        own.chain(self.nn_bin.clone()).collect()
    }
}

/// The network of a file, in whichever format.
///
/// # Errors
/// There is none.
pub(super) fn read_network(path: &Path) -> anyhow::Result<Network> {
    Network::from_bytes(&read_file(path)?).with_context(|| format!("in {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::learn::selfplay;
    use monju_coordinator::seed::{HASH_OF_NOTHING, hash_on};
    use std::fs;

    #[test]
    fn a_training_is_written_down_and_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("games.psv");
        selfplay::tests::run(&data, 3000, 2).run().unwrap();
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
        run("whole", None, false).run().unwrap();
        run("resumed", Some(1), false).run().unwrap();
        run("resumed", None, true).run().unwrap();
        let file = |name: &str| fs::read(folder.path().join(name)).unwrap();
        assert!(file("whole.loss.svg").starts_with(b"<svg"));
        let own = Network::from_bytes(&file("whole")).unwrap();
        let foreign = Network::from_bytes(&file("nn.bin")).unwrap();
        assert_eq!(own, foreign);
        for ending in ["", ".checkpoint", ".losses.tsv"] {
            let [one, two] = ["whole", "resumed"].map(|name| file(&format!("{name}{ending}")));
            assert!(one == two, "a resumed training ends as a whole one{ending}");
        }
        let mut other = run("resumed", None, true);
        other.settings.scale = 400.0;
        let error = other.run().unwrap_err().to_string();
        assert!(error.contains("other options"), "{error}");
        let mut elsewhere = run("resumed", None, true);
        elsewhere.start = Some(folder.path().join("whole"));
        let error = elsewhere.run().unwrap_err().to_string();
        assert!(error.contains("--start"), "{error}");
        // Without it, an old nn.bin would stay beside a new network.
        let mut without = run("resumed", None, true);
        without.nn_bin = None;
        let error = without.run().unwrap_err().to_string();
        assert!(error.contains("--nn-bin"), "{error}");

        // A run that fails leaves what another one has kept.
        let endings = ["", ".checkpoint", ".losses.tsv", ".recipe"];
        let kept = || endings.map(|ending| file(&format!("whole{ending}")));
        let before = kept();
        let damaged = folder.path().join("damaged.psv");
        fs::write(&damaged, [7; 400]).unwrap();
        let mut failing = run("whole", None, false);
        failing.data = vec![damaged];
        assert!(failing.run().is_err());
        assert!(kept() == before, "what was there is as it was");

        // Weights that are no numbers, as a training gone wrong has them.
        run("half", Some(1), false).run().unwrap();
        let mut bytes = file("half.checkpoint");
        let content = bytes.len() - 8;
        let output_bias = 32 + (content - 32) / 3 - 4;
        bytes[output_bias..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
        let hash = hash_on(HASH_OF_NOTHING, &bytes[..content]);
        bytes[content..].copy_from_slice(&hash.to_le_bytes());
        fs::write(folder.path().join("half.checkpoint"), &bytes).unwrap();
        let network = file("half");
        let error = run("half", None, true).run().unwrap_err().to_string();
        assert!(error.contains("epoch 2 is no number"), "{error}");
        assert!(file("half") == network && file("half.checkpoint") == bytes);

        // A single bit, in the checkpoint and in the data.
        let damage = |name: &str| {
            let mut bytes = file(name);
            // In the data it is the lowest of a score.
            let middle = bytes.len() / 2 / Sample::SIZE * Sample::SIZE + 32;
            bytes[middle] ^= 1;
            fs::write(folder.path().join(name), bytes).unwrap();
            format!("{:#}", run("whole", None, true).run().unwrap_err())
        };
        let error = damage("whole.checkpoint");
        assert!(error.contains("damaged"), "{error}");
        let error = damage("games.psv");
        assert!(error.contains("other options, data"), "{error}");

        for output in ["games.psv", "./games.psv"] {
            let error = run(output, None, false).run().unwrap_err().to_string();
            assert!(error.contains("which is read"), "{error}");
        }
    }

    #[test]
    fn wrong_files_are_told() {
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
        let error = format!("{:#}", run.run().unwrap_err());
        assert!(error.contains("games.psv, position 1"), "{error}");
        let run = NetworkRun {
            nn_bin: Some(folder.path().join("nn.bin")),
            settings: NetworkTraining {
                architecture: Architecture::KPPairs,
                ..NetworkTraining::default()
            },
            ..run
        };
        let error = format!("{:#}", run.run().unwrap_err());
        assert!(error.contains("--architecture k-p trains one"), "{error}");
    }
}
