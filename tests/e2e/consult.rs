//! `monju consult`: the ballot as a table and as JSON, and the same ballot twice.

use monju_tests::{
    alone,
    cluster::ServiceProcess,
    command::{json_of, output_of, without_times},
    data::{assert_legal, config, opening},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashSet},
    fs,
};

/// Arrivals of votes with a move.
const ARRIVED: [&str; 2] = ["final", "provisional"];

#[test]
fn the_table_shows_every_vote_and_the_decision() {
    let arguments = ["consult", "--players", "3", "--sigma", "50"];
    let limits = ["--seed", "1", "--nodes", "20000"];
    let table = output_of(&[&arguments[..], &limits[..]].concat());
    let object = json_of(&[&arguments[..], &limits[..], &["--json"]].concat());
    for vote in votes(&object) {
        let (player, mv) = (text(&vote["player"]), text(&vote["move"]));
        let shown = table
            .lines()
            .any(|line| line.contains(player) && line.contains(mv));
        assert!(shown, "no line with {player} and {mv}:\n{table}");
    }
    let decision = text(&object["decision"]["move"]);
    let last = table.trim_end().lines().last().unwrap_or_default();
    assert!(
        last.contains(decision),
        "no {decision} at the end:\n{table}"
    );
    // Japanese notation names the side: the first move is Black's.
    assert!(table.contains('▲'), "{table}");
}

#[test]
fn the_json_has_the_documented_keys() {
    let position = opening(0);
    let object = json_of(&[
        "consult",
        &position,
        "--players",
        "4",
        "--sigma",
        "100",
        "--seed",
        "3",
        "--nodes",
        "10000",
        "--json",
    ]);
    assert!(!object["position"].is_null(), "{object}");
    assert_eq!(votes(&object).len(), 4);
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    for vote in votes(&object) {
        let mv = text(&vote["move"]);
        assert!(!text(&vote["player"]).is_empty());
        assert_legal(&position, mv);
        let score = vote["score"].as_object().expect("a score");
        assert!(
            score
                .get("cp")
                .or_else(|| score.get("mate"))
                .is_some_and(Value::is_i64),
            "{vote}"
        );
        assert!(
            vote["depth"].as_u64().is_some_and(|depth| depth > 0),
            "{vote}"
        );
        assert!(
            vote["nodes"].as_u64().is_some_and(|nodes| nodes > 0),
            "{vote}"
        );
        assert!(vote["time_ms"].is_u64(), "{vote}");
        assert_eq!(vote["pv"][0], vote["move"], "{vote}");
        assert_eq!(vote["arrival"], "final", "{vote}");
        assert_eq!(vote["legal"], true, "{vote}");
        assert_eq!(vote["counted"], true, "{vote}");
        *counted.entry(mv).or_default() += 1;
    }
    let tally: BTreeMap<&str, u64> = object["tally"]
        .as_object()
        .expect("a tally")
        .iter()
        .map(|(mv, votes)| (mv.as_str(), votes.as_u64().expect("a count")))
        .collect();
    assert_eq!(tally, counted);
    let decision = &object["decision"];
    let most = counted.values().max().expect("votes");
    assert_eq!(counted.get(text(&decision["move"])), Some(most), "{object}");
    assert!(!text(&decision["rule"]).is_empty());
    assert!(decision.get("tie_break").is_some(), "{decision}");
    assert!(decision["elapsed_ms"].is_u64(), "{decision}");
}

#[test]
fn a_limit_by_depth_or_time_is_obeyed() {
    let _alone = alone();
    let object = json_of(&["consult", "--players", "2", "--depth", "4", "--json"]);
    for vote in votes(&object) {
        assert_eq!(vote["depth"], 4, "{vote}");
    }
    let object = json_of(&["consult", "--players", "2", "--time", "1000", "--json"]);
    for vote in votes(&object) {
        assert!(ARRIVED.contains(&text(&vote["arrival"])), "{vote}");
    }
}

#[test]
fn the_same_seed_gives_the_same_ballot_embedded_and_over_tcp() {
    let config = config("three-noise-players.toml");
    let config_path = config.to_str().expect("a path in UTF-8");
    let position = opening(7);
    let asked = [
        "consult", &position, "--seed", "7", "--nodes", "20000", "--json",
    ];
    let embedded = [&asked[..], &["--config", config_path]].concat();
    let first = without_times(json_of(&embedded));
    assert_eq!(votes(&first).len(), 3);
    assert_eq!(without_times(json_of(&embedded)), first);

    let worker = ServiceProcess::on_free_port("worker", &config);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let coordinator = monju_tests::cluster::coordinator_over(folder.path(), &[worker.url()], "");
    let url = coordinator.url();
    let remote = [&asked[..], &["--coordinator", &url]].concat();
    for _ in 0..2 {
        let over_tcp = without_times(json_of(&remote));
        assert_eq!(without_workers(&over_tcp), without_workers(&first));
    }
}

#[test]
fn another_seed_gives_another_ballot() {
    let position = opening(7);
    let ballot = |seed: &str| {
        let arguments = ["--players", "4", "--sigma", "200", "--nodes", "20000"];
        let asked = ["consult", &position, "--seed", seed, "--json"];
        let object = json_of(&[&asked[..], &arguments[..]].concat());
        votes(&object)
            .iter()
            .map(|vote| vote["score"].clone())
            .collect::<Vec<_>>()
    };
    assert_ne!(ballot("1"), ballot("2"));
}

#[test]
fn each_virtual_player_of_one_search_has_a_vote() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("lanes.toml");
    let player = "[[player]]\nname = \"n\"\nsigma = 200\nlanes = 8\nseed = 40\n";
    fs::write(&path, format!("version = 1\n{player}")).expect("written");
    let config = path.to_str().expect("a path in UTF-8");
    let position = opening(7);
    let asked = ["consult", &position, "--config", config, "--nodes", "30000"];
    let ballot = json_of(&[&asked[..], &["--json"]].concat());
    let votes = votes(&ballot);
    assert_eq!(votes.len(), 8);
    for (lane, vote) in votes.iter().enumerate() {
        assert_legal(&position, text(&vote["move"]));
        assert_eq!(vote["counted"], true, "{vote}");
        assert_eq!(vote["noise_seed"], 40 + lane, "{vote}");
        assert_eq!(vote["pv"][0], vote["move"], "{vote}");
    }
    let names: Vec<&str> = votes.iter().map(|vote| text(&vote["player"])).collect();
    assert_eq!((names[0], names[1], names[7]), ("n", "n#2", "n#8"));
    let scores: HashSet<String> = votes.iter().map(|vote| vote["score"].to_string()).collect();
    assert!(
        scores.len() > 1,
        "noise of 200 makes no difference: {ballot}"
    );
}

/// Returns a ballot without the names of the workers.
fn without_workers(ballot: &Value) -> Value {
    let mut ballot = ballot.clone();
    for vote in ballot["votes"].as_array_mut().expect("votes") {
        vote.as_object_mut().expect("a vote").remove("worker");
    }
    ballot
}

fn votes(ballot: &Value) -> &[Value] {
    ballot["votes"].as_array().expect("votes")
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no text"))
}
