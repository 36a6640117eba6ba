//! Files of books.

use super::error::BookRunError;
use crate::files::{read, write_atomically};
use monju_engine::book::Book;
use std::{fs, path::Path};

/// Extension of YaneuraOu's databases.
const DATABASE: &str = "db";

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

/// Writes a book, as a database of YaneuraOu if the extension says so. The remarks are lost there.
///
/// # Errors
/// The file cannot be written, or the book has no move to draw: nobody could read it.
pub(super) fn write_book(path: &Path, book: &Book, remarks: &str) -> Result<(), BookRunError> {
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
    Ok(write_atomically(path, text.as_bytes())?)
}
