//! Tests of the rules with published data, and of their consistency.

mod declaration;
mod fuzz;
mod legality;
mod perft;
mod random_games;
mod recorded_games;
mod repetition;
mod sfen;
mod support;
