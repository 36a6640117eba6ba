//! Ballots are recorded, decided again, and learned from.

use monju_tests::{
    alone,
    command::{complaint_of, json_of, output_of},
    data::opening,
    usi::Usi,
};
use serde_json::{Value, json};
use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

/// Every rule that needs no primary player, by its name in configurations.
const RULES: [&str; 11] = [
    "majority",
    "weighted",
    "optimistic",
    "pessimistic",
    "majority-then-optimistic",
    "mean-score",
    "ranked",
    "careful",
    "single",
    "alternate",
    "hand-over",
];

/// A file in a folder that goes away with the test.
fn log_in(folder: &Path) -> (PathBuf, String) {
    let path = folder.join("ballots.jsonl");
    let text = path.to_str().expect("a path in UTF-8").to_owned();
    (path, text)
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a log");
    let line = |line: &str| serde_json::from_str(line).expect("a line of JSON");
    text.lines().map(line).collect()
}

#[test]
fn every_rule_is_chosen_by_name_recorded_and_replayed_to_the_same_move() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let (path, log) = log_in(folder.path());
    for (index, rule) in RULES.iter().enumerate() {
        let position = opening(index);
        let shown = json_of(&[
            "consult",
            &position,
            "--players",
            "4",
            "--evaluator",
            "material",
            "--sigma",
            "107.5",
            "--nodes",
            "3000",
            "--rule",
            rule,
            "--log",
            &log,
            "--json",
        ]);
        let recorded = lines(&path).pop().expect("a line");
        assert_eq!(recorded["kind"], "ballot");
        assert_eq!(recorded["version"], 1);
        for key in ["position", "votes", "tally", "decision", "position_id"] {
            assert_eq!(recorded[key], shown[key], "{key}");
        }
        assert_eq!(shown["decision"]["rule"], *rule);
        assert_eq!(shown["votes"][0]["sigma"], 107.5);
        let ranks = shown["votes"][0]["candidates"]
            .as_array()
            .expect("candidates");
        assert_eq!(ranks.len() > 1, *rule == "ranked", "{rule}");
        let judged = shown["votes"][0]["danger"].as_str();
        assert_eq!(judged.is_some(), *rule == "careful", "{rule}: {judged:?}");
    }
    assert_eq!(lines(&path).len(), RULES.len());

    let report = json_of(&["replay", &log, "--json"]);
    assert_eq!(report["voted"], RULES.len());
    assert_eq!(report["changes"], json!([]), "each under its own rule");
    assert_eq!(report["members"].as_array().map(Vec::len), Some(4));
    let table = output_of(&["replay", &log, "--rule", "optimistic"]);
    for part in [
        "Agreement of the members",
        "table 1 of Ito et al. (2011)",
        "107.5",
    ] {
        assert!(table.contains(part), "no '{part}' in\n{table}");
    }
    let error = complaint_of(&["replay", &log, "--primary", "nobody"]);
    assert!(
        error.contains("no ballot has a vote of a player 'nobody'"),
        "{error}"
    );
}

const HANDICAP: &str = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";

#[test]
fn a_game_teaches_win_rates_that_the_next_ballot_uses() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let (path, log) = log_in(folder.path());
    let mut usi = Usi::ready(&["--players", "2", "--evaluator", "material", "--log", &log]);
    // White lacks rook and bishop, so that the scores foretell the winner.
    let mut position = format!("sfen {HANDICAP} b - 1 moves 7g7f");
    for _ in 0..60 {
        let mv = usi.think(&position, "go nodes 400").bestmove;
        if mv == "resign" || mv == "win" {
            break;
        }
        position = format!("{position} {mv}");
    }
    assert!(usi.quit().status.success());
    let ballots = lines(&path);
    assert!(ballots.len() >= 30, "{} ballots", ballots.len());

    let last = ballots.last().expect("a ballot");
    let result = json!({
        "kind": "result", "version": 1, "game_id": last["game_id"],
        "winner": "black", "reason": "test",
    });
    let mut file = OpenOptions::new()
        .append(true)
        .open(&path)
        .expect("the log");
    writeln!(file, "{result}").expect("written");

    let calibration = folder.path().join("calibration.toml");
    let calibration = calibration.to_str().expect("a path in UTF-8");
    // The win rates were written over the log itself.
    let before = fs::read(&path).expect("the log");
    for output in [
        &log,
        &format!("{}/./ballots.jsonl", folder.path().display()),
    ] {
        let line = complaint_of(&["calibrate", &log, "--output", output]);
        assert!(line.contains("which is read; choose another"), "{line}");
    }
    assert!(fs::read(&path).expect("the log") == before);
    let lesson = json_of(&["calibrate", &log, "--output", calibration, "--json"]);
    assert_eq!(lesson["games"], 1);
    assert!(
        lesson["engines"][0]["scale"].as_f64() > Some(0.0),
        "{lesson}"
    );

    let config = folder.path().join("monju.toml");
    let text = "version = 1\n[[player]]\nname = \"a\"\ncount = 3\nsigma = 50\n\
                evaluator = \"material\"\n[ensemble]\nrule = \"optimistic\"\ncalibration = \"calibration.toml\"\n";
    fs::write(&config, text).expect("written");
    let config = config.to_str().expect("a path in UTF-8");
    let ballot = json_of(&["consult", "--config", config, "--nodes", "2000", "--json"]);
    let rates = ballot["votes"].as_array().expect("votes");
    let best = rates
        .iter()
        .max_by(|one, two| {
            let rate = |vote: &Value| vote["win_rate"].as_f64().unwrap_or(-1.0);
            rate(one).total_cmp(&rate(two))
        })
        .expect("votes");
    assert!(best["win_rate"].is_f64(), "{best}");
    assert_eq!(ballot["decision"]["move"], best["move"]);
}

#[test]
fn what_cannot_be_read_or_written_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, log) = log_in(folder.path());
    assert!(complaint_of(&["replay", &log]).contains("ballots.jsonl"));
    fs::write(&path, "").expect("written");
    assert!(complaint_of(&["replay", &log]).contains("no ballot"));
    assert!(complaint_of(&["calibrate", &log]).contains("teach no win rates"));
    fs::write(&path, "{}\n").expect("written");
    assert!(complaint_of(&["replay", &log]).contains("ballots.jsonl:1: "));
    assert!(complaint_of(&["replay", &log, "--rule", "coin"]).contains("coin"));
    let absent = folder.path().join("absent/log");
    let absent = absent.to_str().expect("a path in UTF-8");
    let line = complaint_of(&["consult", "--nodes", "10", "--log", absent]);
    assert!(line.contains("cannot be written"), "{line}");
}
