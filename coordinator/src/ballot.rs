//! The record of one consultation while it fills: who said what, and what of it counts.

mod decision;
mod lanes;
mod lead;
mod poll;
pub mod words;

pub use decision::{Verdict, by_rules, tie_break};
pub use lead::{Lead, lead};
pub use poll::{Method, decide};

use crate::{
    calibration::Calibration,
    voting::{self, Rule},
};
use monju_engine::{Answer, Game, Move, Repetition};
use monju_proto::convert::milliseconds;
use monju_proto::v1::{
    Arrival, Ballot, Decision, Line, PlayerInfo, Position, Tally, ThinkResult, Vote,
};
use std::{ops::Range, sync::Arc, time::Duration};
use tracing::warn;

/// What identifies a ballot, and how it is decided.
#[derive(Clone, Debug)]
pub struct BallotHeader {
    /// Number of the consultation, unique in its coordinator.
    pub id: u64,
    /// The game it belongs to.
    pub game_id: String,
    /// The game's seed.
    pub seed: u64,
    /// The voting rule.
    pub rule: Rule,
    /// Ballot name of the primary player, where the ensemble names one.
    pub primary: Option<String>,
    /// Who has led the game so far, under `hand-over`.
    pub lead: Option<Lead>,
    /// What makes scores comparable.
    pub calibration: Arc<Calibration>,
}

/// A ballot that is being filled. Players are known by their index, in the order they were given; one
/// that carries virtual players has an entry for each of these.
#[derive(Debug)]
pub struct OpenBallot {
    header: BallotHeader,
    game: Game,
    entries: Vec<Entry>,
    /// The entries of each player.
    places: Vec<Range<usize>>,
}

/// One player's place on the ballot.
#[derive(Debug)]
struct Entry {
    info: PlayerInfo,
    noise_seed: Option<u64>,
    state: State,
    /// The standing line: a legal one is replaced by legal ones only, until the result comes.
    line: Option<Line>,
    /// What the standing line says.
    said: Said,
    arrived: Duration,
    /// It has failed, and may yet speak.
    is_called_back: bool,
}

#[derive(Debug, PartialEq)]
enum State {
    Thinking,
    Finished,
    Failed(String),
}

/// What a move text means in the position.
#[derive(Debug)]
enum Said {
    Nothing,
    Legal(Move),
    Resign,
    Win,
    /// Not a legal move, and why.
    Illegal(String),
}

impl Said {
    fn read(game: &Game, text: &str) -> Self {
        match Answer::parse(game, text) {
            Ok(Answer::Resign) => Self::Resign,
            Ok(Answer::Win) => Self::Win,
            Ok(Answer::Move(mv)) if fouls(game, mv) => {
                Self::Illegal(format!("{mv} loses the game by perpetual check"))
            }
            Ok(Answer::Move(mv)) => Self::Legal(mv),
            Err(error) => Self::Illegal(error.to_string()),
        }
    }
}

/// Whether a move loses at once by perpetual check, and another one does not.
fn fouls(game: &Game, mv: Move) -> bool {
    let us = game.position().side_to_move();
    let loses = |mv| {
        let mut after = game.clone();
        after.play(mv).is_ok() && after.repetition() == Repetition::PerpetualCheckBy(us)
    };
    loses(mv) && game.legal_moves().into_iter().any(|other| !loses(other))
}

/// How a vote is entered.
struct Judgement {
    arrival: Arrival,
    counted: bool,
    failure: String,
}

impl OpenBallot {
    /// An empty ballot for the position that `game` has reached. Each player comes with the noise
    /// seed that it was given.
    pub fn new(
        header: BallotHeader,
        game: Game,
        players: impl IntoIterator<Item = (PlayerInfo, u64)>,
    ) -> Self {
        let mut entries = Vec::new();
        let mut places = Vec::new();
        for (info, given) in players {
            let first = entries.len();
            for (lane, info) in (0..).zip(lanes::players_of(info)) {
                let seed = info.noise_seed.unwrap_or(lanes::seed_of(given, lane));
                entries.push(Entry::new(info, seed));
            }
            places.push(first..entries.len());
        }
        Self {
            header,
            game,
            entries,
            places,
        }
    }

