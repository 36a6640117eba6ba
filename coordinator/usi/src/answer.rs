//! What a search ends with.

use monju_engine::{Game, Move, Outcome};
use monju_host::fallback::FallbackAnswer;
use monju_proto::v1::{Ballot, Decision};
use std::fmt;

/// The answer to one `go`. `Display` is what follows the word `bestmove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A legal move.
    Move {
        /// The move.
        mv: Move,
        /// A legal reply to ponder on.
        ponder: Option<Move>,
    },
    /// The game is given up.
    Resign,
    /// The entering-king declaration.
    Win,
}

impl Answer {
    /// What the coordinator decided, checked by our own rules; `None` when they do not allow it.
    pub fn from_decision(game: &Game, decision: &Decision) -> Option<Self> {
        let answer = decision.answer(game).ok()?;
        let mv = answer.as_move();
        let reply = mv.and_then(|mv| legal_reply(game, mv, &decision.ponder));
        Some(Self::new(answer, reply))
    }

    /// What one player answers, with the reply that it expects.
    pub fn from_outcome(outcome: &Outcome) -> Self {
        Self::new(outcome.answer, outcome.expected_reply())
    }

    /// What the fallback search answers.
    pub fn from_fallback(found: FallbackAnswer) -> Self {
        Self::new(found.answer, found.reply)
    }

    fn new(answer: monju_engine::Answer, ponder: Option<Move>) -> Self {
        match answer {
            monju_engine::Answer::Move(mv) => Self::Move { mv, ponder },
            monju_engine::Answer::Resign => Self::Resign,
            monju_engine::Answer::Win => Self::Win,
        }
    }

    /// The leading move of votes that are still coming in.
    pub fn from_standing(game: &Game, ballot: &Ballot) -> Option<Self> {
        ballot
            .tally
            .iter()
            .find_map(|tally| game.parse_move(&tally.r#move).ok())
            .map(|mv| Self::Move { mv, ponder: None })
    }

    /// Any answer that the rules allow, without thinking.
    pub fn any(game: &Game) -> Self {
        Self::new(monju_engine::Answer::any(game), None)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move { mv, ponder: None } => write!(formatter, "{mv}"),
            Self::Move {
                mv,
                ponder: Some(ponder),
            } => write!(formatter, "{mv} ponder {ponder}"),
            Self::Resign => monju_engine::Answer::Resign.fmt(formatter),
            Self::Win => monju_engine::Answer::Win.fmt(formatter),
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
