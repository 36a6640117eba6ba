//! Reading logs back.

use super::schema::{
    BallotRecord, CandidateRecord, DecisionRecord, GameResult, LogLine, LoggedBallot, VERSION,
    VoteRecord,
};
use crate::ballot::names;
use monju_engine::{Game, GameError};
use monju_proto::v1::{
    Ballot, Candidate, Decision, Limits, Line, PlayerInfo, Position, Setting, Tally, Vote,
};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::{
    collections::HashSet,
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    str::{self, Utf8Error},
};

/// Error of reading a log: one line that says where.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read log {}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A line is not a line of a log.
    #[error("{}:{line}: {source}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Error of the line.
        source: LineError,
    },
}

/// Error of a line that is not a line of a log.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// Not UTF-8.
    #[error("not a text in UTF-8")]
    Text(#[from] Utf8Error),
    /// Not JSON.
    #[error("not JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// An object without a version.
    #[error("not a line of a ballot log: it has no version")]
    NoVersion,
    /// A line of a newer build.
    #[error("version {0} is newer than this build, which reads up to {VERSION}")]
    Newer(u64),
    /// Missing or unexpected keys or values.
    #[error("not a line of a ballot log: {0}")]
    Form(#[source] serde_json::Error),
    /// A position that is not valid.
    #[error("position: {0}")]
    Position(#[from] GameError),
    /// An unknown name of an arrival.
    #[error("unknown arrival '{0}'")]
    Arrival(String),
    /// An unknown name of a tie break.
    #[error("unknown tie_break '{0}'")]
    TieBreak(String),
}

/// The contents of logs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// Time of the decision of the first ballot, in milliseconds since 1970.
    pub began_unix_ms: Option<u64>,
    /// The ballots, in the order of the files.
    pub ballots: Vec<Ballot>,
    /// The results, in the order of the files.
    pub results: Vec<GameResult>,
    /// Number of lines that a crash has cut short.
    pub cut_short: u64,
    /// Number of lines that an earlier file has, too, such as those of a copy. They are left out.
    pub repeated: u64,
}

impl Log {
    /// Reads logs, whichever way they are listed, in the order of their first ballots: a game may begin in
    /// a file that was put aside and end in the next one.
    ///
    /// # Errors
    /// A file cannot be read, or a line that was not cut short is not a line of a log.
    pub fn read<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self, ReadError> {
        let mut logs = Vec::new();
        let mut seen = HashSet::new();
        for path in paths {
            let fail = |source| ReadError::File {
                path: path.to_owned(),
                source,
            };
            let file = File::open(path).map_err(fail)?;
            let mut log = Self::default();
            let lines = log.extend_unless_seen(BufReader::new(file), path, &seen)?;
            seen.extend(lines);
            logs.push(log);
        }
        logs.sort_by_key(|log| log.began_unix_ms);
        let mut whole = Self::default();
        for log in logs {
            whole.began_unix_ms = whole.began_unix_ms.or(log.began_unix_ms);
            whole.ballots.extend(log.ballots);
            whole.results.extend(log.results);
            whole.cut_short += log.cut_short;
            whole.repeated += log.repeated;
        }
        Ok(whole)
    }

    /// Reads the lines of a file; errors name `path`.
    ///
    /// # Errors
    /// The lines cannot be read, or one that was not cut short is not a line of a log.
    pub fn extend(&mut self, lines: impl BufRead, path: &Path) -> Result<(), ReadError> {
        self.extend_unless_seen(lines, path, &HashSet::new())?;
        Ok(())
    }

    /// Reads the lines of a file whose hashes are not among those seen, and returns theirs.
    fn extend_unless_seen(
        &mut self,
        mut lines: impl BufRead,
        path: &Path,
        seen: &HashSet<u64>,
    ) -> Result<Vec<u64>, ReadError> {
        let fail = |source| ReadError::File {
            path: path.to_owned(),
            source,
        };
        let mut hashes = Vec::new();
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            if lines.read_until(b'\n', &mut bytes).map_err(fail)? == 0 {
                break;
            }
            let line = without_zeros(&bytes);
            if line.is_empty() {
                self.cut_short += u64::from(bytes.contains(&0));
                continue;
            }
            let read = (str::from_utf8(line).map_err(LineError::from)).and_then(read_line);
            // Every line has its time: one that is there again is a copy.
            if read.is_ok() {
                let hash = hash_of(line);
                if seen.contains(&hash) {
                    self.repeated += 1;
                    continue;
                }
                hashes.push(hash);
            }
            match read {
                Ok(ReadLine::Ballot(ballot, decided_unix_ms)) => {
                    self.began_unix_ms.get_or_insert(decided_unix_ms);
                    self.ballots.push(*ballot);
                }
                Ok(ReadLine::Result(result)) => self.results.push(result),
                // The next writer ends a line that was cut short, so it may be followed.
                Err(_) if is_torn(line) => self.cut_short += 1,
                Err(source) => {
                    return Err(ReadError::Line {
                        path: path.to_owned(),
                        line: number,
                        source,
                    });
                }
            }
        }
        Ok(hashes)
    }
}