    /// The game whose position is voted on.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// What identifies the ballot.
    pub fn header(&self) -> &BallotHeader {
        &self.header
    }

    /// Enters a line that a player streamed.
    pub fn progress(&mut self, player: usize, line: Line, arrived: Duration) {
        for (lane, place) in (0..).zip(self.places[player].clone()) {
            let line = lanes::line_of(&line, lane);
            self.entries[place].progress(&self.game, line, arrived);
        }
    }

    /// Enters what a player ended with.
    pub fn result(&mut self, player: usize, result: ThinkResult, arrived: Duration) {
        let Some(line) = result.line else {
            self.fail(player, "the result has no line".to_owned(), arrived);
            return;
        };
        for (lane, place) in (0..).zip(self.places[player].clone()) {
            let line = lanes::line_of(&line, lane);
            let seed = result.noise_seed.map(|seed| lanes::seed_of(seed, lane));
            self.entries[place].result(&self.game, line, seed, arrived);
        }
    }

    /// Enters that a player will send nothing more, and why. What it had streamed stands.
    pub fn fail(&mut self, player: usize, reason: String, arrived: Duration) {
        for place in self.places[player].clone() {
            self.entries[place].fail(reason.clone(), arrived);
        }
    }

    /// Whether a player will send nothing more without having answered.
    pub fn has_failed(&self, player: usize) -> bool {
        let mut entries = self.entries[self.places[player].clone()].iter();
        entries.any(|entry| matches!(entry.state, State::Failed(_)))
    }

    /// Whether a player has failed and has not been called back since.
    pub fn is_lost(&self, player: usize) -> bool {
        let mut entries = self.entries[self.places[player].clone()].iter();
        entries.any(|entry| matches!(entry.state, State::Failed(_)) && !entry.is_called_back)
    }

    /// A player that has failed is asked once more, and waited for as if it had not. What it had streamed
    /// stands until it says more.
    pub fn ask_again(&mut self, player: usize) {
        for entry in &mut self.entries[self.places[player].clone()] {
            if matches!(entry.state, State::Failed(_)) {
                entry.state = State::Thinking;
            }
        }
    }

    /// A player that has failed is asked once more, and nobody waits for it: until it says something it counts
    /// as lost.
    pub fn call_back(&mut self, player: usize) {
        for entry in &mut self.entries[self.places[player].clone()] {
            entry.is_called_back = matches!(entry.state, State::Failed(_));
        }
    }

    /// Whether every player has failed.
    pub fn is_deserted(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.all(|entry| matches!(entry.state, State::Failed(_)))
    }

    /// Whether nothing more can come.
    pub fn is_complete(&self) -> bool {
        self.entries
            .iter()
            .all(|entry| entry.state != State::Thinking)
    }

    /// The ballot as it stands, undecided.
    pub fn standing(&self) -> Ballot {
        self.record(Arrival::Unspecified, None)
    }

    /// The ballot with its decision.
    pub fn close(&self, decision: Decision) -> Ballot {
        self.record(Arrival::Late, Some(decision))
    }

