//! Sessions of the proxy with a scripted coordinator, in paused time.

mod claim;
mod gui;
mod handshake;
mod pondering;
mod rule_table;
mod scripted_coordinator;
mod slow_client;
mod thinking;
mod transcripts;
mod trouble;
