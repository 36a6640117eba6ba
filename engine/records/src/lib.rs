//! Game records: readers of the formats of the field, a game that takes comments and is written again, and the compact
//! file that the linear learner reads.
#![forbid(unsafe_code)]

mod collection;
mod commented;
mod csa;
mod file;
mod formats;
mod guard;
mod handicap;
mod kif;
mod mark;
mod named;
mod record;
mod rejection;
#[cfg(test)]
mod tests;
mod timed;

pub use collection::RecordCollection;
pub use commented::{CommentedGame, ReadGameError};
pub use file::{RecordFileError, from_bytes, to_bytes};
pub use formats::{ParsedGame, UnknownFormat, parse_games};
pub use kif::KifError;
pub use record::{GameRecord, GameRecordError, RecordedResult};
pub use rejection::{MoveNumber, OtherPiece, Rejection};
pub use timed::{TimedGame, csa_position};
