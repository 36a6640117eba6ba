//! `monju mate`.

use monju_tests::{
    alone,
    binary::monju,
    command::{json_of, output_of, refusal_of, run, without_times},
    data::repository,
    foreign::referee_python,
};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// A mate in three: a drop that the king must take or flee from.
const THREE: &str = "lnsG5/4g4/prpp1p1pp/1p4p2/4+B3k/2P1P4/P+b1PSP1LP/4K2SL/2G2G1r1 b SP3nl3p 71";

/// Checks that take millions of positions.
const LONG: &str =
    "1nS1k1Gnl/4+L2g1/3p1s1pp/2psppp2/1p7/2PP1PP1P/+BPS+n5/K1gL3+r1/3R4+b w GNL3Pp 118 moves 4c5b";

#[test]
fn a_mate_is_printed_as_json() {
    let object = json_of(&["mate", "sfen", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "--json"]);
    assert_eq!(object["result"], "mate");
    assert_eq!(object["plies"], 1);
    assert_eq!(object["moves"], json!(["G*5b"]));
    assert_eq!(object["shortest"], true);
    assert!(object["nodes"].as_u64().is_some(), "{object}");
    assert!(object["time_ms"].as_u64().is_some(), "{object}");
}

#[test]
fn a_mate_is_printed_in_both_notations() {
    let output = output_of(&["mate", THREE, "--shortest"]);
    assert!(output.contains("in 3 plies, the shortest"), "{output}");
    let moves = json_of(&["mate", THREE, "--shortest", "--json"]);
    let first = moves["moves"][0].as_str().unwrap_or_default();
    assert!(output.contains(&format!("moves     {first}")), "{output}");
    assert!(output.contains("\n   1  ▲"), "{output}");
}

#[test]
fn the_same_question_has_the_same_answer() {
    let ask = || {
        let mut object = json_of(&["mate", THREE, "--json"]);
        object["time_us"] = Value::Null;
        without_times(object)
    };
    assert_eq!(ask(), ask());
}

#[test]
fn a_position_without_a_mate_is_told_from_one_left_open() {
    let object = json_of(&["mate", "startpos", "--json"]);
    assert_eq!(
        (&object["result"], &object["plies"]),
        (&json!("no_mate"), &Value::Null)
    );

    let ended = run(&["mate", "sfen", LONG, "--nodes", "5000", "--json"]);
    assert_eq!(ended.status.code(), Some(1), "{}", ended.errors);
    let object: Value = serde_json::from_str(&ended.output).expect("an object");
    assert_eq!(object["result"], "unknown");
    assert!(
        object["nodes"].as_u64().is_some_and(|nodes| nodes <= 5000),
        "{object}"
    );
    assert!(ended.errors.contains("--nodes"), "{}", ended.errors);

    let ended = run(&["mate", "sfen", LONG, "--time", "20"]);
    assert_eq!(ended.status.code(), Some(1), "{}", ended.errors);
    assert!(ended.output.contains("unknown"), "{}", ended.output);
}

#[test]
fn nonsense_is_refused() {
    refusal_of(&["mate"]);
    refusal_of(&["mate", "sfen", "nonsense"]);
    refusal_of(&["mate", "startpos", "--nodes", "0"]);
    refusal_of(&["mate", "startpos", "--time", "soon"]);
    refusal_of(&["mate", "startpos", "--hash", "0"]);
}

#[test]
fn lines_hold_against_another_rules_library() {
    let _alone = alone();
    let Some(python) = referee_python() else {
        return;
    };
    for (step, options) in [("20", &[][..]), ("60", &["--shortest"][..])] {
        let output = Command::new(&python)
            .arg(repository().join("tests/referee/mates.py"))
            .arg("--monju")
            .arg(monju())
            .args(["--step", step, "--time", "60000"])
            .args(options)
            .arg(repository().join("tests/data/mate/mates.tsv"))
            .stderr(Stdio::inherit())
            .output()
            .expect("python starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
        assert!(text.contains("'unknown': 0"), "{text}");
    }
}
