//! The table of rules in `coordinator/USI.md` names tests that exist.

use std::{fs, path::Path};

/// Collects the text of all source files in a folder and the folders inside it.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).expect("a source file"));
        }
    }
}

#[test]
fn the_table_of_rules_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = fs::read_to_string(root.join("coordinator/USI.md")).expect("the table");
    let mut text = String::new();
    for folder in ["coordinator", "worker", "tests/e2e"] {
        sources(&root.join(folder), &mut text);
    }
    let mut checked = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let tests = row.split('|').nth(3).expect("a column of tests");
        // Every second part of the text is a name.
        for name in tests.split('`').skip(1).step_by(2) {
            let is_there = match name.ends_with(".rs") {
                true => root.join(name).exists(),
                false => {
                    let test = name.rsplit("::").next().expect("a name");
                    text.contains(&format!("fn {test}("))
                }
            };
            assert!(is_there, "{name}");
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} tests found");
}
