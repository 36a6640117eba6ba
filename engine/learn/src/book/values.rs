//! The values of searched positions: a file beside the searched book that grows as they are found.
//!
//! The file is itself a book, with one move for each position: the best one, with value and depth. Its
//! remarks state the settings of the searches.

use super::{error::BookRunError, file::read_book};
use crate::files::read;
use monju_engine::{
    Move,
    book::{Book, BookMove},
};
use std::{
    collections::HashMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// First line of the file.
const HEADER: &str = "monju book 1\n";

/// Result of the search of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SearchedValue {
    /// The best move.
    pub best: Move,
    /// Its value for the side to move, in centipawns.
    pub value: i32,
    /// Depth of the last iteration.
    pub depth: u32,
}

/// Values by the key of their positions.
pub(super) type SearchedValues = HashMap<String, SearchedValue>;

/// The open file of values.
#[derive(Debug)]
pub(super) struct ValuesFile {
    path: PathBuf,
    file: File,
}

impl ValuesFile {
    /// Opens or creates the file, and reads the values of an earlier run with the same settings.
    ///
    /// # Errors
    /// The file cannot be read or written, was made with other settings, or is being written.
    pub fn open(path: &Path, settings: &str) -> Result<(Self, SearchedValues), BookRunError> {
        let cannot = |source: io::Error| BookRunError::Values {
            path: path.to_owned(),
            source,
        };
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(cannot)?;
        // Some file systems have no locks; there the file stays unprotected.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(BookRunError::Locked(path.to_owned()));
        }
        let mut values = Self {
            path: path.to_owned(),
            file,
        };
        let head = format!("{HEADER}# {settings}\n");
        let bytes = read(path)?;
        if head.as_bytes().starts_with(&bytes) {
            // The file is new, or the run ended before its first line was whole.
            values.file.set_len(0).map_err(cannot)?;
            values.file.write_all(head.as_bytes()).map_err(cannot)?;
            return Ok((values, SearchedValues::new()));
        }
        if !bytes.starts_with(head.as_bytes()) {
            return Err(BookRunError::OtherSettings(path.to_owned()));
        }
        let whole = whole_entries(&bytes);
        values.file.set_len(whole as u64).map_err(cannot)?;
        if whole == head.len() {
            return Ok((values, SearchedValues::new()));
        }
        let known = Self::values_of(&read_book(path)?);
        Ok((values, known))
    }

    fn values_of(book: &Book) -> SearchedValues {
        let value = |entry: &BookMove| SearchedValue {
            best: entry.mv,
            value: entry.value.unwrap_or(0),
            depth: entry.depth.unwrap_or(0),
        };
        let positions = book.iter();
        positions
            .map(|(key, entry)| (key.to_owned(), value(&entry.moves[0])))
            .collect()
    }

    /// Appends a value.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(
        &mut self,
        key: &str,
        ply: u32,
        found: &SearchedValue,
    ) -> Result<(), BookRunError> {
        let SearchedValue { best, value, depth } = found;
        let text = format!("sfen {key} {ply}\n{best} 1 value {value} depth {depth}\n");
        (self.file.write_all(text.as_bytes())).map_err(|source| BookRunError::Values {
            path: self.path.clone(),
            source,
        })
    }
}

/// Returns the length of the file up to its last whole entry: an interrupted run may leave a part of one.
fn whole_entries(bytes: &[u8]) -> usize {
    let line_end = |bytes: &[u8]| bytes.iter().rposition(|&byte| byte == b'\n');
    let whole = line_end(bytes).map_or(0, |at| at + 1);
    let last = line_end(&bytes[..whole.saturating_sub(1)]).map_or(0, |at| at + 1);
    match bytes[last..whole].starts_with(b"sfen ") {
        true => last,
        false => whole,
    }
}
