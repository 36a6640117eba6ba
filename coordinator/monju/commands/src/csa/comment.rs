//! Comments that floodgate's pages show beside a move.

use monju_engine::{Game, Move};

/// Number of moves of a line.
const LINE_LENGTH: usize = 10;

/// Returns the comment that follows a move in the line to the server: its score for Black, and the line of play `pv`
/// without its first move, which is `mv`.
pub fn comment(game: &Game, mv: Move, score: i32, pv: &[String]) -> String {
    let mut text = format!(",'* {score}");
    let mut game = game.clone();
    let mut last = mv;
    for reply in pv.iter().skip(1).take(LINE_LENGTH) {
        if game.play(last).is_err() {
            break;
        }
        let Ok(reply) = game.parse_move(reply) else {
            break;
        };
        text.push(' ');
        text.push_str(&game.position().csa_move(reply));
        last = reply;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_where_it_is_no_line_any_more() {
        let game = Game::startpos();
        let mv = game.parse_move("7g7f").expect("legal");
        let line = |moves: &str| {
            let pv: Vec<String> = moves.split(' ').map(str::to_owned).collect();
            comment(&game, mv, -30, &pv)
        };
        assert_eq!(line("7g7f"), ",'* -30");
        assert_eq!(line("7g7f 3c3d 2g2f"), ",'* -30 -3334FU +2726FU");
        assert_eq!(line("7g7f 3c3d 3c3d"), ",'* -30 -3334FU");
    }
}
