//! Runs one target under libFuzzer: `tests/fuzz/run.sh` builds and starts it.
//!
//! `MONJU_FUZZ_TARGET` names the target. With `MONJU_FUZZ_CORPUS`, a folder, its corpus and its words are
//! written there before anything else.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use monju_fuzz::{FuzzTarget, LONGEST, target};
use std::{env, fs, path::PathBuf, sync::OnceLock};

static TARGET: OnceLock<FuzzTarget> = OnceLock::new();

fn begin() {
    let name = env::var("MONJU_FUZZ_TARGET").expect("MONJU_FUZZ_TARGET names the target");
    let target = target(&name).unwrap_or_else(|| panic!("no target {name}"));
    TARGET.get_or_init(|| target);
    if let Some(folder) = env::var_os("MONJU_FUZZ_CORPUS").map(PathBuf::from) {
        for (number, input) in (target.corpus)().into_iter().enumerate() {
            let length = input.len().min(LONGEST);
            fs::write(folder.join(format!("corpus-{number}")), &input[..length])
                .expect("a folder to write to");
        }
    }
}

fuzz_target!(init: begin(), |bytes: &[u8]| -> Corpus {
    let target = TARGET.get().expect("the target is set first");
    (target.run)(bytes);
    Corpus::Keep
});
