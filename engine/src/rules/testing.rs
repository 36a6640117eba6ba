//! Positions for tests.

use super::{game::Game, position::Position};

/// Returns the positions with a legal move of random games of at most `plies` plies. The same seed
/// gives the same positions.
pub(crate) fn random_positions(seed: u64, games: usize, plies: usize) -> Vec<Position> {
    let mut state = seed;
    let mut positions = Vec::new();
    for _ in 0..games {
        let mut game = Game::startpos();
        for _ in 0..plies {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            positions.push(game.position().clone());
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            let mv = moves[(state >> 33) as usize % moves.len()];
            game.play(mv).expect("a listed move");
        }
    }
    positions
}
