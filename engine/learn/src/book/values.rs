//! The values of searched positions: a file beside the searched book that grows as they are found.
//!
//! The file is itself a book, with one move for each position: the best one, with value and depth. Its
//! remarks state the settings of the searches and the build that made them; where another build goes on, a remark names
//! it above its values.

use super::error::BookRunError;
use crate::files::{cut, open_alone, read_open};
use monju_engine::{
    Move,
    book::{Book, BookMove},
};
use std::{
    collections::HashMap,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// First line of the file.
const HEADER: &str = "monju book 1\n";

/// Beginning of the remark that names the build of the values below it, where this is not the build of the head.
const OTHER_BUILD: &[u8] = b"# build ";

/// Everything that the values of a run depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuesOrigin<'a> {
    /// The settings of the searches.
    pub settings: &'a str,
    /// The build that searches.
    pub build: &'a str,
    /// Values of other builds are taken, too.
    pub accepts_builds: bool,
}

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

impl ValuesOrigin<'_> {
    /// Returns the head of a file.
    fn head(self) -> String {
        format!("{}, build {}\n", self.settings_head(), self.build)
    }

    fn settings_head(self) -> String {
        format!("{HEADER}# {}", self.settings)
    }

    /// Returns the length of the head of a file that another build has made with the same settings, which may be too
    /// old to name itself.
    fn other_head(self, bytes: &[u8]) -> Option<usize> {
        let head = self.settings_head();
        let rest = bytes.strip_prefix(head.as_bytes())?;
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        (end == 0 || rest.starts_with(b", build ")).then_some(head.len() + end + 1)
    }
}

impl ValuesFile {
    /// Opens or creates the file, and reads the values of an earlier run of the same origin.
    ///
    /// # Errors
    /// The file cannot be read or written, has another origin, or is being written.
    pub fn open(
        path: &Path,
        origin: ValuesOrigin<'_>,
    ) -> Result<(Self, SearchedValues), BookRunError> {
        let cannot = |source: io::Error| BookRunError::Values {
            path: path.to_owned(),
            source,
        };
        let file = open_alone(path).map_err(cannot)?;
        let mut values = Self {
            path: path.to_owned(),
            file: file.ok_or_else(|| BookRunError::Locked(path.to_owned()))?,
        };
        let head = origin.head();
        let mut bytes = read_open(&mut values.file).map_err(cannot)?;
        if head.as_bytes().starts_with(&bytes) || is_bare(&bytes) {
            // The file is new, or its run ended before it had found a value.
            cut(&mut values.file, 0).map_err(cannot)?;
            values.file.write_all(head.as_bytes()).map_err(cannot)?;
            return Ok((values, SearchedValues::new()));
        }
        let begun_here = bytes.starts_with(head.as_bytes());
        let head = match begun_here {
            true => head.len(),
            false => (origin.other_head(&bytes))
                .ok_or_else(|| BookRunError::OtherSettings(path.to_owned()))?,
        };
        let whole = whole_entries(&bytes);
        let mut others = (bytes[head..whole].split(|&byte| byte == b'\n'))
            .filter_map(|line| line.strip_prefix(OTHER_BUILD));
        let last = others.next_back();
        if !origin.accepts_builds && (!begun_here || last.is_some()) {
            return Err(BookRunError::OtherBuild(path.to_owned()));
        }
        cut(&mut values.file, whole as u64).map_err(cannot)?;
        let goes_on = last.map_or(begun_here, |last| last == origin.build.as_bytes());
        if !goes_on {
            let mut remark = OTHER_BUILD.to_owned();
            remark.extend(origin.build.bytes().chain([b'\n']));
            values.file.write_all(&remark).map_err(cannot)?;
        }
        if whole == head {
            return Ok((values, SearchedValues::new()));
        }
        bytes.truncate(whole);
        let book = Book::from_bytes(&bytes).map_err(|source| BookRunError::Book {
            path: path.to_owned(),
            source,
        })?;
        Ok((values, Self::values_of(&book)))
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

/// Tells whether a file of values has its head alone.
fn is_bare(bytes: &[u8]) -> bool {
    let rest = bytes.strip_prefix(HEADER.as_bytes());
    rest.is_some_and(|rest| {
        rest.split(|&byte| byte == b'\n')
            .all(|line| line.is_empty() || line.starts_with(b"#"))
    })
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
