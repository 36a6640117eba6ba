//! temp
mod clock;
mod command;
mod options;
mod output;
