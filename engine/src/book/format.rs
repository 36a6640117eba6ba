//! The formats of a book.

use super::{content::Book, error::BookError, text, yaneuraou};

impl Book {
    /// Reads a book of either format; the first line tells which. Every position must be possible and every
    /// move legal.
    ///
    /// # Errors
    /// The format is unknown, or a line is wrong; the error has its number.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BookError> {
        // Remarks may be in any encoding; all else is in ASCII, and told by its line where it is not.
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let book = match first.trim_end() {
            text::HEADER => text::read(rest),
            yaneuraou::HEADER => yaneuraou::read(rest),
            _ => Err(BookError::Header),
        }?;
        match book.is_empty() {
            true => Err(BookError::Empty),
            false => Ok(book),
        }
    }

    /// Returns the text of the book. Each line of `remarks` becomes a line that begins with `#`.
    pub fn to_text(&self, remarks: &str) -> String {
        text::write(self, remarks)
    }

    /// Returns the book as a YaneuraOu database, `#YANEURAOU-DB2016 1.00`. Weights become counts; numbers
    /// of games and wins are lost.
    pub fn to_yaneuraou(&self) -> String {
        yaneuraou::write(self)
    }
}
