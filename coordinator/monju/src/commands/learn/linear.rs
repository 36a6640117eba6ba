//! `monju learn linear`: the Bonanza method, with checkpoints, a loss curve and a report.

mod curve;

use super::{
    Progress, beside,
    inputs::{fingerprint, read_file, read_text},
    keep_apart, recipe, remove, write_whole,
};
use anyhow::{Context, bail};
use monju_engine::{Model, eval::LinearWeights};
use monju_learn::{
    linear::{MatchRate, Settings, Step, Trainer, measure},
    records::{self, Record},
};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

/// Of so many games, one is held out.
const HELD_OUT: usize = 50;

/// Time between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Steps whose losses are averaged into what people see.
const SMOOTHING: usize = 50;

/// What to learn, and from what.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearRun {
    /// Games, as `monju learn records` writes them.
    pub games: PathBuf,
    /// The file of weights to write.
    pub output: PathBuf,
    /// Goes on where an earlier run stopped.
    pub resume: bool,
    /// Held-out positions to measure on.
    pub measured: usize,
    /// How to learn.
    pub settings: Settings,
}

impl LinearRun {
    /// Learns, measures, and writes weights, loss curve and report.
    ///
    /// # Errors
    /// A file cannot be read or written, or the settings make no sense.
    pub fn run(&self) -> anyhow::Result<()> {
        self.check()?;
        let (games, held_out) = self.read_games()?;
        let (game_count, held_count) = (games.len(), held_out.len());
        let mut trainer = self.trainer(games)?;
        let position_count = trainer.positions();
        let material = Arc::new(LinearWeights::material());
        let before = measure(&material, &self.settings, &held_out, self.measured);
        self.learn(&mut trainer)?;
        let weights = trainer.weights();
        let learned = Arc::new(LinearWeights::from_bytes(&weights)?);
        let after = measure(&learned, &self.settings, &held_out, self.measured);
        let curve = curve::draw(trainer.history(), SMOOTHING)?;
        write_whole(&self.beside(".loss.svg"), curve.as_bytes())?;
        let report = Report {
            run: self,
            games: game_count,
            positions: position_count,
            held_out: held_count,
            model: &Model::Linear(learned),
            first: smoothed(&trainer.history()[..SMOOTHING.min(trainer.history().len())]),
            last: smoothed(trainer.history()),
            before,
            after,
        };
        let report = report.text();
        write_whole(&self.beside(".report"), report.as_bytes())?;
        write_whole(&self.output, &weights)?;
        write!(io::stdout().lock(), "{report}").context("cannot write to standard output")
    }

    fn check(&self) -> anyhow::Result<()> {
        for (what, number) in [("rate", self.settings.rate), ("width", self.settings.width)] {
            if !(number.is_finite() && number > 0.0) {
                bail!("--{what} must be a number of centipawns above 0, not {number}");
            }
        }
        if !(self.settings.tolerance.is_finite() && self.settings.tolerance >= 0.0) {
            bail!(
                "--tolerance must be a number of centipawns from 0, not {}",
                self.settings.tolerance
            );
        }
        let endings = ["", ".loss.svg", ".report", ".recipe", ".checkpoint"];
        keep_apart(
            [self.games.as_path()],
            &endings.map(|ending| self.beside(ending)),
        )
    }

    /// Games to learn from, and those that are held out.
    fn read_games(&self) -> anyhow::Result<(Vec<Record>, Vec<Record>)> {
        let path = self.games.display();
        let bytes = read_file(&self.games)?;
        let all = records::from_bytes(&bytes).with_context(|| format!("{path}"))?;
        let (mut games, mut held_out) = (Vec::new(), Vec::new());
        for (number, record) in all.into_iter().enumerate() {
            if number % HELD_OUT == HELD_OUT - 1 {
                held_out.push(record);
            } else {
                games.push(record);
            }
        }
        if held_out.is_empty() {
            bail!(
                "{path} has {} games; at least {HELD_OUT} are needed, to hold one out",
                games.len()
            );
        }
        Ok((games, held_out))
    }

    fn trainer(&self, games: Vec<Record>) -> anyhow::Result<Trainer> {
        let path = self.beside(".checkpoint");
        if !self.resume {
            return Ok(Trainer::new(self.settings.clone(), games));
        }
        let recipe_path = self.beside(".recipe");
        let made_by =
            read_text(&recipe_path).context("nothing to resume; learn anew without --resume")?;
        if !recipe::are_same(&made_by, &self.recipe()?) {
            bail!(
                "{} was made with other options or games, see {}: give the same, or learn anew without \
                 --resume",
                path.display(),
                recipe_path.display()
            );
        }
        let bytes = read_file(&path)?;
        Trainer::resume(self.settings.clone(), games, &bytes)
            .with_context(|| format!("{}", path.display()))
    }

