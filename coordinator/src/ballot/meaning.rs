//! The meaning of a move text.

use monju_engine::{Answer, Game, Move, Repetition};

/// The meaning of a player's move text in the position.
#[derive(Debug)]
pub(super) enum VoteMeaning {
    /// The player has named no move yet.
    Nothing,
    /// A legal move.
    Legal(Move),
    /// A resignation.
    Resign,
    /// A declaration of a win.
    Win,
    /// Not a legal move, with the reason.
    Illegal(String),
}

impl VoteMeaning {
    /// Reads a move text. Only the moves `among` may be chosen, if there are any.
    pub fn read(game: &Game, among: &[Move], text: &str) -> Self {
        match Answer::parse(game, text) {
            Ok(Answer::Resign) => Self::Resign,
            Ok(Answer::Win) => Self::Win,
            Ok(Answer::Move(mv)) if is_avoidable_foul(game, mv) => {
                Self::Illegal(format!("{mv} loses the game by perpetual check"))
            }
            Ok(Answer::Move(mv)) if !among.is_empty() && !among.contains(&mv) => {
                Self::Illegal(format!("{mv} is none of the moves to choose from"))
            }
            Ok(Answer::Move(mv)) => Self::Legal(mv),
            Err(error) => Self::Illegal(error.to_string()),
        }
    }
}

/// Returns true for a move that loses at once by perpetual check while another move does not.
fn is_avoidable_foul(game: &Game, mv: Move) -> bool {
    let us = game.position().side_to_move();
    let loses = |mv| {
        let mut after = game.clone();
        after.play(mv).is_ok() && after.repetition() == Repetition::PerpetualCheckBy(us)
    };
    loses(mv) && game.legal_moves().into_iter().any(|other| !loses(other))
}
