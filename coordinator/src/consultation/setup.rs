//! The subject of a consultation.

use crate::{
    ballot::BallotHeader,
    book::OpeningBook,
    clock::{self, ClockRules, TimePolicy},
    fallback::FallbackSearcher,
};
use monju_engine::{Game, Move};
use monju_proto::v1::{Claim, Limits};
use std::{collections::HashMap, sync::Arc, time::Duration};

/// The positions that players search during a ponder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PonderTargets {
    /// Replies that players expect in place of the last move, by their ballot names. A player without an
    /// expected reply searches the position after the last move.
    Replies(HashMap<String, String>),
    /// The position before the last move, for all players.
    OpponentsPosition,
}

/// No player expects another reply.
impl Default for PonderTargets {
    fn default() -> Self {
        Self::Replies(HashMap::new())
    }
}

/// The subject of a consultation, and its limits.
#[derive(Clone, Debug)]
pub struct ConsultationSetup {
    /// The identity of the ballot, and its rule.
    pub header: BallotHeader,
    /// The claim of its session; `None` for a look.
    pub claim: Option<Claim>,
    /// The position with its history.
    pub game: Game,
    /// The only moves to choose from, all of them legal; empty for all.
    pub search_moves: Vec<Move>,
    /// The limits of the request.
    pub limits: Limits,
    /// Time since the request, which its clock has lost: it waited for players to be found.
    pub waited: Duration,
    /// The use of the clock; its overhead is lost between the decision and the GUI's clock.
    pub clock_rules: ClockRules,
    /// The way in which the time is spent.
    pub time_policy: TimePolicy,
    /// Time for which a referee waits for final moves after the deadline; zero without a referee.
    pub margin: Duration,
    /// The positions to search during a ponder.
    pub ponder_targets: PonderTargets,
    /// The opening book, if the consultation may use it.
    pub book: Option<OpeningBook>,
    /// Searches for a move when no player has one.
    pub fallback: Arc<dyn FallbackSearcher>,
}

impl ConsultationSetup {
    /// Returns the time of a normal move; `None` in a ponder, whose clock does not run, and without a limit of time.
    pub fn normal_time(&self) -> Option<Duration> {
        let position = self.game.position();
        let budget = clock::budget(&self.limits, position, self.clock_rules);
        budget
            .filter(|_| !self.limits.ponder)
            .map(|budget| budget.normal)
    }

    /// Returns true if nothing but a stop ends the search.
    pub fn is_endless(&self) -> bool {
        let Limits {
            nodes,
            depth,
            time_ms,
            clock,
            ponder,
            multi_pv: _,
        } = self.limits;
        let has_time = time_ms.is_some() || clock.is_some();
        !ponder && !has_time && nodes.is_none() && depth.is_none()
    }
}
