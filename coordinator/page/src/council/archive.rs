//! Past games: those of the ballot log and of the files that were put aside from it.
//!
//! The lines are indexed by game when the list is asked for, and read again when a game is. Whatever a log holds, the
//! index and what is read for one request are bounded.

use super::history::GameView;
use crate::server;
use axum::{
    Router,
    extract::{Path as PathPart, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use monju_coordinator::{record::read::Log, seed};
use monju_proto::v1::Ballot;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    collections::VecDeque,
    ffi::OsStr,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{sync::watch, task::spawn_blocking};

/// Number of games that are listed, the last ones.
const GAMES: usize = 1_000;

/// Number of ballots that are kept of a game, the last ones.
const BALLOTS: usize = 1_000;

/// Bytes of the newest files that are indexed.
const INDEXED_BYTES: u64 = 256 << 20;

/// Length of the longest line that is read; a longer one is passed over.
const LONGEST_LINE: u64 = 1 << 20;

/// Bytes of the ballots that are read for one game.
const GAME_BYTES: u64 = 64 << 20;

/// The past games of the log that is in use, if there is one. Clones share the index.
#[derive(Clone, Debug)]
pub struct Archive {
    log: watch::Receiver<Option<PathBuf>>,
    index: Arc<Mutex<Index>>,
}

impl Archive {
    /// The games of a log, and of the next one when it changes.
    pub fn of(log: watch::Receiver<Option<PathBuf>>) -> Self {
        Self {
            log,
            index: Arc::default(),
        }
    }

    /// Returns the routes of the list and of the games.
    pub fn routes(self) -> Router {
        Router::new()
            .route("/past", get(list))
            .route("/past/{key}", get(game))
            .with_state(self)
    }

    /// Works on the index of the log as it is now, on a thread that may wait for a disk.
    async fn with_index<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Index) -> T + Send + 'static,
    ) -> io::Result<Option<T>> {
        let Some(log) = self.log.borrow().clone() else {
            return Ok(None);
        };
        let index = Arc::clone(&self.index);
        let read = spawn_blocking(move || {
            let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
            index.refresh(&log)?;
            Ok(Some(work(&index)))
        });
        read.await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
    }
}

async fn list(State(archive): State<Archive>) -> Response {
    match archive.with_index(Index::list).await {
        Ok(list) => {
            server::json(&json!({ "has_log": list.is_some(), "games": list.unwrap_or_default() }))
        }
        Err(error) => failure(&error),
    }
}

async fn game(State(archive): State<Archive>, PathPart(key): PathPart<String>) -> Response {
    let places = archive.with_index(move |index| index.places(&key)).await;
    let read = match places {
        Ok(Some(Some((id, places)))) => {
            let read = spawn_blocking(move || GameView::of(id, &ballots(&places)).json()).await;
            read.map_err(io::Error::other)
        }
        Ok(_) => return StatusCode::NOT_FOUND.into_response(),
        Err(error) => Err(error),
    };
    match read {
        Ok(game) => server::json(&game),
        Err(error) => failure(&error),
    }
}

fn failure(error: &io::Error) -> Response {
    tracing::warn!(%error, "the page cannot read the log");
    let text = format!("the log cannot be read: {error}");
    (StatusCode::INTERNAL_SERVER_ERROR, text).into_response()
}

/// The place of a line in its file, in bytes.
#[derive(Clone, Debug)]
struct LinePlace {
    file: Arc<Path>,
    offset: u64,
    length: u64,
}

/// A game of the log.
#[derive(Clone, Debug)]
struct PastGame {
    id: String,
    /// Time of its first decision, in milliseconds since 1970; 0 where it is not known.
    began_ms: u64,
    /// Moves before its last decision.
    plies: usize,
    ballots: VecDeque<LinePlace>,
    winner: Option<String>,
    reason: Option<String>,
}

impl PastGame {
    /// Returns the name of the game in addresses.
    fn key(&self) -> String {
        format!("{:016x}", seed::hash_text(&self.id))
    }
}

/// A file, and the part of it that has been indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct IndexedFile {
    path: Arc<Path>,
    /// The end of the last whole line.
    read: u64,
}

/// The games by the places of their ballots, the latest at the end.
#[derive(Clone, Debug, Default)]
struct Index {
    files: Vec<IndexedFile>,
    games: VecDeque<PastGame>,
}

/// The keys of a line that the index needs.
#[derive(Deserialize)]
struct LineHead<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    game_id: Cow<'a, str>,
    #[serde(default)]
    decided_unix_ms: u64,
    #[serde(borrow, default)]
    position: Cow<'a, str>,
    #[serde(borrow, default)]
    winner: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    reason: Option<Cow<'a, str>>,
}

impl Index {
    /// Reads what has been written since the last time. When files were put aside, everything is read again.
    fn refresh(&mut self, log: &Path) -> io::Result<()> {
        let files = files_of(log)?;
        let goes_on = files.len() == self.files.len()
            && (files.iter().zip(&self.files))
                .all(|((path, length), known)| *path == *known.path && *length >= known.read);
        if !goes_on {
            *self = Self::default();
            let mut left = INDEXED_BYTES;
            let mut known: Vec<IndexedFile> = (files.iter().rev())
                .map(|(path, length)| {
                    let part = left.min(*length);
                    left -= part;
                    IndexedFile {
                        path: path.as_path().into(),
                        read: length - part,
                    }
                })
                .collect();
            known.reverse();
            self.files = known;
        }
        for (index, (_, length)) in files.iter().enumerate() {
            self.read(index, *length)?;
        }
        Ok(())
    }

