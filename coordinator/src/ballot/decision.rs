//! From a ballot to a decision.

use super::{
    meaning::VoteMeaning,
    method::{VotingMethod, decide},
    open::OpenBallot,
};
use crate::voting::{Choice, Ground};
use monju_engine::{Answer, Move};
use monju_proto::v1::{Arrival, TieBreak};

/// The decision of a ballot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BallotDecision {
    /// A move won, or every player resigned.
    Decided {
        /// A legal move, or `resign`.
        mv: String,
        /// The reply to ponder on; empty when the deciding line has none.
        ponder: String,
        /// The way in which it was chosen.
        tie_break: TieBreak,
    },
    /// No vote counts.
    NoVotes,
}

/// Returns the ground of a choice as ballots name it.
pub fn tie_break(ground: Ground) -> TieBreak {
    match ground {
        Ground::Votes => TieBreak::None,
        Ground::Random => TieBreak::Random,
        Ground::Primary => TieBreak::Primary,
        Ground::Score => TieBreak::Score,
        Ground::Majority => TieBreak::Majority,
    }
}

impl OpenBallot {
    /// Decides from the votes that count now.
    pub fn decide(&self) -> BallotDecision {
        let method = VotingMethod {
            rule: self.header.rule,
            primary: self.header.primary.as_deref(),
            seed: self.header.seed,
            sfen: &self.game.position().to_string(),
            ply: self.game.position().ply(),
            lead: self.header.lead.as_ref(),
        };
        match decide(method, &self.votes(Arrival::Late)) {
            Some(Choice { mv, ground }) => BallotDecision::Decided {
                ponder: self.reply_to(&mv).unwrap_or_default(),
                mv,
                tie_break: tie_break(ground),
            },
            None if self.all_resigned() => BallotDecision::Decided {
                mv: Answer::Resign.to_string(),
                ponder: String::new(),
                tie_break: TieBreak::None,
            },
            None => BallotDecision::NoVotes,
        }
    }

    /// Returns true if every player resigned. A single resignation never resigns for the team, not even
    /// when all other players have failed.
    fn all_resigned(&self) -> bool {
        !self.entries.is_empty()
            && self
                .entries
                .iter()
                .all(|entry| matches!(entry.meaning, VoteMeaning::Resign))
    }

    /// Returns the second move of the deepest line that begins with the winning move.
    fn reply_to(&self, winner: &str) -> Option<String> {
        let mut deepest: Option<(u32, Move)> = None;
        for (line, mv) in self.counted() {
            if mv.to_string() != winner || line.pv.first().map(String::as_str) != Some(winner) {
                continue;
            }
            let mut after = self.game.clone();
            let reply = after
                .play(mv)
                .ok()
                .and_then(|()| after.parse_move(line.pv.get(1)?).ok());
            if let Some(reply) = reply
                && deepest.is_none_or(|(depth, _)| line.depth > depth)
            {
                deepest = Some((line.depth, reply));
            }
        }
        deepest.map(|(_, reply)| reply.to_string())
    }
}
