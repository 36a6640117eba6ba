//! `monju analyse`: the files that it writes, and the way that it goes on.

use monju_tests::{
    command::{complaint_of, json_of, output_of, refusal_of},
    data::assert_legal,
};
use serde_json::Value;
use std::{fs, path::Path};

const GAME: &str = "手合割：平手\n先手：sente\n後手：gote\n手数----指手---------消費時間--\n\
    1 ７六歩(77)   ( 0:01/00:00:01)\n   2 ３四歩(33)   ( 0:02/00:00:02)\n\
    3 ２二角成(88)   ( 0:03/00:00:04)\n   4 同　銀(31)   ( 0:01/00:00:03)\n   5 投了\n";

fn path(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn a_game_is_analysed_and_an_analysis_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder.path().join("game.kif");
    fs::write(&game, GAME).expect("written");
    let arguments = ["analyse", path(&game), "--players", "3", "--nodes", "600"];
    let table = output_of(&arguments);
    assert!(
        table.contains("▲７六歩(77)") && table.contains("written: "),
        "{table}"
    );
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
    let ballots = read("game.analysis.jsonl");
    assert_eq!(ballots.lines().count(), 5);
    let kif = read("game.analysis.kifu");
    for text in [
        "先手：sente",
        "( 0:03/00:00:04)",
        "*#評価値=",
        "*#読み筋=△",
        "*合議の手 ",
    ] {
        assert!(kif.contains(text), "no {text}: {kif}");
    }
    assert!(read("game.analysis.csa").contains("'*#評価値="));
    let page = read("game.analysis.html");
    assert!(page.contains("\"black\":\"sente\""), "{page}");

    // A position with a ballot is not asked about again; one without is.
    let json = |arguments: &[&str]| json_of(&[arguments, &["--json"]].concat());
    let whole = json(&arguments);
    assert_eq!(read("game.analysis.jsonl"), ballots);
    let first: Vec<&str> = ballots.lines().take(2).collect();
    let cut = format!("{}\n{{\"kind\":\"bal", first.join("\n"));
    fs::write(folder.path().join("game.analysis.jsonl"), cut).expect("written");
    let resumed = json(&arguments);
    let positions = |object: &Value| object["positions"].as_array().cloned().expect("positions");
    let (whole, resumed) = (positions(&whole), positions(&resumed));
    assert_eq!((whole.len(), resumed.len()), (5, 5));
    assert_eq!(whole, resumed, "with node limits, to the last number");
    let best: Vec<&str> = (resumed.iter())
        .map(|position| position["best"]["move"].as_str().expect("a move"))
        .collect();
    assert_legal("startpos moves 7g7f", best[1]);
    assert_eq!(read("game.analysis.jsonl").lines().count(), 6);

    // Other limits are another analysis.
    let other = ["analyse", path(&game), "--players", "3", "--nodes", "700"];
    let refused = complaint_of(&other);
    assert!(
        refused.contains("an analysis with other limits"),
        "{refused}"
    );
    assert!(refused.contains("--out"), "{refused}");
}

#[test]
fn an_analysis_by_ranked_moves_or_virtual_players_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder.path().join("game.kif");
    fs::write(&game, GAME).expect("written");
    let config = folder.path().join("lanes.toml");
    let player = "[[player]]\nname = \"n\"\nlanes = 3\nsigma = 50\n";
    fs::write(&config, format!("version = 1\n{player}")).expect("written");
    for more in [
        &["--players", "2", "--rule", "ranked"][..],
        &["--config", path(&config)],
    ] {
        let out = folder.path().join(more[0].trim_start_matches('-'));
        fs::create_dir(&out).expect("a folder");
        let arguments = [
            "analyse",
            path(&game),
            "--nodes",
            "300",
            "--to",
            "1",
            "--out",
            path(&out),
        ];
        let arguments = [&arguments[..], more, &["--json"]].concat();
        let first = json_of(&arguments);
        assert_eq!(json_of(&arguments), first, "{more:?}");
    }
}

/// Returns the arguments of a short analysis up to the position after `last` moves.
fn short_analysis<'a>(game: &'a str, last: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let arguments = [
        "analyse",
        game,
        "--players",
        "2",
        "--nodes",
        "300",
        "--to",
        last,
    ];
    [&arguments, more].concat()
}

