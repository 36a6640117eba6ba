//! `monju doctor` finds faults that would lose games.

use monju_tests::{
    alone,
    binary::monju,
    command::{json_of, output_of, run},
    data::config,
    foreign::{fairy_stockfish, gpsusi},
    process::Process,
};
use serde_json::Value;
use std::{fs, net::TcpListener, path::Path, time::Duration};

/// Longest examination: engines are started a dozen times, and each start takes long on a busy machine.
const EXAMINATION: Duration = Duration::from_secs(600);

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn a_healthy_team_is_found_healthy() {
    let _alone = alone();
    let path = config("three-noise-players.toml");
    let table = output_of(&["doctor", "--config", text(&path)]);
    // On a busy machine a final answer may come late; the provisional one before it is a vote as well.
    let is_late = table.contains("provisional");
    assert!(is_late || table.contains("all is well"), "{table}");
    let object = json_of(&[
        "doctor",
        "--config",
        text(&path),
        "--time",
        "2000",
        "--json",
    ]);
    assert_eq!(object["errors"], 0, "{object}");
    assert_eq!(object["players"].as_array().map(Vec::len), Some(3));
    assert!(object["players"][0]["nps"].as_u64() > Some(0), "{object}");
    assert!(object["workers"][0]["round_trip_ms"].is_f64(), "{object}");
}

#[test]
fn a_worker_that_is_not_there_is_an_error() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", free.local_addr().expect("an address"));
    drop(free);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("monju.toml");
    let keys = format!("[coordinator]\nworkers = [\"{url}\"]\n[[player]]\nname = \"a\"\n");
    fs::write(&path, keys).expect("written");
    let ended = run(&["doctor", "--config", text(&path), "--time", "300"]);
    assert!(!ended.status.success());
    assert!(
        ended.output.contains(&format!("not reached at {url}")),
        "{}",
        ended.output
    );
    assert_eq!(ended.errors.lines().count(), 1, "{}", ended.errors);
}

#[test]
fn an_engine_that_reports_an_error_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("monju.toml");
    let program = text(monju());
    let player = format!(
        "[[player]]\nname = \"a\"\nkind = \"usi\"\ncommand = [{program:?}, \"engine\"]\n\
         options = {{ BookFile = \"/nope\" }}\n"
    );
    fs::write(&path, player).expect("written");
    let ended = run(&["doctor", "--config", text(&path), "--time", "300"]);
    assert!(!ended.status.success());
    let expected =
        "a: does not play as it is told to; it said: error: cannot read the book \"/nope\"";
    assert!(ended.output.contains(expected), "{}", ended.output);
}

/// gpsusi crashes on most forms of `go`, Fairy-Stockfish takes all of them.
#[test]
fn the_forms_of_go_that_real_engines_survive_are_found() {
    let _alone = alone();
    if gpsusi().is_none() || fairy_stockfish().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("monju.toml");
    let right = fs::read_to_string(config("heterogeneous.toml")).expect("a configuration");
    // gpsusi thinks for about a second at any limit, so it needs more than the default.
    let wrong = right.replace("go = [\"byoyomi\", ", "go = [\"nodes\", \"byoyomi\", ");
    assert_ne!(wrong, right);
    fs::write(&path, wrong).expect("written");
    let arguments = [
        "doctor",
        "--config",
        text(&path),
        "--time",
        "5000",
        "--json",
    ];
    let mut process = Process::start(monju(), &arguments);
    process.close_input();
    let ended = process.wait(EXAMINATION);
    assert!(!ended.status.success());
    let object: Value = serde_json::from_str(&ended.output).expect("JSON");
    let survived = |player: &str| -> Vec<String> {
        let mut players = object["players"].as_array().expect("players").iter();
        let found = players.find(|found| found["player"] == player);
        let trials = found.expect("a player")["go"].as_array().expect("trials");
        let survived = trials.iter().filter(|trial| trial["survived"] == true);
        survived
            .map(|trial| trial["form"].as_str().expect("a form").to_owned())
            .collect()
    };
    assert!(survived("native").is_empty(), "needs no trial");
    assert_eq!(survived("gpsusi"), ["byoyomi", "clock", "infinite"]);
    assert_eq!(
        survived("fairy"),
        [
            "nodes",
            "depth",
            "movetime",
            "byoyomi",
            "clock",
            "increment",
            "infinite",
            "ponder",
            "searchmoves"
        ]
    );
    let findings = object["findings"].as_array().expect("findings");
    let about_gps = findings
        .iter()
        .find(|finding| finding["about"] == "gpsusi" && finding["severity"] == "error");
    let mend = &about_gps.expect("a finding")["mend"];
    assert_eq!(mend, "set go = [\"byoyomi\", \"clock\", \"infinite\"]");
}
