//! Opening books from files.

use monju_engine::book::{Book, BookError};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

/// Number of books that stay in memory: the teams of an experiment share theirs.
const KEPT: usize = 4;

/// Reason why a book cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum BookFileError {
    /// The file cannot be read.
    #[error("cannot read the book {path:?}: {source}; correct the path")]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The path leads to a folder or a device.
    #[error("{0:?} is no file of a book")]
    NoFile(PathBuf),
    /// The file is too large.
    #[error(
        "the book {path:?} has {bytes} bytes, more than the {} that are read",
        Book::MAX_BYTES
    )]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The file does not hold a book.
    #[error("the book {path:?}: {source}")]
    Content {
        /// The file.
        path: PathBuf,
        /// Error of its content.
        source: BookError,
    },
}

/// A book in memory, and the file that it was read from.
struct KeptBook {
    path: PathBuf,
    bytes: u64,
    modified: Option<SystemTime>,
    book: Arc<Book>,
}

/// The books read last; the latest comes last.
static BOOKS: Mutex<Vec<KeptBook>> = Mutex::new(Vec::new());

/// Loads an opening book of Monju or a database of YaneuraOu. A file that has not changed since it was read
/// is not read again.
///
/// # Errors
/// The file cannot be read, is too large, or holds no book; the error names the line.
pub fn load_book(path: &Path) -> Result<Arc<Book>, BookFileError> {
    let cannot_read = |source| BookFileError::Read {
        path: path.to_owned(),
        source,
    };
    let metadata = fs::metadata(path).map_err(cannot_read)?;
    // A pipe or a device might never end.
    if !metadata.is_file() {
        return Err(BookFileError::NoFile(path.to_owned()));
    }
    let (bytes, modified) = (metadata.len(), metadata.modified().ok());
    if bytes > Book::MAX_BYTES {
        return Err(BookFileError::Size {
            path: path.to_owned(),
            bytes,
        });
    }
    let mut books = BOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = books.iter().position(|kept| kept.path == path);
    if let Some(kept) = known.map(|index| books.remove(index))
        && (kept.bytes, kept.modified) == (bytes, modified)
    {
        let book = Arc::clone(&kept.book);
        books.push(kept);
        return Ok(book);
    }
    let text = fs::read(path).map_err(cannot_read)?;
    let book = Book::from_bytes(&text).map_err(|source| BookFileError::Content {
        path: path.to_owned(),
        source,
    })?;
    let book = Arc::new(book);
    if books.len() == KEPT {
        books.remove(0);
    }
    books.push(KeptBook {
        path: path.to_owned(),
        bytes,
        modified,
        book: Arc::clone(&book),
    });
    Ok(book)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "monju book 1\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";

    #[test]
    fn a_book_is_read_again_when_it_has_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.book");
        fs::write(&path, format!("{TEXT}7g7f 1\n")).expect("written");
        let first = load_book(&path).expect("a book");
        assert!(Arc::ptr_eq(&first, &load_book(&path).expect("a book")));
        fs::write(&path, format!("{TEXT}7g7f 1\n2g2f 1\n")).expect("written");
        assert_eq!(load_book(&path).expect("a book").moves(), 2);
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("wrong.book");
        let complaint = |path: &Path| load_book(path).expect_err("refused").to_string();
        assert!(complaint(&path).starts_with("cannot read the book"));
        assert!(complaint(folder.path()).ends_with("is no file of a book"));
        fs::write(&path, format!("{TEXT}7g7e 1\n")).expect("written");
        let text = complaint(&path);
        assert!(
            text.contains("wrong.book\": line 3: 7g7e is not legal"),
            "{text}"
        );
    }
}
