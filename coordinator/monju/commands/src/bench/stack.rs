//! The thread that a search runs on.

use anyhow::Context;
use monju_engine::STACK_BYTES;
use std::thread;

/// Runs `work` on a thread with the stack that a search needs.
pub fn on_search_stack<T: Send>(
    work: impl FnOnce() -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let search = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .context("cannot start the search thread")?;
        // The panic has been reported already; here it goes on.
        search
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
