//! The rules of shogi against facts published by others, and against themselves.

mod declaration;
mod fuzz;
mod legality;
mod perft;
mod random_games;
mod recorded_games;
mod repetition;
mod sfen;
mod support;
