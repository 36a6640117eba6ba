//! The repository's own files.

use monju_engine::Game;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The root of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie in the repository")
}

/// The text of a file below `tests/data`.
pub fn data(path: &str) -> String {
    let path = repository().join("tests/data").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The path of a file below `configs`, which must exist.
pub fn config(name: &str) -> PathBuf {
    let path = repository().join("configs").join(name);
    assert!(path.is_file(), "{} is missing", path.display());
    path
}

/// Opening number `index` as `startpos moves …`, 36 plies long.
pub fn opening(index: usize) -> String {
    data("openings/taya_36ply.sfen")
        .lines()
        .nth(index)
        .expect("an opening of that number")
        .to_owned()
}

/// Panics unless `mv` is a legal move of the position that `position` describes.
pub fn assert_legal(position: &str, mv: &str) {
    let game = Game::from_usi(position).unwrap_or_else(|error| panic!("{position}: {error}"));
    if let Err(error) = game.parse_move(mv) {
        panic!("{error}: {position}");
    }
}
