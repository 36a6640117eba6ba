//! Commands of `monju` that do one thing and end.

use crate::{
    binary::monju,
    process::{Ended, PATIENCE, Process},
};
use serde_json::Value;

/// Runs `monju` with arguments and an empty standard input until it ends.
pub fn run(arguments: &[&str]) -> Ended {
    let mut process = Process::start(monju(), arguments);
    process.close_input();
    process.wait(PATIENCE)
}

/// As [`run`], for a command that must succeed; returns its standard output.
pub fn output_of(arguments: &[&str]) -> String {
    let ended = run(arguments);
    assert!(
        ended.status.success(),
        "monju {}: {}\n{}",
        arguments.join(" "),
        ended.status,
        ended.errors
    );
    ended.output
}

/// As [`output_of`], for a command that prints one JSON object.
pub fn json_of(arguments: &[&str]) -> Value {
    let output = output_of(arguments);
    serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
}

/// As [`run`], for a command that must fail: exit status not 0, nothing on standard output, one
/// line on standard error, which is returned.
pub fn complaint_of(arguments: &[&str]) -> String {
    let ended = run(arguments);
    let command = arguments.join(" ");
    assert!(!ended.status.success(), "monju {command} succeeded");
    assert!(
        ended.status.code().is_some_and(|code| code < 100),
        "monju {command} crashed: {}\n{}",
        ended.status,
        ended.errors
    );
    assert_eq!(ended.output, "", "monju {command}");
    let lines: Vec<&str> = ended.errors.lines().collect();
    assert_eq!(lines.len(), 1, "monju {command}: {lines:#?}");
    lines[0].to_owned()
}

/// A consultation's JSON without what the clock makes of it: times, and speeds taken from them.
pub fn without_times(mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(object) => {
                object.retain(|key, _| {
                    !key.ends_with("_ms") && !key.ends_with("_ns") && key != "nps"
                });
                object.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    value
}
