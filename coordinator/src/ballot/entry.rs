//! One player's entry on a ballot.

use super::meaning::VoteMeaning;
use crate::calibration::Calibration;
use monju_engine::{Game, Move};
use monju_proto::convert::milliseconds;
use monju_proto::v1::{Arrival, Line, PlayerInfo, Vote};
use std::{collections::HashSet, mem, time::Duration};
use tracing::warn;

/// One player's entry on the ballot.
#[derive(Debug)]
pub(super) struct BallotEntry {
    pub info: PlayerInfo,
    noise_seed: Option<u64>,
    state: PlayerState,
    /// The last line: until the result comes, only a legal one replaces a legal one.
    pub line: Option<Line>,
    /// The meaning of the last line's move.
    pub meaning: VoteMeaning,
    arrived: Duration,
    /// The player has failed and was asked again, and has not answered yet.
    is_called_back: bool,
    /// An illegal move in progress has been told.
    is_told: bool,
}

#[derive(Debug, PartialEq)]
enum PlayerState {
    Thinking,
    Finished,
    Failed(String),
}

/// The status of a vote on the ballot.
struct VoteStatus {
    arrival: Arrival,
    counted: bool,
    failure: String,
}

impl BallotEntry {
    /// An entry without a vote.
    pub fn new(info: PlayerInfo, noise_seed: u64) -> Self {
        Self {
            noise_seed: (info.sigma > 0.0).then_some(noise_seed),
            info,
            state: PlayerState::Thinking,
            line: None,
            meaning: VoteMeaning::Nothing,
            arrived: Duration::ZERO,
            is_called_back: false,
            is_told: false,
        }
    }

    /// Returns true if the player may still vote; one that was asked again is back with that.
    fn accepts_vote(&mut self) -> bool {
        if mem::take(&mut self.is_called_back) {
            self.state = PlayerState::Thinking;
        }
        self.state == PlayerState::Thinking
    }

    /// Enters a line that the player streamed.
    pub fn progress(&mut self, game: &Game, among: &[Move], line: Line, arrived: Duration) {
        if !self.accepts_vote() {
            return;
        }
        let meaning = VoteMeaning::read(game, among, line.chosen());
        if let VoteMeaning::Illegal(reason) = &meaning {
            if !mem::replace(&mut self.is_told, true) {
                warn!(player = self.info.name, reason, "illegal move in progress");
            }
            if matches!(self.meaning, VoteMeaning::Legal(_)) {
                return;
            }
        }
        self.meaning = meaning;
        self.line = Some(of_the_position(game, line));
        self.arrived = arrived;
    }

    /// Enters the line that the player ended with.
    pub fn result(
        &mut self,
        game: &Game,
        among: &[Move],
        line: Line,
        noise_seed: Option<u64>,
        arrived: Duration,
    ) {
        if !self.accepts_vote() {
            return;
        }
        self.meaning = VoteMeaning::read(game, among, line.chosen());
        if let VoteMeaning::Illegal(reason) = &self.meaning {
            warn!(player = self.info.name, reason, "illegal vote rejected");
        }
        self.state = PlayerState::Finished;
        self.line = Some(of_the_position(game, line));
        self.noise_seed = noise_seed.or(self.noise_seed);
        self.arrived = arrived;
    }

    /// Enters that the player failed. Returns true if a vote of it was waited for.
    pub fn fail(&mut self, reason: String, arrived: Duration) -> bool {
        let was_thinking = self.is_thinking();
        if was_thinking || self.is_called_back {
            self.is_called_back = false;
            self.state = PlayerState::Failed(reason);
            self.arrived = arrived;
        }
        was_thinking
    }

    /// Returns the vote; `silent` is the arrival of a player without one.
    pub fn vote(&self, silent: Arrival, calibration: &Calibration) -> Vote {
        let VoteStatus {
            arrival,
            counted,
            failure,
        } = self.status(silent);
        let mut line = self.line.clone();
        if let (Some(line), VoteMeaning::Legal(mv)) = (&mut line, &self.meaning) {
            line.r#move = mv.to_string();
        }
        let score = line.as_ref().and_then(|line| line.score.as_ref());
        Vote {
            win_rate: score.and_then(|score| calibration.win_rate(&self.info, score)),
            player: Some(self.info.clone()),
            line,
            arrival: arrival.into(),
            failure,
            arrived_ms: milliseconds(self.arrived),
            legal: matches!(self.meaning, VoteMeaning::Legal(_)),
            counted,
            noise_seed: self.noise_seed,
            danger: String::new(),
        }
    }

    fn status(&self, silent: Arrival) -> VoteStatus {
        let (arrival, counted, failure) = match (&self.state, &self.meaning) {
            // The last legal line of a failed player counts.
            (PlayerState::Failed(reason), VoteMeaning::Legal(_)) => {
                (Arrival::Failed, true, reason.clone())
            }
            (PlayerState::Failed(reason), _) => (Arrival::Failed, false, reason.clone()),
            (PlayerState::Thinking, VoteMeaning::Legal(_)) => {
                (Arrival::Provisional, true, String::new())
            }
            (PlayerState::Finished, VoteMeaning::Legal(_)) => (Arrival::Final, true, String::new()),
            (_, VoteMeaning::Illegal(reason)) => (Arrival::Illegal, false, reason.clone()),
            (_, VoteMeaning::Resign) => (Arrival::Resigned, false, String::new()),
            (_, VoteMeaning::Win) => {
                // A valid declaration ends the consultation before any player is asked.
                let reason = "the position allows no declaration".to_owned();
                (Arrival::DeclaredWin, false, reason)
            }
            (_, VoteMeaning::Nothing) => (silent, false, String::new()),
        };
        VoteStatus {
            arrival,
            counted,
            failure,
        }
    }

    /// Returns true if the player has failed, asked again since or not.
    pub fn has_failed(&self) -> bool {
        matches!(self.state, PlayerState::Failed(_))
    }

    /// Returns true if the player has failed and was not asked again.
    pub fn is_lost(&self) -> bool {
        self.has_failed() && !self.is_called_back
    }

    /// Returns true while a vote of the player is waited for.
    pub fn is_thinking(&self) -> bool {
        self.state == PlayerState::Thinking
    }

    /// Waits again for a failed player.
    pub fn ask_again(&mut self) {
        if self.has_failed() {
            self.state = PlayerState::Thinking;
        }
    }

    /// Accepts a vote of a failed player without waiting for it.
    pub fn call_back(&mut self) {
        self.is_called_back = self.has_failed();
    }
}

/// Leaves out ranked moves that the position does not have, and all but the first word on each: what reads a ballot
/// has no more moves to look at than the position.
fn of_the_position(game: &Game, mut line: Line) -> Line {
    let mut seen = HashSet::new();
    line.candidates.retain(|candidate| {
        let mv = game.parse_move(&candidate.r#move);
        mv.is_ok_and(|mv| seen.insert(mv))
    });
    line
}
