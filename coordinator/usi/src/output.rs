//! The single writer of standard output.

use monju_proto::text::{brief, excerpt};
use std::io::Write;
use tokio::sync::mpsc;

/// Greatest length of a line, which a variation of hundreds of moves does not reach, in characters.
const LONGEST_LINE: usize = 16_384;

/// Sends lines to the GUI. All clones write to the same stream, in the order of their calls.
#[derive(Clone, Debug)]
pub struct Output {
    lines: mpsc::UnboundedSender<String>,
}

impl Output {
    /// Creates an output and the receiver of its lines.
    pub fn channel() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (lines, receiver) = mpsc::unbounded_channel();
        (Self { lines }, receiver)
    }

    /// Sends one line. Line breaks and other control characters inside it, from a player's name or an error,
    /// become blanks: otherwise the rest would reach the GUI as a line of its own.
    pub fn say(&self, line: impl Into<String>) {
        let line = excerpt(&line.into(), LONGEST_LINE);
        // If the reader is gone, the session ends by `closed`.
        let _ = self.lines.send(line);
    }

    /// Reports an error to the log and, as `info string error: …`, to the GUI's log.
    pub fn error(&self, reason: &dyn std::fmt::Display) {
        let reason = brief(reason);
        tracing::warn!(%reason, "reported an error to the gui");
        self.say(format!("info string error: {reason}"));
    }

    /// Completes when the reader of the lines is gone.
    pub async fn closed(&self) {
        self.lines.closed().await;
    }
}

/// Writes and flushes line by line until all [`Output`]s are gone or `to` is closed.
pub fn write_lines(mut lines: mpsc::UnboundedReceiver<String>, mut to: impl Write) {
    while let Some(mut line) = lines.blocking_recv() {
        line.push('\n');
        if let Err(error) = to.write_all(line.as_bytes()).and_then(|()| to.flush()) {
            tracing::warn!(%error, "cannot write to the gui");
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn every_line_is_flushed_and_stays_one_line() {
        #[derive(Default)]
        struct Pipe {
            pending: Vec<u8>,
            flushed: Vec<Vec<u8>>,
        }
        impl Write for &mut Pipe {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.pending.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                let line = std::mem::take(&mut self.pending);
                self.flushed.push(line);
                Ok(())
            }
        }
        let (output, lines) = Output::channel();
        output.say("readyok");
        output.say("");
        output.error(&"no such\nfile:\u{1b}文殊.toml");
        drop(output);
        let mut pipe = Pipe::default();
        write_lines(lines, &mut pipe);
        let lines: Vec<String> = pipe
            .flushed
            .into_iter()
            .map(|line| String::from_utf8(line).expect("UTF-8"))
            .collect();
        assert_eq!(
            lines,
            [
                "readyok\n",
                "\n",
                "info string error: no such file: 文殊.toml\n"
            ]
        );
    }

    #[tokio::test]
    async fn a_closed_pipe_ends_the_wait() {
        let (output, lines) = Output::channel();
        drop(lines);
        output.say("readyok");
        let closed = tokio::time::timeout(std::time::Duration::from_secs(10), output.closed());
        closed.await.expect("nobody reads");
    }
}
