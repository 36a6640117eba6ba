//! From a ballot to a decision.

use super::{Method, OpenBallot, Said, decide};
use crate::voting::{Choice, Ground};
use monju_engine::{Answer, Game, Move};
use monju_proto::v1::{Arrival, TieBreak};

/// What a ballot says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A move won, or everybody resigned.
    Decided {
        /// A legal move, or `resign`.
        mv: String,
        /// The reply to ponder on; empty when the deciding line has none.
        ponder: String,
        /// How it was chosen.
        tie_break: TieBreak,
    },
    /// There is no vote to decide from.
    NoVotes,
}

/// Returns the answer that the rules alone decide on: a declaration that holds, or the resignation of a
/// side without a legal move.
pub fn by_rules(game: &Game) -> Option<Answer> {
    if game.can_declare_win() {
        Some(Answer::Win)
    } else if game.legal_moves().is_empty() {
        Some(Answer::Resign)
    } else {
        None
    }
}

/// The ground of a choice, as ballots name it.
pub fn tie_break(ground: Ground) -> TieBreak {
    match ground {
        Ground::Votes => TieBreak::None,
        Ground::Draw => TieBreak::Random,
        Ground::Primary => TieBreak::Primary,
        Ground::Score => TieBreak::Score,
        Ground::Majority => TieBreak::Majority,
    }
}

impl OpenBallot {
    /// Decides from the votes that count now.
    pub fn verdict(&self) -> Verdict {
        let method = Method {
            rule: self.header.rule,
            primary: self.header.primary.as_deref(),
            seed: self.header.seed,
            sfen: &self.game.position().to_string(),
            ply: self.game.position().ply(),
            lead: self.header.lead.as_ref(),
        };
        match decide(method, &self.votes(Arrival::Late)) {
            Some(Choice { mv, ground }) => Verdict::Decided {
                ponder: self.reply_to(&mv).unwrap_or_default(),
                mv,
                tie_break: tie_break(ground),
            },
            None if self.everybody_resigned() => Verdict::Decided {
                mv: Answer::Resign.to_string(),
                ponder: String::new(),
                tie_break: TieBreak::None,
            },
            None => Verdict::NoVotes,
        }
    }

    /// One member's resignation never resigns for the team, not even when the others are dead.
    fn everybody_resigned(&self) -> bool {
        !self.entries.is_empty()
            && self
                .entries
                .iter()
                .all(|entry| matches!(entry.said, Said::Resign))
    }

    /// The second move of the deepest line that begins with the winning move.
    fn reply_to(&self, winner: &str) -> Option<String> {
        let mut deepest: Option<(u32, Move)> = None;
        for (_, line, mv) in self.counted() {
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
