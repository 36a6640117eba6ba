//! `monju match` and `monju tune`: games of real engines, and what is printed about them.

use monju_tests::{
    alone,
    binary::monju,
    command::{complaint_of, json_of, output_of, run},
};
use std::{fs, path::Path};
#[cfg(unix)]
use {
    monju_tests::{
        cluster::eventually,
        process::{PATIENCE, Process},
    },
    rustix::process::Signal,
};

const OPENINGS: &str = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n";

fn openings(folder: &Path) -> String {
    let file = folder.join("openings.sfen");
    fs::write(&file, OPENINGS).expect("a writable folder");
    text(&file)
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn an_engine_with_a_clock_plays_against_a_native_player() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = openings(folder.path());
    let program = text(monju());
    let arguments = [
        "match",
        "--first",
        &program,
        "--first-arguments",
        "engine",
        "--first-option",
        "USI_Hash=1",
        "--second",
        "native",
        "--second-search",
        "null_move=0",
        "--hash",
        "1",
        "--openings",
        &openings,
        "--games",
        "2",
        "--byoyomi",
        "60",
        "--margin",
        "60000",
        "--maximum-plies",
        "12",
    ];
    let printed = output_of(&arguments);
    for expected in [
        "+0 =2 -0  50.0% [—]  Elo +0 [—]  pairs [0, 0, 1, 0, 0]",
        "endings: maximum plies 2",
        "time losses: first 0, second 0",
        "illegal moves: first 0, second 0",
        "slowest move: first ",
    ] {
        assert!(printed.contains(expected), "{printed}\nexpected {expected}");
    }
}

#[test]
fn games_on_a_clock_that_counts_nodes_are_the_same_twice_and_end_when_it_runs_out() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = openings(folder.path());
    let program = text(monju());
    let play = |main_time: &str, second_go: Option<&str>, store: &str| {
        let store = text(&folder.path().join(store));
        let mut arguments = vec![
            "match",
            "--first",
            &program,
            "--first-arguments",
            "engine",
            "--second",
            &program,
            "--second-arguments",
            "engine",
            "--openings",
            &openings,
            "--games",
            "2",
            "--nodes-per-ms",
            "5",
            "--main-time",
            main_time,
            "--margin",
            "0",
            "--maximum-plies",
            "40",
            "--store",
            &store,
            "--json",
        ];
        for side in ["first", "second"] {
            for option in ["USI_Hash=1", "Evaluator=material"] {
                arguments.extend(["--first-option", option].map(|word| match (side, word) {
                    ("second", "--first-option") => "--second-option",
                    _ => word,
                }));
            }
        }
        if let Some(go) = second_go {
            arguments.extend(["--second-go", go]);
        }
        json_of(&arguments)
    };
    let once = play("4000", None, "once.db");
    assert_eq!(once["time_losses"], serde_json::json!([0, 0]));
    let used = once["clock_used"][0].as_f64().expect("a share");
    assert!(used > 0.1 && used <= 1.0, "{once}");
    assert_eq!(play("4000", None, "again.db"), once);
    // 2,000 nodes a move from a clock of 20,000.
    let spent = play("4000", Some("nodes 2000"), "spent.db");
    assert_eq!(spent["time_losses"], serde_json::json!([0, 2]));
    // No stall of the machine makes a count of nodes longer.
    let stalled = &spent["time_losses_while_stalled"];
    assert_eq!(stalled, &serde_json::json!([0, 0]));
    assert_eq!(spent["wins"], 2);
}

