//! Shogi for Monju: rules, evaluation and search. Positions in, moves out; no I/O, no runtime.
//!
//! [`Game`] is a position with its history, [`Player`] is one voter: a search with an evaluator
//! and its own evaluation noise.

mod answer;
pub mod bench;
pub mod eval;
pub mod mate;
mod pages;
pub mod player;
pub mod rules;
pub mod search;

pub use eval::{EvaluatorChoice, EvaluatorKind, Model};
pub use player::{Answer, Outcome, Player, PlayerError, PlayerSettings};
pub use rules::{Color, Game, GameError, Move, MoveError, Position, Repetition, SfenError};
pub use search::{
    Bound, Candidate, Control, Limits, Line, STACK_BYTES, Score, SearchChoices, SearchOptions,
    SearchOptionsError,
};
