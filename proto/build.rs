//! Compiles `monju.v1` with protox, so that no `protoc` has to be installed.

use prost::Message as _;
use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=monju");
    let descriptors = protox::compile(
        [
            "monju/v1/common.proto",
            "monju/v1/worker.proto",
            "monju/v1/coordinator.proto",
        ],
        ["."],
    )?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("monju.v1.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
