//! Requests of the system to end this process.

use std::future;
use tokio::sync::mpsc;
use tracing::warn;

/// Reports every request to end through a channel.
pub fn terminations() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            termination().await;
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Resolves when the process is asked to end, by an interrupt or, on Unix, by SIGTERM.
pub async fn termination() {
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            warn!(%error, "cannot listen to interrupts");
            future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupt => {}
        () = sigterm() => {}
    }
}

#[cfg(unix)]
async fn sigterm() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            terminate.recv().await;
        }
        Err(error) => {
            warn!(%error, "cannot listen to SIGTERM");
            future::pending::<()>().await;
        }
    }
}

#[cfg(not(unix))]
async fn sigterm() {
    future::pending::<()>().await;
}
