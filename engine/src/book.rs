//! Opening books: positions with moves to draw from, read from text and written to it.
//!
//! A book is Tohske's (Tohske, section 1) when its weights are wins, and Blunder's (Shimoyama,
//! section 11) when they come from values of searches. Positions are told apart by board, side to move
//! and hands, so transpositions share an entry.

mod choice;
mod content;
mod error;
mod format;
mod lines;
#[cfg(test)]
mod tests;
mod text;
mod value_weights;
mod yaneuraou;

pub use content::{Book, BookMove, BookPosition, key_of};
pub use error::{BookEntryError, BookError, BookLineError};
pub use value_weights::{ValueWeights, WeighedMove};
