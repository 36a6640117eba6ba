//! USI options by which a GUI that passes no arguments reaches everything.

use monju_tests::{
    alone,
    cluster::{TestCluster, eventually},
    data::{data, repository},
    usi::Usi,
};
use serde_json::Value;
use std::{fs, path::Path, time::Duration};

/// Sets options of a local client, and gets ready; returns the lines up to `readyok`.
fn set(usi: &mut Usi, options: &[(&str, &str)]) -> Vec<String> {
    for (name, value) in options {
        usi.send(&format!("setoption name {name} value {value}"));
    }
    usi.send("setoption name MoveOverhead value 50");
    usi.send("isready");
    let mut lines = usi.expect("readyok");
    lines.retain(|line| line.starts_with("info string error"));
    usi.send("usinewgame");
    lines
}

/// Starts `monju usi` and sets options, none of which may be refused.
fn ready(arguments: &[&str], options: &[(&str, &str)]) -> Usi {
    let mut usi = Usi::start(arguments);
    usi.handshake();
    let errors = set(&mut usi, options);
    assert!(errors.is_empty(), "{errors:?}");
    usi
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// The ballots of a log.
fn ballots(log: &Path) -> Vec<Value> {
    let text = fs::read_to_string(log).expect("the log");
    let read = |line| serde_json::from_str(line).expect("JSON");
    text.lines().map(read).collect()
}

#[test]
fn the_primary_decides_unless_outvoted() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("ballots.jsonl");
    let rule = ("Rule", "primary-unless-outvoted");
    let mut usi = ready(
        &["--players", "3", "--log", path(&log)],
        &[rule, ("Primary", "monju-2")],
    );
    let verdict = |usi: &mut Usi| {
        let answer = usi.think("startpos", "go nodes 2000");
        let last = answer.lines.last().expect("a verdict").clone();
        assert!(last.starts_with("info string votes"), "{last}");
        last
    };
    assert!(verdict(&mut usi).contains("rule primary-unless-outvoted"));
    // Nobody of that name: the GUI hears it, with the names to choose from.
    let errors = set(&mut usi, &[("Primary", "nobody")]);
    let expected =
        "primary 'nobody' is no player of the team; name one of: monju-1, monju-2, monju-3";
    assert!(errors[0].contains(expected), "{errors:?}");
    assert!(errors[0].contains("option Primary"), "{errors:?}");
    assert!(verdict(&mut usi).contains("rule majority"));
    assert!(usi.quit().status.success());
    let primaries: Vec<Value> = (ballots(&log).iter())
        .map(|ballot| ballot["primary"].clone())
        .collect();
    assert_eq!(primaries, [Value::from("monju-2"), Value::Null]);
}

#[test]
fn a_team_shows_as_many_moves_as_it_is_asked_for() {
    let _alone = alone();
    let mut usi = ready(&["--players", "3"], &[("MultiPV", "4")]);
    let answer = usi.think("startpos", "go nodes 20000");
    let decided = &answer.lines[answer.lines.len() - 5..];
    for (index, line) in decided[..4].iter().enumerate() {
        assert!(
            line.contains(&format!(" multipv {} pv ", index + 1)),
            "{decided:#?}"
        );
        assert!(line.contains(" score "), "{decided:#?}");
    }
    let best = format!(" multipv 1 pv {}", answer.bestmove);
    assert!(decided[0].contains(&best), "{decided:#?}");
    assert!(usi.quit().status.success());
}

#[test]
fn files_are_browsed_for_and_threads_are_chosen() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("ballots.jsonl");
    let config = folder.path().join("my team.toml");
    let text = format!(
        "version = 1\n[coordinator]\nlog = {:?}\n[[player]]\nname = \"one\"\nhash_mib = 8\n\
         [[player]]\nname = \"eight\"\nsigma = 50\nlanes = 8\nhash_mib = 8\n",
        path(&log)
    );
    fs::write(&config, text).expect("written");
    let weights = repository().join("engine/weights/nn.bin");
    let mut usi = Usi::start(&[]);
    let declared = usi.handshake();
    for name in ["ConfigFile", "EvalFile"] {
        let line = format!("option name {name} type filename default <empty>");
        assert!(declared.contains(&line), "{declared:?}");
    }
    let options = [
        ("ConfigFile", path(&config)),
        ("EvalFile", path(&weights)),
        ("Threads", "2"),
    ];
    assert!(set(&mut usi, &options).is_empty());
    usi.think("startpos", "go nodes 2000");
    // A file that is not there is named.
    let errors = set(&mut usi, &[("EvalFile", "/no/such/nn.bin")]);
    assert!(errors[0].contains("/no/such/nn.bin"), "{errors:?}");
    assert!(usi.quit().status.success());
    let ballots = ballots(&log);
    let vote = |name: &str| {
        let votes = ballots[0]["votes"].as_array().expect("votes");
        let found = votes.iter().find(|vote| vote["player"] == name);
        found
            .unwrap_or_else(|| panic!("no {name}: {votes:?}"))
            .clone()
    };
    let threads = |name: &str| {
        let setting = vote(name)["settings"]["threads"].to_string();
        setting.trim_matches('"').to_owned()
    };
    assert_eq!(threads("one"), "2");
    let evaluator = vote("one")["evaluator"].to_string();
    assert!(evaluator.starts_with("\"nnue#"), "{evaluator}");
    // Virtual players share one thread.
    assert_eq!(threads("eight"), "1");
}

