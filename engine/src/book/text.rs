//! The text of a book: sorted by SFEN, one move a line, so that two books can be compared by `diff`.
//!
//! ```text
//! monju book 1
//! # a remark
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 66 games 120 wins 66
//! 2g2f 54 games 101 wins 54 value 31 depth 18 reply 8c8d
//! ```
//!
//! After the move stands its weight; words with what else is known follow in any order.

use super::{
    content::{Book, BookMove},
    error::{BookError, BookLineError},
    lines::{line, number, read_positions},
};
use crate::rules::excerpt;
use std::fmt::Write;

/// First line of the format.
pub(super) const HEADER: &str = "monju book 1";

/// Reads the lines after the header.
pub(super) fn read(text: &str) -> Result<Book, BookError> {
    let mut book = Book::default();
    read_positions(text, read_move, |position, moves| match moves.is_empty() {
        true => Err(BookLineError::NoMoves),
        false => Ok(book.insert(position, moves)?),
    })?;
    Ok(book)
}

fn read_move(text: &str) -> Result<Option<BookMove>, BookLineError> {
    let mut words = text.split_ascii_whitespace();
    let mv = words.next().unwrap_or_default().parse()?;
    let weight = words.next().unwrap_or_default();
    let weight = weight
        .parse()
        .map_err(|_| BookLineError::Weight(excerpt(weight)))?;
    let mut entry = BookMove::new(mv, weight);
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        match word {
            "games" => entry.games = number("games", value)?,
            "wins" => entry.wins = number("wins", value)?,
            "value" => entry.value = Some(number("value", value)?),
            "depth" => entry.depth = Some(number("depth", value)?),
            "reply" => entry.reply = Some(value.parse()?),
            _ => return Err(BookLineError::Word(excerpt(word))),
        }
    }
    Ok(Some(entry))
}

/// Returns the text of a book. Each line of `remarks` becomes a line that begins with `#`.
pub(super) fn write(book: &Book, remarks: &str) -> String {
    let mut text = format!("{HEADER}\n");
    for remark in remarks.lines() {
        line(&mut text, format_args!("# {remark}"));
    }
    for (sfen, entry) in book.iter() {
        line(&mut text, format_args!("sfen {sfen} {}", entry.ply));
        for entry in &entry.moves {
            write_move(&mut text, entry);
        }
    }
    text
}

fn write_move(text: &mut String, entry: &BookMove) {
    let BookMove {
        mv,
        weight,
        games,
        wins,
        value,
        depth,
        reply,
    } = entry;
    let mut words = format!("{mv} {weight}");
    let mut add = |word: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = write!(words, " {word} {value}");
        }
    };
    let positive = |number: &u32| (*number > 0).then(|| number.to_string());
    add("games", positive(games));
    add("wins", positive(wins));
    add("value", value.map(|value| value.to_string()));
    add("depth", depth.map(|depth| depth.to_string()));
    add("reply", reply.map(|reply| reply.to_string()));
    line(text, format_args!("{words}"));
}
