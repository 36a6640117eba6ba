//! `monju experiment`: files, games and reports.

use monju_experiment::specification::Specification;
use monju_tests::{
    alone,
    binary::monju,
    cluster::{TestCluster, eventually},
    command::{complaint_of, json_of, output_of, refusal_of, run},
    data::repository,
    foreign::{fairy_stockfish, referee_python},
    json_keys::assert_documented,
    process::{PATIENCE, Process},
};
#[cfg(unix)]
use rustix::process::Signal;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const SMALL: &str = r#"
version = 1
name = "small"
games = 4
openings = "openings.sfen"
first = "council"
second = "single"
[grid]
sigma = [50, 200]
[ensemble.council]
hash_mib = 1
nodes = 100
player = [{ name = "n", count = 3, sigma = "$sigma" }]
[ensemble.single]
hash_mib = 1
nodes = 100
player = [{ name = "s" }]
[adjudication]
maximum_plies = 40
[report]
rows = "sigma"
columns = "sigma"
"#;

fn write(folder: &Path, text: &str) -> PathBuf {
    let openings = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n";
    fs::write(folder.join("openings.sfen"), openings).expect("a writable folder");
    let file = folder.join("small.toml");
    fs::write(&file, text).expect("a writable folder");
    file
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn every_experiment_of_the_repository_is_sound() {
    let folder = repository().join("configs/experiments");
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("the experiments") {
        let path = entry.expect("an entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let read = Specification::read(&path);
            let specification = read.unwrap_or_else(|error| panic!("{error}"));
            let name = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .expect("a name");
            assert_eq!(specification.name, name);
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn an_experiment_is_played_watched_and_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write(folder.path(), SMALL);
    let unknown = complaint_of(&["experiment", "status", text(&file)]);
    assert!(unknown.contains("there is no store"), "{unknown}");

    let ended = run(&["experiment", "run", text(&file)]);
    assert!(ended.status.success(), "{}", ended.errors);
    assert!(ended.errors.contains("8 of 8 games"), "{}", ended.errors);
    assert_eq!(ended.output, "");
    // The file alone is the whole store.
    let log = folder.path().join("small.db-wal");
    assert!(!log.exists());
    // No pair is left to play.
    assert!(run(&["experiment", "run", text(&file)]).status.success());

    let status = json_of(&["experiment", "status", text(&file), "--json"]);
    assert_eq!(status["cells"][0]["finished"], 2);
    assert_eq!(status["cells"][1]["open"], 0);
    assert!(output_of(&["experiment", "status", text(&file)]).contains("sigma=200"));

    assert!(!log.exists());

    let out = folder.path().join("out");
    let games = folder.path().join("games");
    output_of(&[
        "experiment",
        "report",
        text(&file),
        "--out",
        text(&out),
        "--games",
        text(&games),
        "--html",
    ]);
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(
        page.contains("sigma=200") && page.contains("<svg "),
        "{page}"
    );
    let markdown = fs::read_to_string(out.join("report.md")).expect("a report");
    assert!(markdown.contains("- games: 8 of 8"), "{markdown}");
    assert!(markdown.contains("monju experiment run"), "{markdown}");
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("report.json")).expect("a report"))
            .expect("JSON");
    assert_documented("experiment report", &json);
    assert_eq!(json["cells"].as_array().map(Vec::len), Some(2));
    assert!(out.join("report.csv").is_file() && out.join("elo.svg").is_file());
    other_programs_read(&games);

    // A bundle gives the same report without the store.
    let sealed = folder.path().join("sealed");
    let said = run(&["experiment", "export", text(&file), "--out", text(&sealed)]);
    assert!(said.errors.contains("8 games in"), "{}", said.errors);
    let full = complaint_of(&["experiment", "export", text(&file), "--out", text(&sealed)]);
    let expected = format!("monju: {} is not empty; name a new folder", text(&sealed));
    assert_eq!(full.trim(), expected);
    fs::remove_file(folder.path().join("small.db")).expect("a store");
    let again = folder.path().join("again");
    output_of(&["experiment", "report", text(&sealed), "--out", text(&again)]);
    for name in ["report.csv", "report.json", "specification.toml"] {
        let read = |folder: &Path| fs::read_to_string(folder.join(name)).expect("a report");
        assert_eq!(read(&again), read(&out), "{name}");
    }
    let base = ["experiment", "report", text(&sealed), "--base"];
    let compared = output_of(&[&base[..], &["sigma=200"]].concat());
    assert!(
        compared.contains("## Compared with sigma=200\n"),
        "{compared}"
    );
    let other = refusal_of(&[&base[..], &["sigma=7"]].concat());
    assert!(
        other.contains("there is no cell 'sigma=7'; expected one of: sigma="),
        "{other}"
    );
    let store = complaint_of(&["experiment", "report", text(&sealed), "--store", "x.db"]);
    assert!(
        store.contains("a sealed bundle needs no --store"),
        "{store}"
    );
}

/// Reads the game files with an independent library, and compares them.
fn other_programs_read(games: &Path) {
    let Some(python) = referee_python() else {
        return;
    };
    let script = r#"
import sys, pathlib
from cshogi import CSA, KIF, move_to_usi
count = 0
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.csa")):
    csa = CSA.Parser.parse_file(str(path))[0]
    kif = KIF.Parser.parse_file(str(path.with_suffix(".kifu")))
    one = [move_to_usi(move) for move in csa.moves]
    two = [move_to_usi(move) for move in kif.moves]
    # The last move of the loser of an adjudicated game stands in a comment.
    short = "'adjudicated after" in path.read_text()
    assert len(one) > 2 and one == two[:len(one)], (path, one, two)
    assert len(two) - len(one) == short, (path, one, two)
    last = path.with_suffix(".kifu").read_text().splitlines()[-1]
    won = 0 if not last.endswith("勝ち") else 1 if "先手の" in last else 2
    assert csa.win == won, (path, csa.win, last)
    count += 1
print(count)
"#;
    let output = Command::new(python)
        .args(["-c", script, text(games)])
        .output()
        .expect("python starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "8");
}

#[test]
fn bad_files_are_refused_before_the_first_game() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (bad, line, what) in [
        (
            SMALL.replace("games = 4", "gmaes = 4"),
            4,
            "unknown key `gmaes`",
        ),
        (SMALL.replace("[50, 200]", "[]"), 9, "the grid is empty"),
        (
            SMALL.replace("openings.sfen", "absent.sfen"),
            5,
            "absent.sfen",
        ),
        (
            SMALL.replace(
                r#"{ name = "s" }"#,
                r#"{ name = "s", kind = "usi", go = ["nodes", "infinite"], command = ["/no/such/engine"] }"#,
            ),
            17,
            "/no/such/engine",
        ),
    ] {
        let file = write(folder.path(), &bad);
        let complaint = complaint_of(&["experiment", "run", text(&file)]);
        assert!(
            complaint.contains(&format!("small.toml:{line}: ")),
            "{complaint}"
        );
        assert!(complaint.contains(what), "{complaint}");
        assert!(
            !folder.path().join("small.db").exists(),
            "nothing was begun"
        );
    }
    let file = write(folder.path(), SMALL);
    let complaint = complaint_of(&["experiment", "run", text(&file), "--store", "mysql://h/d"]);
    assert!(complaint.contains("mysql://h/d"), "{complaint}");
}

#[test]
fn grids_grow_and_unlike_games_are_never_in_one_cell() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write(folder.path(), SMALL);
    assert!(
        run(&["experiment", "run", text(&file), "--games", "2"])
            .status
            .success()
    );
    // A further column needs no word.
    let file = write(folder.path(), &SMALL.replace("[50, 200]", "[50, 100, 200]"));
    let grown = run(&["experiment", "run", text(&file), "--games", "2"]);
    assert!(grown.status.success(), "{}", grown.errors);
    assert!(grown.errors.contains("6 of 6 games"), "{}", grown.errors);

    let file = write(folder.path(), &SMALL.replace("nodes = 100", "nodes = 101"));
    let complaint = complaint_of(&["experiment", "run", text(&file)]);
    assert!(
        complaint.contains("games of 'sigma=50' of 'small' with other settings"),
        "{complaint}"
    );
    let accepted = run(&["experiment", "run", text(&file), "--accept-changes"]);
    assert!(accepted.status.success(), "{}", accepted.errors);
    let report = output_of(&["experiment", "report", text(&file)]);
    assert!(report.contains("- games: 8 of 8;"), "{report}");
    assert!(
        report.contains("- **left out: 4 games of these cells with other settings**,"),
        "{report}"
    );
    // The old games are still those of the old file.
    let file = write(folder.path(), SMALL);
    let report = output_of(&["experiment", "report", text(&file)]);
    assert!(report.contains("- games: 4 of 8;"), "{report}");
}

