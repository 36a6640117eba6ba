//! The `monju` binary under test.

use std::{
    env,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Path of the binary: the one that `MONJU_BINARY` names, the one that Cargo built for the running
/// test, or the one beside the running program.
pub fn monju() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let named = env::var_os("MONJU_BINARY").or_else(|| env::var_os("CARGO_BIN_EXE_monju"));
        named.map_or_else(beside_this_program, PathBuf::from)
    })
}

fn beside_this_program() -> PathBuf {
    let program = env::current_exe().expect("the path of the running program");
    let folder = program.parent().expect("a folder");
    let binary = folder.join(format!("monju{}", env::consts::EXE_SUFFIX));
    assert!(
        binary.is_file(),
        "no {}; build it: cargo build --bin monju, with the same profile",
        binary.display()
    );
    binary
}
