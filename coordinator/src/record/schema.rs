//! The lines of the record. `coordinator/BALLOTS.md` documents every key.

use super::score::ScoreRecord;
use crate::{ballot::names, seed, usi_text};
use monju_engine::{Game, GameError};
use monju_proto::v1::{
    Ballot, Candidate, Clock, Decision, FinishGameRequest, GameOutcome, Limits, PlayerInfo, Vote,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io;

/// Version of the lines that this build writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// One line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum LogLine {
    /// A decided ballot.
    Ballot(Box<LoggedBallot>),
    /// The end of a game.
    Result(GameResult),
}

impl LogLine {
    /// Returns the line as text, with its line break.
    ///
    /// # Errors
    /// A number is not finite, which JSON cannot represent.
    pub fn render(&self) -> io::Result<String> {
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        Ok(text)
    }
}

/// Reason of a result that comes from a GUI.
pub const GAME_OVER: &str = "gameover";

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// Version of the line.
    pub version: u32,
    /// The game.
    pub game_id: String,
    /// "black", "white" or "draw".
    pub winner: Winner,
    /// The source of the result; [`GAME_OVER`] is the GUI.
    pub reason: String,
}

impl GameResult {
    /// Returns the result that a GUI tells; `None` if it tells none.
    pub fn of(request: FinishGameRequest) -> Option<Self> {
        let winner = match request.outcome() {
            GameOutcome::BlackWon => Winner::Black,
            GameOutcome::WhiteWon => Winner::White,
            GameOutcome::Drawn => Winner::Draw,
            GameOutcome::Unspecified => return None,
        };
        Some(Self {
            version: VERSION,
            game_id: request.game_id,
            winner,
            reason: GAME_OVER.to_owned(),
        })
    }
}

/// The winner of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Winner {
    /// Black, who moves first from the start position.
    Black,
    /// White.
    White,
    /// Neither side.
    Draw,
}

/// A ballot as a line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedBallot {
    /// Version of the line.
    pub version: u32,
    /// Version of the program that wrote it.
    pub monju: String,
    /// Number of the consultation, unique in its coordinator's life.
    pub id: u64,
    /// The game it belongs to.
    pub game_id: String,
    /// Time of the decision, in milliseconds since 1970.
    pub decided_unix_ms: u64,
    /// The ballot itself.
    #[serde(flatten)]
    pub ballot: BallotRecord,
}

impl LoggedBallot {
    /// The line of a decided ballot.
    ///
    /// # Errors
    /// The position of the ballot is not valid.
    pub fn of(ballot: &Ballot, decided_unix_ms: u64) -> Result<Self, GameError> {
        let position = ballot.position.clone().unwrap_or_default();
        let game = Game::try_from(&position)?;
        Ok(Self {
            version: VERSION,
            monju: env!("CARGO_PKG_VERSION").to_owned(),
            id: ballot.id,
            game_id: ballot.game_id.clone(),
            decided_unix_ms,
            ballot: BallotRecord::of(&game, ballot),
        })
    }
}

/// A ballot as `monju consult --json` prints it and the log keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BallotRecord {
    /// The position as USI text, history included.
    pub position: String,
    /// The position as SFEN.
    pub sfen: String,
    /// Identifies the position with its history: 16 hexadecimal digits.
    pub position_id: String,
    /// The game's seed.
    pub seed: u64,
    /// The limits of the request.
    pub limits: Option<LimitsRecord>,
    /// Time allowed for the decision, since the request.
    pub deadline_ms: Option<u64>,
    /// The ensemble's primary player.
    pub primary: Option<String>,
    /// One per player.
    pub votes: Vec<VoteRecord>,
    /// Votes by move, most first.
    pub tally: Map<String, Value>,
    /// The decision.
    pub decision: Option<DecisionRecord>,
}

/// Limits of a consultation, or a player's own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitsRecord {
    /// Nodes per player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Iterations per player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Thinking time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// The game's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockRecord>,
    /// Number of moves that the players rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multi_pv: Option<u32>,
}

