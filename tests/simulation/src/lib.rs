//! Games of the proxy and the coordinator over a simulated network, under a simulated clock.
//!
//! The proxy's session, its connection to the team, the coordinator's service and its roster are the real
//! ones, and so is gRPC between them; the workers follow scripts that are drawn. All of them run on one
//! thread whose clock jumps to the next event. The [`network`] delays, loses, cuts and resets by draws that
//! depend on the seed and on the place alone, so that every seed repeats bit for bit.
//!
//! A [`game`] checks what must always hold:
//! - every `go` is answered exactly once, by a legal move, a reserve before the flag;
//! - a ballot counts no vote that came after its decision, or that is about another position;
//! - a worker that is there again votes again within two questions;
//! - while a coordinator can be reached, the first or the second, one of them decides within two questions.
//!
//! An answer that is due while the proxy stands still comes at its thaw.
#![forbid(unsafe_code)]

mod cluster;
pub mod draw;
mod freeze;
mod gui;
pub mod network;
pub mod plan;
mod watch;
pub mod worker;

pub mod game;
pub mod results;
