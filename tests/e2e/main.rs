//! End-to-end tests: real processes, real engines, real connections. The package `monju` declares them,
//! so that Cargo builds the binary that they run.

mod analyse;
mod bad_input;
mod bench;
mod book;
#[cfg(unix)]
mod browser;
mod cluster_faults;
mod consult;
mod csa;
mod danger;
mod deploy;
mod doctor;
mod engine;
mod examples;
mod experiment;
mod experiment_kill;
mod experiment_match;
mod experiment_store;
#[cfg(unix)]
mod faults;
mod fleet;
mod grpc;
mod heterogeneous;
mod kifu;
mod learn;
mod matches;
mod mate;
#[cfg(target_os = "linux")]
mod orphans;
mod page;
mod perft;
mod record;
mod status;
mod tls;
mod usi_options;
mod usi_proxy;
