//! Results on standard output, and the form of the log.

use anyhow::Context;
use console::Term;
use monju_proto::text::plain_lines;
use std::{
    env,
    io::{self, Write},
};

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

/// Returns the width of the terminal; `None` where standard output is a file or another program, which get everything.
pub fn terminal_columns() -> Option<usize> {
    let (_, columns) = Term::stdout().size_checked()?;
    Some(columns.into())
}

/// Tells whether each line of the log on standard error is a JSON object.
pub fn logs_json() -> bool {
    env::var("MONJU_LOG_FORMAT").is_ok_and(|format| format == "json")
}