/// The game's clock, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it all")]
pub struct ClockRecord {
    pub black_ms: u64,
    pub white_ms: u64,
    pub black_increment_ms: u64,
    pub white_increment_ms: u64,
    pub byoyomi_ms: u64,
}

/// A vote, with the description of its player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoteRecord {
    /// The player's name on the ballot.
    pub player: String,
    /// The worker that hosts it.
    pub worker: String,
    /// The worker's build.
    #[serde(default)]
    pub build: Option<String>,
    /// "monju", or the name of a foreign engine.
    pub engine: String,
    /// The native evaluator.
    pub evaluator: Option<String>,
    /// Hash of the evaluator's weights, if it has a file of them.
    pub weights_hash: Option<String>,
    /// Standard deviation of the noise in centipawns.
    pub sigma: f64,
    /// The target of the noise: "position", "leaf" or "weights".
    pub noise_model: Option<String>,
    /// The noise seed in force.
    pub noise_seed: Option<u64>,
    /// Weight of its vote.
    pub weight: f64,
    /// Its own limits.
    pub own_limits: Option<LimitsRecord>,
    /// Share of the consultation's time that it takes.
    pub clock_share: Option<f64>,
    /// Number of the virtual players of its search, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<u32>,
    /// All other settings of its configuration.
    pub settings: Map<String, Value>,
    /// Its move.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The move in Japanese notation, if it is legal.
    pub japanese: Option<String>,
    /// Its score, in its own centipawns, from the side to move.
    pub score: Option<ScoreRecord>,
    /// Calibrated win rate of the score.
    pub win_rate: Option<f64>,
    /// Depth of the last iteration.
    pub depth: u32,
    /// Number of nodes.
    pub nodes: u64,
    /// Thinking time by the worker's clock.
    pub time_ms: u64,
    /// Principal variation.
    pub pv: Vec<String>,
    /// The moves that it ranks, best first.
    pub candidates: Vec<CandidateRecord>,
    /// The way of its arrival.
    pub arrival: String,
    /// Time of its arrival, since the request.
    pub arrived_ms: u64,
    /// True for a legal move.
    pub legal: bool,
    /// True for a vote in the tally.
    pub counted: bool,
    /// Reason why it does not count, or of the failure of the player.
    pub failure: Option<String>,
    /// Judgement on the material after the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub danger: Option<String>,
}

/// A ranked move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateRecord {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its score.
    pub score: Option<ScoreRecord>,
    /// The expected line, which starts with the move; empty where none is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<String>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// A legal move, "resign" or "win".
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in Japanese notation.
    pub japanese: Option<String>,
    /// The reply to ponder on.
    pub ponder: Option<String>,
    /// The voting rule.
    pub rule: String,
    /// The tie break that chose it.
    pub tie_break: String,
    /// Mean win rate of its votes.
    pub win_rate: Option<f64>,
    /// Time since the request.
    pub elapsed_ms: u64,
    /// The move comes from the opening book; absent otherwise.
    #[serde(default, skip_serializing_if = "is_false")]
    pub book: bool,
}

