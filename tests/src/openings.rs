//! Openings for matches.

use anyhow::Context as _;
use std::{fs, path::Path};

/// The openings of a file, one `startpos moves …` a line; empty lines and those after `#` are none.
///
/// # Errors
/// The file cannot be read.
pub fn read(path: &Path) -> anyhow::Result<Vec<String>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect())
}
