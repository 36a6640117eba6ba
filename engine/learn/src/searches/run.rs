//! The run behind `monju learn searches`.

use super::{
    games::{Sampling, SearchGames, SearchGamesError, SearchGamesSettings},
    log::{END, text_of},
};
use crate::{
    files::{
        FileError, check_outputs, cut, open_alone, read_open, read_text, with_suffix,
        write_atomically,
    },
    progress::ProgressObserver,
    recipe,
};
use monju_engine::{STACK_BYTES, fnv1a, on_search_stack};
use std::{
    fmt::Write as _,
    io::{self, Write},
    path::PathBuf,
    sync::mpsc,
    thread,
};

/// Logs of searches into a file, which grows by whole games.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchesRun {
    /// The log to write or to continue.
    pub output: PathBuf,
    /// Number of games to reach.
    pub games: usize,
    /// Openings, one `startpos moves …` a line.
    pub openings: PathBuf,
    /// Settings of the games.
    pub settings: SearchGamesSettings,
}

/// Error of a run.
#[derive(Debug, thiserror::Error)]
pub enum SearchesRunError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The games cannot begin.
    #[error(transparent)]
    Games(#[from] SearchGamesError),
    /// The log cannot be continued.
    #[error("cannot continue {}", path.display())]
    Continue {
        /// The log.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// Another process writes the log.
    #[error("{} is being written by another process: wait for it to end, or choose another file", .0.display())]
    Locked(PathBuf),
    /// The log was made from another recipe.
    #[error(
        "{} was made with other settings, see {}: use the same ones, or choose another file",
        path.display(),
        recipe.display()
    )]
    OtherRecipe {
        /// The log.
        path: PathBuf,
        /// Its recipe.
        recipe: PathBuf,
    },
    /// More games were asked for than there are openings.
    #[error("there are {openings} openings for {games} games; ask for fewer, or give more")]
    FewOpenings {
        /// Number of openings.
        openings: usize,
        /// Number of games.
        games: usize,
    },
    /// Another build has made the log: the same options give another game.
    #[error(
        "{} was made by a build with another search: its game {game} comes out differently here; continue with that \
         build, or choose another file",
        path.display()
    )]
    OtherBuild {
        /// The log.
        path: PathBuf,
        /// Number of its last whole game, counted from 1.
        game: usize,
    },
    /// The log cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The log.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// A game panicked.
    #[error("a game panicked; the log has the games before it")]
    Panicked,
}

impl SearchesRun {
    /// Plays until the log has enough games.
    ///
    /// # Errors
    /// The settings are unsuitable, or a file cannot be read or written.
    pub fn run(&self, progress: &mut dyn ProgressObserver) -> Result<(), SearchesRunError> {
        let recipe_path = with_suffix(&self.output, ".recipe");
        check_outputs(
            [self.openings.as_path()],
            &[self.output.clone(), recipe_path.clone()],
        )?;
        let openings = read_text(&self.openings)?;
        let mut games = SearchGames::new(self.settings.clone(), &openings)?;
        if games.len() < self.games {
            return Err(SearchesRunError::FewOpenings {
                openings: games.len(),
                games: self.games,
            });
        }
        let cannot_continue = |source| SearchesRunError::Continue {
            path: self.output.clone(),
            source,
        };
        let file = open_alone(&self.output).map_err(cannot_continue)?;
        let mut file = file.ok_or_else(|| SearchesRunError::Locked(self.output.clone()))?;
        let recipe = self.recipe(&openings);
        let bytes = read_open(&mut file).map_err(cannot_continue)?;
        let text = String::from_utf8(bytes).map_err(|source| FileError::NotText {
            path: self.output.clone(),
            source,
        })?;
        if text.is_empty() {
            write_atomically(&recipe_path, recipe.as_bytes())?;
        } else if !recipe::are_same(&read_text(&recipe_path)?, &recipe) {
            return Err(SearchesRunError::OtherRecipe {
                path: self.output.clone(),
                recipe: recipe_path,
            });
        }
        // A game that was broken off is played again.
        let whole = text.rfind(END).map_or(0, |at| at + END.len());
        let done = text[..whole].lines().filter(|line| *line == "end").count();
        cut(&mut file, whole as u64).map_err(cannot_continue)?;
        if done > 0 && done < self.games {
            let begin = text[..whole - END.len()].rfind(END);
            let last = &text[begin.map_or(0, |at| at + END.len())..whole];
            let played = on_search_stack(|| text_of(&games.play(done - 1)));
            if played.map_err(SearchesRunError::Thread)? != last {
                return Err(SearchesRunError::OtherBuild {
                    path: self.output.clone(),
                    game: done,
                });
            }
        }
        progress.begin(self.games as u64, done as u64, "games");
        let (sender, played) = mpsc::sync_channel(1);
        let number = self.games;
        thread::scope(|scope| {
            let play = move || {
                for number in done..number {
                    // The receiver is gone when the log cannot be written.
                    if sender.send(text_of(&games.play(number))).is_err() {
                        return;
                    }
                }
            };
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            let playing = builder.spawn_scoped(scope, play);
            let playing = playing.map_err(SearchesRunError::Thread)?;
            let written = (done + 1..).zip(played).try_for_each(|(done, text)| {
                file.write_all(text.as_bytes())?;
                progress.advance(done as u64, "");
                Ok(())
            });
            playing.join().map_err(|_| SearchesRunError::Panicked)?;
            written.map_err(|source| SearchesRunError::Write {
                path: self.output.clone(),
                source,
            })
        })?;
        progress.finish(self.games.max(done) as u64, "");
        Ok(())
    }

