//! The run behind `monju book search`: the positions of a book are searched, and its moves weighed by
//! their values (Shimoyama, section 11).
//!
//! Each search begins with an empty table, so a value depends on the position and the settings alone, and
//! the book does not depend on the number of threads or on interruptions. `FILE.values` keeps what has
//! been searched: the same command goes on where it was stopped.

use super::{
    error::BookRunError,
    file::{BookSize, read_book, write_book},
    values::{SearchedValue, SearchedValues, ValuesFile, ValuesOrigin},
    weigh::{Weighing, games_of, weigh},
};
use crate::{
    files::{check_outputs, with_suffix},
    progress::ProgressObserver,
};
use monju_engine::{
    Answer, Control, Game, Limits, Player, PlayerSettings, STACK_BYTES,
    book::{BookPosition, ValueWeights},
};
use std::{
    path::PathBuf,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// Values that may wait to be written.
const QUEUE_LENGTH: usize = 64;

/// Searching of a book.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRun {
    /// The book whose positions are searched, made by `monju book build`.
    pub book: PathBuf,
    /// The book to write.
    pub output: PathBuf,
    /// The player that searches.
    pub player: PlayerSettings,
    /// The build that searches: a changed search finds other values.
    pub build: String,
    /// Goes on with values that another build has found.
    pub accepts_builds: bool,
    /// Nodes for each position.
    pub nodes: u64,
    /// Number of simultaneous searches.
    pub threads: usize,
    /// Positions met in fewer games are left out.
    pub min_games: u32,
    /// Positions after so many moves are left out.
    pub plies: u32,
    /// The values of positions come from those after them.
    pub minimax: bool,
    /// The formula from values to weights.
    pub weights: ValueWeights,
}

/// Result of searching a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchSummary {
    /// Number of positions searched, by this run and earlier ones.
    pub searched: usize,
    /// The book.
    pub size: BookSize,
}

/// A position to search.
struct Task<'a> {
    key: &'a str,
    ply: u32,
}

impl SearchRun {
    /// Searches all positions that no earlier run has searched, and writes the book.
    ///
    /// # Errors
    /// A file cannot be read or written, or the values of an earlier run have other settings or another build.
    pub fn run(&self, progress: &mut dyn ProgressObserver) -> Result<SearchSummary, BookRunError> {
        let values_path = with_suffix(&self.output, ".values");
        let outputs = [self.output.clone(), values_path.clone()];
        check_outputs([self.book.as_path()], &outputs)?;
        let counted = read_book(&self.book)?;
        if counted.len() > 1 && counted.iter().all(|(_, entry)| entry.ply == 1) {
            progress.message(&format!(
                "warning: all positions of {} are at move 1: --plies leaves none of them out, and --floor \
                 holds for each of them",
                self.book.display()
            ));
        }
        let origin = ValuesOrigin {
            settings: &self.settings(),
            build: &self.build,
            accepts_builds: self.accepts_builds,
        };
        let (mut file, mut values) = ValuesFile::open(&values_path, origin)?;
        let chosen: Vec<Task> = (counted.iter())
            .filter(|(_, entry)| self.is_chosen(entry))
            .map(|(key, entry)| Task {
                key,
                ply: entry.ply,
            })
            .collect();
        if chosen.is_empty() {
            let reason = format!(
                "{} has none within {} plies that {} games have",
                self.book.display(),
                self.plies,
                self.min_games
            );
            return Err(BookRunError::Empty(reason));
        }
        let total = chosen.len() as u64;
        let mut left = chosen;
        // The positions that are met first are the most useful ones.
        left.sort_by_key(|task| (task.ply, task.key));
        left.retain(|task| !values.contains_key(task.key));
        progress.begin(total, total - left.len() as u64, "positions");
        self.search(&left, &mut file, &mut values, total, progress)?;
        progress.finish(total, "");
        let weighing = Weighing {
            weights: self.weights,
            minimax: self.minimax,
        };
        let chosen = |key: &str| {
            counted
                .find_key(key)
                .is_some_and(|entry| self.is_chosen(entry))
        };
        values.retain(|key, _| chosen(key));
        let book = weigh(&counted, &values, weighing);
        let size = write_book(&self.output, &book, &self.remarks(values.len()))?;
        Ok(SearchSummary {
            searched: values.len(),
            size,
        })
    }

