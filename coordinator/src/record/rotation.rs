//! The files of a log: one that grows for ever, or a series of files of a limited size.

use chrono::TimeDelta;
use file_rotate::{
    ContentLimit, FileRotate,
    compression::Compression,
    suffix::{AppendTimestamp, FileLimit},
};
use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

/// The limits of the files of a log; by default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// Size in bytes after which the file gets the time as the end of its name, and another one is begun.
    pub bytes: Option<usize>,
    /// Days after which files that were put aside are deleted.
    pub days: Option<u32>,
}

/// The file that lines are appended to.
pub enum LogFile {
    /// It grows for ever.
    One(File),
    /// It is put aside when it has become too large.
    Series(Box<FileRotate<AppendTimestamp>>),
}

impl LogFile {
    /// A log in `file`, which was opened at `path`.
    pub fn new(file: File, path: &Path, rotation: Rotation) -> Self {
        let Some(bytes) = rotation.bytes else {
            return Self::One(file);
        };
        let limit = match rotation.days {
            Some(days) => FileLimit::Age(TimeDelta::days(days.into())),
            None => FileLimit::Unlimited,
        };
        // A line is written as a whole before the size is looked at.
        let limits = ContentLimit::BytesSurpassed(bytes);
        let names = AppendTimestamp::default(limit);
        Self::Series(Box::new(FileRotate::new(
            path,
            names,
            limits,
            Compression::None,
            None,
        )))
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::One(file) => file.write(bytes),
            Self::Series(files) => files.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::One(file) => file.flush(),
            Self::Series(files) => files.flush(),
        }
    }
}
