//! Lines of positions and moves, which both formats share.

use super::{
    content::{BookMove, check_new},
    error::{BookError, BookLineError},
};
use crate::rules::{Position, excerpt};
use std::{
    borrow::Borrow,
    fmt::{Arguments, Write},
    str::FromStr,
};

/// Appends a line.
pub(super) fn line(text: &mut String, line: Arguments) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

/// A position under way, with its moves and their lines.
struct OpenPosition<M> {
    position: Position,
    moves: Vec<M>,
    /// Line of the position.
    line: usize,
}

/// Reads `sfen …` lines, each followed by its moves. `read_move` reads the line of one move, and skips it by
/// `None`; `add` takes a whole position.
pub(super) fn read_positions<M: Borrow<BookMove>>(
    text: &str,
    read_move: impl Fn(&str) -> Result<Option<M>, BookLineError>,
    mut add: impl FnMut(&Position, Vec<M>) -> Result<(), BookLineError>,
) -> Result<(), BookError> {
    let mut open: Option<OpenPosition<M>> = None;
    let mut close = |open: Option<OpenPosition<M>>| match open {
        None => Ok(()),
        Some(open) => {
            let line = open.line;
            add(&open.position, open.moves).map_err(|source| BookError::Line { line, source })
        }
    };
    // The header is line 1.
    for (text, line) in text.lines().zip(2..) {
        let at_line = |source| BookError::Line { line, source };
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') || text.starts_with("//") {
            continue;
        }
        if let Some(sfen) = text.strip_prefix("sfen ") {
            close(open.take())?;
            let position = Position::from_sfen(sfen).map_err(|error| at_line(error.into()))?;
            open = Some(OpenPosition {
                position,
                moves: Vec::new(),
                line,
            });
            continue;
        }
        let Some(open) = &mut open else {
            return Err(at_line(BookLineError::NoPosition));
        };
        let Some(entry) = read_move(text).map_err(at_line)? else {
            continue;
        };
        // The line of a wrong move is more helpful than that of its position.
        check_new(&open.position, &open.moves, entry.borrow().mv)
            .map_err(|error| at_line(error.into()))?;
        open.moves.push(entry);
    }
    close(open)
}

/// Reads a number of a line.
pub(super) fn number<T: FromStr>(key: &'static str, value: &str) -> Result<T, BookLineError> {
    value.parse().map_err(|_| BookLineError::Number {
        key,
        value: excerpt(value),
    })
}
