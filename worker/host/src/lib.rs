//! Players on this machine: native searches on threads of their own, and USI engines as child
//! processes. No gRPC: a front end can host players without a worker.
#![forbid(unsafe_code)]

mod declared;
mod evaluator;
pub mod examine;
mod go;
mod handshake;
mod info;
pub mod limits;
mod native;
mod options;
pub mod player;
pub mod players;
mod problem;
mod profile;
mod search_thread;
mod sigma;
mod spec;
mod table;
mod turns;
mod usi_child;
mod usi_player;

pub use evaluator::{EvaluatorError, load_evaluator};
pub use go::GoForm;
pub use handshake::handshake;
pub use info::{BestMove, Thought};
pub use options::{OptionValue, Options};
pub use players::{DEFAULT_HASH_MIB, StartError, Worker, WorkerSettings};
pub use problem::{PlayerProblem, PlayersError};
pub use spec::{NativeSpec, PlayerKind, PlayerSpec, SpecKind, UsiSpec, noise_players};
pub use table::{PlayerTable, validate_players};
pub use usi_child::{ChildError, Said, UsiChild};
