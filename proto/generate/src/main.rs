//! Writes the gRPC code of `monju.v1` from its `.proto` files: `cargo run -p monju-proto-generate` after each change of
//! them.
//!
//! The code is kept in the tree, so that a build of Monju does not begin with a compiler of protocols.
#![forbid(unsafe_code)]

use prost::Message as _;
use std::{error::Error, fs, path::Path};

/// The files that are written: the descriptors for server reflection, and the code.
const FILES: [&str; 2] = ["monju.v1.bin", "monju.v1.rs"];

/// Folder of the `.proto` files, and of the crate that they belong to.
fn proto() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Compiles the `.proto` files and writes the [`FILES`] to a folder.
fn generate(folder: &Path) -> Result<(), Box<dyn Error>> {
    let descriptors = protox::compile(
        ["common", "worker", "coordinator"].map(|file| format!("monju/v1/{file}.proto")),
        [proto()],
    )?;
    fs::write(folder.join(FILES[0]), descriptors.encode_to_vec())?;
    tonic_prost_build::configure()
        .out_dir(folder)
        .compile_fds(descriptors)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    generate(&proto().join("generated"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kept_code_is_that_of_the_proto_files() {
        let folder = tempfile::tempdir().expect("a folder");
        generate(folder.path()).expect("the .proto files compile");
        for name in FILES {
            let generated = fs::read(folder.path().join(name)).expect("generated");
            let kept = fs::read(proto().join("generated").join(name)).expect("kept");
            assert!(
                kept == generated,
                "proto/generated/{name} is not what the .proto files say; write it anew with \
                 'cargo run -p monju-proto-generate'"
            );
        }
    }
}
