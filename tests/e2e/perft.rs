//! `monju perft`.

use monju_tests::command::{complaint_of, json_of, output_of};

#[test]
fn perft_of_the_start_position_is_the_published_count() {
    let output = output_of(&["perft", "startpos", "5"]);
    let counts: Vec<&str> = output
        .split(|symbol: char| !symbol.is_ascii_digit())
        .filter(|word| *word == "19861490")
        .collect();
    assert_eq!(counts.len(), 1, "{output}");
}

#[test]
fn perft_of_a_position_with_many_drops_is_the_published_count() {
    let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
    let object = json_of(&["perft", sfen, "4", "--json"]);
    assert_eq!(object["nodes"], 516_925_165);
}

#[test]
fn perft_gives_nodes_and_speed_as_json() {
    let object = json_of(&["perft", "startpos", "4", "--json"]);
    assert_eq!(object["nodes"], 719731);
    assert!(object["nps"].as_u64().is_some(), "{object}");
}

#[test]
fn perft_reads_a_position_with_moves_and_a_bare_sfen() {
    let object = json_of(&["perft", "startpos moves 7g7f 3c3d", "1", "--json"]);
    assert_eq!(object["nodes"], 39);
    let sfen = "4k4/9/9/9/9/9/9/9/9 b 16P 1";
    let object = json_of(&["perft", sfen, "2", "--json"]);
    assert_eq!(object["nodes"], 355);
}

#[test]
fn perft_refuses_what_is_no_position() {
    let line = complaint_of(&["perft", "startpos moves 7g7e", "1"]);
    assert!(line.contains("7g7e"), "{line}");
}
