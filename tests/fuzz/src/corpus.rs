//! Corpora from the repository's data.

use std::{fs, path::PathBuf};

/// Returns a path below the root of the repository.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name)
}

/// Returns the bytes of a file of the repository.
pub fn file(name: &str) -> Vec<u8> {
    let path = path(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the text of a file of the repository.
pub fn text(name: &str) -> String {
    String::from_utf8(file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns every `step`th line of a file.
pub fn lines(name: &str, step: usize) -> Vec<Vec<u8>> {
    let text = text(name);
    let lines = text.lines().step_by(step);
    lines.map(|line| line.as_bytes().to_vec()).collect()
}

/// Returns the first lines of every recorded USI conversation that begin with `from`, less that word.
pub fn usi_logs(from: &str) -> Vec<Vec<u8>> {
    let log = |number: u32| {
        let log = text(&format!("tests/data/usi/{number:02}/usi.log"));
        let lines = log.lines().filter_map(|line| line.strip_prefix(from));
        let lines: Vec<&str> = lines.take(40).collect();
        lines.join("\n").into_bytes()
    };
    (1..=24).map(log).collect()
}

/// Returns the files of a folder whose names end so, in order of their names.
pub fn folder(name: &str, ending: &str) -> Vec<Vec<u8>> {
    let path = path(name);
    let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|file| file.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    let read = |file: PathBuf| {
        fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    files.into_iter().map(read).collect()
}