#[test]
fn a_team_without_win_rates_says_that_it_cannot_resign() {
    let _alone = alone();
    let mut usi = Usi::start(&["--players", "2"]);
    usi.handshake();
    let errors = set(&mut usi, &[("ResignBelow", "3")]);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("needs win rates"), "{errors:?}");
    usi.think("startpos", "go nodes 500");
}

#[test]
fn a_team_resigns_below_the_chosen_win_rate() {
    /// White has its king alone against a rook and a gold.
    const LOST: &str = "sfen 4k4/9/9/9/9/9/9/9/4K3R w G 2";
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("ballots.jsonl");
    let mut usi = ready(
        &[
            "--players",
            "2",
            "--evaluator",
            "material",
            "--log",
            path(&log),
        ],
        &[],
    );
    assert_ne!(usi.think(LOST, "go nodes 500").bestmove, "resign");
    assert!(usi.quit().status.success());
    let vote = ballots(&log)[0]["votes"][0].clone();
    let scale = ["engine", "evaluator"].map(|key| vote[key].as_str().expect("a name").to_owned());
    let calibration = format!(
        "version = 1\n[[engine]]\nname = {:?}\nscale = 200.0\noffset = 0.0\n\
         against = \"results\"\nvotes = 1\ngames = 1\n",
        scale.join("/")
    );
    fs::write(folder.path().join("calibration.toml"), calibration).expect("written");
    let config = folder.path().join("monju.toml");
    let text = "version = 1\n[ensemble]\ncalibration = \"calibration.toml\"\n";
    fs::write(&config, text).expect("written");

    let arguments = ["--players", "2", "--evaluator", "material"];
    let options = [("ConfigFile", path(&config)), ("ResignBelow", "5")];
    let mut usi = ready(&arguments, &options);
    let answers: Vec<String> = (0..3)
        .map(|_| usi.think(LOST, "go nodes 500").bestmove)
        .collect();
    assert_ne!(answers[1], "resign", "{answers:?}");
    assert_eq!(answers[2], "resign", "the third hopeless decision");
    // An analysis shows the moves of a lost position, too.
    usi.begin(LOST, "go infinite");
    usi.expect_silence(Duration::from_millis(200));
    let asked = usi.ask("stop");
    assert_ne!(usi.answer(asked).bestmove, "resign");
    assert!(usi.quit().status.success());
}

/// Asserts the answers to a position under each rule.
fn assert_answers(usi: &mut Usi, position: &str, answers: &[(&str, &str)]) {
    for (rule, expected) in answers {
        set(usi, &[("EnteringKingRule", rule)]);
        let answer = usi.think(position, "go nodes 300").bestmove;
        match *expected {
            "a move" => assert!(answer != "win" && answer != "resign", "{rule}: {answer}"),
            expected => assert_eq!(answer, expected, "{rule}"),
        }
    }
}

#[test]
fn the_team_and_the_player_play_by_the_chosen_rules() {
    let _alone = alone();
    let vectors = data("rules/declaration.jsonl");
    let sfen_of = |verdict: &str| {
        let vectors = vectors.lines().map(|line| {
            let vector: Value = serde_json::from_str(line).expect("JSON");
            vector
        });
        let is_wanted = |vector: &Value| {
            vector["verified"] == true
                && vector["oracle27"] == true
                && vector["oracle24"] == verdict
        };
        let vector = vectors.into_iter().find(is_wanted).expect("a position");
        format!("sfen {}", vector["sfen"].as_str().expect("a sfen"))
    };
    let (enough, plenty) = (sfen_of("draw"), sfen_of("win"));
    for mut usi in [Usi::start(&["--players", "2"]), Usi::start_engine(&[])] {
        usi.handshake();
        let rules = [
            ("CSARule27", "win"),
            ("CSARule24", "a move"),
            ("NoEnteringKing", "a move"),
            ("CSARule27H", "win"),
        ];
        assert_answers(&mut usi, &enough, &rules);
        let rules = [("CSARule24", "win"), ("NoEnteringKing", "a move")];
        assert_answers(&mut usi, &plenty, &rules);
        let close = "sfen 9/4K4/9/9/9/9/9/9/4k4 b - 1";
        assert_answers(&mut usi, close, &[("TryRule", "5b5a")]);
        let refused = {
            usi.send("setoption name EnteringKingRule value Rule28");
            usi.expect("info")
        };
        assert!(refused[0].contains("CSARule27H"), "{refused:?}");
    }
}

