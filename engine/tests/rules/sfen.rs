//! SFEN: refused texts, accepted texts, and round trips.

use crate::support::{data, game, objects, rows};
use monju_engine::Game;

/// Texts that are not positions of shogi, each with the reason and its source. Libraries disagree on
/// some of them, which are judged here by the rules and by the definition of SFEN.
const REFUSED: &[(&str, &str, &str)] = &[
    // Published by others.
    (
        "lnsgkgsna/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "a is no piece",
        "miniosl",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL+ b - 1",
        "a promotion mark without a piece",
        "miniosl",
    ),
    (
        "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+3L w Sbgn3p 124",
        "a promoted number",
        "miniosl",
    ),
    (
        "lnsg+kgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "a king does not promote",
        "miniosl",
    ),
    (
        "lnsgkgsnl/1r5b2/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "a rank of ten squares",
        "miniosl",
    ),
    (
        "lnsgkgsnl/1r5b1/pppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "a rank of ten squares",
        "miniosl",
    ),
    (
        "lnsgkgsnl/1r5b10/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "a run of no squares",
        "miniosl",
    ),
    (
        "lnsgkgsn?/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "? is no piece",
        "miniosl",
    ),
    (
        "lnsgkgsnl/1r7/3pppppp/9/9/9/PPPPPPP2/1B5R1/LN1GKGSNL l S2Pb3p 1",
        "l is no side",
        "miniosl",
    ),
    (
        "lnsgkgsnl/1r7/3pppppp/9/9/9/PPPPPPP2/1B5R1/LN1GKGSNL w S2Ab3p 1",
        "A is no piece in hand",
        "miniosl",
    ),
    (
        "lnsgkgsnl/1r7/3pppppp/9/9/9/PPPPPPP2/1B5R1/LN1GKGSNL w S2#b3p 1",
        "# is no piece in hand",
        "miniosl",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "a rank of eight squares",
        "haitaka",
    ),
    (
        "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL x - 2",
        "x is no side",
        "haitaka",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPP/1B5R1/LNSGKGSNL b 3B 1",
        "a rank of eight squares, five bishops",
        "haitaka",
    ),
    (
        "lr5nl/3gk1g2/2nsppsp1/p1pp2p1p/1p5P1/P1PPSPP1P/1PS1P1N2/2GK1G3/LN5RL w B2b 50",
        "three bishops",
        "rsshogi",
    ),
    (
        "lr5nl/3gk1g2/2nsppsp1/p1pp2p1p/1p5P1/P1PPSPP1P/1PS1P1N2/2GK1G2L/LN5RL w Bb 50",
        "five lances",
        "rsshogi",
    ),
    // Monju's own.
    ("", "nothing", "ours"),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
        "no side",
        "ours",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1 b - 1",
        "eight ranks",
        "ours",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL/9 b - 1",
        "ten ranks",
        "ours",
    ),
    (
        "lnsgkgsnl//ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "an empty rank",
        "ours",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - x",
        "x is no move number",
        "ours",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - -1",
        "a negative move number",
        "ours",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 7g7f",
        "moves without the word moves",
        "ours",
    ),
    (
        "lnsg1gsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b k 1",
        "a king in hand",
        "ours",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPP1/1B5R1/LNSGKGSNL b 2 1",
        "a number without a piece in hand",
        "ours",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPP1/1B5R1/LNSGKGSNL b 0P 1",
        "none of a piece in hand",
        "ours",
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b P 1",
        "nineteen pawns",
        "ours",
    ),
    (
        "4k4/9/9/9/9/9/9/9/4K4 b 99999999999999999999P 1",
        "more pawns than a number holds",
        "ours",
    ),
    (
        "lns+gkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "a gold does not promote",
        "ours",
    ),
    ("4k4/9/9/9/9/9/9/9/3KK4 b - 1", "two black kings", "ours"),
    ("3kk4/9/9/9/9/9/9/9/4K4 b - 1", "two white kings", "ours"),
    (
        "4k4/9/9/4P4/9/4P4/9/9/4K4 b - 1",
        "two black pawns on one file",
        "ours",
    ),
    (
        "4k4/9/9/4p4/9/4p4/9/9/4K4 b - 1",
        "two white pawns on one file",
        "ours",
    ),
    (
        "P3k4/9/9/9/9/9/9/9/4K4 b - 1",
        "a black pawn that can never move",
        "ours",
    ),
    (
        "4k4/9/9/9/9/9/9/9/p3K4 b - 1",
        "a white pawn that can never move",
        "ours",
    ),
    (
        "L3k4/9/9/9/9/9/9/9/4K4 b - 1",
        "a black lance that can never move",
        "ours",
    ),
    (
        "4k4/9/9/9/9/9/9/9/l3K4 b - 1",
        "a white lance that can never move",
        "ours",
    ),
    (
        "4k4/N8/9/9/9/9/9/9/4K4 b - 1",
        "a black knight that can never move",
        "ours",
    ),
    (
        "4k4/9/9/9/9/9/9/n8/4K4 b - 1",
        "a white knight that can never move",
        "ours",
    ),
    (
        "4k4/9/9/9/9/9/9/9/4R3K b - 1",
        "the side that moved left its king in check",
        "ours",
    ),
    (
        "4k3r/9/9/9/9/9/9/9/8K w - 1",
        "the side that moved left its king in check",
        "ours",
    ),
    ("9/9/9/9/4k4/4K4/9/9/9 b - 1", "kings that touch", "ours"),
];

