//! The output of the doctor.

use super::*;
use monju_coordinator::{
    doctor::{CallTimes, Facts, PlayerFacts, WorkerFacts},
    voting::Rule,
};
use monju_proto::v1::{Arrival, ExamineResponse, FormTrial, Line, PlayerInfo, Vote};

fn facts() -> Facts {
    let vote = |name: &str, engine: &str, evaluator: &str| Vote {
        player: Some(PlayerInfo {
            name: name.to_owned(),
            engine: engine.to_owned(),
            evaluator: evaluator.to_owned(),
            ..PlayerInfo::default()
        }),
        line: Some(Line {
            r#move: "7g7f".to_owned(),
            nodes: 2_000_000,
            time_ms: 2_000,
            ..Line::default()
        }),
        arrival: Arrival::Final.into(),
        arrived_ms: 1_990,
        legal: true,
        counted: true,
        ..Vote::default()
    };
    let trial = |form: &str, configured, survived| FormTrial {
        form: form.to_owned(),
        configured,
        survived,
        failure: match survived {
            true => String::new(),
            false => "the engine ended (signal: 6)".to_owned(),
        },
        answer_ms: 5,
    };
    Facts {
        version: "0.1.0".to_owned(),
        build: "0.1.0+abc".to_owned(),
        rule: Rule::Majority,
        primary: None,
        test_time: Duration::from_secs(2),
        workers: vec![WorkerFacts {
            name: "desk".to_owned(),
            address: "in-process".to_owned(),
            failure: String::new(),
            is_draining: false,
            version: "0.1.0".to_owned(),
            build: "0.1.0+abc".to_owned(),
            players: 2,
            round_trip: Some(CallTimes {
                median: Duration::from_micros(310),
                longest: Duration::from_micros(900),
            }),
        }],
        players: vec![
            PlayerFacts {
                vote: vote("native", "monju", "material"),
                is_calibrated: true,
                examined: Ok(ExamineResponse::default()),
            },
            PlayerFacts {
                vote: vote("gps", "GPSShogi", ""),
                is_calibrated: false,
                examined: Ok(ExamineResponse {
                    trials: vec![
                        trial("nodes", true, false),
                        trial("depth", false, false),
                        trial("byoyomi", true, true),
                        trial("infinite", false, true),
                    ],
                    ..ExamineResponse::default()
                }),
            },
        ],
    }
}

#[test]
fn the_table() {
    let facts = facts();
    let expected = "\
worker  address     version  players  round trip  longest
desk    in-process  0.1.0          2     0.31 ms  0.90 ms

One test move each, all at once, 2000 ms; rule majority
player  engine          move  nodes/s    after  arrival  win rates
native  monju/material  7g7f  1000000  1990 ms  final    calibrated
gps     GPSShogi        7g7f  1000000  1990 ms  final    -

Forms of go: survived by the engine (yes, no), and listed for it (*)
player  nodes  depth  byoyomi  infinite
gps     no*    no     yes*     yes

error    gps: does not survive these forms of its go list: nodes (the engine ended (signal: 6)); set go = [\"byoyomi\", \"infinite\"]
errors 1, warnings 0
";
    assert_eq!(table::render(&facts, &diagnose(&facts)), expected);
}

#[test]
fn the_json() {
    let facts = facts();
    let text = json::render(&facts, &diagnose(&facts));
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["workers"][0]["round_trip_ms"], 0.31);
    assert_eq!(value["players"][1]["go"][0]["survived"], false);
    assert_eq!(value["players"][0]["nps"], 1_000_000);
    assert_eq!(value["findings"][0]["severity"], "error");
    assert_eq!(
        (&value["errors"], &value["warnings"]),
        (&1.into(), &0.into())
    );
}