    fn learn(&self, trainer: &mut Trainer) -> anyhow::Result<()> {
        let recipe = self.recipe()?;
        let done = trainer.history().len() as u64;
        let mut progress = Progress::new(self.settings.steps, done, "steps");
        let mut saved = Instant::now();
        let mut first = !self.resume;
        while !trainer.is_finished() {
            if let Some(step) = trainer.step()
                && !step.loss.is_finite()
            {
                bail!(
                    "the loss of step {} is no number; learn with a lower --rate, or with another \
                     --width",
                    step.number
                );
            }
            let Step {
                number,
                loss,
                agreement,
            } = smoothed(trainer.history());
            let remark = format!("loss {loss:.3}, agreement {:.1} %", 100.0 * agreement);
            progress.advance(number, &remark);
            if saved.elapsed() >= CHECKPOINT_INTERVAL {
                self.save(trainer, &recipe, std::mem::take(&mut first))?;
                saved = Instant::now();
            }
        }
        self.save(trainer, &recipe, first)?;
        progress.finish(self.settings.steps, "learned");
        Ok(())
    }

    /// Writes down how far it is. The `first` time another run's checkpoint goes: nobody shall go
    /// on with what that has left behind.
    fn save(&self, trainer: &Trainer, recipe: &str, first: bool) -> anyhow::Result<()> {
        if first {
            remove(&self.beside(".checkpoint"))?;
            write_whole(&self.beside(".recipe"), recipe.as_bytes())?;
        }
        write_whole(&self.output, &trainer.weights())?;
        write_whole(&self.beside(".checkpoint"), &trainer.checkpoint())
    }

    /// Everything that the weights depend on.
    fn recipe(&self) -> anyhow::Result<String> {
        let games = fingerprint(&self.games)?;
        // They are what it starts from, and what weights are scaled by.
        let material = Model::material().hash();
        Ok(format!(
            "{}\n# {}\ngames {games:016x}\nmaterial {material:016x}\n",
            self.options(),
            self.games.display()
        ))
    }

    /// The command's options, without files.
    fn options(&self) -> String {
        let Settings {
            seed,
            steps,
            batch,
            depth,
            rate,
            width,
            tolerance,
            threads,
        } = &self.settings;
        format!(
            "--seed {seed} --steps {steps} --batch {batch} --depth {depth} --rate {rate} \
             --width {width} --tolerance {tolerance} --threads {threads}"
        )
    }

    fn beside(&self, ending: &str) -> PathBuf {
        beside(&self.output, ending)
    }
}

/// The last step, with what the last few have in common.
fn smoothed(history: &[Step]) -> Step {
    let last = &history[history.len().saturating_sub(SMOOTHING)..];
    let mean =
        |part: fn(&Step) -> f32| last.iter().map(part).sum::<f32>() / last.len().max(1) as f32;
    Step {
        number: last.last().map_or(0, |step| step.number),
        loss: mean(|step| step.loss),
        agreement: mean(|step| step.agreement),
    }
}

/// What came of it.
struct Report<'a> {
    run: &'a LinearRun,
    games: usize,
    positions: usize,
    held_out: usize,
    model: &'a Model,
    first: Step,
    last: Step,
    before: MatchRate,
    after: MatchRate,
}

impl Report<'_> {
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
    use monju_engine::Game;
    use monju_learn::records::GameResult;
    use std::fs;

    /// Short games, all of them different.
    fn games(count: usize) -> Vec<Record> {
        let game = |number: usize| {
            let mut game = Game::startpos();
            for ply in 0..10 {
                let legal = game.legal_moves();
                game.play(legal[(7 * number + 3 * ply) % legal.len()])
                    .expect("a legal move");
            }
            Record::new(None, game.moves().to_vec(), GameResult::Unknown).expect("a record")
        };
        (0..count).map(game).collect()
    }

    #[test]
    fn a_training_is_written_down_resumed_and_never_taken_for_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::write(file("games"), records::to_bytes(&games(100))).unwrap();
        let run = |name: &str, resume| LinearRun {
            games: file("games"),
            output: file(name),
            resume,
            measured: 20,
            settings: Settings {
                steps: 3,
                batch: 8,
                threads: 1,
                ..Settings::default()
            },
        };
        run("whole", false).run().unwrap();
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
        moved.run().unwrap();
        assert_eq!(fs::read(file("whole")).unwrap(), weights);
        fs::rename(file("moved"), file("games")).unwrap();
        let refused = |run: &LinearRun| format!("{:#}", run.run().unwrap_err());
        let mut other = run("whole", true);
        other.settings.rate = 9.0;
        let error = refused(&other);
        assert!(error.contains("other options or games"), "{error}");
        // Other games in as many bytes.
        let mut others = games(101);
        others.remove(0);
        let bytes = records::to_bytes(&others);
        assert_eq!(bytes.len(), fs::read(file("games")).unwrap().len());
        fs::write(file("games"), bytes).unwrap();
        let error = refused(&run("whole", true));
        assert!(error.contains("other options or games"), "{error}");

        // A run that fails before it has something to keep leaves what another one has kept.
        let kept = || {
            ["", ".checkpoint", ".recipe"]
                .map(|end| fs::read(file(&format!("whole{end}"))).unwrap())
        };
        let before = kept();
        let mut wild = run("whole", false);
        wild.settings.width = f32::MIN_POSITIVE;
        let error = refused(&wild);
        assert!(error.contains("is no number"), "{error}");
        assert!(kept() == before, "what was there is as it was");

        let mut over = run("whole", false);
        over.output = folder.path().join("./games");
        let error = refused(&over);
        assert!(error.contains("which is read"), "{error}");
    }
}
