//! The opening book of an ensemble: while the position is in it, no consultation takes place (Ito et al.
//! (2011), section 3.1), or the players vote on its moves (section 4).

use crate::seed;
use monju_engine::{
    Game, Move,
    book::{Book, key_of},
};
use std::sync::Arc;

/// The purpose of a draw for the whole ensemble.
const ENSEMBLE: &str = "book";

/// An opening book, and its use.
#[derive(Clone, Debug, PartialEq)]
pub struct OpeningBook {
    /// The book.
    pub book: Arc<Book>,
    /// Number of moves from the start of a game that may come from it; `None` for as long as it goes.
    pub plies: Option<u32>,
    /// Every player draws a move of its own, and the majority is taken.
    pub voting: bool,
}

/// A move from a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookAnswer {
    /// The move.
    pub mv: Move,
    /// The reply to expect, if the book knows one.
    pub reply: Option<Move>,
}

impl OpeningBook {
    /// A book that is used for as long as it goes, without votes.
    pub fn new(book: Arc<Book>) -> Self {
        Self {
            book,
            plies: None,
            voting: false,
        }
    }

    /// Returns the book with another number of moves, if one is given.
    pub fn within(mut self, plies: Option<u32>) -> Self {
        self.plies = plies.or(self.plies);
        self
    }

    /// Draws the move of the ensemble, or of a single player. It depends on the game's seed and the position
    /// alone.
    pub fn draw(&self, game: &Game, seed: u64) -> Option<BookAnswer> {
        self.draw_for(game, seed, ENSEMBLE)
    }

    /// Draws the move of one player of the ensemble, by a seed of its own.
    pub fn draw_of(&self, game: &Game, seed: u64, player: &str) -> Option<BookAnswer> {
        self.draw_for(game, seed, &format!("{ENSEMBLE} {player}"))
    }

    fn draw_for(&self, game: &Game, seed: u64, purpose: &str) -> Option<BookAnswer> {
        let ply = game.position().ply();
        if self.plies.is_some_and(|plies| ply > plies) {
            return None;
        }
        // The ply is no part of the position.
        let sfen = key_of(game.position());
        let draw = seed::derive(seed::derive(seed, purpose), &sfen);
        let mv = self.book.choose(game, draw)?;
        let reply = self.book.reply(game, mv);
        Some(BookAnswer { mv, reply })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: &[u8] = b"monju book 1\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
        7g7f 1 reply 3c3d\n2g2f 1\n5g5f 1\n";

    fn book() -> OpeningBook {
        OpeningBook::new(Arc::new(Book::from_bytes(BOOK).expect("a book")))
    }

    /// The start position with another number of its next move.
    fn at_ply(ply: u32) -> Game {
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
        Game::from_usi(&format!("sfen {start} {ply}")).expect("a position")
    }

    #[test]
    fn a_draw_depends_on_the_seed_the_position_and_the_player_alone() {
        let (book, game) = (book(), Game::startpos());
        let drawn: Vec<_> = (0..40).map(|seed| book.draw(&game, seed)).collect();
        assert!(
            drawn
                .iter()
                .enumerate()
                .all(|(seed, one)| *one == book.draw(&game, seed as u64))
        );
        for mv in ["7g7f", "2g2f", "5g5f"] {
            let mv = mv.parse().expect("a move");
            assert!(drawn.iter().flatten().any(|answer| answer.mv == mv), "{mv}");
        }
        let later = at_ply(31);
        for seed in 0..40 {
            assert_eq!(book.draw(&later, seed), book.draw(&game, seed));
        }
        let differ =
            |seed: &u64| book.draw_of(&game, *seed, "a") != book.draw_of(&game, *seed, "b");
        assert!((0..40).any(|seed| differ(&seed)));
        let seven = drawn
            .iter()
            .flatten()
            .find(|answer| answer.mv.to_string() == "7g7f");
        assert_eq!(seven.and_then(|answer| answer.reply), "3c3d".parse().ok());
    }

    #[test]
    fn the_book_ends_with_its_plies() {
        let book = book();
        let third = at_ply(3);
        assert!(book.clone().within(Some(3)).draw(&third, 1).is_some());
        assert!(book.clone().within(Some(2)).draw(&third, 1).is_none());
        assert!(book.within(Some(0)).draw(&Game::startpos(), 1).is_none());
    }
}
