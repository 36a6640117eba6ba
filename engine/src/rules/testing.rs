//! What tests of everything that looks at positions need: many different ones.

use super::{game::Game, position::Position};

/// The positions of random games, each up to so many plies, that have a legal move; the same for a seed.
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
