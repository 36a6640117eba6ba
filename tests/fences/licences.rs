//! Every crate that is linked has a licence of the list in `deny.toml`.

use crate::workspace::{read, shown};
use monju_tests::data::repository;
use serde_json::Value;
use spdx::{Expression, ParseMode};
use std::{collections::BTreeSet, env, process::Command};

/// Runs `cargo metadata` without a network, for the platform of the tests.
fn metadata() -> Value {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let version = Command::new("rustc").arg("-vV").output();
    let version = String::from_utf8(version.expect("rustc starts").stdout).expect("UTF-8");
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let output = Command::new(cargo)
        .current_dir(repository())
        .args(["metadata", "--format-version=1", "--offline", "--locked"])
        .args(["--filter-platform", host.expect("a host")])
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn every_crate_has_an_allowed_licence() {
    let file = repository().join("deny.toml");
    let rules: toml::Table = read(&file)
        .parse()
        .unwrap_or_else(|error| panic!("{}: {error}", shown(&file)));
    let allowed = rules["licenses"]["allow"].as_array().expect("a list");
    let allowed: BTreeSet<&str> = allowed.iter().filter_map(|name| name.as_str()).collect();

    let metadata = metadata();
    let nodes = metadata["resolve"]["nodes"].as_array().expect("nodes");
    let linked: BTreeSet<&str> = nodes
        .iter()
        .filter_map(|node| node["id"].as_str())
        .collect();
    let packages = metadata["packages"].as_array().expect("packages");
    let mut wrong = Vec::new();
    for package in packages {
        if !linked.contains(package["id"].as_str().expect("an id")) {
            continue;
        }
        let licence = package["license"].as_str().unwrap_or_default();
        let expression = Expression::parse_mode(licence, ParseMode::LAX);
        let is_allowed = expression.is_ok_and(|expression| {
            expression.evaluate(|needed| {
                let id = needed.license.id();
                needed.exception.is_none() && id.is_some_and(|id| allowed.contains(id.name))
            })
        });
        if !is_allowed {
            wrong.push(format!("{} has '{licence}'", package["name"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
