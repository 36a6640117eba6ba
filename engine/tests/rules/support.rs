//! Readers of data files, and reports of tests that were not run.

use monju_engine::Game;
use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

/// Returns the root of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the engine lies in the repository")
}

/// Returns the text of a file below `tests/data`.
pub fn data(path: &str) -> String {
    let path = repository().join("tests/data").join(path);
    read(&path)
}

/// Returns the text of a file.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the columns of every row of a tab-separated text, without comment lines.
pub fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

/// Returns the objects of a text with one JSON object in each line.
pub fn objects(text: &str) -> Vec<serde_json::Value> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Returns the strings of a JSON array.
pub fn texts(value: &serde_json::Value) -> Vec<&str> {
    value
        .as_array()
        .expect("an array")
        .iter()
        .map(|text| text.as_str().expect("a string"))
        .collect()
}

/// Reads a game from valid USI text.
pub fn game(text: &str) -> Game {
    Game::from_usi(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the legal moves as USI text, sorted; panics if one is listed twice.
pub fn legal_moves(game: &Game) -> BTreeSet<String> {
    let moves = game.legal_moves();
    let texts: BTreeSet<String> = moves.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts.len(),
        moves.len(),
        "a move is listed twice in {}",
        game.position()
    );
    texts
}

/// Returns the folder of published games, which are not part of the repository: `MONJU_GAMES`, or
/// `../shared/data/games` beside the repository.
pub fn game_collections() -> Option<PathBuf> {
    let folder = match std::env::var_os("MONJU_GAMES") {
        Some(folder) => PathBuf::from(folder),
        None => repository().join("../shared/data/games"),
    };
    folder.is_dir().then_some(folder)
}

/// Reports a test that was not run on standard output and in the file named by `MONJU_SKIP_LOG`.
pub fn skipped(what: &str) {
    let line = format!("skipped: {what}");
    println!("{line}");
    if let Some(path) = std::env::var_os("MONJU_SKIP_LOG") {
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.to_string_lossy()));
        writeln!(file, "{line}").expect("the skip log can be written");
    }
}