#[test]
fn an_analysis_by_another_team_is_neither_shown_nor_continued() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder.path().join("game.kif");
    fs::write(&game, GAME).expect("written");
    output_of(&short_analysis(path(&game), "1", &[]));
    for (more, expected) in [
        (&["--evaluator", "material"][..], "evaluator"),
        (&["--sigma", "0"], "sigma"),
        (
            &["--rule", "optimistic"],
            "the rule majority, not optimistic",
        ),
        (&["--threads", "2"], "threads 1, not 2"),
    ] {
        for last in ["1", "2"] {
            let refused = complaint_of(&short_analysis(path(&game), last, more));
            assert!(
                refused.contains("an analysis by another team ("),
                "{refused}"
            );
            assert!(refused.contains(expected), "{expected}: {refused}");
            assert!(refused.contains("--out"), "{refused}");
        }
    }
    let file = folder.path().join("game.analysis.jsonl");
    let ballots = fs::read_to_string(&file).expect("ballots");
    assert_eq!(ballots.lines().count(), 2);

    // By a calibration that is no longer there.
    let calibrated = ballots.replace("\"win_rate\":null", "\"win_rate\":0.75");
    assert_ne!(calibrated, ballots);
    fs::write(&file, calibrated).expect("written");
    for last in ["1", "2"] {
        let refused = complaint_of(&short_analysis(path(&game), last, &[]));
        assert!(refused.contains("with another calibration"), "{refused}");
    }

    // What an older build has found is shown, and not mixed with what this one finds.
    let (_, rest) = ballots.split_once("\"build\":\"").expect("a build");
    let (build, _) = rest.split_once('"').expect("its end");
    let older = ballots.replace(
        &format!("\"build\":\"{build}\""),
        "\"build\":\"0.0.1 (0123)\"",
    );
    fs::write(&file, older).expect("written");
    output_of(&short_analysis(path(&game), "1", &[]));
    let refused = complaint_of(&short_analysis(path(&game), "2", &[]));
    assert!(
        refused.contains("by another build (0.0.1 (0123))"),
        "{refused}"
    );
}

#[test]
fn ranges_of_a_game_are_joined_and_the_rules_are_quoted() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder.path().join("game.usi");
    let text = "sfen 3k5/9/4P4/9/9/9/9/9/4K4 b 2G 1 moves G*6c 6a5a G*5b\n";
    fs::write(&game, text).expect("written");
    let table = output_of(&short_analysis(path(&game), "1", &[]));
    assert!(table.contains("\n2 positions, "), "{table}");
    // Black mates whoever is to move.
    for mate in ["mate +3", "mate +2"] {
        assert!(table.contains(mate), "{mate}: {table}");
    }
    let rest = ["--from", "2", "--json"];
    let whole = json_of(&short_analysis(path(&game), "3", &rest));
    let plies = |list: &Value| -> Vec<u64> {
        let list = list.as_array().expect("a list").iter();
        list.filter_map(|position| position["plies"].as_u64())
            .collect()
    };
    assert_eq!(plies(&whole["positions"]), [0, 1, 2]);
    assert_eq!(plies(&whole["decided_by_rules"]), [3]);
    let table = output_of(&short_analysis(path(&game), "3", &rest[..2]));
    assert!(
        table.contains("\ndecided by the rules after 3 moves: mate\n"),
        "{table}"
    );
}

#[test]
fn a_position_of_a_game_is_consulted_about() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder.path().join("game.kif");
    fs::write(&game, GAME).expect("written");
    let consult = [
        "consult",
        path(&game),
        "--players",
        "3",
        "--nodes",
        "500",
        "--json",
    ];
    let whole = json_of(&consult);
    assert_eq!(whole["position"], "startpos moves 7g7f 3c3d 8h2b+ 3a2b");
    let early = json_of(&[&consult[..], &["--ply", "2"]].concat());
    assert_eq!(early["position"], "startpos moves 7g7f 3c3d");
    let refused = refusal_of(&[&consult[..], &["--ply", "9"]].concat());
    assert!(refused.contains("the game has 4 moves"), "{refused}");
    let refused = refusal_of(&["consult", "--game", "2", "startpos"]);
    assert!(
        refused.contains("--game 2: a position is no file of games"),
        "{refused}"
    );
}

/// Players are not asked about longer games, which was found out after thousands of positions.
#[test]
fn a_game_that_is_too_long_to_be_asked_about_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder.path().join("long.usi");
    // Repetitions go on: the referee of a record is whoever wrote it.
    let circle = " 4i4h 6a6b 4h4i 6b6a".repeat(1_025);
    fs::write(&game, format!("startpos moves{circle}")).expect("written");
    let refused = refusal_of(&["analyse", path(&game)]);
    assert!(
        refused.contains("long.usi: ") && refused.contains("the game has 4100: add --to 4096"),
        "{refused}"
    );
}
