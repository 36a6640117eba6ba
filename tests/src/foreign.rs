//! Programs of others that some tests need: USI engines, and the referee's Python.

use crate::{data::repository, skip::missing};
use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

/// Returns the path of a Debian game engine in `PATH` or in `/usr/games`; notes that a test is skipped
/// when it is absent.
pub fn engine(name: &str, package: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file());
    if found.is_none() {
        missing(name, &format!("apt-get install {package}"));
    }
    found
}

/// `gpsusi`, of Debian's package gpsshogi.
pub fn gpsusi() -> Option<PathBuf> {
    engine("gpsusi", "gpsshogi")
}

/// `fairy-stockfish`, of the Debian package of the same name.
pub fn fairy_stockfish() -> Option<PathBuf> {
    engine("fairy-stockfish", "fairy-stockfish")
}

/// A Python that has `cshogi`: the one `MONJU_PYTHON` names, or that of `.venv` in the repository.
pub fn referee_python() -> Option<PathBuf> {
    let python = match std::env::var_os("MONJU_PYTHON") {
        Some(path) => PathBuf::from(path),
        None => repository().join(".venv/bin/python"),
    };
    let works = Command::new(&python)
        .args(["-c", "import cshogi"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !works {
        missing("the referee's cshogi", "tests/run.sh makes .venv with it");
    }
    works.then_some(python)
}