    /// Describes everything that determines a game.
    fn recipe(&self, openings: &str) -> String {
        let SearchGamesSettings {
            player,
            players,
            nodes,
            seed,
            maximum_plies,
            sampling,
            decided_score,
        } = &self.settings;
        let mut recipe = format!(
            "# openings {}\nevaluator = \"{}\"\nsigma = {}\nhash_mib = {}\nnodes = {nodes}\nseed = {seed}\n\
             openings_fingerprint = \"{:016x}\"\nmaximum_plies = {maximum_plies}\ndecided_score = {decided_score}\n",
            self.openings.display(),
            player.evaluator,
            player.sigma,
            player.hash_mib,
            fnv1a(openings.as_bytes()),
        );
        if *players > 1 {
            let _ = writeln!(recipe, "players = {players}");
        }
        if let Some(Sampling { judgement, every }) = sampling {
            let _ = writeln!(
                recipe,
                "samples = \"{judgement}\"\nsample_every = {every}\nfeatures = {}",
                judgement.features()
            );
        }
        recipe
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{progress::NoProgress, searches::read_logs};
    use monju_engine::{Model, PlayerSettings, search::MoveJudgement};
    use std::fs;

    #[test]
    fn a_log_that_was_broken_off_goes_on_as_if_it_had_not_been() {
        let folder = tempfile::tempdir().expect("a folder");
        let openings = folder.path().join("openings.sfen");
        fs::write(&openings, "startpos moves 7g7f\nstartpos moves 2g2f\n").expect("writable");
        let run = |output: &str, games| SearchesRun {
            output: folder.path().join(output),
            games,
            openings: openings.clone(),
            settings: SearchGamesSettings {
                player: PlayerSettings {
                    evaluator: Model::material(),
                    hash_mib: 1,
                    ..PlayerSettings::default()
                },
                nodes: 300,
                maximum_plies: 12,
                sampling: Some(Sampling {
                    judgement: MoveJudgement::Reductions,
                    every: 3,
                }),
                ..SearchGamesSettings::default()
            },
        };
        let whole = run("whole", 2);
        whole.run(&mut NoProgress).expect("played");
        let text = fs::read_to_string(&whole.output).expect("a log");
        let games = read_logs(&text).expect("readable");
        assert_eq!(games.len(), 2);
        for game in &games {
            assert_eq!(game.searches.len(), 11);
            assert!(
                game.searches
                    .iter()
                    .any(|search| !search.samples.is_empty())
            );
            for search in &game.searches {
                assert_eq!(search.mv, game.game.moves()[search.ply]);
                assert!(search.iterations.iter().all(|one| one.effort.is_some()));
            }
        }

        let broken = run("broken", 1);
        broken.run(&mut NoProgress).expect("played");
        let mut started = fs::read_to_string(&broken.output).expect("a log");
        started.push_str("game startpos moves 7g7f\nsearch 0 ");
        fs::write(&broken.output, started).expect("writable");
        run("broken", 2).run(&mut NoProgress).expect("continued");
        assert_eq!(fs::read_to_string(&broken.output).expect("a log"), text);

        // A log in which one search has found another move, as another search would.
        let changed = run("changed", 2);
        let games = text.split_inclusive(END).collect::<Vec<_>>();
        let nodes = games[0].replacen(" 300 ", " 299 ", 1);
        assert_ne!(nodes, games[0], "a search of 300 nodes");
        fs::write(&changed.output, nodes).expect("writable");
        let recipe = fs::read(with_suffix(&broken.output, ".recipe")).expect("a recipe");
        fs::write(with_suffix(&changed.output, ".recipe"), recipe).expect("writable");
        let error = changed.run(&mut NoProgress).expect_err("another build");
        assert!(error.to_string().contains("another search"), "{error}");

        let mut other = run("broken", 2);
        other.settings.nodes = 301;
        let error = other.run(&mut NoProgress).expect_err("other settings");
        assert!(error.to_string().contains("other settings"), "{error}");
        let error = run("more", 3).run(&mut NoProgress).expect_err("too many");
        assert!(
            error.to_string().contains("2 openings for 3 games"),
            "{error}"
        );
    }
}
