//! Reading logs back.

use super::schema::{
    BallotRecord, CandidateRecord, DecisionRecord, GameResult, LogLine, LoggedBallot, VERSION,
    VoteRecord,
};
use crate::ballot::words;
use monju_engine::Game;
use monju_proto::v1::{
    Ballot, Candidate, Decision, Limits, Line, PlayerInfo, Position, Setting, Tally, Vote,
};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

/// Why a log cannot be read. One line that says where.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("log {path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// A line is none of a log.
    #[error("{path}:{line}: {what}")]
    Line {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

/// What logs hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// The ballots, in the order of the files.
    pub ballots: Vec<Ballot>,
    /// The results, likewise.
    pub results: Vec<GameResult>,
    /// Lines that a crash has cut short.
    pub cut_short: u64,
}

impl Log {
    /// Reads logs one after the other.
    ///
    /// # Errors
    /// A file cannot be read, or a line other than a file's last is not of a log.
    pub fn read<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self, ReadError> {
        let mut log = Self::default();
        for path in paths {
            let fail = |source| ReadError::File {
                path: path.display().to_string(),
                source,
            };
            let file = File::open(path).map_err(fail)?;
            log.extend(BufReader::new(file), &path.display().to_string())?;
        }
        Ok(log)
    }

    /// Reads lines; `path` is what errors call them.
    fn extend(&mut self, mut lines: impl BufRead, path: &str) -> Result<(), ReadError> {
        let fail = |source| ReadError::File {
            path: path.to_owned(),
            source,
        };
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            if lines.read_until(b'\n', &mut bytes).map_err(fail)? == 0 {
                break;
            }
            let line = bytes.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let text = str::from_utf8(line).map_err(|_| "it is no text".to_owned());
            match text.and_then(read_line) {
                Ok(Read::Ballot(ballot)) => self.ballots.push(*ballot),
                Ok(Read::Result(result)) => self.results.push(result),
                // The next writer ends a line that was cut short, so it may be followed.
                Err(_) if is_torn(line) => self.cut_short += 1,
                Err(what) => {
                    return Err(ReadError::Line {
                        path: path.to_owned(),
                        line: number,
                        what,
                    });
                }
            }
        }
        Ok(())
    }
}

/// Whether a line begins as lines of a log do, and breaks off, wherever that may be.
fn is_torn(line: &[u8]) -> bool {
    const BEGINNING: &[u8] = b"{\"kind\":";
    let length = line.len().min(BEGINNING.len());
    line[..length] == BEGINNING[..length] && serde_json::from_slice::<IgnoredAny>(line).is_err()
}

enum Read {
    Ballot(Box<Ballot>),
    Result(GameResult),
}

fn read_line(text: &str) -> Result<Read, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    let version = value.get("version").and_then(Value::as_u64);
    match version {
        None => return Err("no line of a ballot log: it has no version".to_owned()),
        Some(version) if version > VERSION.into() => {
            return Err(format!(
                "version {version} is newer than this build, which reads up to {VERSION}"
            ));
        }
        Some(_) => {}
    }
    let line: LogLine = serde_json::from_value(value)
        .map_err(|error| format!("no line of a ballot log: {error}"))?;
    Ok(match line {
        LogLine::Ballot(logged) => Read::Ballot(Box::new(ballot_of(*logged)?)),
        LogLine::Result(result) => Read::Result(result),
    })
}

fn ballot_of(logged: LoggedBallot) -> Result<Ballot, String> {
    let BallotRecord {
        position,
        seed,
        limits,
        deadline_ms,
        primary,
        votes,
        tally,
        decision,
        ..
    } = logged.ballot;
    let game = Game::from_usi(&position).map_err(|error| format!("position: {error}"))?;
    let votes: Result<Vec<Vote>, String> = votes.into_iter().map(vote_of).collect();
    Ok(Ballot {
        id: logged.id,
        game_id: logged.game_id,
        position: Some(Position::from(&game)),
        seed,
        votes: votes?,
        tally: tally
            .into_iter()
            .map(|(mv, votes)| Tally {
                r#move: mv,
                votes: votes.as_u64().unwrap_or(0) as u32,
            })
            .collect(),
        decision: decision.map(decision_of).transpose()?,
        limits: limits.as_ref().map(Limits::from),
        deadline_ms,
        primary: primary.unwrap_or_default(),
    })
}

fn vote_of(vote: VoteRecord) -> Result<Vote, String> {
    let arrival = words::read_arrival(&vote.arrival)
        .ok_or_else(|| format!("unknown arrival '{}'", vote.arrival))?;
    let line = vote.mv.map(|mv| Line {
        r#move: mv,
        score: vote.score.as_ref().and_then(|score| score.score()),
        depth: vote.depth,
        selective_depth: 0,
        nodes: vote.nodes,
        time_ms: vote.time_ms,
        pv: vote.pv,
        candidates: vote.candidates.into_iter().map(candidate_of).collect(),
        lanes: Vec::new(),
    });
    Ok(Vote {
        player: Some(PlayerInfo {
            name: vote.player,
            engine: vote.engine,
            evaluator: vote.evaluator.unwrap_or_default(),
            sigma: vote.sigma,
            noise_seed: None,
            worker: vote.worker,
            weight: Some(vote.weight),
            noise_model: vote.noise_model.unwrap_or_default(),
            weights_hash: vote.weights_hash.unwrap_or_default(),
            limits: vote.own_limits.as_ref().map(Limits::from),
            clock_share: vote.clock_share,
            settings: vote
                .settings
                .into_iter()
                .map(|(name, value)| Setting {
                    name,
                    value: value.as_str().map_or(value.to_string(), str::to_owned),
                })
                .collect(),
            lanes: 0,
        }),
        line,
        arrival: arrival.into(),
        failure: vote.failure.unwrap_or_default(),
        arrived_ms: vote.arrived_ms,
        legal: vote.legal,
        counted: vote.counted,
        noise_seed: vote.noise_seed,
        win_rate: vote.win_rate,
    })
}

fn candidate_of(candidate: CandidateRecord) -> Candidate {
    Candidate {
        r#move: candidate.mv,
        score: candidate.score.and_then(|score| score.score()),
    }
}

fn decision_of(decision: DecisionRecord) -> Result<Decision, String> {
    let tie_break = words::read_tie_break(&decision.tie_break)
        .ok_or_else(|| format!("unknown tie_break '{}'", decision.tie_break))?;
    Ok(Decision {
        r#move: decision.mv,
        ponder: decision.ponder.unwrap_or_default(),
        rule: decision.rule,
        tie_break: tie_break.into(),
        elapsed_ms: decision.elapsed_ms,
        win_rate: decision.win_rate,
    })
}
