//! Failures of the engine, for which our move does not wait.

use monju_host::usi_child::ChildError;
use tokio::time::{Instant, timeout_at};

/// Reason why the engine cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum EngineFailure {
    /// It has ended, or does not play by the protocol.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// It does not read its input or is about to end, and there is no time to find out.
    #[error("the engine took no line in time")]
    Late,
}

/// Waits until the engine has taken a line, or until this time.
pub async fn in_time(
    until: Instant,
    line: impl Future<Output = Result<(), ChildError>>,
) -> Result<(), EngineFailure> {
    let taken = timeout_at(until, line).await;
    taken.map_err(|_| EngineFailure::Late)??;
    Ok(())
}
