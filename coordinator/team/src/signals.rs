//! Requests of the system to end this process.
//!
//! A terminal that goes away, as by a lost `ssh` connection, sends SIGHUP, maybe twice: both the shell and the system
//! do. Most commands end by it, as by SIGTERM, so that nothing stays behind. Those with a game under way outlive their
//! terminal, as under `nohup`: [`terminations_beyond_terminal`].

use std::future;
use tokio::sync::mpsc;
use tracing::warn;

/// Reports every request to end, without losing one while the receiver is busy.
pub fn terminations() -> mpsc::UnboundedReceiver<()> {
    reports_of(termination)
}

/// As [`terminations`], for a command that may have a game under way: it outlives its terminal from now on. SIGHUP is
/// no request to end it, and the first one is logged.
pub fn terminations_beyond_terminal() -> mpsc::UnboundedReceiver<()> {
    unix::outlive_hangups();
    reports_of(interrupt_or_terminate)
}

fn reports_of<F>(mut request: impl FnMut() -> F + Send + 'static) -> mpsc::UnboundedReceiver<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            request().await;
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
    tokio::select! {
        () = interrupt_or_terminate() => {}
        () = unix::hangup() => {}
    }
}

async fn interrupt_or_terminate() {
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            warn!(%error, "cannot listen to interrupts");
            future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupt => {}
        () = unix::terminate() => {}
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

    /// Keeps the process alive when its terminal goes away, which is logged once.
    pub fn outlive_hangups() {
        if *IGNORES_HANGUP {
            return;
        }
        match signal(SignalKind::hangup()) {
            Ok(mut signals) => {
                tokio::spawn(async move {
                    // Those that follow are caught all the same, and have no effect.
                    if signals.recv().await.is_some() {
                        warn!(
                            "SIGHUP: the terminal is gone, and the process goes on until SIGTERM"
                        );
                    }
                });
            }
            Err(error) => warn!(%error, "cannot outlive the terminal"),
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
        use super::{super::terminations_beyond_terminal, *};
        use std::process::{self, Command};
        use tokio::task::yield_now;

        #[test]
        fn the_mask_of_ignored_signals_is_read() {
            let status = "SigBlk:\t0000000000000003\nSigIgn:\t0000000000001001\n";
            assert!(ignores(status, SignalKind::hangup()));
            assert!(ignores(status, SignalKind::pipe()));
            assert!(!ignores(status, SignalKind::terminate()));
            assert!(!ignores("", SignalKind::hangup()));
        }

        /// Sends this process a signal that it has a handler for.
        fn raise(name: &str) {
            let command = format!("kill -{name} {}", process::id());
            let sent = Command::new("/bin/sh").args(["-c", &command]).status();
            assert!(sent.expect("a shell").success(), "{name}");
        }

        /// The first SIGHUP made the game under way the last one, and the second one forfeited it.
        #[tokio::test]
        async fn a_terminal_that_goes_away_asks_no_game_to_end() {
            let mut requests = terminations_beyond_terminal();
            let mut hangups = signal(SignalKind::hangup()).expect("a handler");
            let _terminate = signal(SignalKind::terminate()).expect("a handler");
            for _ in 0..2 {
                raise("HUP");
                hangups.recv().await.expect("heard");
                yield_now().await;
                let asked = requests.try_recv();
                assert!(asked.is_err(), "{asked:?}");
            }
            raise("TERM");
            requests.recv().await.expect("a request");
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

    /// Does nothing: the system has no SIGHUP.
    pub fn outlive_hangups() {}
}
