//! The runtime in which a command waits for several things at once.

use anyhow::{Context, bail};
use monju_team::signals;
use std::{pin::Pin, time::Duration};
use tokio::runtime::Builder;

/// Longest wait at the end for searches that are still running.
const SHUTDOWN_PATIENCE: Duration = Duration::from_millis(500);

/// Runs a command to its end.
pub(crate) fn block_on(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    // Of one type for all commands, so that the loop of the runtime is compiled once.
    let command: Pin<Box<dyn Future<Output = anyhow::Result<()>>>> = Box::pin(command);
    let outcome = runtime.block_on(command);
    runtime.shutdown_timeout(SHUTDOWN_PATIENCE);
    outcome
}

/// Runs a command to its end, or until the user or the system ends it.
pub(crate) fn block_on_unless_interrupted(
    command: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    block_on(async {
        tokio::select! {
            outcome = command => outcome,
            () = signals::termination() => bail!("interrupted"),
        }
    })
}
