//! The protocol that players, workers and coordinators speak: package `monju.v1`.
//!
//! The `.proto` files in `monju/v1/` are the documentation of every message. `generated/` is what `protox` and `tonic`
//! make of them; `cargo run -p monju-proto-generate` writes it anew.
#![forbid(unsafe_code)]

pub mod build;
pub mod certificates;
pub mod client;
pub mod convert;
pub mod reservation;
pub mod role;
pub mod serve;
pub mod text;
pub mod tls;
mod watched_stream;

/// Messages and services of `monju.v1`.
#[allow(missing_docs, clippy::all)]
pub mod v1 {
    include!("../generated/monju.v1.rs");
}

/// The encoded descriptors of `monju.v1`, for server reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("../generated/monju.v1.bin");
