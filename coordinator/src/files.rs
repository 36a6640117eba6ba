//! The little that is done with files in several places.

use std::{fs, io, path::Path};

/// Removes a file, if it is there.
///
/// # Errors
/// It is there and stays.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
