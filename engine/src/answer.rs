//! Answers as USI writes them.

use crate::{
    player::{Answer, Outcome},
    rules::{Game, Move, MoveError},
};
use std::fmt;

impl Answer {
    /// USI's word for a resignation.
    pub const RESIGN: &str = "resign";

    /// USI's word for a declaration.
    pub const WIN: &str = "win";

    /// Reads an answer as USI writes it. A move must be legal in the game's position; a declaration is
    /// taken at its word.
    ///
    /// # Errors
    /// The text is neither of the two words nor a legal move.
    pub fn parse(game: &Game, text: &str) -> Result<Self, MoveError> {
        match text {
            Self::RESIGN => Ok(Self::Resign),
            Self::WIN => Ok(Self::Win),
            _ => game.parse_move(text).map(Self::Move),
        }
    }

    /// As [`Answer::parse`], but a declaration must hold.
    ///
    /// # Errors
    /// The rules do not allow the answer.
    pub fn parse_allowed(game: &Game, text: &str) -> Result<Self, MoveError> {
        match Self::parse(game, text)? {
            Self::Win if !game.can_declare_win() => Err(MoveError::Syntax(text.to_owned())),
            answer => Ok(answer),
        }
    }

    /// Returns the answer that follows from the rules alone: a win by an entering king, or the resignation
    /// of a side without a legal move.
    pub fn by_rules(game: &Game) -> Option<Self> {
        if game.can_declare_win() {
            return Some(Self::Win);
        }
        let winning = game.winning_try().map(Self::Move);
        winning.or_else(|| game.legal_moves().is_empty().then_some(Self::Resign))
    }

    /// Names the rule that an answer [by the rules](Self::by_rules) follows from.
    pub fn rule(self, game: &Game) -> &'static str {
        match self {
            Self::Win | Self::Move(_) => "won by an entering king",
            Self::Resign if game.position().in_check() => "mate",
            Self::Resign => "no legal move",
        }
    }

    /// Returns an answer that the rules allow, found without a search.
    pub fn any(game: &Game) -> Self {
        let any_move = || game.legal_moves().first().copied().map(Self::Move);
        (Self::by_rules(game).or_else(any_move)).unwrap_or(Self::Resign)
    }

    /// The move, where the answer is one.
    pub fn as_move(self) -> Option<Move> {
        match self {
            Self::Move(mv) => Some(mv),
            Self::Resign | Self::Win => None,
        }
    }
}

/// As USI writes it.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(mv) => mv.fmt(f),
            Self::Resign => f.write_str(Self::RESIGN),
            Self::Win => f.write_str(Self::WIN),
        }
    }
}

impl Outcome {
    /// The opponent's reply that the search expects.
    pub fn expected_reply(&self) -> Option<Move> {
        match self.line.pv[..] {
            [first, reply, ..] if self.answer == Answer::Move(first) => Some(reply),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_are_written() {
        let game = Game::startpos();
        for text in ["7g7f", "resign", "win"] {
            let answer = Answer::parse(&game, text).expect("an answer");
            assert_eq!(answer.to_string(), text);
        }
        assert!(Answer::parse(&game, "7g7e").is_err(), "an illegal move");
        assert!(Answer::parse(&game, "Resign").is_err());
        assert!(Answer::parse_allowed(&game, "win").is_err());
        assert_eq!(Answer::parse_allowed(&game, "resign"), Ok(Answer::Resign));
        assert!(Answer::any(&game).as_move().is_some());
    }
}
