//! The `monju` binary, built once in the profile of the running test.

use crate::data::repository;
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The path of the binary under test: the one `MONJU_BINARY` names, or else a fresh build in the
/// target folder and profile that the test itself was built in.
pub fn monju() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match env::var_os("MONJU_BINARY") {
        Some(named) => PathBuf::from(named),
        None => beside_this_program().unwrap_or_else(build),
    })
}

/// The binary beside a program of this crate; `None` for a test, which lies in a folder `deps`.
fn beside_this_program() -> Option<PathBuf> {
    let program = env::current_exe().expect("the path of the running program");
    let folder = program.parent().expect("a folder");
    if folder.file_name().is_some_and(|name| name == "deps") {
        return None;
    }
    let binary = folder.join(format!("monju{}", env::consts::EXE_SUFFIX));
    assert!(
        binary.is_file(),
        "no {}; build it: cargo build --bin monju, with the same profile",
        binary.display()
    );
    Some(binary)
}

/// Builds the binary. It belongs to another package than the tests do, so cargo does not build it
/// on its own when it builds them.
///
/// A test target is named beside it, because cargo then chooses the features of dependencies as
/// `cargo test --workspace` does: next to nothing is left to compile after that.
fn build() -> PathBuf {
    let test = env::current_exe().expect("the path of the running test");
    // target/<profile folder>/deps/<test>
    let profile_folder = test.ancestors().nth(2).expect("a profile folder");
    let profile = match profile_folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") => "dev",
        Some(name) => name,
        None => panic!("no profile in {}", test.display()),
    };
    let target = profile_folder.parent().expect("a target folder");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(repository())
        .args(["build", "--quiet", "--workspace", "--bin", "monju"])
        .args(["--test", "perft", "--profile", profile, "--target-dir"])
        .arg(target)
        .status()
        .expect("cargo starts");
    assert!(status.success(), "the monju binary does not build");
    profile_folder.join(format!("monju{}", env::consts::EXE_SUFFIX))
}