#[test]
fn a_match_is_kept_continued_and_ended_by_a_test() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = openings(folder.path());
    let store = text(&folder.path().join("kept.db"));
    let run_match = |games: &str, more: &[&str]| {
        let arguments = [
            "match",
            "--first",
            "native",
            "--second",
            "native",
            "--second-search",
            "null_move=0",
            "--first-evaluator",
            "material",
            "--second-evaluator",
            "material",
            "--nodes",
            "40",
            "--hash",
            "1",
            "--maximum-plies",
            "30",
            "--openings",
            &openings,
            "--games",
            games,
            "--store",
            &store,
            "--json",
        ];
        run(&[&arguments[..], more].concat())
    };
    let play = |games: &str, more: &[&str]| {
        let said = run_match(games, more);
        assert!(said.status.success(), "{}", said.errors);
        serde_json::from_str::<serde_json::Value>(&said.output).expect("JSON")
    };
    let first = play("2", &[]);
    assert_eq!(first["games"], 2);
    let both = play("4", &[]);
    assert_eq!(both["games"], 4);
    assert_eq!(play("4", &[]), both, "nothing is played again");
    let again = run_match("4", &["--retry-given-up"]);
    let told = "0 pairs given up before, now tried again";
    assert!(again.errors.contains(told), "{}", again.errors);
    let tested = play("4", &["--elo1", "10"]);
    assert_eq!(tested["sprt"]["verdict"], "undecided");
    let other = complaint_of(&[
        "match",
        "--first",
        "native",
        "--second",
        "native",
        "--nodes",
        "41",
        "--openings",
        &openings,
        "--games",
        "2",
        "--store",
        &store,
    ]);
    assert!(
        other.contains("games of 'all' of 'kept' with other settings"),
        "{other}"
    );
}

/// An engine that makes the file of its first argument when it is asked for a move, and never answers.
#[cfg(unix)]
const SILENT: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
    go*) echo asked >> \"$1\" ;; quit) exit ;; esac; done";

/// README promised that every interrupted match goes on.
#[cfg(unix)]
#[test]
fn an_interrupted_match_without_a_store_says_that_nothing_was_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (openings, asked) = (openings(folder.path()), folder.path().join("asked"));
    let script = folder.path().join("silent.sh");
    fs::write(&script, SILENT).expect("a writable folder");
    let mut arguments = vec!["match", "--first", "/bin/sh"];
    let paths = [text(&script), text(&asked)];
    for path in &paths {
        arguments.extend(["--first-arguments", path]);
    }
    // An engine with words of its own is not tried before the match.
    arguments.extend(["--first-go", "infinite"]);
    arguments.extend(["--second", "native", "--second-evaluator", "material"]);
    arguments.extend(["--openings", &openings, "--games", "4", "--nodes", "100"]);
    let mut playing = Process::start(monju(), &arguments);
    playing.close_input();
    eventually("a game under way", || asked.exists().then_some(()));
    for said in ["finishing the pairs", "giving the pairs"] {
        playing.signal(Signal::INT);
        eventually(said, || playing.errors().contains(said).then_some(()));
    }
    let ended = playing.wait(PATIENCE);
    assert_eq!(ended.status.code(), Some(1), "{}", ended.errors);
    let expected = "interrupted with 2 pairs to go; nothing was kept: with --store FILE";
    assert!(ended.errors.contains(expected), "{}", ended.errors);
}

/// An engine that resigns at once.
#[cfg(unix)]
const RESIGNING: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
    go*) echo bestmove resign ;; quit) exit ;; esac; done";

/// Options of a command line are text, and the threads in them did not count.
#[cfg(unix)]
#[test]
fn a_match_tells_of_pairs_on_too_few_cores() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = openings(folder.path());
    let script = folder.path().join("resigning.sh");
    fs::write(&script, RESIGNING).expect("a writable folder");
    let script = text(&script);
    let mut arguments = vec!["match", "--first", "/bin/sh", "--first-arguments", &script];
    arguments.extend(["--first-option", "Threads=100000", "--second", "native"]);
    arguments.extend(["--second-evaluator", "material", "--byoyomi", "60"]);
    arguments.extend(["--margin", "60000", "--openings", &openings, "--games", "2"]);
    let ended = run(&arguments);
    assert!(ended.status.success(), "{}", ended.errors);
    let warning = "warning: in 'all', 100000 threads think at once on ";
    assert!(ended.errors.contains(warning), "{}", ended.errors);
    let told =
        "pairs on too few cores, for less than the time that was asked for: first 1, second 0";
    assert!(ended.output.contains(told), "{}", ended.output);
}

