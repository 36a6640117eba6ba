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

/// Returns the position with the board turned and the sides exchanged.
pub(crate) fn turned(position: &Position) -> Position {
    let sfen = position.to_string();
    let fields: Vec<&str> = sfen.split(' ').collect();
    let [board, side, hands, ..] = fields[..] else {
        panic!("{sfen}: no SFEN");
    };
    // The mark of a promoted piece stands before its letter.
    let mut letters: Vec<char> = board.chars().rev().collect();
    for at in 1..letters.len() {
        if letters[at] == '+' {
            letters.swap(at - 1, at);
        }
    }
    let board = exchanged(&String::from_iter(letters));
    let side = if side == "b" { "w" } else { "b" };
    let text = format!("{board} {side} {} 1", exchanged(hands));
    Position::from_sfen(&text).expect("a position")
}

/// Returns the pieces of a text with their owners exchanged.
pub(crate) fn exchanged(pieces: &str) -> String {
    let letters = pieces
        .chars()
        .map(|letter| match letter.is_ascii_uppercase() {
            true => letter.to_ascii_lowercase(),
            false => letter.to_ascii_uppercase(),
        });
    letters.collect()
}
