//! Errors of making books.

use crate::{TrainingExampleError, files::FileError};
use monju_engine::{
    PlayerError,
    book::{BookEntryError, BookError},
};
use monju_records::UnknownFormat;
use std::{io, path::PathBuf};

/// Error of making a book.
#[derive(Debug, thiserror::Error)]
pub enum BookRunError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file of games has an unknown extension.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// A file is too large to be a book.
    #[error("{} has {bytes} bytes, more than the {most} that a book may have", path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The largest size.
        most: u64,
    },
    /// A file is no book.
    #[error("{}: {source}", path.display())]
    Book {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: BookError,
    },
    /// The positions of a file have no ends of games, as those of other programs, or are shuffled.
    #[error(
        "{} does not mark where its games end, or is shuffled; a book needs whole games, as 'monju learn selfplay' writes them",
        .0.display()
    )]
    NoGames(PathBuf),
    /// A position of self-play cannot be decoded.
    #[error("in {}, position {position}", path.display())]
    Example {
        /// The file.
        path: PathBuf,
        /// Number of the position, counted from 1.
        position: usize,
        /// Reason.
        source: TrainingExampleError,
    },
    /// A move of self-play does not belong to its position.
    #[error("in {}: {source}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: BookEntryError,
    },
    /// No position is left.
    #[error("no position is left: {0}")]
    Empty(String),
    /// The values beside the output were made with other settings.
    #[error(
        "{} was made with other settings: use the same ones, choose another --output, or remove the file",
        .0.display()
    )]
    OtherSettings(PathBuf),
    /// The values beside the output were made by another build.
    #[error(
        "{} has values of another build, whose searches may find other ones: give --accept-build to go on with it, \
         choose another --output, or remove the file",
        .0.display()
    )]
    OtherBuild(PathBuf),
    /// The values beside the output are being written.
    #[error(
        "{} is being written by another process: wait for it to end, or choose another --output",
        .0.display()
    )]
    Locked(PathBuf),
    /// The values cannot be written.
    #[error("cannot write {}", path.display())]
    Values {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// The player cannot be created.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// A search panicked.
    #[error("a search panicked; the values before it are kept")]
    Panicked,
}