fn hash_of(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Returns a line without the space and the zeros at its ends: where power was lost, a file may have zeros in place of
/// what was written last.
fn without_zeros(line: &[u8]) -> &[u8] {
    let is_content = |byte: &u8| *byte != 0 && !byte.is_ascii_whitespace();
    let begin = line.iter().position(is_content).unwrap_or(line.len());
    let end = line
        .iter()
        .rposition(is_content)
        .map_or(begin, |last| last + 1);
    &line[begin..end]
}

/// Returns true for a line that begins like a line of a log and breaks off anywhere.
fn is_torn(line: &[u8]) -> bool {
    const BEGINNING: &[u8] = b"{\"kind\":";
    let length = line.len().min(BEGINNING.len());
    line[..length] == BEGINNING[..length] && serde_json::from_slice::<IgnoredAny>(line).is_err()
}

enum ReadLine {
    /// A ballot, and the time of its decision in milliseconds since 1970.
    Ballot(Box<Ballot>, u64),
    Result(GameResult),
}

fn read_line(text: &str) -> Result<ReadLine, LineError> {
    let value: Value = serde_json::from_str(text).map_err(LineError::Json)?;
    let version = value.get("version").and_then(Value::as_u64);
    match version {
        None => return Err(LineError::NoVersion),
        Some(version) if version > VERSION.into() => {
            return Err(LineError::Newer(version));
        }
        Some(_) => {}
    }
    let line: LogLine = serde_json::from_value(value).map_err(LineError::Form)?;
    Ok(match line {
        LogLine::Ballot(logged) => {
            let decided_unix_ms = logged.decided_unix_ms;
            ReadLine::Ballot(Box::new(ballot_of(*logged)?), decided_unix_ms)
        }
        LogLine::Result(result) => ReadLine::Result(result),
    })
}

fn ballot_of(logged: LoggedBallot) -> Result<Ballot, LineError> {
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
    let game = Game::from_usi(&position)?;
    let votes: Result<Vec<Vote>, LineError> = votes.into_iter().map(vote_of).collect();
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

fn vote_of(vote: VoteRecord) -> Result<Vote, LineError> {
    let arrival = names::read_arrival(&vote.arrival)
        .ok_or_else(|| LineError::Arrival(vote.arrival.clone()))?;
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
        hash_full: None,
    });
    Ok(Vote {
        player: Some(PlayerInfo {
            build: vote.build.clone().unwrap_or_default(),
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
            lanes: vote.lanes.unwrap_or_default(),
        }),
        line,
        arrival: arrival.into(),
        failure: vote.failure.unwrap_or_default(),
        arrived_ms: vote.arrived_ms,
        legal: vote.legal,
        counted: vote.counted,
        noise_seed: vote.noise_seed,
        win_rate: vote.win_rate,
        danger: vote.danger.unwrap_or_default(),
    })
}

fn candidate_of(candidate: CandidateRecord) -> Candidate {
    Candidate {
        r#move: candidate.mv,
        score: candidate.score.and_then(|score| score.score()),
        pv: candidate.pv,
    }
}

fn decision_of(decision: DecisionRecord) -> Result<Decision, LineError> {
    let tie_break = names::read_tie_break(&decision.tie_break)
        .ok_or_else(|| LineError::TieBreak(decision.tie_break.clone()))?;
    Ok(Decision {
        r#move: decision.mv,
        ponder: decision.ponder.unwrap_or_default(),
        rule: decision.rule,
        tie_break: tie_break.into(),
        elapsed_ms: decision.elapsed_ms,
        win_rate: decision.win_rate,
        book: decision.book,
    })
}