    fn record(&self, silent: Arrival, decision: Option<Decision>) -> Ballot {
        let votes = self.votes(silent);
        let decision = decision.map(|decision| Decision {
            win_rate: decision
                .win_rate
                .or(mean_win_rate(&votes, &decision.r#move)),
            ..decision
        });
        Ballot {
            id: self.header.id,
            game_id: self.header.game_id.clone(),
            position: Some(Position::from(&self.game)),
            seed: self.header.seed,
            votes,
            tally: self
                .tally()
                .into_iter()
                .map(|count| Tally {
                    r#move: count.mv,
                    votes: count.votes,
                })
                .collect(),
            decision,
            primary: self.header.primary.clone().unwrap_or_default(),
            ..Ballot::default()
        }
    }

    fn votes(&self, silent: Arrival) -> Vec<Vote> {
        let calibration = &self.header.calibration;
        let entries = self.entries.iter();
        entries
            .map(|entry| entry.vote(silent, calibration))
            .collect()
    }

    fn tally(&self) -> Vec<voting::Count> {
        let moves: Vec<String> = self.counted().map(|(_, _, mv)| mv.to_string()).collect();
        voting::tally(moves.iter().map(String::as_str))
    }

    /// The entries that count, with their lines and moves.
    fn counted(&self) -> impl Iterator<Item = (&Entry, &Line, Move)> {
        self.entries
            .iter()
            .filter_map(|entry| match (&entry.said, &entry.line) {
                (Said::Legal(mv), Some(line)) => Some((entry, line, *mv)),
                _ => None,
            })
    }
}

impl Entry {
    fn new(info: PlayerInfo, noise_seed: u64) -> Self {
        Self {
            noise_seed: (info.sigma > 0.0).then_some(noise_seed),
            info,
            state: State::Thinking,
            line: None,
            said: Said::Nothing,
            arrived: Duration::ZERO,
            is_called_back: false,
        }
    }

    /// Whether it has a say: it thinks, or is back.
    fn speaks(&mut self) -> bool {
        if std::mem::take(&mut self.is_called_back) {
            self.state = State::Thinking;
        }
        self.state == State::Thinking
    }

    fn progress(&mut self, game: &Game, line: Line, arrived: Duration) {
        if !self.speaks() {
            return;
        }
        let said = Said::read(game, line.chosen());
        if let Said::Illegal(reason) = &said {
            if !matches!(self.said, Said::Illegal(_)) {
                warn!(player = self.info.name, reason, "illegal move in progress");
            }
            if matches!(self.said, Said::Legal(_)) {
                return;
            }
        }
        self.said = said;
        self.line = Some(line);
        self.arrived = arrived;
    }

    fn result(&mut self, game: &Game, line: Line, noise_seed: Option<u64>, arrived: Duration) {
        if !self.speaks() {
            return;
        }
        self.said = Said::read(game, line.chosen());
        if let Said::Illegal(reason) = &self.said {
            warn!(player = self.info.name, reason, "illegal vote rejected");
        }
        self.state = State::Finished;
        self.line = Some(line);
        self.noise_seed = noise_seed.or(self.noise_seed);
        self.arrived = arrived;
    }

    fn fail(&mut self, reason: String, arrived: Duration) {
        if self.state == State::Thinking {
            warn!(player = self.info.name, reason, "player failed");
        } else if !self.is_called_back {
            return;
        }
        self.is_called_back = false;
        self.state = State::Failed(reason);
        self.arrived = arrived;
    }

    fn vote(&self, silent: Arrival, calibration: &Calibration) -> Vote {
        let Judgement {
            arrival,
            counted,
            failure,
        } = self.judge(silent);
        let mut line = self.line.clone();
        if let (Some(line), Said::Legal(mv)) = (&mut line, &self.said) {
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
            legal: matches!(self.said, Said::Legal(_)),
            counted,
            noise_seed: self.noise_seed,
        }
    }

    fn judge(&self, silent: Arrival) -> Judgement {
        let (arrival, counted, failure) = match (&self.state, &self.said) {
            // A player that died costs its vote's freshness, not the vote.
            (State::Failed(reason), Said::Legal(_)) => (Arrival::Failed, true, reason.clone()),
            (State::Failed(reason), _) => (Arrival::Failed, false, reason.clone()),
            (State::Thinking, Said::Legal(_)) => (Arrival::Provisional, true, String::new()),
            (State::Finished, Said::Legal(_)) => (Arrival::Final, true, String::new()),
            (_, Said::Illegal(reason)) => (Arrival::Illegal, false, reason.clone()),
            (_, Said::Resign) => (Arrival::Resigned, false, String::new()),
            (_, Said::Win) => {
                // A declaration that holds ends the consultation before anybody is asked.
                let reason = "the position allows no declaration".to_owned();
                (Arrival::DeclaredWin, false, reason)
            }
            (_, Said::Nothing) => (silent, false, String::new()),
        };
        Judgement {
            arrival,
            counted,
            failure,
        }
    }
}

/// The mean win rate of the votes for a move that have one.
fn mean_win_rate(votes: &[Vote], mv: &str) -> Option<f64> {
    let is_for = |vote: &&Vote| {
        let line = vote.line.as_ref();
        vote.counted && line.is_some_and(|line| line.r#move == mv)
    };
    let rates: Vec<f64> = votes
        .iter()
        .filter(is_for)
        .filter_map(|vote| vote.win_rate)
        .collect();
    (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
}

#[cfg(test)]
mod tests;
