//! YaneuraOu's book database, `#YANEURAOU-DB2016 1.00`.
//!
//! A position is a line `sfen …` with the ply; each of its moves is a line `move reply value depth count`.
//! Trailing fields may be missing. The same position may come at several plies.

use super::{
    content::{Book, BookMove},
    error::{BookError, BookLineError},
    lines::{line, number, read_positions},
    value_weights::{ValueWeights, WeighedMove},
};
use crate::rules::{Move, Position};

/// First line of the format.
pub(super) const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// Words in place of a move.
const NO_MOVES: [&str; 3] = ["none", "resign", "win"];

/// Largest value that is taken over, in centipawns; larger ones are mates.
const LARGEST_VALUE: i32 = 32_000;

/// Reads the lines after the header.
pub(super) fn read(text: &str) -> Result<Book, BookError> {
    read_positions(text, read_move, |book, position, moves| {
        Ok(book.merge(position, weighed(position, moves))?)
    })
}

/// Reads `move reply value depth count`; `None` where there is nothing to play.
fn read_move(text: &str) -> Result<Option<BookMove>, BookLineError> {
    let mut words = text.split_ascii_whitespace();
    let mv = words.next().unwrap_or_default();
    if NO_MOVES.contains(&mv) {
        return Ok(None);
    }
    let mut entry = BookMove::new(mv.parse()?, 0);
    entry.reply = match words.next() {
        None => None,
        Some(reply) if NO_MOVES.contains(&reply) => None,
        Some(reply) => Some(reply.parse::<Move>()?),
    };
    let value = |value: i64| {
        let largest = i64::from(LARGEST_VALUE);
        value.clamp(-largest, largest) as i32
    };
    entry.value = (words.next())
        .map(|word| number("value", word).map(value))
        .transpose()?;
    entry.depth = words.next().map(|word| number("depth", word)).transpose()?;
    if let Some(word) = words.next() {
        // Counts of merged books may be larger than a weight can be.
        entry.weight = u32::try_from(number::<u64>("count", word)?).unwrap_or(u32::MAX);
    }
    Ok(Some(entry))
}

/// Weighs the moves of a position by their counts. Where these tell nothing (there are none, or all are alike,
/// as engines write them), values that differ do, and without such values all moves weigh alike.
fn weighed(position: &Position, mut moves: Vec<BookMove>) -> Vec<BookMove> {
    let has_counts = moves.iter().any(|entry| entry.weight > 0);
    let values_differ = differ(moves.iter().filter_map(|entry| entry.value));
    if differ(moves.iter().map(|entry| entry.weight)) || (has_counts && !values_differ) {
        return moves;
    }
    let values: Vec<WeighedMove> = moves
        .iter()
        .map(|entry| WeighedMove {
            count: 1,
            value: entry.value.unwrap_or(0),
        })
        .collect();
    let by_value = ValueWeights {
        // The owner of a database has chosen its openings.
        floor_plies: 0,
        ..ValueWeights::default()
    };
    for (entry, weight) in moves.iter_mut().zip(by_value.of(position.ply(), &values)) {
        entry.weight = weight;
    }
    moves
}

/// Returns true unless all numbers are the same.
fn differ<T: PartialEq>(mut numbers: impl Iterator<Item = T>) -> bool {
    let first = numbers.next();
    numbers.any(|number| Some(number) != first)
}

/// Returns the text of a book.
pub(super) fn write(book: &Book) -> String {
    let mut text = format!("{HEADER}\n");
    for (sfen, entry) in book.iter() {
        line(&mut text, format_args!("sfen {sfen} {}", entry.ply));
        for entry in &entry.moves {
            let reply = match entry.reply {
                Some(reply) => reply.to_string(),
                None => NO_MOVES[0].to_owned(),
            };
            let (mv, weight) = (entry.mv, entry.weight);
            let (value, depth) = (entry.value.unwrap_or(0), entry.depth.unwrap_or(0));
            line(
                &mut text,
                format_args!("{mv} {reply} {value} {depth} {weight}"),
            );
        }
    }
    text
}
