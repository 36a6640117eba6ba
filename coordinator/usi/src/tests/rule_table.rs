//! The table of rules in `coordinator/USI.md` names tests that exist.

use std::{fs, path::Path};

/// Collects the text of all files in a folder and the folders inside it.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, text);
        } else {
            text.push_str(&fs::read_to_string(&path).expect("a source file"));
        }
    }
}

#[test]
fn the_table_of_rules_names_tests_that_exist() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(package.join("../USI.md")).expect("the table");
    let mut text = String::new();
    sources(&package.join("src"), &mut text);
    let mut checked = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let tests = row.split('|').nth(3).expect("a column of tests");
        let mut is_ours = false;
        // Every second part of the text is a name; one without a module is of the last one's module.
        for name in tests.split('`').skip(1).step_by(2) {
            let (module, test) = name.rsplit_once("::").unwrap_or(("", name));
            if !module.is_empty() {
                is_ours = module.starts_with("usi::") || module.starts_with("tests");
            }
            if is_ours {
                assert!(text.contains(&format!("fn {test}(")), "{name}");
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked} tests found");
}