    fn is_chosen(&self, entry: &BookPosition) -> bool {
        let has_games = entry.moves.iter().any(|one| one.games > 0);
        let games = entry.moves.iter().map(|one| games_of(one, has_games));
        let games: u64 = games.map(u64::from).sum();
        entry.ply <= self.plies && games >= self.min_games.into()
    }

    /// Returns everything but the build that a value depends on, in one line.
    fn settings(&self) -> String {
        let PlayerSettings {
            evaluator,
            hash_mib,
            ..
        } = &self.player;
        format!(
            "{} nodes, evaluator {evaluator}, hash {hash_mib} MiB",
            self.nodes
        )
    }

    fn remarks(&self, searched: usize) -> String {
        let ValueWeights {
            temperature,
            margin,
            floor,
            floor_plies,
        } = self.weights;
        format!(
            "{searched} positions searched: {}\ntemperature {temperature}, margin {margin}, floor {floor} \
             for {floor_plies} plies, minimax {}",
            self.settings(),
            self.minimax
        )
    }

    /// Searches positions in all threads.
    fn search(
        &self,
        tasks: &[Task],
        file: &mut ValuesFile,
        values: &mut SearchedValues,
        total: u64,
        progress: &mut dyn ProgressObserver,
    ) -> Result<(), BookRunError> {
        let next = AtomicUsize::new(0);
        let is_over = AtomicBool::new(false);
        let (sender, found) = mpsc::sync_channel(QUEUE_LENGTH);
        thread::scope(|scope| {
            let mut searchers = Vec::new();
            for _ in 0..self.threads.clamp(1, tasks.len().max(1)) {
                let mut player = Player::new(self.player.clone())?;
                let (sender, next, is_over) = (sender.clone(), &next, &is_over);
                let work = move || {
                    while !is_over.load(Ordering::Relaxed) {
                        let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else {
                            return;
                        };
                        // The receiver is gone once the file cannot be written.
                        if sender.send((task, self.value(&mut player, task))).is_err() {
                            return;
                        }
                    }
                };
                let thread = thread::Builder::new()
                    .name("book".to_owned())
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, work);
                match thread {
                    Ok(thread) => searchers.push(thread),
                    Err(error) => {
                        is_over.store(true, Ordering::Relaxed);
                        return Err(BookRunError::Thread(error));
                    }
                }
            }
            drop(sender);
            let mut written = Ok(());
            for (task, value) in &found {
                let Some(value) = value else { continue };
                written = file.append(task.key, task.ply, &value);
                if written.is_err() {
                    break;
                }
                values.insert(task.key.to_owned(), value);
                progress.advance(total.min(values.len() as u64), "");
            }
            is_over.store(true, Ordering::Relaxed);
            drop(found);
            // Joining every thread keeps the scope from panicking with one of them.
            let ends: Vec<_> = searchers.into_iter().map(|one| one.join()).collect();
            written?;
            match ends.iter().any(Result::is_err) {
                true => Err(BookRunError::Panicked),
                false => Ok(()),
            }
        })
    }

    /// Searches one position; `None` where the rules decide.
    fn value(&self, player: &mut Player, task: &Task) -> Option<SearchedValue> {
        let game = Game::from_parts::<&str>(&format!("{} {}", task.key, task.ply), &[]).ok()?;
        player.new_game(0);
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        let outcome = player.think(&game, &limits, &Control::new(), &mut |_| ());
        match outcome.answer {
            Answer::Move(best) => Some(SearchedValue {
                best,
                value: outcome.line.score.to_centipawns(),
                depth: outcome.line.depth,
            }),
            Answer::Resign | Answer::Win => None,
        }
    }
}