/// Returns the complaint about a match of this first side, with what follows it, against a native player.
fn complaint_of_match(first: &[&str], openings: &str) -> String {
    let (program, rest) = (["match", "--first"], ["--second", "native", "--games", "2"]);
    complaint_of(&[&program[..], first, &rest, &["--openings", openings]].concat())
}

#[test]
fn an_engine_that_ends_makes_the_match_fail() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = openings(folder.path());
    let refused = complaint_of_match(&["/no/such/engine"], &openings);
    assert!(refused.contains("/no/such/engine"), "{refused}");
    let clock = complaint_of_match(&["native", "--main-time", "1000"], &openings);
    assert!(
        clock.contains("a native player has no main time"),
        "{clock}"
    );
}

/// Such an engine plays on with its defaults, and the match was another one than was asked for.
#[test]
fn an_engine_that_reports_an_error_makes_the_match_fail() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = openings(folder.path());
    let program = text(monju());
    let refused = |side: &[&str]| {
        let line = complaint_of_match(&[&[program.as_str()], side].concat(), &openings);
        let expected = "the engine of 'first' does not play as it is told to; it said: error: ";
        assert!(line.contains(expected), "{line}");
        line
    };
    for (option, named) in [
        (
            "Evaluator=nnue:/nope",
            "cannot read the weights in \"/nope\"",
        ),
        ("BookFile=/nope", "cannot read the book \"/nope\""),
        ("Sigma=abc", "'abc' is no sigma"),
    ] {
        let line = refused(&["--first-arguments", "engine", "--first-option", option]);
        assert!(line.contains(named), "{line}");
    }
    let words = ["usi", "--config", "typo.toml"];
    let arguments = words.map(|word| ["--first-arguments", word]);
    let line = refused(arguments.as_flattened());
    assert!(line.contains("typo.toml: no such file"), "{line}");
}

#[test]
fn numbers_are_tuned_and_a_tuning_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = openings(folder.path());
    let tune = |state: &str, updates: &str| {
        let state = text(&folder.path().join(state));
        let arguments = [
            "tune",
            "--state",
            &state,
            "--openings",
            &openings,
            "--evaluator",
            "material",
            "--nodes",
            "60",
            "--pairs",
            "2",
            "--updates",
            updates,
            "margin_scale:50",
        ];
        run(&arguments)
    };
    let whole = tune("whole.json", "2");
    assert!(whole.status.success(), "{}", whole.errors);
    let lines: Vec<&str> = whole.output.lines().collect();
    assert!(
        matches!(lines[..], [one, two]
            if one.starts_with("1 of 2 margin_scale=") && two.starts_with("2 of 2 margin_scale=")),
        "{lines:?}"
    );
    let path = folder.path().join("whole.json");
    let state = fs::read_to_string(&path).expect("the state");
    let mut value: serde_json::Value = serde_json::from_str(&state).expect("JSON");
    assert_eq!(value["updates"], 2);
    let again = tune("whole.json", "2");
    assert_eq!(again.output.trim_end(), lines[1], "the numbers once more");
    let lock = fs::File::create(folder.path().join("whole.json.lock")).expect("a lock");
    lock.lock().expect("locked");
    let second = tune("whole.json", "2");
    assert!(!second.status.success());
    assert!(
        second.errors.contains("another run writes"),
        "{}",
        second.errors
    );
    drop(lock);
    value["recipe"] = "other".into();
    fs::write(&path, value.to_string()).expect("writable");
    let refused = tune("whole.json", "2");
    assert!(!refused.status.success());
    assert!(
        refused.errors.contains("made by other arguments"),
        "{}",
        refused.errors
    );
}

#[test]
fn changes_of_the_search_are_screened() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = openings(folder.path());
    let store = text(&folder.path().join("screen.db"));
    let printed = output_of(&[
        "tune",
        "--screen",
        "--state",
        &store,
        "--openings",
        &openings,
        "--evaluator",
        "material",
        "--nodes",
        "30",
        "--games",
        "2",
        "null_move=0",
        "margin_scale=80,probcut=0",
    ]);
    for expected in [
        "change",
        "null_move=0",
        "margin_scale=80,probcut=0",
        "undecided",
    ] {
        assert!(printed.contains(expected), "{printed}");
    }
}
