//! The thread that a search runs on.

use anyhow::Context;

/// Runs `work` on a thread with the stack that a search needs.
pub fn on_search_stack<T: Send>(
    work: impl FnOnce() -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    monju_engine::on_search_stack(work).context("cannot start the search thread")?
}
