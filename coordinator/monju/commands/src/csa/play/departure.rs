//! The end of an engine that was given up. It may take long, and no move waits for it.

use monju_host::usi_child::UsiChild;
use tokio::sync::watch;

/// The end of one engine. Clones wait for the same one.
#[derive(Clone, Debug)]
pub struct Departure(watch::Receiver<()>);

impl Departure {
    /// Begins to kill an engine.
    pub fn of(mut engine: UsiChild) -> Self {
        let (alive, gone) = watch::channel(());
        tokio::spawn(async move {
            engine.kill().await;
            drop(engine);
            drop(alive);
        });
        Self(gone)
    }

    /// Waits until the engine is gone, or hangs in the system itself.
    pub async fn over(mut self) {
        // Nothing is sent but the end.
        while self.0.changed().await.is_ok() {}
    }
}