/// Unusual positions that are possible, or customary in problems.
const ACCEPTED: &[(&str, &str)] = &[
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "White to move in the first array: a handicap of nothing",
    ),
    (
        "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "a handicap game without the rook",
    ),
    (
        "4k4/9/9/9/9/9/9/9/9 b 16P 1",
        "a mate problem has no black king",
    ),
    (
        "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
        "every piece in hand",
    ),
    (
        "+P3k4/+p8/9/9/9/9/9/+P8/+p3K4 b - 1",
        "promoted pawns are golds: they may stand anywhere, several on a file",
    ),
    (
        "4k4/4R4/9/9/9/9/9/9/4K4 w - 1",
        "the side to move is in check",
    ),
];

#[test]
fn positions_that_cannot_exist_are_refused_with_a_reason() {
    let mut wrong = Vec::new();
    for (sfen, reason, source) in REFUSED {
        for text in [
            sfen.to_string(),
            format!("sfen {sfen}"),
            format!("position sfen {sfen}"),
        ] {
            match Game::from_usi(&text) {
                Ok(_) => wrong.push(format!("'{text}' is accepted: {reason} ({source})")),
                Err(error) => {
                    let line = error.to_string();
                    if line.is_empty() || line.contains('\n') {
                        wrong.push(format!("'{text}': not one clear line: {line:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn odd_positions_that_can_exist_are_accepted() {
    for (sfen, reason) in ACCEPTED {
        let game = Game::from_usi(sfen).unwrap_or_else(|error| panic!("{error}: {reason}"));
        assert_eq!(game.position().to_string(), *sfen, "{reason}");
    }
}

#[test]
fn every_position_of_the_data_is_written_as_it_was_read() {
    let mut sfens = Vec::new();
    for file in [
        "perft/perft.tsv",
        "rules/legal_moves_5000.tsv",
        "problems/bench_positions.tsv",
    ] {
        let text = data(file);
        sfens.extend(rows(&text).map(|row| row[0].to_owned()));
    }
    for file in ["rules/legality.jsonl", "rules/declaration.jsonl"] {
        sfens.extend(
            objects(&data(file))
                .iter()
                .map(|object| object["sfen"].as_str().expect("a sfen").to_owned()),
        );
    }
    assert!(sfens.len() > 2200);
    for sfen in sfens {
        let first = game(&sfen);
        let written = first.position().to_string();
        let second = game(&written);
        assert_eq!(first.position(), second.position(), "{sfen}");
        assert_eq!(second.position().to_string(), written, "{sfen}");
        // Hands come in any order, but the board and the side are written in one way only.
        let board_and_side = |text: &str| text.split(' ').take(2).collect::<Vec<_>>().join(" ");
        assert_eq!(board_and_side(&written), board_and_side(&sfen));
    }
}

#[test]
fn every_form_of_a_position_is_read() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let after = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
    for text in [
        "startpos".to_owned(),
        "position startpos".to_owned(),
        "startpos moves".to_owned(),
        start.to_owned(),
        format!("sfen {start}"),
        format!("position sfen {start}"),
        format!("  position   sfen {start}  "),
    ] {
        assert_eq!(game(&text).position().to_string(), start, "{text}");
    }
    for text in [
        "startpos moves 7g7f 3c3d".to_owned(),
        "position startpos moves 7g7f 3c3d".to_owned(),
        format!("sfen {start} moves 7g7f 3c3d"),
        format!("{start} moves 7g7f 3c3d"),
    ] {
        assert_eq!(game(&text).position().to_string(), after, "{text}");
    }
}

/// Some programs count moves from 0.
#[test]
fn move_number_0_is_the_first_move() {
    let text = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 0";
    assert_eq!(game(text).position().ply(), 1);
}

#[test]
fn malformed_games_are_refused_with_the_ply_and_the_move() {
    for (text, ply, offender) in [
        ("startpos moves 7g7f 7g7f", 2, "7g7f"),
        ("startpos moves 7g7e", 1, "7g7e"),
        ("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*9z", 5, "B*9z"),
        ("startpos moves 0a0b", 1, "0a0b"),
        ("startpos moves 7g7f+", 1, "7g7f+"),
        ("startpos moves P*5e", 1, "P*5e"),
        ("startpos moves 7g7f pass", 2, "pass"),
        ("startpos moves 7g7f 3c3d 8h2b+ 3a2b b*5e", 5, "b*5e"),
    ] {
        let line = Game::from_usi(text).expect_err(text).to_string();
        assert!(line.contains(&ply.to_string()), "{text}: {line}");
        assert!(line.contains(offender), "{text}: {line}");
        assert!(!line.contains('\n'), "{text}: {line}");
    }
    for text in [
        "startpos 7g7f",
        "startpo",
        "moves 7g7f",
        "position",
        "sfen",
        "startpos move 7g7f",
    ] {
        let line = Game::from_usi(text).expect_err(text).to_string();
        assert!(!line.is_empty() && !line.contains('\n'), "{text}: {line}");
    }
}
