//! Positions in USI text, and moves in Japanese notation.

use monju_engine::Game;

/// Returns the position as USI text, with its history.
pub fn position(game: &Game) -> String {
    let mut text = match game.start() {
        "startpos" => "startpos".to_owned(),
        sfen => format!("sfen {sfen}"),
    };
    if !game.moves().is_empty() {
        text.push_str(" moves");
        for mv in game.moves() {
            text.push(' ');
            text.push_str(&mv.to_string());
        }
    }
    text
}

/// Returns a legal move in Japanese notation.
pub fn japanese(game: &Game, mv: &str) -> Option<String> {
    game.parse_move(mv).ok().map(|mv| game.japanese(mv))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_written_with_their_history() {
        for text in [
            "startpos",
            "startpos moves 7g7f 3c3d",
            "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5e",
        ] {
            let game = Game::from_usi(text).expect("a position");
            assert_eq!(position(&game), text);
        }
    }
}
