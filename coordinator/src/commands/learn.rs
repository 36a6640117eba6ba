//! `monju learn`: makers of weights.

mod data;
pub mod linear;
pub mod material;
pub mod nnue;
mod progress;
pub mod records;
pub mod selfplay;

use anyhow::Context;
use progress::Progress;
use std::{ffi::OsString, fs, io, path::Path};

/// Writes a file that is there as a whole or not at all, whatever happens meanwhile.
fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut draft: OsString = path.as_os_str().to_owned();
    draft.push(".new");
    fs::write(&draft, bytes)
        .and_then(|()| fs::rename(&draft, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
