//! Standard input and output, each on a thread of its own.

use super::{
    backend::Backend,
    command::{GuiCommand, ReadCommand},
    front_end_error::FrontEndError,
    output::{self, Output},
    session::UsiSession,
};
use encoding_rs::SHIFT_JIS;
use monju_team::signals;
use std::{
    borrow::Cow,
    io::{self, BufRead, Read},
    thread,
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

/// Time that the last lines get to be read at the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Greatest length of a line, in bytes; a game of 4,096 moves has 24,000.
const LONGEST_LINE: usize = 1 << 20;

/// Runs a session of the backend on standard input and output. The GUI hears the remark, if there is one.
///
/// # Errors
/// The system refuses a thread.
pub async fn speak(backend: impl Backend, remark: Option<String>) -> Result<(), FrontEndError> {
    let commands = listen()?;
    let (output, lines) = Output::channel();
    let (written, all_written) = oneshot::channel();
    spawn("usi-output", "output to the GUI", move || {
        output::write_lines(lines, io::stdout());
        // The receiver is gone if the farewell took too long.
        let _ = written.send(());
    })?;
    let session = UsiSession::new(backend, output).with_remark(remark);
    session.run(commands).await;
    // A GUI that does not read any more must not keep the process alive.
    if timeout(FAREWELL, all_written).await.is_err() {
        tracing::warn!("the gui does not read its last lines");
    }
    Ok(())
}

/// Reads commands on a thread of its own, since a blocked read must not keep the process alive at
/// the end. The system's request to terminate becomes a `quit`, which also ends the children.
fn listen() -> Result<mpsc::UnboundedReceiver<ReadCommand>, FrontEndError> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let commands = sender.clone();
    spawn("usi-input", "input from the GUI", move || {
        read_commands(io::stdin().lock(), &commands);
    })?;
    tokio::spawn(async move {
        signals::termination().await;
        let _ = sender.send(ReadCommand::now(GuiCommand::Quit));
    });
    Ok(receiver)
}

fn spawn(
    name: &str,
    purpose: &'static str,
    work: impl FnOnce() + Send + 'static,
) -> Result<(), FrontEndError> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map(drop).map_err(|source| FrontEndError::Thread {
        name: purpose,
        source,
    })
}

/// Reads until the end of the input or a failure, which count as `quit`, or until the receiver is
/// gone. Bytes that are no text spoil only their own line.
fn read_commands(mut input: impl BufRead, commands: &mpsc::UnboundedSender<ReadCommand>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_line(&mut input, &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::warn!(%error, "cannot read from the gui");
                break;
            }
        }
        let text = decode(&line);
        let command = ReadCommand::parse(&text);
        tracing::debug!(line = text.trim_end(), "received");
        if commands.send(command).is_err() {
            return;
        }
    }
    let _ = commands.send(ReadCommand::now(GuiCommand::Quit));
}

/// Reads a line up to its end, and returns the number of its bytes; 0 at the end of the input. Nothing is left of a
/// line that is too long, but a position is left as one that is refused: otherwise the one before it would be searched.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    let mut beginning = input.by_ref().take(LONGEST_LINE as u64);
    let count = beginning.read_until(b'\n', line)?;
    if count == LONGEST_LINE && line.last() != Some(&b'\n') {
        tracing::warn!("a line of more than {LONGEST_LINE} bytes from the gui is not read");
        skip_line(input)?;
        *line = match line.starts_with(b"position ") {
            true => b"position (too long)".to_vec(),
            false => Vec::new(),
        };
    }
    Ok(count)
}

/// Reads the rest of a line, and forgets it.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(bytes.len(), |end| end + 1);
        input.consume(count);
        if end.is_some() || count == 0 {
            return Ok(());
        }
    }
}

/// Reads a line in UTF-8, or in Shift_JIS, in which older GUIs of Windows write the paths of files.
fn decode(line: &[u8]) -> Cow<'_, str> {
    let in_shift_jis = || SHIFT_JIS.decode_without_bom_handling_and_without_replacement(line);
    match str::from_utf8(line) {
        Ok(text) => text.into(),
        Err(_) => in_shift_jis().unwrap_or_else(|| String::from_utf8_lossy(line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_in_either_encoding() {
        let line = "setoption name ConfigFile value C:\\将棋\\表.toml\n";
        let (shift_jis, ..) = SHIFT_JIS.encode(line);
        assert_eq!(decode(&shift_jis), line);
        assert_eq!(decode(line.as_bytes()), line);
    }

    #[test]
    fn a_line_that_is_too_long_is_no_command() {
        let moves = "7g7f ".repeat(LONGEST_LINE / 5);
        let text =
            format!("position startpos moves {moves}\nisready\ngo nodes 1 {moves}\nstop {moves}");
        let (sender, mut receiver) = mpsc::unbounded_channel();
        // A reader of small pieces.
        read_commands(io::BufReader::with_capacity(100, text.as_bytes()), &sender);
        drop(sender);
        let ReadCommand { command, .. } = receiver.try_recv().expect("a line");
        assert_eq!(command, ReadCommand::parse("position (too long)").command);
        assert!(matches!(command, GuiCommand::Position(_)), "{command:?}");
        let mut commands = Vec::new();
        while let Ok(ReadCommand { command, .. }) = receiver.try_recv() {
            commands.push(command);
        }
        let ignored = || GuiCommand::Ignored;
        let expected = [GuiCommand::IsReady, ignored(), ignored(), GuiCommand::Quit];
        assert_eq!(commands, expected);
    }

    #[test]
    fn input_survives_line_ends_and_invalid_utf8() {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        read_commands(&b"usi\r\n\xff\xfe\nisready\nquit"[..], &sender);
        drop(sender);
        let mut commands = Vec::new();
        while let Ok(ReadCommand { command, .. }) = receiver.try_recv() {
            commands.push(command);
        }
        assert_eq!(
            commands,
            [
                GuiCommand::Usi,
                GuiCommand::Ignored,
                GuiCommand::IsReady,
                GuiCommand::Quit,
                // The end of the input is a second one.
                GuiCommand::Quit
            ]
        );
    }
}
