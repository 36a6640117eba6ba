//! The direction of dependencies between the crates, read from their manifests.

use crate::workspace::{Crate, crates};
use std::collections::BTreeSet;

/// Crates of the workspace that each crate may depend on.
const DIRECTIONS: [(&str, &[&str]); 18] = [
    ("monju-engine", &[]),
    ("monju-records", &["monju-engine"]),
    ("monju-gradient", &["monju-engine"]),
    (
        "monju-learn",
        &["monju-engine", "monju-gradient", "monju-records"],
    ),
    ("monju-proto", &["monju-engine"]),
    ("monju-proto-generate", &[]),
    ("monju-host", &["monju-engine", "monju-proto"]),
    (
        "monju-worker",
        &["monju-engine", "monju-host", "monju-proto"],
    ),
    ("monju-coordinator", &["monju-engine", "monju-proto"]),
    (
        "monju-team",
        &[
            "monju-coordinator",
            "monju-engine",
            "monju-host",
            "monju-proto",
            "monju-worker",
        ],
    ),
    (
        "monju-usi",
        &[
            "monju-coordinator",
            "monju-engine",
            "monju-host",
            "monju-proto",
            "monju-team",
        ],
    ),
    (
        "monju-experiment",
        &[
            "monju-coordinator",
            "monju-engine",
            "monju-host",
            "monju-proto",
            "monju-team",
        ],
    ),
    (
        "monju-page",
        &["monju-coordinator", "monju-engine", "monju-proto"],
    ),
    (
        "monju-commands",
        &[
            "monju-coordinator",
            "monju-engine",
            "monju-experiment",
            "monju-host",
            "monju-learn",
            "monju-page",
            "monju-proto",
            "monju-records",
            "monju-team",
            "monju-usi",
            "monju-worker",
        ],
    ),
    (
        "monju",
        &[
            "monju-commands",
            "monju-coordinator",
            "monju-engine",
            "monju-experiment",
            "monju-host",
            "monju-learn",
            "monju-proto",
            "monju-records",
            "monju-team",
            "monju-usi",
        ],
    ),
    ("monju-tests", &["monju-engine", "monju-host"]),
    (
        "monju-simulation",
        &[
            "monju-coordinator",
            "monju-engine",
            "monju-host",
            "monju-proto",
            "monju-team",
            "monju-usi",
        ],
    ),
    (
        "monju-fuzz",
        &[
            "monju-coordinator",
            "monju-engine",
            "monju-experiment",
            "monju-host",
            "monju-learn",
            "monju-page",
            "monju-proto",
            "monju-records",
            "monju-team",
            "monju-usi",
        ],
    ),
];

/// The support of the end-to-end tests, which tests alone may use.
const TEST_SUPPORT: &str = "monju-tests";

/// The simulation, which has commands of its own.
const SIMULATION: &str = "monju-simulation";

/// The fuzz targets, which have one.
const FUZZ: &str = "monju-fuzz";

/// Crates of others that the engine may depend on: positions in, moves out.
const OF_THE_ENGINE: [&str; 6] = ["libm", "rand", "rand_distr", "rustix", "strum", "thiserror"];

/// Crates of others that one crate alone may depend on.
const OWNED: [(&str, &str); 3] = [
    ("axum", "monju-page"),
    ("clap", "monju"),
    ("sqlx", "monju-experiment"),
];

/// Names of the dependencies in all tables of a kind, those of single platforms included.
fn dependencies(of: &Crate, kinds: &[&str]) -> BTreeSet<String> {
    let platforms = of
        .manifest
        .get("target")
        .and_then(|targets| targets.as_table());
    let platforms = platforms.into_iter().flat_map(|targets| targets.values());
    let tables = platforms
        .filter_map(|target| target.as_table())
        .chain([&of.manifest]);
    let mut names = BTreeSet::new();
    for table in tables {
        for kind in kinds {
            let table = table.get(*kind).and_then(|table| table.as_table());
            names.extend(table.into_iter().flat_map(|table| table.keys().cloned()));
        }
    }
    names
}

#[test]
fn dependencies_point_one_way() {
    let crates = crates();
    let names: Vec<&str> = crates.iter().map(|one| one.name.as_str()).collect();
    let mut wrong = Vec::new();
    for one in &crates {
        let known = DIRECTIONS.iter().find(|(name, _)| *name == one.name);
        let Some((_, allowed)) = known else {
            panic!("crate {} has no place in the table of directions", one.name);
        };
        let kinds = ["dependencies", "build-dependencies", "dev-dependencies"];
        for name in dependencies(one, &kinds) {
            let is_test_support =
                name == TEST_SUPPORT && !dependencies(one, &kinds[..2]).contains(TEST_SUPPORT);
            if names.contains(&name.as_str())
                && !allowed.contains(&name.as_str())
                && !is_test_support
            {
                wrong.push(format!("{} depends on {name}", one.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_engine_needs_no_runtime_and_no_configuration_files() {
    let crates = crates();
    let engine = crates.iter().find(|one| one.name == "monju-engine");
    let needed = dependencies(
        engine.expect("an engine"),
        &["dependencies", "build-dependencies"],
    );
    let strangers: Vec<_> = needed
        .iter()
        .filter(|name| !OF_THE_ENGINE.contains(&name.as_str()))
        .collect();
    assert!(strangers.is_empty(), "{strangers:?}");
}

#[test]
fn databases_and_command_lines_belong_to_one_crate_each() {
    for one in crates() {
        if [TEST_SUPPORT, SIMULATION, FUZZ].contains(&one.name.as_str()) {
            continue;
        }
        let needed = dependencies(&one, &["dependencies", "build-dependencies"]);
        for (name, owner) in OWNED {
            let is_stranger = needed.contains(name) && one.name != owner;
            assert!(!is_stranger, "{} depends on {name}", one.name);
        }
    }
}
