//! Requests of the system to end this process.

use std::future;
use tokio::sync::mpsc;
use tracing::warn;

/// Reports every request to end, without losing one while the receiver is busy.
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

/// Resolves when the process is asked to end: by an interrupt or, on Unix, by SIGTERM, or on Linux by SIGHUP. A SIGHUP
/// that was ignored from the start, as under `nohup`, stays ignored; on other systems every SIGHUP has its own effect.
pub async fn termination() {
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            warn!(%error, "cannot listen to interrupts");
            future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupt => {}
        () = unix::terminate() => {}
        () = unix::hangup() => {}
    }
}

#[cfg(unix)]
mod unix {
    use std::{fs, future, sync::LazyLock};
    use tokio::signal::unix::{SignalKind, signal};
    use tracing::warn;

    /// True if SIGHUP was ignored before this process first listened to it.
    static IGNORES_HANGUP: LazyLock<bool> = LazyLock::new(|| {
        // Only Linux shows the ignored signals in a file.
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        ignores(&status, SignalKind::hangup())
    });

    /// Resolves at the next SIGTERM.
    pub async fn terminate() {
        next("SIGTERM", SignalKind::terminate()).await;
    }

    /// Resolves at the next SIGHUP; never if it is ignored. Where the system does not show that, nobody listens, which
    /// would undo what `nohup` has set.
    pub async fn hangup() {
        match !cfg!(target_os = "linux") || *IGNORES_HANGUP {
            true => future::pending().await,
            false => next("SIGHUP", SignalKind::hangup()).await,
        }
    }

    async fn next(name: &str, kind: SignalKind) {
        match signal(kind) {
            Ok(mut signals) => {
                signals.recv().await;
            }
            Err(error) => {
                warn!(%error, "cannot listen to {name}");
                future::pending().await
            }
        }
    }

    /// Reads the mask of ignored signals in the text of `/proc/PID/status`.
    fn ignores(status: &str, kind: SignalKind) -> bool {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (kind.as_raw_value() - 1) & 1 == 1)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_mask_of_ignored_signals_is_read() {
            let status = "SigBlk:\t0000000000000003\nSigIgn:\t0000000000001001\n";
            assert!(ignores(status, SignalKind::hangup()));
            assert!(ignores(status, SignalKind::pipe()));
            assert!(!ignores(status, SignalKind::terminate()));
            assert!(!ignores("", SignalKind::hangup()));
        }
    }
}

#[cfg(not(unix))]
mod unix {
    use std::future;

    /// Never resolves: the system has no SIGTERM.
    pub async fn terminate() {
        future::pending().await
    }

    /// Never resolves: the system has no SIGHUP.
    pub async fn hangup() {
        future::pending().await
    }
}