#[test]
fn the_maximum_of_plies_is_a_draw_to_the_team_and_to_the_player() {
    let _alone = alone();
    // Black has a rook more, and one ply left.
    let position = "sfen 4k4/9/9/9/9/9/9/9/4K3R b - 100";
    for mut usi in [Usi::start(&["--players", "2"]), Usi::start_engine(&[])] {
        usi.handshake();
        let has_draw = |usi: &mut Usi, value: i32| {
            let answer = usi.think(position, "go depth 3");
            let scores = answer.lines.iter().filter(|line| line.contains(" score "));
            let scores = Vec::from_iter(scores);
            assert!(!scores.is_empty(), "{:?}", answer.lines);
            scores
                .iter()
                .all(|line| line.contains(&format!(" score cp {value} ")))
        };
        set(&mut usi, &[("MaxMovesToDraw", "100")]);
        assert!(has_draw(&mut usi, 0));
        set(
            &mut usi,
            &[("DrawValueBlack", "-150"), ("DrawValueWhite", "7")],
        );
        assert!(has_draw(&mut usi, -150));
        set(&mut usi, &[("MaxMovesToDraw", "0")]);
        assert!(!has_draw(&mut usi, -150));
    }
}

#[test]
fn a_gui_without_arguments_reaches_every_role() {
    let _alone = alone();
    let mut usi = ready(&[], &[("USI_Hash", "64"), ("Players", "2")]);
    let votes = |usi: &mut Usi| {
        let answer = usi.think("startpos", "go nodes 2000");
        let is_vote = |line: &&String| line.starts_with("info string votes");
        answer.lines.iter().filter(is_vote).count()
    };
    assert_eq!(votes(&mut usi), 1);
    // One player has no votes, and plays the same game twice with the same seed.
    let single = [("Role", "single"), ("Seed", "7"), ("Sigma", "50")];
    assert!(set(&mut usi, &single).is_empty());
    let game = |usi: &mut Usi| {
        let answer = usi.think("startpos", "go nodes 5000");
        let is_vote = |line: &&String| line.starts_with("info string votes");
        assert_eq!(answer.lines.iter().filter(is_vote).count(), 0);
        answer.bestmove
    };
    let first = game(&mut usi);
    assert!(set(&mut usi, &[]).is_empty());
    assert_eq!(game(&mut usi), first);
    // A mate, and a move where one is wanted.
    assert!(set(&mut usi, &[("Role", "mate")]).is_empty());
    usi.send("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    usi.send("go mate 3000");
    let lines = usi.expect("checkmate");
    assert_eq!(lines.last().map(String::as_str), Some("checkmate G*5b"));
    assert_eq!(votes(&mut usi), 0);
    // And back, with an unknown role in between.
    usi.send("setoption name Role value referee");
    let refused = usi.expect("info");
    assert!(refused[0].contains("team, single, mate"), "{refused:?}");
    assert!(set(&mut usi, &[("Role", "team")]).is_empty());
    assert_eq!(votes(&mut usi), 1);
    assert!(usi.quit().status.success());
}

#[test]
fn a_single_player_forgets_what_the_gui_takes_back() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let book = folder.path().join("a.book");
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    fs::write(&book, format!("monju book 1\nsfen {start}\n6i7h 1\n")).expect("writable");
    let book = book.to_str().expect("a path in UTF-8");
    let mut usi = ready(&[], &[("BookFile", book), ("Role", "single")]);
    let is_of_book = |usi: &mut Usi| {
        let lines = usi.think("startpos", "go nodes 500").lines;
        lines.iter().any(|line| line.contains("from the book"))
    };
    assert!(is_of_book(&mut usi));
    assert!(set(&mut usi, &[("BookFile", "<empty>")]).is_empty());
    assert!(!is_of_book(&mut usi));
}

#[test]
fn a_role_other_than_the_team_starts_no_team() {
    let _alone = alone();
    let mut usi = Usi::start(&["--coordinator", "http://127.0.0.1:1"]);
    usi.handshake();
    for role in ["single", "mate"] {
        assert!(set(&mut usi, &[("Role", role)]).is_empty());
        let answer = usi.think("startpos", "go nodes 500");
        assert!(answer.lines.iter().all(|line| !line.contains("error")));
    }
    assert_eq!(set(&mut usi, &[("Role", "team")]).len(), 1);
}

#[test]
fn a_coordinator_elsewhere_takes_the_primary_from_the_gui() {
    let _alone = alone();
    let cluster = TestCluster::of_three_noise_players();
    let url = cluster.coordinator.url();
    let mut usi = Usi::start(&["--coordinator", &url]);
    usi.handshake();
    let rule = ("Rule", "primary-unless-outvoted");
    eventually("all workers", || {
        let errors = set(&mut usi, &[rule, ("Primary", "two")]);
        errors.is_empty().then_some(())
    });
    let answer = usi.think("startpos", "go nodes 2000");
    let last = answer.lines.last().expect("a verdict");
    assert!(last.contains("rule primary-unless-outvoted"), "{last}");
    let errors = set(&mut usi, &[("Primary", "four")]);
    assert!(
        errors[0].contains("name one of: one, two, three"),
        "{errors:?}"
    );
    // What its own configuration decides is left to it.
    let errors = set(&mut usi, &[("Primary", "one"), ("Threads", "2")]);
    assert!(
        errors[0].contains("the number of threads is left to"),
        "{errors:?}"
    );
    assert!(usi.quit().status.success());
}
