//! Decisions that need no consultation: by the rules of the game, and by the opening book.

use super::failure_log::FailureLog;
use crate::{
    ballot::{BallotDecision, OpenBallot},
    book::{BookAnswer, OpeningBook},
    roster::PlayerSlot,
};
use monju_engine::Answer;
use monju_proto::v1::TieBreak;
use std::time::Duration;

/// A decision that needs no consultation.
pub(super) struct SettledDecision {
    /// A legal move, "resign", or "win".
    pub mv: String,
    /// The reply to ponder on; empty without one.
    pub ponder: String,
    pub tie_break: TieBreak,
    /// The opening book has decided, rather than the rules of the game.
    pub by_book: bool,
}

impl SettledDecision {
    /// The rules of the game decide.
    pub fn by_rules(answer: Answer) -> Self {
        Self {
            mv: answer.to_string(),
            ponder: String::new(),
            tie_break: TieBreak::Rules,
            by_book: false,
        }
    }

    /// The opening book decides.
    pub fn by_book(answer: BookAnswer) -> Self {
        Self {
            mv: answer.mv.to_string(),
            ponder: answer.reply.map(|mv| mv.to_string()).unwrap_or_default(),
            tie_break: TieBreak::Book,
            by_book: true,
        }
    }

    /// Lets the players vote on the moves of the book; `None` without a vote. Players whose worker is not
    /// connected have none.
    pub fn by_votes_on_book(
        ballot: &mut OpenBallot,
        slots: &[PlayerSlot],
        book: &OpeningBook,
    ) -> Option<Self> {
        let mut failures = FailureLog::default();
        for (index, slot) in slots.iter().enumerate() {
            if let Err(reason) = &slot.access {
                let reason = format!("worker {} is not connected: {reason}", slot.info.worker);
                failures.note(slot, &reason);
                ballot.fail(index, reason, Duration::ZERO);
            }
        }
        let (game, seed) = (ballot.game().clone(), ballot.header().seed);
        ballot.vote_by_book(|player| book.draw_of(&game, seed, player));
        match ballot.decide() {
            BallotDecision::Decided {
                mv,
                ponder,
                tie_break,
            } => Some(Self {
                mv,
                ponder,
                tie_break,
                by_book: true,
            }),
            BallotDecision::NoVotes => None,
        }
    }
}
