//! Results on standard output, and the form of the log.

use anyhow::Context;
use console::Term;
use monju_proto::text::plain_lines;
use std::{
    env,
    fmt::Arguments,
    io::{self, Write},
    sync::{PoisonError, RwLock},
};
use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};

/// Writes text to standard output. Control characters in it, which a worker, an engine or a game record may have
/// brought, become blanks.
///
/// # Errors
/// Standard output is closed.
pub fn print(text: &str) -> anyhow::Result<()> {
    let text = plain_lines(text);
    let mut output = io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .context("cannot write to standard output")
}

/// Writes a line to standard output.
///
/// # Errors
/// Standard output is closed.
pub fn print_line(line: &str) -> anyhow::Result<()> {
    print(&format!("{line}\n"))
}

/// The thread that says the lines of [`tell!`](crate::tell), where there is one.
static TELLER: RwLock<Option<NonBlocking>> = RwLock::new(None);

/// Lets a thread say the lines of [`tell!`](crate::tell) while it lives. A terminal that nobody reads, such as one in
/// which text is being selected, must not stop a game; lines are dropped while it takes none.
#[must_use]
pub struct Teller(#[expect(dead_code, reason = "its end lets the thread end")] WorkerGuard);

impl Teller {
    /// Starts the thread.
    pub fn start() -> Self {
        let (writer, guard) = tracing_appender::non_blocking(io::stderr());
        *TELLER.write().unwrap_or_else(PoisonError::into_inner) = Some(writer);
        Self(guard)
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        *TELLER.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Says a line on standard error. Nobody may be reading it any more, which must not end a game, as `eprintln` would.
pub fn say(line: Arguments<'_>) {
    let line = format!("{line}\n");
    let teller = TELLER
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let _ = match teller {
        Some(mut teller) => teller.write_all(line.as_bytes()),
        None => io::stderr().write_all(line.as_bytes()),
    };
}

/// Returns the width of the terminal; `None` where standard output is a file or another program, which get everything.
pub fn terminal_columns() -> Option<usize> {
    let (_, columns) = Term::stdout().size_checked()?;
    Some(columns.into())
}

/// Tells whether each line of the log on standard error is a JSON object.
pub fn logs_json() -> bool {
    env::var("MONJU_LOG_FORMAT").is_ok_and(|format| format == "json")
}
