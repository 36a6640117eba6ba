//! Positions as a CSA server sends them: a board, and the moves that have been played since with their times.

use crate::{csa::with_pieces_left, guard::guarded, rejection::Rejection};
use monju_engine::Game;
use rsshogi::records::formats::csa;
use std::time::Duration;

/// A position with its moves and their times.
#[derive(Clone, Debug)]
pub struct TimedGame {
    /// The start position and the moves.
    pub game: Game,
    /// Time of each move, zero where it is not told, by a clock in seconds.
    pub times: Vec<Duration>,
}

/// Reads the lines of a position.
///
/// # Errors
/// They are no position, or a move is illegal.
pub fn csa_position(lines: &str) -> Result<TimedGame, Rejection> {
    let text = format!("V2.2\n{lines}\n");
    let record = guarded(|| csa::parse_csa_bytes(&with_pieces_left(text.as_bytes())))?;
    let moves: Vec<String> = record
        .main_moves()
        .map(|entry| entry.mv().to_usi())
        .collect();
    let start = record.init_position_sfen();
    let is_even = Game::from_usi(&format!("sfen {start}"))
        .is_ok_and(|game| game.position() == Game::startpos().position());
    let start = if is_even { "startpos" } else { start };
    let nodes = record.main_line_ids().into_iter().map(|id| record.node(id));
    Ok(TimedGame {
        game: Game::from_parts(start, &moves).map_err(Rejection::unreadable)?,
        times: nodes
            .map(|node| Duration::from_millis(node.time_ms().unwrap_or(0).into()))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \n\
        P3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \n\
        P6 *  *  *  *  *  *  *  *  * \nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \n\
        P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\nP+\nP-\n+";

    #[test]
    fn a_board_may_come_with_moves_and_their_times() {
        let timed = csa_position(BOARD).expect("a position");
        assert_eq!(
            (timed.game.start(), timed.game.moves().len()),
            ("startpos", 0)
        );
        let timed = csa_position(&format!("{BOARD}\n+2726FU,T12\n-3334FU,T6")).expect("moves");
        assert_eq!(timed.game.moves().len(), 2);
        assert_eq!(timed.times, [12, 6].map(Duration::from_secs));
        assert_eq!(
            csa_position("PI\n+").expect("even").game.start(),
            "startpos"
        );
        assert!(csa_position("P1 nonsense").is_err());
        assert!(csa_position(&format!("{BOARD}\n+2725FU,T1")).is_err());
    }
}
