//! Players behind the `monju.v1.Worker` service.
#![forbid(unsafe_code)]

mod drain;
mod serve;
mod service;

pub use drain::Drain;
pub use serve::{InProcessWorker, is_ready, serve_tcp};
