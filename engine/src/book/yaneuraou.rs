//! YaneuraOu's book database, `#YANEURAOU-DB2016 1.00`.
//!
//! A position is a line `sfen …` with the ply; each of its moves is a line `move reply value depth count`.
//! Trailing fields may be missing, and ShogiHome writes `none` for a value or depth that is not known. The
//! same position may come at several plies.

use super::{
    content::{Book, BookMove, key_of},
    error::{BookError, BookLineError},
    lines::{line, number, read_positions},
    value_weights::{ValueWeights, WeighedMove},
};
use crate::rules::Move;
use std::{borrow::Borrow, collections::BTreeMap, str::FromStr};

/// First line of the format.
pub(super) const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// Word in place of what is not known.
const NONE: &str = "none";

/// Words in place of a move.
const NO_MOVES: [&str; 3] = [NONE, "resign", "win"];

/// Number of fields of a move.
const FIELDS: usize = 5;

/// Largest value that is taken over, in centipawns; larger ones are mates.
const LARGEST_VALUE: i32 = 32_000;

/// A move as its line has it, not weighed yet.
struct CountedMove {
    entry: BookMove,
    count: Option<u32>,
}

impl Borrow<BookMove> for CountedMove {
    fn borrow(&self) -> &BookMove {
        &self.entry
    }
}

/// What all entries of a position say.
struct Entries {
    /// The least ply.
    ply: u32,
    moves: Vec<CountedMove>,
}

impl Entries {
    /// Adds the moves of another entry. Of a move in both, the counts are added up, and the first entry knows the rest.
    fn add(&mut self, ply: u32, moves: Vec<CountedMove>) {
        self.ply = self.ply.min(ply);
        for new in moves {
            let mut known = self.moves.iter_mut();
            match known.find(|old| old.entry.mv == new.entry.mv) {
                None => self.moves.push(new),
                Some(old) => {
                    old.count = match (old.count, new.count) {
                        (Some(old), Some(new)) => Some(old.saturating_add(new)),
                        (old, new) => old.or(new),
                    }
                }
            }
        }
    }
}

/// Reads the lines after the header. The moves of a position are weighed once all its entries are known.
pub(super) fn read(text: &str) -> Result<Book, BookError> {
    let mut positions = BTreeMap::<String, Entries>::new();
    read_positions(text, read_move, |position, moves| {
        let entries = positions.entry(key_of(position));
        let entries = entries.or_insert_with(|| Entries {
            ply: position.ply(),
            moves: Vec::new(),
        });
        entries.add(position.ply(), moves);
        Ok(())
    })?;
    let mut book = Book::default();
    for (key, Entries { ply, moves }) in positions {
        book.put(key, ply, weighed(ply, counted(moves)));
    }
    Ok(book)
}

/// Reads `move reply value depth count`; `None` where there is nothing to play.
fn read_move(text: &str) -> Result<Option<CountedMove>, BookLineError> {
    let mut fields = fields(text).into_iter();
    let mv = fields.next().unwrap_or_default();
    if NO_MOVES.contains(&mv) {
        return Ok(None);
    }
    let mut entry = BookMove::new(mv.parse()?, 0);
    entry.reply = match fields.next() {
        None | Some("") => None,
        Some(reply) if NO_MOVES.contains(&reply) => None,
        Some(reply) => Some(reply.parse::<Move>()?),
    };
    let value = |value: i64| {
        let largest = i64::from(LARGEST_VALUE);
        value.clamp(-largest, largest) as i32
    };
    entry.value = known_number("value", fields.next())?.map(value);
    entry.depth = known_number("depth", fields.next())?;
    let count = known_number::<u64>("count", fields.next())?;
    Ok(Some(CountedMove {
        entry,
        // Counts of merged books may be larger than a weight can be.
        count: count.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
    }))
}

/// Returns the fields of a line. Quirk: ShogiHome 1.20.0 leaves a field empty, between two spaces in a row. In a
/// line of more spaces than fields they only align them.
fn fields(text: &str) -> Vec<&str> {
    let fields: Vec<&str> = text
        .split(|letter: char| letter.is_ascii_whitespace())
        .collect();
    match fields.len() <= FIELDS {
        true => fields,
        false => text.split_ascii_whitespace().collect(),
    }
}

/// Reads a number that may be missing, empty or `none`.
fn known_number<T: FromStr>(
    key: &'static str,
    field: Option<&str>,
) -> Result<Option<T>, BookLineError> {
    match field {
        None | Some("" | NONE) => Ok(None),
        Some(word) => number(key, word).map(Some),
    }
}

/// Returns the moves of a position with their counts for weights. Beside moves with counts, one without has been
/// met once.
fn counted(moves: Vec<CountedMove>) -> Vec<BookMove> {
    let has_counts = moves.iter().any(|one| one.count > Some(0));
    let missing = u32::from(has_counts);
    let moves = moves.into_iter();
    moves
        .map(|CountedMove { entry, count }| BookMove {
            weight: count.unwrap_or(missing),
            ..entry
        })
        .collect()
}

/// Weighs the moves of a position by their counts. Where these tell nothing (there are none, or all are alike,
/// as engines write them), values that differ do, and without such values all moves weigh alike.
fn weighed(ply: u32, mut moves: Vec<BookMove>) -> Vec<BookMove> {
    let has_counts = moves.iter().any(|entry| entry.weight > 0);
    let values_differ = differ(moves.iter().filter_map(|entry| entry.value));
    if differ(moves.iter().map(|entry| entry.weight)) || (has_counts && !values_differ) {
        return moves;
    }
    // A move without a value was entered by hand, to be played.
    let best = moves.iter().filter_map(|entry| entry.value).max();
    let values: Vec<WeighedMove> = moves
        .iter()
        .map(|entry| WeighedMove {
            count: 1,
            value: entry.value.or(best).unwrap_or(0),
        })
        .collect();
    let by_value = ValueWeights {
        // The owner of a database has chosen its openings.
        floor_plies: 0,
        ..ValueWeights::default()
    };
    for (entry, weight) in moves.iter_mut().zip(by_value.of(ply, &values)) {
        entry.weight = weight;
    }
    moves
}

/// Returns true unless all numbers are the same.
fn differ<T: PartialEq>(mut numbers: impl Iterator<Item = T>) -> bool {
    let first = numbers.next();
    numbers.any(|number| Some(number) != first)
}

/// Returns what is known, or the word for what is not.
fn word(known: Option<impl ToString>) -> String {
    known.map_or_else(|| NONE.to_owned(), |known| known.to_string())
}

/// Returns the text of a book.
pub(super) fn write(book: &Book) -> String {
    let mut text = format!("{HEADER}\n");
    // The format has no way to say of a move that it is never drawn.
    let drawn = (book.iter()).filter(|(_, entry)| entry.moves.iter().any(|one| one.weight > 0));
    for (sfen, entry) in drawn {
        line(&mut text, format_args!("sfen {sfen} {}", entry.ply));
        for entry in entry.moves.iter().filter(|entry| entry.weight > 0) {
            let (mv, weight) = (entry.mv, entry.weight);
            let (reply, value, depth) = (word(entry.reply), word(entry.value), word(entry.depth));
            line(
                &mut text,
                format_args!("{mv} {reply} {value} {depth} {weight}"),
            );
        }
    }
    text
}