impl BallotRecord {
    /// The record of a ballot on the current position of `game`.
    pub fn of(game: &Game, ballot: &Ballot) -> Self {
        let Ballot {
            // The line of the log has them.
            id: _,
            game_id: _,
            // As `game`.
            position: _,
            seed: ballot_seed,
            votes,
            tally,
            decision,
            limits,
            deadline_ms,
            primary,
        } = ballot;
        let position = game.to_usi();
        Self {
            sfen: game.position().to_string(),
            position_id: format!("{:016x}", seed::hash_text(&position)),
            position,
            seed: *ballot_seed,
            limits: limits.as_ref().map(LimitsRecord::from),
            deadline_ms: *deadline_ms,
            primary: non_empty(primary),
            votes: votes
                .iter()
                .map(|vote| VoteRecord::of(game, vote))
                .collect(),
            tally: tally
                .iter()
                .map(|count| (count.r#move.clone(), count.votes.into()))
                .collect(),
            decision: decision
                .as_ref()
                .map(|decision| DecisionRecord::of(game, decision)),
        }
    }
}

impl From<&Limits> for LimitsRecord {
    fn from(limits: &Limits) -> Self {
        let Limits {
            nodes,
            depth,
            time_ms,
            clock,
            // The decision ends pondering.
            ponder: _,
            multi_pv,
        } = *limits;
        Self {
            nodes,
            depth,
            time_ms,
            clock: clock.map(|clock| ClockRecord {
                black_ms: clock.black_ms,
                white_ms: clock.white_ms,
                black_increment_ms: clock.black_increment_ms,
                white_increment_ms: clock.white_increment_ms,
                byoyomi_ms: clock.byoyomi_ms,
            }),
            multi_pv,
        }
    }
}

impl From<&LimitsRecord> for Limits {
    fn from(limits: &LimitsRecord) -> Self {
        Self {
            nodes: limits.nodes,
            depth: limits.depth,
            time_ms: limits.time_ms,
            clock: limits.clock.as_ref().map(|clock| Clock {
                black_ms: clock.black_ms,
                white_ms: clock.white_ms,
                black_increment_ms: clock.black_increment_ms,
                white_increment_ms: clock.white_increment_ms,
                byoyomi_ms: clock.byoyomi_ms,
            }),
            ponder: false,
            multi_pv: limits.multi_pv,
        }
    }
}

impl VoteRecord {
    fn of(game: &Game, vote: &Vote) -> Self {
        let Vote {
            player,
            line,
            arrival: _,
            failure,
            arrived_ms,
            legal,
            counted,
            noise_seed,
            win_rate,
            danger,
        } = vote;
        let PlayerInfo {
            name,
            engine,
            evaluator,
            sigma,
            // The one in force follows from it.
            noise_seed: _,
            worker,
            weight,
            noise_model,
            weights_hash,
            limits,
            clock_share,
            settings,
            lanes,
            build,
        } = player.clone().unwrap_or_default();
        let mv = line.as_ref().map(|line| line.r#move.clone());
        let line = line.clone().unwrap_or_default();
        Self {
            evaluator: non_empty(&evaluator),
            weights_hash: non_empty(&weights_hash),
            noise_model: non_empty(&noise_model),
            weight: weight.unwrap_or(1.0),
            own_limits: limits.as_ref().map(LimitsRecord::from),
            settings: settings
                .into_iter()
                .map(|setting| (setting.name, setting.value.into()))
                .collect(),
            build: non_empty(&build),
            player: name,
            worker,
            engine,
            sigma,
            noise_seed: *noise_seed,
            clock_share,
            lanes: (lanes > 1).then_some(lanes),
            japanese: mv.as_deref().and_then(|mv| usi_text::japanese(game, mv)),
            mv,
            score: line.score.as_ref().and_then(ScoreRecord::of),
            win_rate: *win_rate,
            depth: line.depth,
            nodes: line.nodes,
            time_ms: line.time_ms,
            pv: line.pv,
            candidates: line.candidates.iter().map(CandidateRecord::of).collect(),
            arrival: names::arrival(vote.arrival()).to_owned(),
            arrived_ms: *arrived_ms,
            legal: *legal,
            counted: *counted,
            failure: non_empty(failure),
            danger: non_empty(danger),
        }
    }
}

impl CandidateRecord {
    fn of(candidate: &Candidate) -> Self {
        Self {
            mv: candidate.r#move.clone(),
            score: candidate.score.as_ref().and_then(ScoreRecord::of),
            pv: candidate.pv.clone(),
        }
    }
}

impl DecisionRecord {
    fn of(game: &Game, decision: &Decision) -> Self {
        let Decision {
            r#move,
            ponder,
            rule,
            tie_break: _,
            elapsed_ms,
            win_rate,
            book,
        } = decision;
        Self {
            mv: r#move.clone(),
            japanese: usi_text::japanese(game, r#move),
            ponder: non_empty(ponder),
            rule: rule.clone(),
            tie_break: names::tie_break(decision.tie_break()).to_owned(),
            win_rate: *win_rate,
            elapsed_ms: *elapsed_ms,
            book: *book,
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Returns a text of the protocol, in which an empty one means an absent one.
fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
