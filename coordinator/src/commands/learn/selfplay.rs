//! `monju learn selfplay`: positions to learn from, by self-play.
//!
//! The file grows by whole games in the order of their numbers, whatever thread played them, so it
//! depends on the settings alone. What stands in `FILE.recipe` beside it made it; a run that is
//! started again with the same recipe goes on where the last one stopped.

use super::{Progress, fingerprint};
use anyhow::{Context, bail};
use monju_engine::learn::{Sample, SelfPlay, SelfPlaySettings};
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

/// Stack of a search in bytes: it recurses once a ply.
const STACK_BYTES: usize = 16 << 20;

/// What to play.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayRun {
    /// The file of samples to write or to continue.
    pub output: PathBuf,
    /// How many positions it shall hold; the last game is finished.
    pub positions: u64,
    /// Games at the same time.
    pub threads: usize,
    /// Openings, one `startpos moves …` a line.
    pub openings: Option<PathBuf>,
    /// How the games are played.
    pub settings: SelfPlaySettings,
}

impl SelfPlayRun {
    /// Plays until the file holds enough.
    ///
    /// # Errors
    /// A file cannot be read or written, the settings make no sense, or an existing file was made
    /// by others or is being written by another process.
    pub fn run(&self) -> anyhow::Result<()> {
        let text = match &self.openings {
            None => String::new(),
            Some(path) => fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?,
        };
        let openings = SelfPlay::openings(&text).with_context(|| {
            format!("in {}", self.openings.clone().unwrap_or_default().display())
        })?;
        // Wrong settings are told before anything is written.
        drop(SelfPlay::new(&self.settings, &openings)?);
        let (mut file, begun) = self.open(&self.recipe(&text))?;
        let mut progress = Progress::new(self.positions, begun.positions, "positions");
        let mut state = begun;
        if state.positions < self.positions {
            let next = AtomicU64::new(state.games);
            let enough = AtomicBool::new(false);
            let (sender, finished) = mpsc::sync_channel(64);
            thread::scope(|scope| -> anyhow::Result<()> {
                for _ in 0..self.threads {
                    let (sender, next, enough) = (sender.clone(), &next, &enough);
                    let mut player = SelfPlay::new(&self.settings, &openings)?;
                    thread::Builder::new()
                        .name("self-play".to_owned())
                        .stack_size(STACK_BYTES)
                        .spawn_scoped(scope, move || {
                            while !enough.load(Ordering::Relaxed) {
                                let number = next.fetch_add(1, Ordering::Relaxed);
                                // Nobody listens any more when there is enough.
                                if sender.send((number, player.play(number))).is_err() {
                                    return;
                                }
                            }
                        })
                        .context("cannot start a thread")?;
                }
                drop(sender);
                let written = self.collect(&mut file, &finished, &mut state, &mut progress);
                enough.store(true, Ordering::Relaxed);
                drop(finished);
                written
            })?;
        }
        progress.finish(state.positions, &format!("{} games", state.games));
        Ok(())
    }

    /// Writes games in the order of their numbers until there is enough.
    fn collect(
        &self,
        file: &mut File,
        finished: &mpsc::Receiver<(u64, Vec<Sample>)>,
        state: &mut Contents,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        let mut waiting = BTreeMap::new();
        while state.positions < self.positions {
            let (number, samples) = finished.recv().context("a game panicked")?;
            waiting.insert(number, samples);
            while state.positions < self.positions
                && let Some(samples) = waiting.remove(&state.games)
            {
                let bytes: Vec<u8> = samples.iter().flat_map(Sample::to_bytes).collect();
                file.write_all(&bytes)
                    .with_context(|| format!("cannot write {}", self.output.display()))?;
                state.games += 1;
                state.positions += samples.len() as u64;
            }
            progress.advance(state.positions, &format!("{} games", state.games));
        }
        Ok(())
    }

    /// Everything that a game depends on.
    fn recipe(&self, openings: &str) -> String {
        let SelfPlaySettings {
            player,
            nodes,
            seed,
            random_plies,
            opening_plies,
            maximum_plies,
            decided_score,
            decided_plies,
        } = &self.settings;
        format!(
            "evaluator = \"{}\"\nsigma = {}\nhash_mib = {}\nnodes = {nodes}\nseed = {seed}\n\
             random_plies = {random_plies}\nopening_plies = {opening_plies}\n\
             openings_fingerprint = \"{:016x}\"\nmaximum_plies = {maximum_plies}\n\
             decided_score = {decided_score}\ndecided_plies = {decided_plies}\n",
            player.evaluator,
            player.sigma,
            player.hash_mib,
            fingerprint::of_bytes(openings.as_bytes()),
        )
    }

