//! Files of books.

use super::error::BookRunError;
use crate::files::{read, write_atomically};
use monju_engine::book::{Book, BookMove};
use std::{fs, path::Path};

/// Extension of YaneuraOu's databases.
const DATABASE: &str = "db";

/// Size of a written book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookSize {
    /// Number of positions.
    pub positions: usize,
    /// Number of their moves.
    pub moves: usize,
}

/// Reads a book of either format.
///
/// # Errors
/// The file cannot be read, is too large, or is no book; the error names file and line.
pub fn read_book(path: &Path) -> Result<Book, BookRunError> {
    let bytes = fs::metadata(path).map_or(0, |metadata| metadata.len());
    if bytes > Book::MAX_BYTES {
        return Err(BookRunError::Size {
            path: path.to_owned(),
            bytes,
            most: Book::MAX_BYTES,
        });
    }
    Book::from_bytes(&read(path)?).map_err(|source| BookRunError::Book {
        path: path.to_owned(),
        source,
    })
}

/// Writes a book, as a database of YaneuraOu if the extension says so: the remarks and the moves that are never drawn
/// are lost there. Returns the size of what was written.
///
/// # Errors
/// The file cannot be written, or the book has no move to draw: nobody could read it.
pub(super) fn write_book(
    path: &Path,
    book: &Book,
    remarks: &str,
) -> Result<BookSize, BookRunError> {
    let mut moves = book.iter().flat_map(|(_, entry)| &entry.moves);
    if !moves.any(|entry| entry.weight > 0) {
        let reason = "no move has a weight above 0".to_owned();
        return Err(BookRunError::Empty(reason));
    }
    let is_database = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(DATABASE));
    let text = match is_database {
        true => book.to_yaneuraou(),
        false => book.to_text(remarks),
    };
    write_atomically(path, text.as_bytes())?;
    let is_written = |entry: &&BookMove| !is_database || entry.weight > 0;
    let moves = book
        .iter()
        .map(|(_, entry)| entry.moves.iter().filter(is_written).count());
    let moves: Vec<usize> = moves.filter(|&count| count > 0).collect();
    Ok(BookSize {
        positions: moves.len(),
        moves: moves.iter().sum(),
    })
}
