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
use std::{ffi::OsString, fs, path::Path};

/// Writes a file that is there as a whole or not at all, whatever happens meanwhile.
fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut draft: OsString = path.as_os_str().to_owned();
    draft.push(".new");
    fs::write(&draft, bytes)
        .and_then(|()| fs::rename(&draft, path))
        .with_context(|| format!("cannot write {}", path.display()))
}
