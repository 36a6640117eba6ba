//! The run behind `monju learn selfplay`: training examples, from self-play.
//!
//! The file grows by whole games in the order of their numbers, whichever threads play them, so it
//! depends on the settings and the search alone. `FILE.recipe` beside it states the settings. A run
//! with the same recipe continues the file if the last game can be repeated; another build may search
//! differently.

use super::{
    file::{GamesFile, GamesFileError, recipe_path},
    games::{SelfPlay, SelfPlayError},
    settings::SelfPlaySettings,
};
use crate::{
    example::TrainingExample,
    files::{FileError, check_outputs, read_text},
    progress::ProgressObserver,
};
use monju_engine::{Move, STACK_BYTES, counted, fnv1a};
use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread::{self, Scope, ScopedJoinHandle},
};

/// Finished games that may wait to be written.
const QUEUE_LENGTH: usize = 64;

/// Self-play into a file.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayRun {
    /// The file of training examples to write or to continue.
    pub output: PathBuf,
    /// Number of positions to reach; the last game is finished.
    pub positions: u64,
    /// Number of simultaneous games.
    pub threads: usize,
    /// Openings, one `startpos moves …` a line.
    pub openings: Option<PathBuf>,
    /// Settings of the games.
    pub settings: SelfPlaySettings,
}

/// Error of a self-play run.
#[derive(Debug, thiserror::Error)]
pub enum SelfPlayRunError {
    /// The openings cannot be read, or would be written over.
    #[error(transparent)]
    File(#[from] FileError),
    /// The output cannot be continued.
    #[error(transparent)]
    Games(#[from] GamesFileError),
    /// The settings are unsuitable.
    #[error(transparent)]
    SelfPlay(#[from] SelfPlayError),
    /// An opening is unsuitable.
    #[error("in {}", path.display())]
    Openings {
        /// The file of openings.
        path: PathBuf,
        /// Reason.
        source: SelfPlayError,
    },
    /// The last game of the file cannot be repeated.
    #[error(
        "{} was made by a build with another search: its game {game} comes out differently here; \
         continue with that build, or choose another file",
        path.display()
    )]
    OtherBuild {
        /// The file.
        path: PathBuf,
        /// Number of the game, counted from 1.
        game: u64,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// The repeated last game panicked.
    #[error("game {0} panicked when it was repeated")]
    LastGamePanicked(u64),
    /// A game panicked.
    #[error(
        "a game panicked; {} has the {games} games before it",
        path.display()
    )]
    Panicked {
        /// The file.
        path: PathBuf,
        /// Number of games written.
        games: u64,
    },
    /// All threads have ended early.
    #[error("all threads have stopped")]
    Stopped,
}

impl SelfPlayRun {
    /// Plays until the file holds enough positions.
    ///
    /// # Errors
    /// A file cannot be read or written, the settings are unsuitable, or an existing file was made from
    /// others or is being written by another process.
    pub fn run(&self, progress: &mut dyn ProgressObserver) -> Result<(), SelfPlayRunError> {
        let outputs = [self.output.clone(), recipe_path(&self.output)];
        check_outputs(self.openings.as_deref(), &outputs)?;
        let text = match &self.openings {
            None => String::new(),
            Some(path) => read_text(path)?,
        };
        let openings = SelfPlay::openings(&text).map_err(|source| SelfPlayRunError::Openings {
            path: self.openings.clone().unwrap_or_default(),
            source,
        })?;
        // Unsuitable settings are refused before anything is written.
        let player = SelfPlay::new(&self.settings, &openings)?;
        let mut file = GamesFile::open(&self.output, &self.recipe(&text))?;
        if file.positions() < self.positions {
            self.repeat_last_game(&mut file, player)?;
        }
        file.seek_to_next_game()?;
        progress.begin(self.positions, file.positions(), "positions");
        if file.positions() < self.positions {
            self.play(&openings, &mut file, progress)?;
        }
        progress.finish(file.positions(), &counted(file.games(), "game"));
        Ok(())
    }