    /// Indexes a file from where it was read up to a length.
    fn read(&mut self, index: usize, length: u64) -> io::Result<()> {
        let IndexedFile { path, read } = self.files[index].clone();
        if read >= length {
            return Ok(());
        }
        let mut file = File::open(&path)?;
        file.seek(SeekFrom::Start(read))?;
        let mut lines = BufReader::new(file).take(length - read);
        let mut offset = read;
        let mut line = Vec::new();
        loop {
            line.clear();
            (&mut lines)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)?;
            let mut length = line.len() as u64;
            let is_whole = line.ends_with(b"\n");
            if !is_whole && length < LONGEST_LINE {
                // The rest has not been written yet.
                break;
            }
            if is_whole {
                let file = Arc::clone(&path);
                self.enter(
                    &line,
                    LinePlace {
                        file,
                        offset,
                        length,
                    },
                );
            } else {
                let rest = lines.skip_until(b'\n')? as u64;
                if rest == 0 {
                    break;
                }
                length += rest;
            }
            offset += length;
        }
        self.files[index].read = offset;
        Ok(())
    }

    /// Enters a line. One that no log has is passed over.
    fn enter(&mut self, line: &[u8], place: LinePlace) {
        let Ok(head) = serde_json::from_slice::<LineHead<'_>>(line) else {
            return;
        };
        let known = self.games.iter().rposition(|game| game.id == head.game_id);
        match &*head.kind {
            "ballot" => {
                let index = known.unwrap_or_else(|| self.begin(&head));
                let game = &mut self.games[index];
                game.plies = moves_in(&head.position);
                if game.ballots.len() == BALLOTS {
                    game.ballots.pop_front();
                }
                game.ballots.push_back(place);
            }
            "result" => {
                if let Some(index) = known {
                    let game = &mut self.games[index];
                    game.winner = head.winner.map(Cow::into_owned);
                    game.reason = head.reason.map(Cow::into_owned);
                }
            }
            _ => {}
        }
    }

    /// Adds a game, for which the oldest look makes room, or the oldest game where there is none.
    fn begin(&mut self, head: &LineHead<'_>) -> usize {
        if self.games.len() == GAMES {
            let look = self.games.iter().position(|game| game.ballots.len() == 1);
            self.games.remove(look.unwrap_or(0));
        }
        self.games.push_back(PastGame {
            id: head.game_id.clone().into_owned(),
            began_ms: head.decided_unix_ms,
            plies: 0,
            ballots: VecDeque::new(),
            winner: None,
            reason: None,
        });
        self.games.len() - 1
    }

    /// Returns the games for the list, the latest first.
    fn list(&self) -> Vec<Value> {
        let game = |game: &PastGame| {
            json!({
                "key": game.key(),
                "id": game.id,
                "began_ms": game.began_ms,
                "plies": game.plies,
                "winner": game.winner,
                "reason": game.reason,
            })
        };
        self.games.iter().rev().map(game).collect()
    }

    /// Returns a game's id and the places of its ballots.
    fn places(&self, key: &str) -> Option<(String, Vec<LinePlace>)> {
        let game = self.games.iter().rev().find(|game| game.key() == key)?;
        Some((game.id.clone(), game.ballots.iter().cloned().collect()))
    }
}

/// Returns the number of moves of a position in USI text.
fn moves_in(position: &str) -> usize {
    let mut words = position.split(' ');
    match words.any(|word| word == "moves") {
        true => words.filter(|word| !word.is_empty()).count(),
        false => 0,
    }
}

/// Returns the files of a log with their lengths, the oldest first: those that were put aside carry the time of it as
/// the end of their names.
fn files_of(log: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let name = log.file_name().unwrap_or_default();
    let folder = match log.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_put_aside(&entry.file_name(), name)
            && let Ok(data) = entry.metadata()
            && data.is_file()
        {
            files.push((entry.path(), data.len()));
        }
    }
    files.sort();
    // It may not have been begun yet.
    if let Ok(data) = fs::metadata(log) {
        files.push((log.to_owned(), data.len()));
    }
    Ok(files)
}

/// Tells whether a file was put aside from the log `name`, as `name.20261124T205800` or `name.20261124T205800.1`.
fn is_put_aside(file: &OsStr, name: &OsStr) -> bool {
    let rest = (file.as_encoded_bytes())
        .strip_prefix(name.as_encoded_bytes())
        .and_then(|rest| rest.strip_prefix(b"."));
    rest.is_some_and(|rest| {
        let is_time = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'T' | b'.');
        rest.len() >= 15 && rest.iter().all(is_time)
    })
}

/// Reads the ballots at these places, the latest if they are too many. One that is not there any more is left out.
fn ballots(places: &[LinePlace]) -> Vec<Ballot> {
    let mut left = GAME_BYTES;
    let mut ballots = Vec::new();
    let mut open: Option<(Arc<Path>, File)> = None;
    for place in places.iter().rev() {
        let Some(rest) = left.checked_sub(place.length) else {
            break;
        };
        left = rest;
        if open.as_ref().is_none_or(|(path, _)| *path != place.file) {
            open = File::open(&place.file)
                .ok()
                .map(|file| (Arc::clone(&place.file), file));
        }
        let Some((path, file)) = &mut open else {
            continue;
        };
        let mut line = vec![0; place.length as usize];
        let read =
            (file.seek(SeekFrom::Start(place.offset))).and_then(|_| file.read_exact(&mut line));
        let mut log = Log::default();
        if read.is_ok() && log.extend(&line[..], path).is_ok() {
            ballots.append(&mut log.ballots);
        }
    }
    ballots.reverse();
    ballots
}

#[cfg(test)]
mod tests;
