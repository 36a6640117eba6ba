//! Sessions of the proxy with a scripted coordinator, in paused time.

mod fake;
mod gui;
mod handshake;
mod pondering;
mod thinking;
mod transcripts;
mod trouble;
