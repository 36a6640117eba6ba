//! A thread for searches, which recurse once for each ply.

use crate::search::STACK_BYTES;
use std::{io, panic::resume_unwind, thread};

/// Runs `work` on a thread of its own with a stack of [`STACK_BYTES`], and returns its result. A panic goes on in the
/// thread that waits.
///
/// # Errors
/// The thread cannot be started.
pub fn on_search_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let search = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)?;
        Ok(search.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
