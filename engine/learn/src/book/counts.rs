//! Counts of games and wins by position and move.

use monju_engine::{
    Move, Position,
    book::{Book, BookEntryError, BookMove, key_of},
};
use std::collections::HashMap;

/// Counts of games and wins by position and move.
#[derive(Debug, Default)]
pub(super) struct Counts {
    positions: HashMap<String, PositionCounts>,
    /// Number of games begun.
    games: u32,
}

#[derive(Debug)]
struct PositionCounts {
    /// Smallest number of the next move.
    ply: u32,
    moves: Vec<MoveCounts>,
}

#[derive(Debug)]
struct MoveCounts {
    mv: Move,
    games: u32,
    wins: u32,
    /// Number of the last game that was counted.
    last: u32,
}

/// The positions that a book keeps, and the weight of their moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    /// Least number of wins of the side to move.
    pub min_wins: u32,
    /// Least number of games.
    pub min_games: u32,
    /// Moves weigh their wins instead of their games.
    pub by_wins: bool,
}

impl Counts {
    /// Begins a game, in which the same move of the same position counts once.
    pub fn begin_game(&mut self) {
        self.games += 1;
    }

    /// Returns the number of games.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Counts a move of the game.
    pub fn add(&mut self, position: &Position, ply: u32, mv: Move, is_won: bool) {
        let game = self.games;
        let key = key_of(position);
        let entry = self.positions.entry(key).or_insert(PositionCounts {
            ply,
            moves: Vec::new(),
        });
        entry.ply = entry.ply.min(ply);
        let index = entry.moves.iter().position(|count| count.mv == mv);
        let index = index.unwrap_or_else(|| {
            entry.moves.push(MoveCounts {
                mv,
                games: 0,
                wins: 0,
                last: 0,
            });
            entry.moves.len() - 1
        });
        let count = &mut entry.moves[index];
        if count.last == game {
            return;
        }
        count.last = game;
        count.games += 1;
        count.wins += u32::from(is_won);
    }

    /// Returns the selected positions as a book.
    ///
    /// # Errors
    /// A move is illegal in its position.
    pub fn into_book(self, selection: Selection) -> Result<Book, BookEntryError> {
        let mut book = Book::default();
        for (key, PositionCounts { ply, moves }) in self.positions {
            let wins: u32 = moves.iter().map(|count| count.wins).sum();
            let games: u32 = moves.iter().map(|count| count.games).sum();
            if wins < selection.min_wins || games < selection.min_games {
                continue;
            }
            let Ok(position) = Position::from_sfen(&format!("{key} {ply}")) else {
                unreachable!("the key is the text of a position");
            };
            let weighed = moves.iter().map(|count| BookMove {
                games: count.games,
                wins: count.wins,
                ..BookMove::new(
                    count.mv,
                    match selection.by_wins {
                        true => count.wins,
                        false => count.games,
                    },
                )
            });
            book.insert(&position, weighed.collect())?;
        }
        Ok(book)
    }
}
