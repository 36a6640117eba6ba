//! Every target on its corpus, on everything that was ever found, and on a fixed number of mutations.

use monju_fuzz::{
    FuzzTarget, found,
    mutation::{Random, mutate},
    target,
};
use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
};

/// Multiplies the number of mutations.
const FACTOR: &str = "MONJU_FUZZ_FACTOR";

fn test(name: &str) {
    let target = target(name).unwrap_or_else(|| panic!("no target {name}"));
    let corpus = (target.corpus)();
    for input in corpus.iter().chain(&regressions(name)) {
        try_input(&target, input);
    }
    let factor = std::env::var(FACTOR).map_or(1, |text| text.parse().expect("a whole number"));
    let mut random = Random::new(1);
    for _ in 0..target.mutations * factor {
        try_input(&target, &mutate(&target, &corpus, &mut random));
    }
}

/// Runs an input; writes it to a file where it breaks the target.
fn try_input(target: &FuzzTarget, input: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_err() {
        let name = format!("fuzz-{}", target.name);
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&file, input).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        panic!(
            "the input in {} breaks the target '{}'; mend that, and keep it in tests/fuzz/found/{}/",
            file.display(),
            target.name,
            target.name
        );
    }
}

/// Inputs that were found; a folder is there once something was.
fn regressions(name: &str) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(found(name)) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| fs::read(file).expect("a found input"))
        .collect()
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            test(stringify!($name));
        })*

        #[test]
        fn every_target_is_tested() {
            let tested = [$(stringify!($name)),*];
            let all = monju_fuzz::TARGETS.map(|target| target.name);
            assert_eq!(tested, all);
        }
    };
}

targets! {
    sfen gui child csa kif ki2 jkf lines configuration experiment ballots book weights messages votes
}
