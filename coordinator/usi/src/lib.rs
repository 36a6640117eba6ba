//! The USI engine that a GUI talks to: one player to the GUI, behind it a whole team ([`run`]) or
//! really one player ([`run_engine`]).
//!
//! `usi` is answered at once. The team is assembled at `isready`, with an empty line every 5 s
//! until `readyok`, or at the first `go` of a GUI that skips `isready`. If that fails the GUI is
//! told why by `info string error: …`, and gets its `readyok` all the same: the next `isready`
//! tries again, and until then one player answers alone.
//!
//! Every `go` is answered by exactly one `bestmove`, except `go mate`, which is answered by one
//! `checkmate`: what this process finds alone, for the team votes on moves, not on mates. A `go` without a usable
//! position is answered by `bestmove resign`: GUIs send positions from their own board, so this means that the two
//! sides do not speak of the same game, and a move from an older position would be illegal more often than not.
//! Resigning ends the game where everybody sees it, and the reason stands in the GUI's log.
//!
//! `gameover` is taken for a `stop`, and so is a new `position`, `go` or `usinewgame` while a
//! search is on. `quit`, the end of the input, and a GUI that stops reading end everything.

mod answer;
mod clock;
mod command;
pub mod engine;
mod game;
mod info;
mod info_line;
mod keeper;
mod mate;
mod options;
mod output;
mod proxy;
mod search;
mod session;
#[cfg(test)]
mod tests;
mod thinker;
mod values;

use anyhow::Context;
use command::Command;
use engine::{Engine, EngineChoices};
use keeper::{Connection, Contact, Keeper};
use monju_host::fallback::FallbackSearch;
use monju_team::signals;
use monju_team::team::{self, Choices};
use output::Output;
use proxy::Proxy;
use session::Session;
use std::{
    io::{self, BufRead},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};
use thinker::Thinker;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

/// How long the last lines may take to get out at the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Speaks USI for a team on standard input and output until `quit`.
///
/// `choices` are those of the command line; options that the GUI sets go before them. Without a
/// configuration file and a coordinator, `monju.toml` beside the executable is taken if it exists.
pub async fn run(mut choices: Choices) -> anyhow::Result<()> {
    if choices.config.is_none() && choices.coordinator.is_none() {
        choices.config = beside_executable();
    }
    let fallback = FallbackSearch::start();
    let fallback = fallback.context("cannot start the thread of the fallback search")?;
    let shared = fallback.handle();
    let keeper = Keeper::start(move |choices| {
        let shared = shared.clone();
        async move {
            let team = team::assemble_leniently(&choices, shared).await?;
            let contact = Contact {
                client: team.client.clone(),
                consultation: team.consultation,
                overhead: team.overhead,
            };
            let notes = team.ignored.iter().map(ToString::to_string).collect();
            Ok(Connection::new(contact, notes, team.close()))
        }
    });
    speak_for(Proxy::new(choices, keeper, fallback)).await
}

/// Speaks USI for one native player on standard input and output until `quit`.
pub async fn run_engine(choices: EngineChoices) -> anyhow::Result<()> {
    speak_for(Engine::start(choices)?).await
}

async fn speak_for(thinker: impl Thinker) -> anyhow::Result<()> {
    let commands = listen()?;
    let (output, lines) = Output::channel();
    let (written, all_written) = oneshot::channel();
    thread::Builder::new()
        .name("usi-output".to_owned())
        .spawn(move || {
            output::write_lines(lines, io::stdout());
            // Nobody waits when the farewell took too long.
            let _ = written.send(());
        })
        .context("cannot start the thread that writes to the GUI")?;
    Session::new(thinker, output).run(commands).await;
    // A GUI that no longer reads must not keep the process.
    if timeout(FAREWELL, all_written).await.is_err() {
        tracing::warn!("the gui does not read its last lines");
    }
    Ok(())
}

fn beside_executable() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let file = executable
        .parent()
        .unwrap_or(Path::new(""))
        .join("monju.toml");
    file.is_file().then_some(file)
}

/// Reads commands on a thread of its own: a blocked read must not keep the process at the end.
fn listen() -> anyhow::Result<mpsc::UnboundedReceiver<Command>> {
    let (sender, receiver) = mpsc::unbounded_channel();
    thread::Builder::new()
        .name("usi-input".to_owned())
        .spawn({
            let sender = sender.clone();
            move || read_commands(io::stdin().lock(), &sender)
        })
        .context("cannot start the thread that listens to the GUI")?;
    // A system that goes down ends the children in good order, too.
    tokio::spawn(async move {
        signals::termination().await;
        let _ = sender.send(Command::Quit);
    });
    Ok(receiver)
}

/// Reads until the end of the input or a failure, which are a `quit`, or until nobody listens. Bytes that are not UTF-8
/// spoil no more than their own line.
fn read_commands(mut input: impl BufRead, commands: &mpsc::UnboundedSender<Command>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::warn!(%error, "cannot read from the gui");
                break;
            }
        }
        let text = String::from_utf8_lossy(&line);
        tracing::debug!(line = text.trim_end(), "heard");
        if commands.send(Command::parse(&text)).is_err() {
            return;
        }
    }
    let _ = commands.send(Command::Quit);
}
