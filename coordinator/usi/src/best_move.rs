//! The answer to one `go`.

use monju_engine::{Answer, Game, Move, Outcome};
use monju_proto::v1::{Ballot, Decision};
use std::fmt;

/// An answer with the reply to ponder on. `Display` is the text after the word `bestmove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestMove {
    answer: Answer,
    /// A legal reply to the move; `None` unless the answer is a move.
    ponder: Option<Move>,
}

impl BestMove {
    /// Resigns the game.
    pub const RESIGN: Self = Self {
        answer: Answer::Resign,
        ponder: None,
    };

    /// Returns the coordinator's decision, or `None` if the rules do not allow it here.
    pub fn from_decision(game: &Game, decision: &Decision) -> Option<Self> {
        match decision.r#move.as_str() {
            "resign" => Some(Self::RESIGN),
            "win" => game.can_declare_win().then_some(Answer::Win.into()),
            text => {
                let mv = game.parse_move(text).ok()?;
                Some(Self {
                    answer: Answer::Move(mv),
                    ponder: legal_reply(game, mv, &decision.ponder),
                })
            }
        }
    }

    /// Returns one player's answer with the reply that its line of play expects.
    pub fn from_outcome(outcome: &Outcome) -> Self {
        let ponder = match (outcome.answer, &outcome.line.pv[..]) {
            (Answer::Move(mv), [first, reply, ..]) if *first == mv => Some(*reply),
            _ => None,
        };
        Self {
            answer: outcome.answer,
            ponder,
        }
    }

    /// Returns the leading move of votes that are still coming in.
    pub fn from_standing(game: &Game, ballot: &Ballot) -> Option<Self> {
        ballot
            .tally
            .iter()
            .find_map(|tally| game.parse_move(&tally.r#move).ok())
            .map(Self::from)
    }

    /// Returns an answer that the rules allow, without a search.
    pub fn any(game: &Game) -> Self {
        match game.legal_moves().first() {
            _ if game.can_declare_win() => Answer::Win.into(),
            Some(&mv) => mv.into(),
            None => Self::RESIGN,
        }
    }
}

impl From<Answer> for BestMove {
    fn from(answer: Answer) -> Self {
        Self {
            answer,
            ponder: None,
        }
    }
}

impl From<Move> for BestMove {
    fn from(mv: Move) -> Self {
        Answer::Move(mv).into()
    }
}

impl fmt::Display for BestMove {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.answer, self.ponder) {
            (Answer::Move(mv), None) => write!(formatter, "{mv}"),
            (Answer::Move(mv), Some(ponder)) => write!(formatter, "{mv} ponder {ponder}"),
            (Answer::Resign, _) => formatter.write_str("resign"),
            (Answer::Win, _) => formatter.write_str("win"),
        }
    }
}

fn legal_reply(game: &Game, mv: Move, reply: &str) -> Option<Move> {
    if reply.is_empty() {
        return None;
    }
    let mut game = game.clone();
    game.play(mv).ok()?;
    game.parse_move(reply).ok()
}