/// Returns true while a runner plays a pair of the first cell.
#[cfg(unix)]
fn is_under_way(file: &Path) -> bool {
    let status = run(&["experiment", "status", text(file), "--json"]);
    let status = serde_json::from_str::<serde_json::Value>(&status.output);
    status.is_ok_and(|status| status["cells"][0]["leased"] != 0)
}

#[cfg(unix)]
#[test]
fn the_first_interrupt_finishes_and_prints_how_to_resume() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write(
        folder.path(),
        &SMALL
            .replace("games = 4", "games = 400")
            .replace("{ name = \"s\" }", "{ name = \"s\", sigma = 20 }"),
    );
    let mut runner = Process::start(monju(), &["experiment", "run", text(&file)]);
    runner.close_input();
    eventually("pairs under way", || is_under_way(&file).then_some(()));
    runner.signal(Signal::INT);
    let ended = runner.wait(PATIENCE);
    assert_eq!(ended.status.code(), Some(75), "{}", ended.errors);
    let resume = format!("monju experiment run {}", text(&file));
    assert!(ended.errors.contains(&resume), "{}", ended.errors);
    let status = json_of(&["experiment", "status", text(&file), "--json"]);
    for cell in status["cells"].as_array().expect("cells") {
        assert_eq!(cell["leased"], 0, "{status}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_before_the_first_game_prints_how_to_go_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // An engine that says nothing, and is waited for.
    let silent = "{ name = \"s\", kind = \"usi\", command = [\"cat\"], go = [\"nodes\", \"byoyomi\", \"infinite\"] }";
    let file = write(folder.path(), &SMALL.replace("{ name = \"s\" }", silent));
    let mut runner = Process::start(monju(), &["experiment", "run", text(&file)]);
    runner.close_input();
    eventually("a slow test", || {
        runner.errors().contains("still testing").then_some(())
    });
    runner.signal(Signal::INT);
    let ended = runner.wait(PATIENCE);
    assert_eq!(ended.status.code(), Some(75), "{}", ended.errors);
    let told = format!(
        "interrupted before the first game; resume with: monju experiment run {}",
        text(&file)
    );
    assert!(ended.errors.contains(&told), "{}", ended.errors);
    assert!(!folder.path().join("small.db").exists());
}

#[cfg(unix)]
#[test]
fn the_second_interrupt_gives_back_the_pairs_under_way() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Games that would last for hours.
    let file = write(
        folder.path(),
        &SMALL.replace("nodes = 100", "nodes = 10000000"),
    );
    let mut runner = Process::start(monju(), &["experiment", "run", text(&file)]);
    runner.close_input();
    eventually("a pair under way", || is_under_way(&file).then_some(()));
    for said in ["finishing the pairs", "giving the pairs"] {
        runner.signal(Signal::INT);
        eventually(said, || runner.errors().contains(said).then_some(()));
    }
    let ended = runner.wait(PATIENCE);
    assert_eq!(ended.status.code(), Some(75), "{}", ended.errors);
    assert!(
        ended.errors.contains("interrupted with 4 pairs to go"),
        "{}",
        ended.errors
    );
    let status = json_of(&["experiment", "status", text(&file), "--json"]);
    for cell in status["cells"].as_array().expect("cells") {
        assert_eq!((&cell["leased"], &cell["open"]), (&0.into(), &2.into()));
    }
}

