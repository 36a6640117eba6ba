//! Distinct games, with counts of those that were rejected.

use crate::{
    file::to_bytes,
    formats::ParsedGame,
    record::{GameRecord, RecordedResult},
};
use std::{
    collections::{BTreeMap, HashMap},
    error::Error,
    fmt,
};

/// Longest detail of a rejection in characters; a parser's error may quote a whole game.
const DETAIL_LENGTH: usize = 120;

/// Games that were accepted, and counts of the others by reason. Displays one line a reason.
#[derive(Debug, Default)]
pub struct RecordCollection {
    accepted: Vec<GameRecord>,
    /// Encoded games without their results, with their places among those that were accepted.
    known: HashMap<Vec<u8>, usize>,
    rejected: BTreeMap<String, RejectionCount>,
}

/// Number of games rejected for one reason.
#[derive(Debug)]
struct RejectionCount {
    count: u64,
    /// Place of the first one and what is wrong with it.
    first: String,
}

impl RecordCollection {
    /// Adds a game of `file`, unless it was rejected or is a duplicate. Of duplicates, one with a result stays.
    pub fn add(&mut self, file: &str, parsed: ParsedGame) {
        let (reason, detail) = match parsed.game {
            Ok(record) => {
                let without_result = to_bytes(&[record.with_result(RecordedResult::Unknown)]);
                let Some(&known) = self.known.get(&without_result) else {
                    self.known.insert(without_result, self.accepted.len());
                    self.accepted.push(record);
                    return;
                };
                // A game that one file has without its end.
                let known = &mut self.accepted[known];
                if known.result() == RecordedResult::Unknown {
                    *known = record;
                }
                ("duplicate game".to_owned(), None)
            }
            Err(rejection) => (rejection.to_string(), rejection.source().map(one_line)),
        };
        let place = format!("{file}:{}", parsed.line);
        let rejected = self
            .rejected
            .entry(reason)
            .or_insert_with(|| RejectionCount {
                count: 0,
                first: match detail {
                    Some(detail) => format!("{place} ({detail})"),
                    None => place,
                },
            });
        rejected.count += 1;
    }

    /// Returns the accepted games.
    pub fn accepted(&self) -> &[GameRecord] {
        &self.accepted
    }
}

fn one_line(error: &(dyn Error + 'static)) -> String {
    let text = error.to_string().replace('\n', " ");
    text.chars().take(DETAIL_LENGTH).collect()
}

impl fmt::Display for RecordCollection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (reason, RejectionCount { count, first }) in &self.rejected {
            write!(f, "\nrejected: {count} for {reason}, first {first}")?;
        }
        Ok(())
    }
}
