//! The shogi library of Monju: rules, evaluation, search and mates, without I/O or a runtime.
//!
//! [`Game`] is a position with its history, and [`Player`] is a search with an evaluator and its own
//! evaluation noise, one voter of an ensemble.
//!
//! ```
//! use monju_engine::{Answer, Control, Game, Limits, Model, Player, PlayerSettings};
//! let mut game = Game::from_usi("startpos moves 7g7f 3c3d")?;
//! let mut player = Player::new(PlayerSettings {
//!     evaluator: Model::material(),
//!     sigma: 50.0,
//!     hash_mib: 1,
//!     ..PlayerSettings::default()
//! })?;
//! player.new_game(7);
//! let limits = Limits {
//!     nodes: Some(1_000),
//!     ..Limits::default()
//! };
//! let outcome = player.think(&game, &limits, &Control::new(), &mut |_| ());
//! let Answer::Move(mv) = outcome.answer else {
//!     panic!("the game is not over");
//! };
//! game.play(mv)?;
//! assert_eq!(game.moves().len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules depend on each other in one direction: `random`, `fnv1a`, `rules`, `book`, `eval`, `mate`, `danger`,
//! `search`, `player`, `bench`.

mod answer;
pub mod bench;
pub mod book;
mod counted;
pub mod danger;
pub mod eval;
mod fnv1a;
pub mod judge;
pub mod mate;
pub mod names;
mod pages;
pub mod player;
mod positions;
pub mod random;
pub mod rules;
pub mod search;
mod search_stack;
mod weights_file;

pub use counted::counted;
pub use eval::{EvaluatorChoice, EvaluatorKind, Model};
pub use fnv1a::fnv1a;
pub use player::{Answer, Outcome, Player, PlayerError, PlayerSettings};
pub use rules::{
    Color, EnteringKingRule, Game, GameError, GameRules, Move, MoveError, Position, Repetition,
    SfenError,
};
pub use search::{
    Bound, Candidate, Control, Iteration, Limits, Line, RootMove, STACK_BYTES, Score,
    SearchChoices, SearchOption, SearchOptions, SearchOptionsError,
};
pub use search_stack::on_search_stack;