    /// Opens the file for the next game, after checking what is there.
    fn open(&self, recipe: &str) -> anyhow::Result<(File, Contents)> {
        let path = self.output.display();
        let mut recipe_name = self.output.clone().into_os_string();
        recipe_name.push(".recipe");
        let recipe_path = Path::new(&recipe_name);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&self.output)
            .with_context(|| format!("cannot open {path}"))?;
        // Where the file system has no locks, nobody is kept out.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!(
                "{path} is being written by another process: wait until that has ended, or choose \
                 another file"
            );
        }
        let begun = file
            .metadata()
            .with_context(|| format!("cannot read {path}"))?
            .len();
        if begun > 0 {
            let made_by = fs::read_to_string(recipe_path).with_context(|| {
                format!(
                    "{path} exists, but what made it cannot be read in {}",
                    recipe_path.display()
                )
            })?;
            if made_by != recipe {
                bail!(
                    "{path} was made with other settings, see {}: give them again, or choose \
                     another file",
                    recipe_path.display()
                );
            }
        } else {
            fs::write(recipe_path, recipe)
                .with_context(|| format!("cannot write {}", recipe_path.display()))?;
        }
        let contents = Contents::of(&file).with_context(|| format!("cannot read {path}"))?;
        // A game that was cut off is played again.
        let end = contents.positions * Sample::SIZE as u64;
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::Start(end)))
            .with_context(|| format!("cannot continue {path}"))?;
        Ok((file, contents))
    }
}

/// What whole games a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Contents {
    games: u64,
    positions: u64,
}

impl Contents {
    fn of(file: &File) -> io::Result<Self> {
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut contents = Self::default();
        let mut bytes = [0; Sample::SIZE];
        let mut positions = 0;
        loop {
            match reader.read_exact(&mut bytes) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(contents),
                Err(error) => return Err(error),
            }
            positions += 1;
            if bytes[Sample::SIZE - 1] & 1 == 1 {
                contents.games += 1;
                contents.positions = positions;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use monju_engine::PlayerSettings;

    /// Fast games with hardly any thought.
    pub fn run(output: &Path, positions: u64, threads: usize) -> SelfPlayRun {
        SelfPlayRun {
            output: output.to_owned(),
            positions,
            threads,
            openings: None,
            settings: SelfPlaySettings {
                player: PlayerSettings {
                    hash_mib: 1,
                    ..PlayerSettings::default()
                },
                nodes: 30,
                maximum_plies: 40,
                ..SelfPlaySettings::default()
            },
        }
    }

    #[test]
    fn the_file_does_not_depend_on_threads_or_interruptions() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one.psv"), folder.path().join("two.psv"));
        run(&one, 300, 1).run().unwrap();
        run(&two, 100, 2).run().unwrap();
        // As a power cut leaves it: in the middle of a game, in the middle of a sample.
        let mut torn = fs::read(&two).unwrap();
        torn.truncate(torn.len() - 100);
        fs::write(&two, &torn).unwrap();
        run(&two, 300, 2).run().unwrap();
        let whole = fs::read(&one).unwrap();
        assert!(whole.len() >= 300 * Sample::SIZE);
        assert_eq!(whole, fs::read(&two).unwrap());
    }

    #[test]
    fn a_file_that_somebody_else_writes_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.psv");
        run(&path, 1, 1).run().unwrap();
        let before = fs::read(&path).unwrap();
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        let error = run(&path, 500, 1).run().unwrap_err().to_string();
        assert!(error.contains("another process"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        drop(other);
        run(&path, 500, 1).run().unwrap();
        assert!(fs::read(&path).unwrap().len() > before.len());
    }

    #[test]
    fn a_file_of_other_settings_is_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.psv");
        run(&path, 1, 1).run().unwrap();
        let mut other = run(&path, 500, 1);
        other.settings.seed = 2;
        let error = other.run().unwrap_err().to_string();
        assert!(error.contains("other settings"), "{error}");
    }
}
