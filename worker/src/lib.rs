//! Hosts players, native or foreign, behind the `monju.v1.Worker` service.
//!
//! A player is an actor that runs one think at a time: either a search of `monju-engine` on a
//! thread of its own, or a USI engine as a child process. [`PlayerTable`] is what a configuration
//! says about players, [`Worker`] is the players at work, [`serve_tcp`] and
//! [`Worker::in_process`] put them behind gRPC.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use monju_worker::{DEFAULT_HASH_MIB, Worker, WorkerSettings, noise_players};
//!
//! let worker = Worker::start(WorkerSettings {
//!     name: "desk".to_owned(),
//!     hash_mib: DEFAULT_HASH_MIB,
//!     players: noise_players("monju", 3, 50.0)?,
//! })?;
//! let worker = worker.in_process().await?;
//! let client = monju_proto::v1::worker_client::WorkerClient::new(worker.channel());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod config;
mod declared;
mod evaluator;
mod examine;
mod go;
mod handshake;
mod info;
mod limits;
mod native;
mod options;
mod player;
mod problem;
mod profile;
mod search_thread;
mod serve;
mod service;
mod sigma;
mod spec;
pub mod tls;
mod turns;
mod usi_child;
mod usi_player;
mod worker;

pub use config::{PlayerTable, validate_players};
pub use evaluator::{EvaluatorError, load_evaluator};
pub use go::GoForm;
pub use handshake::handshake;
pub use options::{OptionValue, Options};
pub use problem::{PlayerProblem, PlayersError};
pub use serve::{InProcessWorker, ServeError, serve_tcp};
pub use spec::{NativeSpec, PlayerKind, PlayerSpec, SpecKind, UsiSpec, noise_players};
pub use worker::{DEFAULT_HASH_MIB, StartError, Worker, WorkerSettings};
