//! The latest votes of every player, for people to look at.

use crate::ballot::names;
use monju_proto::{
    convert::milliseconds,
    v1::{Arrival, Ballot, PlayerAttendance, TieBreak, Vote},
};
use std::{
    collections::VecDeque,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::time::Instant;

/// Number of votes of a player that are remembered.
const VOTES: usize = 50;

/// Number of players that are remembered; the one that was not asked for longest is forgotten first.
const PLAYERS: usize = 4_096;

/// The latest votes of the players, those asked last at the end, and the number of decisions.
#[derive(Debug, Default)]
pub struct Attendance {
    players: Mutex<VecDeque<PlayerTally>>,
    decisions: AtomicU64,
    fallbacks: AtomicU64,
}

#[derive(Debug)]
struct PlayerTally {
    name: String,
    /// Of each vote, true if it was in time.
    votes: VecDeque<bool>,
    nodes_per_second: u64,
    last_failure: Option<(String, Instant)>,
}

impl Attendance {
    /// Enters the votes of a decided ballot.
    pub fn note(&self, ballot: &Ballot) {
        self.decisions.fetch_add(1, Ordering::Relaxed);
        let decision = ballot.decision.as_ref();
        if decision.is_some_and(|decision| decision.tie_break() == TieBreak::Fallback) {
            self.fallbacks.fetch_add(1, Ordering::Relaxed);
        }
        let mut players = self.players.lock().unwrap_or_else(PoisonError::into_inner);
        for vote in &ballot.votes {
            let Some(info) = &vote.player else { continue };
            let known = players.iter().position(|player| player.name == info.name);
            let mut player = match known.and_then(|index| players.remove(index)) {
                Some(player) => player,
                None => PlayerTally::new(info.name.clone()),
            };
            player.note(vote);
            if players.len() == PLAYERS {
                players.pop_front();
            }
            players.push_back(player);
        }
    }

    /// Returns the number of decisions, and of those by the fallback search.
    pub fn decisions(&self) -> (u64, u64) {
        let [decisions, fallbacks] = [&self.decisions, &self.fallbacks];
        (
            decisions.load(Ordering::Relaxed),
            fallbacks.load(Ordering::Relaxed),
        )
    }

    /// Returns what is known of every player.
    pub fn players(&self) -> Vec<PlayerAttendance> {
        let players = self.players.lock().unwrap_or_else(PoisonError::into_inner);
        players.iter().map(PlayerTally::message).collect()
    }
}

impl PlayerTally {
    fn new(name: String) -> Self {
        Self {
            name,
            votes: VecDeque::with_capacity(VOTES),
            nodes_per_second: 0,
            last_failure: None,
        }
    }

    fn note(&mut self, vote: &Vote) {
        let arrival = vote.arrival();
        if self.votes.len() == VOTES {
            self.votes.pop_front();
        }
        self.votes.push_back(is_in_time(arrival));
        if let Some(line) = &vote.line
            && let Some(speed) = line.nodes.saturating_mul(1_000).checked_div(line.time_ms)
        {
            self.nodes_per_second = speed;
        }
        if matches!(arrival, Arrival::Late | Arrival::Failed | Arrival::Illegal) {
            let reason = match vote.failure.as_str() {
                "" => names::arrival(arrival).to_owned(),
                failure => failure.to_owned(),
            };
            self.last_failure = Some((reason, Instant::now()));
        }
    }

    fn message(&self) -> PlayerAttendance {
        let (last_failure, last_failure_ago_ms) = match &self.last_failure {
            Some((reason, at)) => (reason.clone(), milliseconds(at.elapsed())),
            None => (String::new(), 0),
        };
        PlayerAttendance {
            player: self.name.clone(),
            asked: self.votes.len() as u32,
            in_time: self.votes.iter().filter(|in_time| **in_time).count() as u32,
            nodes_per_second: self.nodes_per_second,
            last_failure,
            last_failure_ago_ms,
        }
    }
}

/// Tells whether a player had a move, or knew that it had none, by the deadline.
fn is_in_time(arrival: Arrival) -> bool {
    match arrival {
        Arrival::Final | Arrival::Provisional | Arrival::Resigned | Arrival::DeclaredWin => true,
        Arrival::Unspecified | Arrival::Late | Arrival::Failed | Arrival::Illegal => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Line, PlayerInfo};
    use std::time::Duration;

    fn ballot(votes: &[(&str, Arrival)]) -> Ballot {
        let vote = |&(name, arrival): &(&str, Arrival)| Vote {
            player: Some(PlayerInfo {
                name: name.to_owned(),
                ..PlayerInfo::default()
            }),
            line: Some(Line {
                nodes: 5_000,
                time_ms: 20,
                ..Line::default()
            }),
            arrival: arrival.into(),
            ..Vote::default()
        };
        Ballot {
            votes: votes.iter().map(vote).collect(),
            ..Ballot::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_fifty_votes_are_counted() {
        let attendance = Attendance::default();
        for _ in 0..30 {
            attendance.note(&ballot(&[("a", Arrival::Late), ("b", Arrival::Final)]));
        }
        tokio::time::advance(Duration::from_secs(7)).await;
        for _ in 0..40 {
            attendance.note(&ballot(&[("a", Arrival::Provisional)]));
        }
        assert_eq!(attendance.decisions(), (70, 0));
        let players = attendance.players();
        assert_eq!(players.len(), 2);
        let of = |name: &str| {
            let found = players.iter().find(|player| player.player == name);
            found.expect("known").clone()
        };
        let late = of("a");
        assert_eq!((late.asked, late.in_time), (50, 40));
        assert_eq!(
            (late.last_failure.as_str(), late.last_failure_ago_ms),
            ("late", 7_000)
        );
        assert_eq!(late.nodes_per_second, 250_000);
        assert_eq!((of("b").asked, of("b").last_failure), (30, String::new()));
    }

    #[test]
    fn players_that_come_and_go_are_forgotten() {
        let attendance = Attendance::default();
        for number in 0..PLAYERS + 10 {
            attendance.note(&ballot(&[(&format!("p{number}"), Arrival::Final)]));
        }
        let players = attendance.players();
        assert_eq!(players.len(), PLAYERS);
        assert_eq!(players[0].player, "p10");
    }
}
