//! The answer to one `go`.

use monju_coordinator::book::BookAnswer;
use monju_engine::{Answer, Game, Line, Move, Outcome};
use monju_host::fallback::FallbackAnswer;
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
        let answer = decision.answer(game).ok()?;
        let mv = answer.as_move();
        let ponder = mv.and_then(|mv| legal_reply(game, mv, &decision.ponder));
        Some(Self { answer, ponder })
    }

    /// Returns one player's answer with the reply that it expects.
    pub fn from_outcome(outcome: &Outcome) -> Self {
        Self {
            answer: outcome.answer,
            ponder: outcome.expected_reply(),
        }
    }

    /// Returns the move of a search's line with the reply that it expects; `None` of a line without a move.
    pub fn from_line(line: &Line) -> Option<Self> {
        let (&mv, rest) = line.pv.split_first()?;
        Some(Self {
            answer: Answer::Move(mv),
            ponder: rest.first().copied(),
        })
    }

    /// Returns the answer of the fallback search.
    pub fn from_fallback(found: FallbackAnswer) -> Self {
        Self {
            answer: found.answer,
            ponder: found.reply,
        }
    }

    /// Returns the leading move of votes that are still coming in.
    pub fn from_standing(game: &Game, ballot: &Ballot) -> Option<Self> {
        ballot
            .tally
            .iter()
            .find_map(|tally| game.parse_move(&tally.r#move).ok())
            .map(|mv| Answer::Move(mv).into())
    }

    /// Returns a move from an opening book.
    pub fn from_book(drawn: BookAnswer) -> Self {
        Self {
            answer: Answer::Move(drawn.mv),
            ponder: drawn.reply,
        }
    }

    /// Returns an answer that the rules allow, without a search.
    pub fn any(game: &Game) -> Self {
        Answer::any(game).into()
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

impl fmt::Display for BestMove {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.answer.fmt(formatter)?;
        match self.ponder {
            Some(ponder) => write!(formatter, " ponder {ponder}"),
            None => Ok(()),
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
