//! Players behind the `monju.v1.Worker` service.
#![forbid(unsafe_code)]

mod serve;
mod service;

pub use serve::{InProcessWorker, serve_tcp};