#[test]
fn a_running_cluster_may_be_a_side() {
    let _alone = alone();
    let cluster = TestCluster::of_three_noise_players();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let side = format!("coordinator = \"{}\"", cluster.coordinator.url());
    let small = SMALL.replace(
        "hash_mib = 1\nnodes = 100\nplayer = [{ name = \"s\" }]",
        &format!("nodes = 100\n{side}"),
    );
    let file = write(folder.path(), &small);
    let ended = run(&["experiment", "run", text(&file), "--games", "2"]);
    assert!(ended.status.success(), "{}", ended.errors);
    let report = output_of(&["experiment", "report", text(&file)]);
    assert!(report.contains("- games: 4 of 8"), "{report}");
    assert!(report.contains("Nothing."), "{report}");

    drop(cluster);
    let complaint = complaint_of(&["experiment", "run", text(&file)]);
    assert!(
        complaint.contains("small.toml:16: ") && complaint.contains("no coordinator"),
        "{complaint}"
    );
}

#[test]
fn a_foreign_engine_may_be_a_side() {
    let _alone = alone();
    let Some(fairy) = fairy_stockfish() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let player = format!(
        "{{ name = \"fairy\", kind = \"usi\", command = [\"{}\"], \
         options = {{ UCI_Variant = \"shogi\", Threads = 1, Hash = 4 }}, \
         go = [\"nodes\", \"byoyomi\", \"infinite\"] }}",
        fairy.display()
    );
    let file = write(folder.path(), &SMALL.replace("{ name = \"s\" }", &player));
    let ended = run(&["experiment", "run", text(&file), "--games", "2"]);
    assert!(ended.status.success(), "{}", ended.errors);
    let report = output_of(&["experiment", "report", text(&file)]);
    assert!(report.contains("Nothing."), "{report}");
}
