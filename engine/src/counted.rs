//! Numbers of things in English.

use std::fmt::Display;

/// Returns a number of things that have a regular plural, as `1 game` or `2 games`.
///
/// ```
/// use monju_engine::counted;
/// assert_eq!(counted(0, "game"), "0 games");
/// assert_eq!(counted(1, "game"), "1 game");
/// assert_eq!(counted(12, "ply"), "12 plies");
/// ```
pub fn counted(number: impl Display, thing: &str) -> String {
    let number = number.to_string();
    match thing.strip_suffix('y') {
        _ if number == "1" => format!("1 {thing}"),
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {thing}s"),
    }
}
