//! The oldest supported compiler is the one that builds.

use crate::workspace::read;
use monju_tests::data::repository;

#[test]
fn the_toolchain_is_the_oldest_supported_one() {
    let parse = |name: &str| -> toml::Table {
        let parsed = read(&repository().join(name)).parse();
        parsed.unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let used = parse("rust-toolchain.toml");
    let used = used["toolchain"]["channel"].as_str().expect("a version");
    let manifest = parse("Cargo.toml");
    let oldest = manifest["workspace"]["package"]["rust-version"].as_str();
    let oldest = oldest.expect("a version");
    assert_eq!(used, format!("{oldest}.0"));
}
