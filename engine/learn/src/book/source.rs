//! The games and the weights of a book.

use monju_engine::names::UnknownName;

/// The games and the weights of a book.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumString,
    strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown_source)]
pub enum BookSource {
    /// Games with a winner; a move weighs the games that its side went on to win.
    #[default]
    WonByMover,
    /// All games; a move weighs the games in which it was played.
    Played,
}

fn unknown_source(name: &str) -> UnknownName {
    UnknownName::new::<BookSource>("source", name)
}
