//! Counts of games and wins by position and move.

use monju_engine::{
    Move, Position,
    book::{Book, BookEntryError, BookMove, key_of},
};
use std::collections::HashMap;

/// Counts of games and wins by position and by move.
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
    tally: GameCount,
    moves: Vec<(Move, GameCount)>,
}

/// Games, each counted once.
#[derive(Debug, Default)]
struct GameCount {
    games: u32,
    wins: u32,
    /// Number of the last game that was counted.
    last: u32,
}

impl GameCount {
    /// Counts the game of this number unless it has been counted.
    fn add(&mut self, game: u32, is_won: bool) {
        if self.last != game {
            self.last = game;
            self.games += 1;
            self.wins += u32::from(is_won);
        }
    }
}

/// The positions that a book keeps, and the weight of their moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    /// Least number of games that the side to move won.
    pub min_wins: u32,
    /// Least number of games in which the position was met.
    pub min_games: u32,
    /// Moves weigh their wins instead of their games.
    pub by_wins: bool,
}

impl Counts {
    /// Begins a game, in which the same position counts once, and so does each of its moves.
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
            tally: GameCount::default(),
            moves: Vec::new(),
        });
        entry.ply = entry.ply.min(ply);
        entry.tally.add(game, is_won);
        let index = entry.moves.iter().position(|(other, _)| *other == mv);
        let index = index.unwrap_or_else(|| {
            entry.moves.push((mv, GameCount::default()));
            entry.moves.len() - 1
        });
        entry.moves[index].1.add(game, is_won);
    }

    /// Returns the selected positions as a book.
    ///
    /// # Errors
    /// A move is illegal in its position.
    pub fn into_book(self, selection: Selection) -> Result<Book, BookEntryError> {
        let mut book = Book::default();
        for (key, PositionCounts { ply, tally, moves }) in self.positions {
            if tally.wins < selection.min_wins || tally.games < selection.min_games {
                continue;
            }
            let Ok(position) = Position::from_sfen(&format!("{key} {ply}")) else {
                unreachable!("the key is the text of a position");
            };
            let weighed = moves.iter().map(|(mv, count)| BookMove {
                games: count.games,
                wins: count.wins,
                ..BookMove::new(
                    *mv,
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
