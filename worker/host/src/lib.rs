//! Players on this machine: native searches on threads of their own, and USI engines as child
//! processes. No gRPC: a front end can host players without a worker.
#![forbid(unsafe_code)]

mod book;
mod choice;
mod cores;
mod declared;
mod evaluator;
pub mod examine;
pub mod fallback;
mod go;
pub mod guard;
mod guarded_process;
mod handshake;
mod info;
mod kind;
mod limits;
mod native;
mod options;
pub mod player;
pub mod players;
mod problem;
mod profile;
mod pulse;
mod reports;
pub mod search_thread;
pub mod searcher;
mod sigma;
mod spec;
mod table;
mod turns;
pub mod usi_child;
mod usi_player;

pub use book::{BookFileError, load_book};
pub use choice::{BuildError, PlayerChoice};
pub use cores::CoreSet;
pub use declared::DeclaredOptions;
pub use evaluator::{EvaluatorError, WeightsCache, load_evaluator};
pub use go::{GoForm, GoPlan, plan};
pub use handshake::{EngineFacts, handshake};
pub use info::{EngineAnswer, EngineInfo};
pub use kind::SpecKind;
pub use options::{OptionValue, UsiOptions};
pub use players::{DEFAULT_HASH_MIB, Players, PlayersSettings, PlayersStartError};
pub use problem::{PlayerProblem, PlayersError};
pub use pulse::Pulse;
pub use reports::{EngineReport, EngineReports, ReportKind};
pub use spec::{NativeSpec, PlayerKind, PlayerSpec, UsiSpec, noise_players};
pub use table::{PlayerTable, validate_players};
