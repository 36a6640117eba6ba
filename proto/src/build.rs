//! The build of this program, by which mixed teams are told.

use std::sync::OnceLock;

static BUILD: OnceLock<String> = OnceLock::new();

/// Names the build, such as by its version and commit. Only the first name counts, and only one that comes before
/// anything is served or asked.
pub fn set(name: String) {
    let _ = BUILD.set(name);
}

/// Returns the name of the build: the version of the crate, unless [`set`] has named it.
pub fn name() -> &'static str {
    BUILD.get_or_init(|| env!("CARGO_PKG_VERSION").to_owned())
}
