//! The positions of a book and their moves.

use super::error::BookEntryError;
use crate::rules::{Move, Position};
use std::{borrow::Borrow, cmp::Reverse, collections::BTreeMap};

/// A move of a book, with what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// Share of the draws, relative to the other moves of the position; 0 is never drawn.
    pub weight: u32,
    /// Number of games in which it was played, 0 where that is unknown.
    pub games: u32,
    /// Number of these that its side won.
    pub wins: u32,
    /// Value for the side to move in centipawns, if it was searched.
    pub value: Option<i32>,
    /// Depth of that search in plies.
    pub depth: Option<u32>,
    /// The reply that its author expects; it need not be legal.
    pub reply: Option<Move>,
}

impl BookMove {
    /// A move of this weight of which nothing else is known.
    pub const fn new(mv: Move, weight: u32) -> Self {
        Self {
            mv,
            weight,
            games: 0,
            wins: 0,
            value: None,
            depth: None,
            reply: None,
        }
    }
}

/// A position of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookPosition {
    /// Number of the next move, from 1; the smallest of those at which the position was met.
    pub ply: u32,
    /// Its moves, at least one; heaviest first, equals in the order of their text.
    pub moves: Vec<BookMove>,
}

/// Positions with moves to draw from.
///
/// ```
/// use monju_engine::{Game, book::Book};
/// let book = Book::from_bytes(b"monju book 1
/// sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
/// 2g2f 3
/// 7g7f 1
/// ")?;
/// let game = Game::startpos();
/// // One draw in four is 7g7f.
/// assert_eq!(book.choose(&game, 0).unwrap().to_string(), "2g2f");
/// assert_eq!(book.choose(&game, u64::MAX).unwrap().to_string(), "7g7f");
/// # Ok::<(), monju_engine::book::BookError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    /// By SFEN without the ply.
    positions: BTreeMap<Box<str>, BookPosition>,
}

/// Returns the SFEN of a position without its ply, by which books tell positions apart.
pub fn key_of(position: &Position) -> String {
    let mut sfen = position.to_string();
    if let Some(end) = sfen.rfind(' ') {
        sfen.truncate(end);
    }
    sfen
}

impl Book {
    /// Largest size of a file that is read as a book, in bytes: some two million positions, which take about
    /// twice as much memory.
    pub const MAX_BYTES: u64 = 512 << 20;

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns true without any position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns the number of moves of all positions.
    pub fn moves(&self) -> usize {
        let moves = self.positions.values().map(|entry| entry.moves.len());
        moves.sum()
    }

    /// Returns the entry of a position, whatever its ply.
    pub fn find(&self, position: &Position) -> Option<&BookPosition> {
        self.positions.get(key_of(position).as_str())
    }

    /// Returns the entry of a position by its [key](key_of).
    pub fn find_key(&self, key: &str) -> Option<&BookPosition> {
        self.positions.get(key)
    }

    /// Returns all entries with their SFEN, which has no ply, in its order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BookPosition)> {
        self.positions.iter().map(|(sfen, entry)| (&**sfen, entry))
    }

    /// Adds a position with its moves, and sorts these.
    ///
    /// # Errors
    /// The position is in the book, or a move is illegal or comes twice.
    pub fn insert(
        &mut self,
        position: &Position,
        moves: Vec<BookMove>,
    ) -> Result<(), BookEntryError> {
        let key = key_of(position);
        if self.positions.contains_key(key.as_str()) {
            return Err(BookEntryError::Known);
        }
        check(position, &moves)?;
        self.put(key, position.ply(), moves);
        Ok(())
    }

    /// Puts moves that are legal and differ in place of what is known of a position, unless there are none.
    pub(super) fn put(&mut self, key: String, ply: u32, mut moves: Vec<BookMove>) {
        if moves.is_empty() {
            return;
        }
        moves.sort_by_cached_key(|entry| (Reverse(entry.weight), entry.mv.to_string()));
        moves.shrink_to_fit();
        self.positions
            .insert(key.into(), BookPosition { ply, moves });
    }
}

/// Checks that the moves are legal and differ.
fn check(position: &Position, moves: &[BookMove]) -> Result<(), BookEntryError> {
    for (index, entry) in moves.iter().enumerate() {
        check_new(position, &moves[..index], entry.mv)?;
    }
    Ok(())
}

/// Checks that a move is legal and none of the others.
pub(super) fn check_new<M: Borrow<BookMove>>(
    position: &Position,
    others: &[M],
    mv: Move,
) -> Result<(), BookEntryError> {
    if !position.is_legal(mv) {
        return Err(BookEntryError::Illegal(mv));
    }
    match others.iter().any(|other| other.borrow().mv == mv) {
        true => Err(BookEntryError::Twice(mv)),
        false => Ok(()),
    }
}
