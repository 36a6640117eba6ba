//! Runs one target under libFuzzer: `tests/fuzz/run.sh` builds and starts it.
//!
//! `MONJU_FUZZ_TARGET` names the target. With `MONJU_FUZZ_CORPUS`, a folder, its corpus is written there
//! before anything else, and its words beside it as a dictionary.
#![no_main]

use libfuzzer_sys::fuzz_target;
use monju_fuzz::{FuzzTarget, LONGEST, target};
use std::{env, fs, path::PathBuf, sync::OnceLock};

static TARGET: OnceLock<FuzzTarget> = OnceLock::new();

fn begin() {
    // libFuzzer's own hook ends the process at every panic, also at one that the code bounds; a panic that
    // leaves the target ends it all the same.
    drop(std::panic::take_hook());
    let name = env::var("MONJU_FUZZ_TARGET").expect("MONJU_FUZZ_TARGET names the target");
    let target = target(&name).unwrap_or_else(|| panic!("no target {name}"));
    TARGET.get_or_init(|| target);
    if let Some(folder) = env::var_os("MONJU_FUZZ_CORPUS").map(PathBuf::from) {
        for (number, input) in (target.corpus)().into_iter().enumerate() {
            let length = input.len().min(LONGEST);
            fs::write(folder.join(format!("corpus-{number}")), &input[..length])
                .expect("a folder to write to");
        }
        let escaped = |word: &&str| -> String {
            let bytes = word.bytes().map(|byte| format!("\\x{byte:02x}"));
            format!("\"{}\"\n", bytes.collect::<String>())
        };
        let words: String = target.words.iter().map(escaped).collect();
        fs::write(folder.with_extension("dict"), words).expect("a folder to write to");
    }
}

fuzz_target!(init: begin(), |bytes: &[u8]| {
    let target = TARGET.get().expect("the target is set first");
    (target.run)(bytes);
});
