//! Sessions with a scripted coordinator, rule by rule, in paused time.

mod fake;
mod gui;
mod handshake;
mod pondering;
mod thinking;
mod transcripts;
mod trouble;

use super::{command::Command, read_commands};
use tokio::sync::mpsc;

#[test]
fn input_survives_line_ends_and_bytes_that_are_no_text() {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    read_commands(&b"usi\r\n\xff\xfe\nisready\nquit"[..], &sender);
    drop(sender);
    let mut commands = Vec::new();
    while let Ok(command) = receiver.try_recv() {
        commands.push(command);
    }
    assert_eq!(
        commands,
        [
            Command::Usi,
            Command::Ignored,
            Command::IsReady,
            Command::Quit,
            // The end of the input is one, too.
            Command::Quit
        ]
    );
}
