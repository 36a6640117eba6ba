//! Names the commit that the binary is built from, for `monju --version`, ballots and reports, and sets
//! arguments of the linker.

use std::{path::Path, process::Command};

/// Folders and files whose changes make another build.
const SOURCES: [&str; 7] = [
    ".cargo",
    "Cargo.lock",
    "Cargo.toml",
    "coordinator",
    "engine",
    "proto",
    "worker",
];

/// Variable that names the commit to the program; one of the environment comes before git, for builds without a
/// repository.
const COMMIT: &str = "MONJU_COMMIT";

fn main() {
    // Cargo runs this in the package's folder. Checkouts that share a folder of build outputs share this program as
    // well, so that a path known to its compiler, or an absolute one for Cargo, may be that of another checkout.
    let root = Path::new("../..");
    for source in SOURCES {
        println!("cargo:rerun-if-changed={}", root.join(source).display());
    }
    // A commit moves HEAD or the branch that it names; both are noted in its log.
    if let Some(log) = git(root, &["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={}", root.join(log).display());
    }
    println!("cargo:rerun-if-env-changed={COMMIT}");
    let given = std::env::var(COMMIT).ok();
    let commit = given.filter(|commit| !commit.is_empty());
    let commit = commit.unwrap_or_else(|| commit_of(root));
    println!("cargo:rustc-env={COMMIT}={commit}");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        // Builds of equal code are equal but for the commit's name, so that experiments go on after a
        // commit that changes no code.
        println!("cargo:rustc-link-arg-bins=-Wl,--build-id=none");
        // Addresses of functions are read-only once the program runs, which `.cargo/config.toml` leaves out.
        println!("cargo:rustc-link-arg-bins=-Wl,-z,relro,-z,now");
    }
    if links_with_lld() {
        // Equal functions are linked once, which makes the binary smaller by more than a megabyte.
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}

/// Tells whether the compiler links by its own LLD. The releases of Rust do so for this target, and bring
/// it; compilers of distributions and other linkers may not know the arguments of LLD.
fn links_with_lld() -> bool {
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    let is_default = |name: &str| std::env::var(name).is_err();
    let names_linker =
        std::env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("link"));
    if !std::env::var("TARGET").is_ok_and(|target| target == TARGET)
        || !is_default("RUSTC_LINKER")
        || names_linker
    {
        return false;
    }
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).args(["--print", "sysroot"]).output();
    let sysroot = output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    sysroot.is_some_and(|sysroot| {
        let lld = format!("lib/rustlib/{TARGET}/bin/gcc-ld/ld.lld");
        Path::new(sysroot.trim()).join(lld).is_file()
    })
}

/// Returns the commit, and whether files that it tracks were changed; `unknown` outside of a repository.
fn commit_of(root: &Path) -> String {
    let Some(commit) = git(root, &["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".to_owned();
    };
    let changes = [
        &["status", "--porcelain", "--untracked-files=no", "--"],
        &SOURCES[..],
    ]
    .concat();
    match git(root, &changes).as_deref() {
        Some("") => commit,
        _ => format!("{commit}, changed"),
    }
}

/// Returns what git prints; `None` if it fails or is not installed.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
