//! Drawing a move.

use super::content::{Book, BookMove};
use crate::rules::{Game, Move, Repetition};

impl Book {
    /// Draws a move by weight: P(m) = w(m) / Σ w over the [playable](Self::playable) moves (Tohske,
    /// section 1). `draw` is a random number of 64 bits, of which the move is a pure function.
    pub fn choose(&self, game: &Game, draw: u64) -> Option<Move> {
        let moves = self.playable(game);
        let total: u64 = moves.iter().map(|entry| u64::from(entry.weight)).sum();
        let scaled = (u128::from(draw) * u128::from(total)) >> 64;
        let mut left = scaled as u64;
        for entry in moves {
            let weight = u64::from(entry.weight);
            if left < weight {
                return Some(entry.mv);
            }
            left -= weight;
        }
        None
    }

    /// Returns the moves that may be drawn, heaviest first: those of a weight above 0 that are legal and do
    /// not complete a fourfold repetition.
    pub fn playable(&self, game: &Game) -> Vec<&BookMove> {
        let Some(entry) = self.find(game.position()) else {
            return Vec::new();
        };
        let is_playable = |entry: &&BookMove| {
            let mut after = game.clone();
            entry.weight > 0
                && after.play(entry.mv).is_ok()
                && after.repetition() == Repetition::None
        };
        entry.moves.iter().filter(is_playable).collect()
    }

    /// Returns the reply to expect after a move: the heaviest one of the book, else the one that the move's
    /// author expects.
    pub fn reply(&self, game: &Game, mv: Move) -> Option<Move> {
        let mut after = game.clone();
        after.play(mv).ok()?;
        if let Some(reply) = self.playable(&after).first() {
            return Some(reply.mv);
        }
        let entry = self.find(game.position())?;
        let own = entry.moves.iter().find(|entry| entry.mv == mv)?;
        own.reply.filter(|reply| after.is_legal(*reply))
    }
}
