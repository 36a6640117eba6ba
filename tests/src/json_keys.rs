//! The keys of JSON objects, compared with `docs/guide-json.md`.

use serde_json::Value;
use std::collections::HashSet;

const GUIDE: &str = include_str!("../../docs/guide-json.md");
const BALLOTS: &str = include_str!("../../coordinator/BALLOTS.md");

/// Asserts that the guide has every key that a command has printed. Names below a key that ends in `.*` depend on the
/// run.
pub fn assert_documented(command: &str, object: &Value) {
    let section = match command {
        "consult" => BALLOTS,
        command => section(command).unwrap_or_else(|| panic!("no 'monju {command}' in the guide")),
    };
    let keys = DocumentedKeys::of(section);
    let mut missing = Vec::new();
    keys.find_missing(object, &mut missing);
    assert!(
        missing.is_empty(),
        "docs/guide-json.md, 'monju {command}', lacks {missing:?}"
    );
}

/// Returns the command of some arguments as the guide has it, one or two words.
pub(crate) fn command_of(arguments: &[&str]) -> String {
    let words = match arguments {
        ["book" | "experiment", ..] => 2,
        _ => 1,
    };
    arguments[..words.min(arguments.len())].join(" ")
}

/// Returns the section about a command.
fn section(command: &str) -> Option<&'static str> {
    let heading = format!("\n## monju {command}\n");
    let (_, rest) = GUIDE.split_once(&heading)?;
    Some(rest.split("\n## ").next().unwrap_or(rest))
}

/// The keys that a section names in backticks.
struct DocumentedKeys<'a> {
    names: HashSet<&'a str>,
    /// Those whose own keys depend on the run.
    maps: HashSet<&'a str>,
}

impl<'a> DocumentedKeys<'a> {
    fn of(section: &'a str) -> Self {
        let (mut names, mut maps) = (HashSet::new(), HashSet::new());
        // Every other part lies between backticks.
        for path in section.split('`').skip(1).step_by(2) {
            let parts = path.split('.').map(|part| part.trim_end_matches("[]"));
            let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            maps.extend(
                parts
                    .windows(2)
                    .filter(|pair| pair[1] == "*")
                    .map(|pair| pair[0]),
            );
            names.extend(parts);
        }
        Self { names, maps }
    }

    fn find_missing(&self, value: &Value, missing: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                for (key, inner) in object {
                    if !self.names.contains(key.as_str()) {
                        missing.push(key.clone());
                    }
                    if !self.maps.contains(key.as_str()) {
                        self.find_missing(inner, missing);
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.find_missing(item, missing);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    #[test]
    fn a_key_that_the_guide_lacks_is_found() {
        let keys = DocumentedKeys::of("| `a`, `.b[]` | of `c.d.*` |\n| `e[][]` | |");
        let mut missing = Vec::new();
        let object = json!({ "a": [{ "b": 1, "x": { "y": 0 } }], "c": { "d": { "any": { "z": 0 } } }, "e": [[1]] });
        keys.find_missing(&object, &mut missing);
        assert_eq!(missing, ["x", "y"]);
    }

    #[test]
    fn the_reports_of_kept_results_are_documented() {
        let results = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../configs/experiments/results"
        );
        let mut read = 0;
        for folder in fs::read_dir(results).expect("the results") {
            let report = folder.expect("a folder").path().join("report.json");
            if let Ok(text) = fs::read_to_string(report) {
                assert_documented(
                    "experiment report",
                    &serde_json::from_str(&text).expect("JSON"),
                );
                read += 1;
            }
        }
        assert!(read > 10, "{read} reports");
    }

    #[test]
    fn every_section_is_found() {
        for command in ["perft", "book show", "experiment status", "status"] {
            let section = section(command).expect("a section");
            assert!(
                section.contains("| key |") && !section.contains("\n## "),
                "{command}"
            );
        }
        assert_eq!(command_of(&["book", "show", "a"]), "book show");
        assert_eq!(command_of(&["perft"]), "perft");
    }
}
