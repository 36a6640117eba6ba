//! Commands of `monju` that do one thing and end.

use crate::{
    binary::monju,
    json_keys::{assert_documented, command_of},
    process::{Ended, PATIENCE, Process},
};
use serde_json::Value;

/// Runs `monju` with arguments and an empty standard input until it ends.
pub fn run(arguments: &[&str]) -> Ended {
    let mut process = Process::start(monju(), arguments);
    process.close_input();
    process.wait(PATIENCE)
}

/// Runs a command that must succeed; returns its standard output.
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

/// Runs a command that must succeed and print one JSON object, whose keys the guide must have; returns it.
pub fn json_of(arguments: &[&str]) -> Value {
    let output = output_of(arguments);
    let object = serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"));
    assert_documented(&command_of(arguments), &object);
    object
}

/// Runs a command that must fail: exit status not 0, nothing on standard output, one line on standard
/// error, which is returned.
pub fn complaint_of(arguments: &[&str]) -> String {
    complaint(arguments).0
}

/// Runs a command whose arguments make no sense: as [`complaint_of`], with exit status 2.
pub fn refusal_of(arguments: &[&str]) -> String {
    let (line, status) = complaint(arguments);
    assert_eq!(status, 2, "monju {}: {line}", arguments.join(" "));
    line
}

/// Runs a command that cannot do what its arguments ask for: as [`complaint_of`], with exit status 1.
pub fn failure_of(arguments: &[&str]) -> String {
    let (line, status) = complaint(arguments);
    assert_eq!(status, 1, "monju {}: {line}", arguments.join(" "));
    line
}

/// The line and the exit status of a command that must fail.
fn complaint(arguments: &[&str]) -> (String, i32) {
    let ended = run(arguments);
    let command = arguments.join(" ");
    assert!(!ended.status.success(), "monju {command} succeeded");
    let code = ended.status.code().filter(|code| *code < 100);
    let Some(code) = code else {
        panic!(
            "monju {command} crashed: {}\n{}",
            ended.status, ended.errors
        );
    };
    assert_eq!(ended.output, "", "monju {command}");
    // On a busy machine games tell their progress before they fail.
    let is_progress = |line: &&str| line.contains(" games/h, ");
    let lines: Vec<&str> = (ended.errors.lines())
        .filter(|line| !is_progress(line))
        .collect();
    assert_eq!(lines.len(), 1, "monju {command}: {lines:#?}");
    (lines[0].to_owned(), code)
}

/// Removes from an output all that depends on the clock: times, and speeds.
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
