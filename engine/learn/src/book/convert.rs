//! The run behind `monju book convert`.

use super::{
    error::BookRunError,
    file::{BookSize, read_book, write_book},
};
use crate::files::check_outputs;
use std::{path::PathBuf, slice};

/// Conversion of a book between its two formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookConversionRun {
    /// The book to read.
    pub book: PathBuf,
    /// The file to write; with the extension `.db` it becomes a database of YaneuraOu.
    pub output: PathBuf,
}

impl BookConversionRun {
    /// Converts the book, and returns the size of the new one.
    ///
    /// # Errors
    /// The book cannot be read, or the output cannot be written.
    pub fn run(&self) -> Result<BookSize, BookRunError> {
        check_outputs([self.book.as_path()], slice::from_ref(&self.output))?;
        let book = read_book(&self.book)?;
        write_book(&self.output, &book, "")
    }
}
