//! `monju learn selfplay`: positions to learn from, by self-play.
//!
//! The file grows by whole games in the order of their numbers, whatever thread played them, so it
//! depends on the settings and the search alone. What stands in `FILE.recipe` beside it made it; a
//! run that is started again with the same recipe goes on where the last one stopped, if the last
//! game comes out as it did: another build may search otherwise.

use super::{Progress, beside, inputs::read_text, keep_apart, recipe, write_whole};
use anyhow::{Context, anyhow, bail};
use monju_coordinator::seed::hash_text;
use monju_engine::{Move, STACK_BYTES};
use monju_learn::{Sample, SelfPlay, SelfPlaySettings};
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::PathBuf,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread::{self, Scope, ScopedJoinHandle},
};

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
            Some(path) => read_text(path)?,
        };
        keep_apart(
            self.openings.as_deref(),
            &[self.output.clone(), beside(&self.output, ".recipe")],
        )?;
        let openings = SelfPlay::openings(&text).with_context(|| {
            format!("in {}", self.openings.clone().unwrap_or_default().display())
        })?;
        // Wrong settings are told before anything is written.
        let player = SelfPlay::new(&self.settings, &openings)?;
        let (mut file, begun) = self.open(&self.recipe(&text), player)?;
        let mut progress = Progress::new(self.positions, begun.positions, "positions");
        let mut state = begun;
        if state.positions < self.positions {
            self.play(&openings, &mut file, &mut state, &mut progress)?;
        }
        progress.finish(state.positions, &format!("{} games", state.games));
        Ok(())
    }

    /// Plays in as many threads as are wanted, until there is enough.
    fn play(
        &self,
        openings: &[Vec<Move>],
        file: &mut File,
        state: &mut Contents,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        let next = AtomicU64::new(state.games);
        let enough = AtomicBool::new(false);
        let (sender, finished) = mpsc::sync_channel(64);
        thread::scope(|scope| {
            let start = |_| {
                let mut player = SelfPlay::new(&self.settings, openings)?;
                let (sender, next, enough) = (sender.clone(), &next, &enough);
                in_thread(scope, move || {
                    let _end = EndOnPanic(enough);
                    while !enough.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        // Nobody listens any more when there is enough.
                        if sender.send((number, player.play(number))).is_err() {
                            return;
                        }
                    }
                })
            };
            let players: anyhow::Result<Vec<_>> = (0..self.threads).map(start).collect();
            drop(sender);
            let written = match &players {
                Ok(_) => self.collect(file, &finished, state, progress),
                Err(_) => Ok(()),
            };
            enough.store(true, Ordering::Relaxed);
            drop(finished);
            // Asks them all, so that no panic is left to the scope.
            let ends: Vec<_> = players?.into_iter().map(|player| player.join()).collect();
            if written.is_err() && ends.iter().any(Result::is_err) {
                bail!(
                    "a game ended the thread that played it; {} has the {} games before it",
                    self.output.display(),
                    state.games
                );
            }
            written
        })
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
            let (number, samples) = finished.recv().context("nobody plays any more")?;
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
            hash_text(openings),
        )
    }

    /// Opens the file for the next game, after checking what is there.
    fn open(&self, recipe: &str, player: SelfPlay) -> anyhow::Result<(File, Contents)> {
        let path = self.output.display();
        let recipe_path = beside(&self.output, ".recipe");
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
            let made_by = read_text(&recipe_path)
                .with_context(|| format!("{path} exists, but not what made it"))?;
            if !recipe::are_same(&made_by, recipe) {
                bail!(
                    "{path} was made with other settings, see {}: give them again, or choose \
                     another file",
                    recipe_path.display()
                );
            }
        } else {
            write_whole(&recipe_path, recipe.as_bytes())?;
        }
        let contents = Contents::of(&file).with_context(|| format!("cannot read {path}"))?;
        if contents.positions < self.positions {
            self.check_last_game(&mut file, contents, player)?;
        }
        // A game that was cut off is played again.
        let end = contents.positions * Sample::SIZE as u64;
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::Start(end)))
            .with_context(|| format!("cannot continue {path}"))?;
        Ok((file, contents))
    }

    /// Refuses a file whose last whole game comes out otherwise here.
    fn check_last_game(
        &self,
        file: &mut File,
        contents: Contents,
        mut player: SelfPlay,
    ) -> anyhow::Result<()> {
        let Some(last) = contents.games.checked_sub(1) else {
            return Ok(());
        };
        let path = self.output.display();
        let length = contents.positions - contents.last_game;
        let mut written = vec![0; length as usize * Sample::SIZE];
        file.seek(SeekFrom::Start(contents.last_game * Sample::SIZE as u64))
            .and_then(|_| file.read_exact(&mut written))
            .with_context(|| format!("cannot read {path}"))?;
        let played = thread::scope(|scope| {
            in_thread(scope, move || player.play(last))?
                .join()
                .map_err(|_| anyhow!("game {} ended the thread that played it", last + 1))
        })?;
        if !played.iter().flat_map(Sample::to_bytes).eq(written) {
            bail!(
                "{path} was made by a build that searches otherwise: its game {} comes out \
                 differently here; go on with that build, or choose another file",
                last + 1
            );
        }
        Ok(())
    }
}

/// Starts a thread with room for a search.
fn in_thread<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> anyhow::Result<ScopedJoinHandle<'scope, T>> {
    thread::Builder::new()
        .name("self-play".to_owned())
        .stack_size(STACK_BYTES)
        .spawn_scoped(scope, work)
        .context("cannot start a thread")
}

/// Ends the work of all where one thread ends by a panic: its game would be waited for for ever.
struct EndOnPanic<'a>(&'a AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// What whole games a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Contents {
    games: u64,
    positions: u64,
    /// Where the last of the games begins, in positions.
    last_game: u64,
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
                contents.last_game = contents.positions;
                contents.positions = positions;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use monju_engine::PlayerSettings;
    use std::{fs, path::Path};

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
    fn a_file_of_another_search_is_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.psv");
        run(&path, 100, 1).run().unwrap();
        let mut bytes = fs::read(&path).unwrap();
        // Another score in the last game, as another search would have found it.
        let score = bytes.len() - Sample::SIZE + 32;
        bytes[score] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let error = run(&path, 200, 1).run().unwrap_err().to_string();
        assert!(error.contains("comes out differently here"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn openings_are_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.psv");
        let openings = folder.path().join("games.psv.recipe");
        fs::write(&openings, "startpos moves 7g7f\n").unwrap();
        let run = SelfPlayRun {
            openings: Some(openings.clone()),
            ..run(&path, 1, 1)
        };
        let error = run.run().unwrap_err().to_string();
        assert!(error.contains("which is read"), "{error}");
        assert_eq!(fs::read(&openings).unwrap(), b"startpos moves 7g7f\n");
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