    /// Plays games in all threads until there are enough positions.
    fn play(
        &self,
        openings: &[Vec<Move>],
        file: &mut GamesFile,
        progress: &mut dyn ProgressObserver,
    ) -> Result<(), SelfPlayRunError> {
        let next = AtomicU64::new(file.games());
        let is_enough = AtomicBool::new(false);
        let (sender, finished) = mpsc::sync_channel(QUEUE_LENGTH);
        thread::scope(|scope| {
            let start = |_| {
                let mut player = SelfPlay::new(&self.settings, openings)?;
                let (sender, next, is_enough) = (sender.clone(), &next, &is_enough);
                spawn_player(scope, move || {
                    let _end = EndOnPanic(is_enough);
                    while !is_enough.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        // The receiver is gone once there are enough positions.
                        if sender.send((number, player.play(number))).is_err() {
                            return;
                        }
                    }
                })
            };
            let players: Result<Vec<_>, SelfPlayRunError> = (0..self.threads).map(start).collect();
            drop(sender);
            let written = match &players {
                Ok(_) => self.collect(file, &finished, progress),
                Err(_) => Ok(()),
            };
            is_enough.store(true, Ordering::Relaxed);
            drop(finished);
            // Joining every thread keeps the scope from panicking with one of them.
            let ends: Vec<_> = players?.into_iter().map(|player| player.join()).collect();
            if written.is_err() && ends.iter().any(Result::is_err) {
                return Err(SelfPlayRunError::Panicked {
                    path: self.output.clone(),
                    games: file.games(),
                });
            }
            written
        })
    }

    /// Writes games in the order of their numbers until there are enough positions.
    fn collect(
        &self,
        file: &mut GamesFile,
        finished: &mpsc::Receiver<(u64, Vec<TrainingExample>)>,
        progress: &mut dyn ProgressObserver,
    ) -> Result<(), SelfPlayRunError> {
        let mut waiting = BTreeMap::new();
        while file.positions() < self.positions {
            let (number, examples) = finished.recv().map_err(|_| SelfPlayRunError::Stopped)?;
            waiting.insert(number, examples);
            while file.positions() < self.positions
                && let Some(examples) = waiting.remove(&file.games())
            {
                file.append(&examples)?;
            }
            progress.advance(file.positions(), &counted(file.games(), "game"));
        }
        Ok(())
    }

    /// Describes everything that determines a game.
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
            fnv1a(openings.as_bytes()),
        )
    }

    /// Repeats the last whole game of the file and refuses the file if it differs.
    fn repeat_last_game(
        &self,
        file: &mut GamesFile,
        mut player: SelfPlay,
    ) -> Result<(), SelfPlayRunError> {
        let Some(written) = file.last_game()? else {
            return Ok(());
        };
        let game = file.games();
        let played = thread::scope(|scope| {
            spawn_player(scope, move || player.play(game - 1))?
                .join()
                .map_err(|_| SelfPlayRunError::LastGamePanicked(game))
        })?;
        if !played
            .iter()
            .flat_map(TrainingExample::to_bytes)
            .eq(written)
        {
            return Err(SelfPlayRunError::OtherBuild {
                path: self.output.clone(),
                game,
            });
        }
        Ok(())
    }
}

/// Starts a thread with a stack for searches.
fn spawn_player<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, SelfPlayRunError> {
    thread::Builder::new()
        .name("self-play".to_owned())
        .stack_size(STACK_BYTES)
        .spawn_scoped(scope, work)
        .map_err(SelfPlayRunError::Thread)
}

/// Stops all threads when one panics, since its game would be awaited for ever.
struct EndOnPanic<'a>(&'a AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        progress::NoProgress,
        self_play::testing::{play, run},
    };
    use std::fs::{self, File};

    #[test]
    fn the_file_does_not_depend_on_threads_or_interruptions() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one.psv"), folder.path().join("two.psv"));
        play(&one, 300, 1);
        play(&two, 100, 2);
        // As after a power cut, in the middle of a game and of an example.
        let mut torn = fs::read(&two).unwrap();
        torn.truncate(torn.len() - 100);
        fs::write(&two, &torn).unwrap();
        play(&two, 300, 2);
        let whole = fs::read(&one).unwrap();
        assert!(whole.len() >= 300 * TrainingExample::SIZE);
        assert_eq!(whole, fs::read(&two).unwrap());
    }

    #[test]
    fn a_file_that_another_process_writes_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.psv");
        play(&path, 1, 1);
        let before = fs::read(&path).unwrap();
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        let error = run(&path, 500, 1)
            .run(&mut NoProgress)
            .unwrap_err()
            .to_string();
        assert!(error.contains("another process"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        drop(other);
        play(&path, 500, 1);
        assert!(fs::read(&path).unwrap().len() > before.len());
    }

    #[test]
    fn a_file_of_another_build_is_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.psv");
        play(&path, 100, 1);
        let mut bytes = fs::read(&path).unwrap();
        // Another score in the last game, as another search would find.
        let score = bytes.len() - TrainingExample::SIZE + 32;
        bytes[score] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let error = run(&path, 200, 1)
            .run(&mut NoProgress)
            .unwrap_err()
            .to_string();
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
        let error = run.run(&mut NoProgress).unwrap_err().to_string();
        assert!(error.contains("which is read"), "{error}");
        assert_eq!(fs::read(&openings).unwrap(), b"startpos moves 7g7f\n");
    }

    #[test]
    fn a_file_of_other_settings_is_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.psv");
        play(&path, 1, 1);
        let mut other = run(&path, 500, 1);
        other.settings.seed = 2;
        let error = other.run(&mut NoProgress).unwrap_err().to_string();
        assert!(error.contains("other settings"), "{error}");
    }
}
