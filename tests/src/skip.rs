//! Reports of tests that were not run.

use std::{fs::OpenOptions, io::Write};

/// Prints `skipped: …`, and appends it to the file that `MONJU_SKIP_LOG` names: the test runner
/// swallows the output of tests that pass.
pub fn skipped(what: &str) {
    let line = format!("skipped: {what}");
    println!("{line}");
    if let Some(path) = std::env::var_os("MONJU_SKIP_LOG") {
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut file| writeln!(file, "{line}"))
            .unwrap_or_else(|error| panic!("{}: {error}", path.to_string_lossy()));
    }
}

/// Skips for want of something installed, or fails where `MONJU_REQUIRE_ENGINES=1` says that
/// everything has been installed.
pub fn missing(what: &str, mend: &str) {
    assert!(
        std::env::var_os("MONJU_REQUIRE_ENGINES").is_none_or(|value| value != "1"),
        "{what} is missing although MONJU_REQUIRE_ENGINES=1: {mend}"
    );
    skipped(&format!("{what} is missing: {mend}"));
}
