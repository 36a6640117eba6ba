//! `monju danger`.

use monju_tests::command::{json_of, output_of, refusal_of};

/// Like the example of Hiramatsu et al. (section 4), whose figure is lost in its text.
const EXAMPLE: &str = "lnsgk1snl/1r4gb1/ppppppp1p/9/9/9/PPPPPPP1P/1B5R1/LNSGKGSNL b P 1";

#[test]
fn danger_finds_the_attack_of_the_papers_example() {
    let object = json_of(&["danger", EXAMPLE, "--worse", "black", "--json"]);
    assert_eq!(object["result"], "fails", "{object}");
    let line: Vec<&str> = object["line"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|mv| mv.as_str())
        .collect();
    assert_eq!(line, ["P*2c", "3b2c", "2h2c+"]);
    assert!(object["nodes"].as_u64() <= Some(100), "{object}");
    assert_eq!(object["worse"], "black");
    assert_eq!(object["absolute"], false);
    let material = ["material_before", "material_after"].map(|key| object[key].as_i64());
    assert!(material[0] > material[1], "{object}");
    let text = output_of(&["danger", EXAMPLE, "--worse", "black"]);
    for expected in [
        "fails: Black wins material",
        "▲２三歩打 △同金(32) ▲同飛成(28)",
    ] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn danger_tells_a_mate_from_a_gain_of_material() {
    let gold_on_head = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let text = output_of(&["danger", gold_on_head, "--worse", "black"]);
    assert!(text.contains("fails: Black mates"), "{text}");
    let object = json_of(&["danger", gold_on_head, "--worse", "black", "--json"]);
    assert_eq!(object["mates"], true, "{object}");
}

#[test]
fn danger_holds_where_no_attack_is_left_and_is_unknown_without_nodes() {
    let object = json_of(&["danger", "startpos", "--json"]);
    assert_eq!(object["result"], "holds", "{object}");
    let object = json_of(&[
        "danger", EXAMPLE, "--worse", "black", "--nodes", "1", "--json",
    ]);
    assert_eq!(object["result"], "unknown", "{object}");
    assert_eq!(object["expanded"], 1);
    // By the paper's letter nobody is ahead in the start position.
    let object = json_of(&["danger", "startpos", "--absolute", "--json"]);
    assert_eq!(object["result"], "fails", "{object}");
}

#[test]
fn a_survey_counts_the_answers() {
    let openings = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/openings/taya_36ply.sfen"
    );
    let survey = [
        "danger", "--survey", openings, "--plies", "20", "--nodes", "50", "--json",
    ];
    let object = json_of(&survey);
    let count = |key: &str| object[key].as_u64().expect("a count");
    assert_eq!(count("positions"), 550);
    assert_eq!(count("holds") + count("fails") + count("unknown"), 550);
    assert!(object["ended"].as_f64() > Some(0.5), "{object}");
    assert_eq!(
        object,
        json_of(&survey),
        "the same seed, the same positions"
    );
}

#[test]
fn danger_refuses_nonsense() {
    for (arguments, expected) in [
        (&["danger", "startpos moves 7g7e"][..], "7g7e"),
        (&["danger", "startpos", "--nodes", "0"], "--nodes"),
        (&["danger", "startpos", "--worse", "grey"], "grey"),
        (&["danger", "startpos", "--plies", "3"], "--survey"),
    ] {
        let line = refusal_of(arguments);
        assert!(line.contains(expected), "{line}");
    }
}
