//! Moves in USI text, shown in Japanese notation.

use monju_engine::Game;

/// Returns a legal move in Japanese notation.
pub fn japanese(game: &Game, mv: &str) -> Option<String> {
    game.parse_move(mv).ok().map(|mv| game.japanese(mv))
}
