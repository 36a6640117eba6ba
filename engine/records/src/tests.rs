use crate::{
    collection::RecordCollection,
    formats::{games_and_positions, parse_games},
    record::RecordedResult,
    timed::csa_position,
};
use monju_engine::Color;
use rsshogi::records::formats::{common::TextEncoding, kif as foreign};
use std::{error::Error, path::Path};

fn collect(files: &[(&str, &str)]) -> RecordCollection {
    let mut collection = RecordCollection::default();
    for (name, text) in files {
        for game in parse_games(Path::new(name), text.as_bytes()).expect("a known format") {
            collection.add(name, game);
        }
    }
    collection
}

const CSA: &str = "V2.2\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n%TORYO\n";
const KIF: &str = "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n   \
                   3 ２二角成(88)\n   4 投了\n";

#[test]
fn every_format_gives_the_same_game() {
    let tsv = "# id\tresult\nx-1\tb~\t3\tother\t\t\t\t\t7g7f 3c3d 8h2b+\n";
    let usi = "startpos moves 7g7f 3c3d 8h2b+\n";
    let mut moves = Vec::new();
    for (name, text) in [
        ("a.csa", CSA),
        ("b.kif", KIF),
        ("c.tsv", tsv),
        ("d.usi", usi),
    ] {
        let collection = collect(&[(name, text)]);
        assert_eq!(collection.accepted().len(), 1, "{name}{collection}");
        moves.push(collection.accepted()[0].moves().to_vec());
    }
    assert!(moves.windows(2).all(|pair| pair[0] == pair[1]));
    let all = collect(&[("a.csa", CSA), ("b.kif", KIF)]);
    assert_eq!(all.accepted().len(), 1);
    assert!(
        all.to_string()
            .contains("1 for duplicate game, first b.kif:1")
    );
}

#[test]
fn rejections_are_counted_and_the_first_place_is_named() {
    let text = "startpos moves 7g7f 7f7d\n\nstartpos moves 7g7f 3c3d\nstartpos moves 7g7x\n\
                startpos moves 2g2e\nsfen 9/9/9/9/9/9/9/9/KK7 b - 1 moves 9i9h\nhello\nstartpos\n";
    let collection = collect(&[("games.txt", text)]);
    assert_eq!(collection.accepted().len(), 1);
    let report = collection.to_string();
    for expected in [
        "2 for illegal move, first games.txt:1 (move 2: 7f7d is not a legal move here)",
        "1 for unreadable move, first games.txt:4",
        "1 for impossible start position, first games.txt:6",
        "1 for unreadable text, first games.txt:7",
        "1 for no moves, first games.txt:8",
    ] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
}

#[test]
fn an_illegal_game_of_a_csa_file_leaves_the_others() {
    let text = format!("{CSA}/\nV2.2\nPI\n+\n+7775FU\n%TORYO\n/\nV2.2\nPI\n+\n+2726FU\n%TORYO\n");
    let collection = collect(&[("a.csa", &text)]);
    assert_eq!(collection.accepted().len(), 2);
    assert!(
        collection.to_string().contains("first a.csa:9"),
        "{collection}"
    );
}

/// Files that were put together without the line between them would lose all games but the first.
#[test]
fn a_game_behind_the_end_of_another_is_refused() {
    for beyond in [CSA, "V2.2\nP1-KY\n", "+2726FU\n"] {
        let report = collect(&[("a.csa", &format!("{CSA}{beyond}"))]).to_string();
        assert!(
            report.contains("the game has ended, and this goes on"),
            "{report}"
        );
    }
    let report = collect(&[("a.csa", &format!("{CSA}/\n{CSA}+2726FU\n"))]).to_string();
    assert!(report.contains("(line 16: the game has ended"), "{report}");
    let behind = "T3\n'a comment\n$END_TIME:2026/11/28\n";
    let collection = collect(&[("a.csa", &format!("{CSA}{behind}"))]);
    assert_eq!(collection.accepted().len(), 1, "{collection}");

    let ki2 = "手合割：平手\n▲７六歩 △３四歩\nまで2手で後手の勝ち\n";
    let report = collect(&[("a.ki2", &format!("{ki2}\n{ki2}"))]).to_string();
    assert!(report.contains("line 7 ends a second game"), "{report}");
}

#[test]
fn of_games_that_are_the_same_one_with_a_result_stays() {
    let without = CSA.replace("%TORYO", "%CHUDAN");
    for files in [
        [("a.csa", &*without), ("b.csa", CSA)],
        [("b.csa", CSA), ("a.csa", &*without)],
    ] {
        let collection = collect(&files);
        assert_eq!(collection.accepted().len(), 1, "{collection}");
        let result = collection.accepted()[0].result();
        assert_eq!(result, RecordedResult::Won(Color::Black), "{files:?}");
        assert!(
            collection.to_string().contains("1 for duplicate game"),
            "{collection}"
        );
    }
}

#[test]
fn results_are_kept_and_unknown_formats_refused() {
    let collection = collect(&[("a.csa", CSA)]);
    assert_eq!(
        collection.accepted()[0].result(),
        RecordedResult::Won(Color::Black)
    );
    assert!(parse_games(Path::new("a.pdf"), b"").is_err());
}

#[test]
fn a_csa_file_without_position_and_moves_is_no_game() {
    for text in ["hello\n", "V2.2\nN+sente\n$EVENT:x\n", "手合割：平手\n"] {
        let games = parse_games(Path::new("a.csa"), text.as_bytes()).expect("a known format");
        let error = format!("{:?}", games[0].game.as_ref().expect_err(text));
        assert!(error.contains("is it a CSA file?"), "{error}");
    }
    for (text, plies) in [
        ("PI\n+\n", None),
        ("+\n+7776FU\n", Some(1)),
        ("PI,+,+7776FU,T3\n", Some(1)),
    ] {
        let games = parse_games(Path::new("a.csa"), text.as_bytes()).expect("a known format");
        let game = games[0].game.as_ref();
        assert_eq!(game.ok().map(|game| game.moves().len()), plies, "{text}");
        // A position without moves is a CSA file, and no game.
        if let Err(error) = game {
            assert!(format!("{error:?}").contains("Empty"), "{error:?}");
        }
    }
}

#[test]
fn the_pieces_left_of_a_csa_position_are_all_in_hand() {
    let start = "P-11OU\nP+13FU\nP+00KI\nP-00AL\n+\n";
    let collection = collect(&[("a.csa", &format!("V2.2\n{start}+0012KI\n%TSUMI\n"))]);
    let expected = "8k/9/8P/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
    assert_eq!(collection.accepted()[0].start().to_string(), expected);
    // A server may send such a position, too.
    let timed = csa_position(start).expect("a position");
    assert_eq!(timed.game.start(), expected);
}

/// Returns the result of the only game of a file.
fn result_of(name: &str, text: &str) -> RecordedResult {
    let collection = collect(&[(name, text)]);
    assert_eq!(collection.accepted().len(), 1, "{name}{collection}\n{text}");
    collection.accepted()[0].result()
}

#[test]
fn moves_may_have_marks_and_games_may_end_in_other_words() {
    let marked = "手合割：平手\n手数----指手---------消費時間--\n   1 ▲７六歩(77)\n&a bookmark\n   2 △３四歩(33)\n   \
                  3 ▲２二角成(88)\n   4 引き分け\n";
    let all = collect(&[("a.kif", KIF), ("b.kif", marked)]);
    assert_eq!(all.accepted().len(), 1, "the same moves: {all}");
    assert_eq!(result_of("a.kif", marked), RecordedResult::Drawn);
    for word in ["封じ手", "昼食休憩"] {
        let text = marked.replace("引き分け", word);
        assert_eq!(result_of("a.kif", &text), RecordedResult::Unknown, "{word}");
        // Where the game goes on, the word is no ending.
        let text = text + "   5 ２二銀(31)\n";
        assert_eq!(collect(&[("a.kif", &text)]).accepted().len(), 0, "{word}");
    }
}

#[test]
fn the_server_knows_better_who_has_won_than_the_last_word() {
    let refused = "V2\nPI\n+\n+7776FU\nT1\n%KACHI\n'summary:illegal kachi:A lose:B win\n";
    let white = RecordedResult::Won(Color::White);
    assert_eq!(result_of("a.csa", refused), white);
    let accepted = refused.replace("illegal kachi:A lose:B win", "kachi:A win:B lose");
    assert_eq!(
        result_of("a.csa", &accepted),
        RecordedResult::Won(Color::Black)
    );
}

#[test]
fn keys_behind_the_moves_of_a_csa_file_are_no_moves() {
    let text = "V2.2\nPI\n+\n+7776FU\nT1\n-3334FU\n$END_TIME:2024/05/04 10:00:00\n";
    let collection = collect(&[("a.csa", text)]);
    assert_eq!(collection.accepted().len(), 1, "{collection}");
    assert_eq!(collection.accepted()[0].moves().len(), 2);
    // The lines of wrong moves behind them keep their numbers.
    let text = text.replace("T1\n", "$EVENT:x\n");
    let report = collect(&[("a.csa", &text.replace("3334", "3335"))]).to_string();
    assert!(report.contains("(move 2, line 6)"), "{report}");
}

/// ShogiHome writes `まで` where a line has an ending, and none where it has not.
#[test]
fn the_ending_of_a_variation_is_none_of_the_game() {
    let ki2 = "手合割：平手\n▲７六歩 △３四歩\n▲２二角成 △同　銀\n▲４五角\n\n変化：4手\n△同　飛\nまで4手で後手の勝ち\n";
    assert_eq!(result_of("a.ki2", ki2), RecordedResult::Unknown);
    let even = ki2.replace("▲４五角\n", "");
    assert_eq!(result_of("a.ki2", &even), RecordedResult::Unknown);
    let ended = even.replacen("\n\n", "\nまで4手で先手の勝ち\n\n", 1);
    let black = RecordedResult::Won(Color::Black);
    assert_eq!(result_of("a.ki2", &ended), black);
    // The word above the moves begins no variation, and what a variation plays is none of the game.
    for text in [
        ended.replace("手合割", "変化：1手\n手合割"),
        ended.replace("△同　飛", "△９九歩"),
    ] {
        assert_eq!(result_of("a.ki2", &text), black);
    }
    let unmarked = "7六歩\n3四歩\n\n変化：2手\n8四歩\nまで2手で後手の勝ち\n";
    assert_eq!(result_of("a.ki2", unmarked), RecordedResult::Unknown);
}

#[test]
fn bookmarks_of_a_ki2_file_are_no_moves() {
    let text = "手合割：平手\n▲７六歩\n&しおり\n△３四歩 ▲２二角成\n# a remark\nまで3手で先手の勝ち\n\n\
                変化：2手\n△８四歩\n&別の手\n";
    let collection = collect(&[("a.ki2", text)]);
    assert_eq!(collection.accepted().len(), 1, "{collection}");
    assert_eq!(collection.accepted()[0].moves().len(), 3);
    let error = &collect(&[("a.ki2", &text.replace("３四歩", "３五歩"))]).to_string();
    assert!(error.contains("a.ki2"), "{error}");
}

#[test]
fn an_illegal_move_is_named_by_its_number() {
    let jkf = |rank: u8| {
        format!(
            r#"{{"header":{{}},"moves":[{{}},{{"move":{{"from":{{"x":7,"y":7}},"to":{{"x":7,"y":6}},"piece":"FU"}}}},
               {{"move":{{"from":{{"x":3,"y":3}},"to":{{"x":3,"y":{rank}}},"piece":"FU"}}}}]}}"#
        )
    };
    for (name, good, bad, place) in [
        (
            "a.csa",
            CSA.to_owned(),
            CSA.replace("-3334FU", "-3335FU"),
            "move 2, line 5)",
        ),
        (
            "a.kif",
            KIF.to_owned(),
            KIF.replace("３四歩(33)", "３五歩(33)"),
            "move 2, line 4)",
        ),
        ("a.jkf", jkf(4), jkf(5), "move 2)"),
        (
            "a.usi",
            "startpos moves 7g7f 3c3d".to_owned(),
            "startpos moves 7g7f 3c3e".to_owned(),
            "move 2: ",
        ),
    ] {
        // Some programs put a mark before a text in UTF-8.
        assert_eq!(
            collect(&[(name, &format!("\u{feff}{good}"))])
                .accepted()
                .len(),
            1,
            "{name}"
        );
        let report = collect(&[(name, &bad)]).to_string();
        let expected = format!("1 for illegal move, first {name}:1 ({place}");
        assert!(report.contains(&expected), "{name}: {report}");
    }
}

#[test]
fn moves_behind_the_end_of_a_jkf_game_are_refused() {
    let game = r#"{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},END]}"#;
    let reply = r#"{"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}}"#;
    let end = r#"{"special":"CHUDAN"}"#;
    let whole = game.replace("END", &format!("{reply},{end}"));
    assert_eq!(collect(&[("a.jkf", &whole)]).accepted().len(), 1);
    let ended = game.replace("END", &format!("{end},{reply}"));
    let report = collect(&[("a.jkf", &ended)]).to_string();
    assert!(
        report.contains("(move 2 stands behind the end of the game)"),
        "{report}"
    );
}

#[test]
fn another_piece_than_the_one_that_moves_is_refused() {
    for (from, to, reason) in [
        // Without the promotion that it means.
        (
            "角成(88)",
            "馬(88)",
            "move 3, line 5: 馬 is named, and 角 moves",
        ),
        (
            "３四歩(33)",
            "３四銀(33)",
            "move 2, line 4: 銀 is named, and 歩 moves",
        ),
    ] {
        let report = collect(&[("a.kif", &KIF.replace(from, to))]).to_string();
        let expected = "1 for another piece named than the one that moves, first a.kif:1";
        assert!(report.contains(expected), "{report}");
        assert!(report.contains(reason), "{report}");
    }
    let jkf = |last: &str| {
        format!(
            r#"{{"header":{{}},"moves":[{{}},{{"move":{{"from":{{"x":7,"y":7}},"to":{{"x":7,"y":6}},"piece":"FU"}}}},
               {{"move":{{"from":{{"x":3,"y":3}},"to":{{"x":3,"y":4}}}}}},
               {{"move":{{"from":{{"x":8,"y":8}},"to":{{"x":2,"y":2}},{last}}}}}]}}"#
        )
    };
    for good in [
        r#""piece":"KA","promote":true"#,
        r#""piece":"UM","promote":true"#,
    ] {
        let collection = collect(&[("a.jkf", &jkf(good))]);
        assert_eq!(collection.accepted().len(), 1, "{good}{collection}");
    }
    let report = collect(&[("a.jkf", &jkf(r#""piece":"UM""#))]).to_string();
    assert!(
        report.contains("(move 3: 馬 is named, and 角 moves)"),
        "{report}"
    );
}

#[test]
fn an_impossible_line_of_a_ki2_file_is_named_by_its_number() {
    let text = "手合割：平手\n▲７六歩 △３四歩\n▲２三角成\n";
    let report = collect(&[("a.ki2", text)]).to_string();
    assert!(
        report.contains("(line 3: invalid KI2 move: ▲２三角成)"),
        "{report}"
    );
    // The same words may be those of another line.
    let repeated = collect(&[("a.ki2", &format!("{text}▲２三角成\n"))]).to_string();
    assert!(
        repeated.contains("(invalid KI2 move: ▲２三角成)"),
        "{repeated}"
    );
}

/// The parser keeps a position for each move.
#[test]
fn a_game_without_end_in_kif_or_ki2_is_refused_before_it_is_parsed() {
    let game = |count: usize, line: &dyn Fn(usize) -> String, ending: &str| {
        let moves: String = (1..=count).map(line).collect();
        format!("手合割：平手\n{moves}{ending}")
    };
    let numbered = |number| format!("{number} ７六歩(77)\n");
    let forms: [(_, &dyn Fn(usize) -> String, _); 4] = [
        ("a.kif", &numbered, "10002 投了\n"),
        (
            "a.ki2",
            &|_| "▲７六歩\n".to_owned(),
            "まで10001手で先手の勝ち\n",
        ),
        ("a.ki2", &|_| "７六歩\n".to_owned(), ""),
        ("a.ki2", &|_| "▲７六歩　".to_owned(), ""),
    ];
    for (name, line, ending) in forms {
        let report = collect(&[(name, &game(10_001, line, ending))]).to_string();
        let expected = "10001 moves are too many; a game in KIF or KI2, or in JKF with its variations, has 10000 at most";
        assert!(report.contains(expected), "{report}");
        let report = collect(&[(name, &game(10_000, line, ending))]).to_string();
        assert!(!report.contains("too many"), "{report}");
    }
}

#[test]
fn a_game_without_end_in_jkf_is_refused_before_it_is_parsed() {
    let entry = r#"{"move":{"to":{"x":7,"y":6},"piece":"FU"}}"#;
    let file = |count: usize| format!(r#"{{"moves":[{{}},{}]}}"#, vec![entry; count].join(","));
    let report = collect(&[("a.jkf", &file(10_001))]).to_string();
    assert!(report.contains("10001 moves are too many"), "{report}");
    let fork = format!(
        r#"{{"moves":[{{}},{{"forks":[[{}]]}}]}}"#,
        vec![entry; 10_001].join(",")
    );
    let report = collect(&[("a.jkf", &fork)]).to_string();
    assert!(report.contains("10001 moves are too many"), "{report}");
}

/// The parser takes one move behind each mark, and none behind the last line.
#[test]
fn a_ki2_file_whose_moves_the_parser_skips_is_refused() {
    let read = |text: &str| collect(&[("a.ki2", text)]);
    for (text, moves, given) in [
        (
            "手合割：平手\n７六歩 ３四歩 ２六歩\n８四歩 ２五歩 ８五歩\n",
            "2 moves",
            6,
        ),
        ("▲７六歩 △３四歩５五角 ▲２六歩\n", "3 moves", 4),
        ("▲７六歩\nまで1手で中断\n△３四歩 ▲２六歩\n", "1 move", 3),
    ] {
        let report = read(text).to_string();
        let expected = format!("read {moves} where the main line has {given}; in KI2 each");
        assert!(report.contains(&expected), "{report}");
    }
    for text in [
        "手合割：平手\n▲７六歩 △３四歩\n▲２二角成 △同　銀\n",
        "７六歩\n３四歩\n２二角成\n同銀\n",
        "▲７六歩 △３四歩 ▲２二角成 △同　銀\n*２六歩\nまで4手で中断\n",
        "▲７六歩 △３四歩 ▲２二角成 △同銀 まで4手で中断\n",
        "▲７六歩 △３四歩 ▲２二角成 △同銀\n変化：1手\n▲２六歩 △８四歩\n",
        "▲７六歩 △３四歩 ▲２二角成 △同銀\n\n変化：1手\n▲２六歩\n\n▲９六歩\n",
        "▲７六歩 *ここまで２六歩なら定跡\n△３四歩 ▲２二角成 △同銀\nまで4手で中断\n",
        "▲７六歩 △３四歩 ▲２二角成 △同銀（図は２二同銀まで）\n",
        "▲７六歩 △３四歩 ▲２二角成 △同銀\n\n変化：3手\n▲２六歩 まで3手で先手の勝ち\n",
    ] {
        let collection = read(text);
        let [game] = collection.accepted() else {
            panic!("{text}{collection}")
        };
        assert_eq!(game.moves().len(), 4, "{text}");
    }
    let report = read("▲７六歩 △３四歩 まで3手で中断\n").to_string();
    assert!(
        report.contains("read 2 moves, but the last line counts 3"),
        "{report}"
    );
}

#[test]
fn a_move_out_of_turn_is_named_by_its_number_and_line() {
    let second = CSA.replace("-3334FU\n", "");
    let third = CSA.replace("+\n+7776FU", "-\n+7776FU");
    let all = collect(&[("a.csa", &format!("{CSA}/\n{second}")), ("b.csa", &third)]);
    let report = all.to_string();
    assert!(
        report.contains("2 for unreadable text, first a.csa:9"),
        "{report}"
    );
    assert!(report.contains("(move 2, line 13: move sign"), "{report}");
    let alone = collect(&[("b.csa", &third)]).to_string();
    assert!(alone.contains("(move 1, line 4: move sign"), "{alone}");
}

#[test]
fn a_line_of_usi_may_begin_with_a_bare_sfen_and_end_with_an_answer() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    for (text, result) in [
        (
            "startpos moves 7g7f resign".to_owned(),
            RecordedResult::Won(Color::Black),
        ),
        (
            "startpos moves 7g7f win".to_owned(),
            RecordedResult::Won(Color::White),
        ),
        (format!("{start} b - 1 moves 7g7f"), RecordedResult::Unknown),
        (
            format!("position {start} b - moves 7g7f"),
            RecordedResult::Unknown,
        ),
    ] {
        assert_eq!(result_of("a.usi", &text), result, "{text}");
    }
    // The words are an ending at the end alone, and two words are no position.
    for text in ["startpos moves resign 7g7f", "a/game of"] {
        assert_eq!(collect(&[("a.usi", text)]).accepted().len(), 0, "{text}");
    }
}

#[test]
fn a_file_may_be_in_utf_16() {
    for (name, text) in [
        ("a.kif", KIF),
        ("a.ki2", "手合割：平手\n▲７六歩 △３四歩 ▲２二角成\n"),
        ("a.csa", CSA),
        ("a.usi", "startpos moves 7g7f 3c3d 8h2b+\r\n"),
    ] {
        let mut utf_16 = vec![0xff, 0xfe];
        utf_16.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        let mut utf_8 = "\u{feff}".as_bytes().to_vec();
        utf_8.extend(text.as_bytes());
        for bytes in [utf_16, utf_8] {
            let read = parse_games(Path::new(name), &bytes).expect("a known format");
            let game = read[0].game.as_ref().expect("a game");
            assert_eq!(game.moves().len(), 3, "{name}");
        }
    }
}

#[test]
fn what_is_no_kif_is_refused() {
    for name in ["a.kif", "a.ki2"] {
        for nothing in ["", "\n\n", "\0\0\0：\0", "hello\n", "*comment：\0"] {
            let read = games_and_positions(Path::new(name), nothing.as_bytes());
            let error = read.expect("a known format").remove(0).game;
            let error = error.expect_err("no game");
            let reason = error.source().expect("a reason").to_string();
            assert!(reason.starts_with("there are no moves"), "{reason}");
        }
        let position = games_and_positions(Path::new(name), "手合割：平手\n".as_bytes());
        let position = position.expect("a known format").remove(0).game;
        assert!(position.is_ok(), "a position without moves is one");
    }
}

#[test]
fn a_damaged_jkf_says_what_is_wrong() {
    let other = r#"{"header":{},"initial":{"preset":"OTHER"},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}}]}"#;
    for (text, detail) in [
        ("{", "it is no JSON: EOF"),
        (other, "preset OTHER, and no data with the board"),
    ] {
        let collection = collect(&[("a.jkf", text)]);
        assert_eq!(collection.accepted().len(), 0);
        let report = collection.to_string();
        assert!(report.contains(detail), "{report}");
    }
}

#[test]
fn a_damaged_kif_is_refused_and_never_cut_short() {
    let whole = "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:01/00:00:01)\n\
                 *a comment\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n   5 投了\n\
                 まで4手で後手の勝ち\n\n変化：3手\n   3 ２六歩(27)\n";
    assert_eq!(result_of("a.kif", whole), RecordedResult::Won(Color::White));
    let bytes = foreign::parse_kif_str(whole).expect("a game");
    let bytes = foreign::export_kif_bytes(&bytes, TextEncoding::ShiftJis).expect("a game");
    let read = parse_games(Path::new("a.kif"), bytes.bytes()).expect("a known format");
    let game = read[0].game.as_ref().expect("a game");
    assert_eq!(game.moves().len(), 4);

    for (from, to, detail) in [
        ("   3 ", "   1 ", "line 6 has the number 1 where 3"),
        ("   3 ", "   x ", "line 6 is neither a move nor a comment"),
        // The first of two faults.
        (
            "   1 ７六歩(77)   ( 0:01/00:00:01)\n*a comment\n   2 ３四歩(33)\n   3 ",
            "   1 ７五歩(77)\n   2 ３四歩(33)\n   x ",
            "illegal move, first a.kif:1 (move 1, line 3)",
        ),
        // The next move is illegal without it, which says less.
        (
            "   2 ３四歩(33)\n",
            "",
            "line 5 has the number 3 where 2 is expected",
        ),
        (
            "   3 ２二角成(88)\n   4 同　銀(31)\n",
            "",
            "line 6 has the number 5 where 3",
        ),
        (
            "   3 ２二角成(88)",
            "   3 投了",
            "read 2 moves, but the last line counts 4",
        ),
        (
            "   3 ２二角成(88)\n   4 同　銀(31)\n   5 投了\nまで4手で後手の勝ち\n",
            "   3 投了\n   4 ２二角成(88)\n   5 同　銀(31)\n",
            "read 2 moves from 5 numbered lines",
        ),
        (
            "   3 ２二角成(88)",
            "   3 ２ほ角成(88)",
            "neither a move nor an ending",
        ),
        (
            "まで4手",
            "まで112手",
            "read 4 moves, but the last line counts 112",
        ),
    ] {
        let text = whole.replacen(from, to, 1);
        let collection = collect(&[("a.kif", &text)]);
        assert_eq!(collection.accepted().len(), 0, "{text}");
        let report = collection.to_string();
        assert!(report.contains("rejected: 1 for "), "{report}");
        assert!(report.contains(detail), "{detail}: {report}");
    }
    let short = collect(&[(
        "a.ki2",
        "手合割：平手\n▲７六歩 △３四歩\nまで4手で後手の勝ち\n",
    )]);
    assert!(
        short
            .to_string()
            .contains("read 2 moves, but the last line counts 4"),
        "{short}"
    );
}

#[test]
fn a_handicap_without_a_known_position_is_no_even_game() {
    for (name, moves) in [("a.kif", "   1 ３四歩(33)\n"), ("a.ki2", "△３四歩\n")] {
        for end in ["\n", "\r\n", "\r"] {
            let game = |handicap: &str| {
                let text = format!("# a program\n手合割：{handicap}\n{moves}").replace('\n', end);
                collect(&[(name, &text)])
            };
            for handicap in ["角落ち", "二枚落ち　　"] {
                let known = game(handicap);
                assert_eq!(known.accepted().len(), 1, "{name} {handicap}{known}");
            }
            for handicap in ["七枚落ち", "その他"] {
                let report = game(handicap).to_string();
                let expected = format!(
                    "1 for unreadable text, first {name}:1 (line 2: no start position is known for \
                     手合割：{handicap}; add the board, or write 手合割：平手)"
                );
                assert!(report.contains(&expected), "{report}");
            }
        }
    }
    // A board tells the start position, whatever the handicap is called.
    let board = the_board_of_a_lone_king();
    let text = format!("手合割：その他\n{board}   1 ５二飛打\n");
    assert_eq!(collect(&[("a.kif", &text)]).accepted().len(), 1);
}

/// The library has no name for a handicap of seven pieces.
#[test]
fn a_handicap_of_seven_pieces_is_known() {
    let below = "9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    for (name, rank) in [("左七枚落ち", "2sgkg3"), ("右七枚落ち", "3gkgs2")] {
        for (file, moves) in [("a.kif", "   1 ５二玉(51)\n"), ("a.ki2", "△５二玉\n")] {
            for turn in ["", "上手番\n"] {
                let text = format!("手合割：{name}\n{turn}{moves}");
                let collection = collect(&[(file, &text)]);
                let [game] = collection.accepted() else {
                    panic!("{text}{collection}")
                };
                assert_eq!(game.start().to_string(), format!("{rank}/{below}"));
            }
        }
    }
}

#[test]
fn a_named_handicap_with_its_board_begins_with_the_stronger_side() {
    let board = the_board_of_a_lone_king();
    for name in ["game.kif", "game.ki2"] {
        for (handicap, turn, side) in [
            ("角落ち", "", Color::White),
            ("右七枚落ち", "", Color::White),
            ("角落ち", "下手番\n", Color::Black),
            ("平手", "", Color::Black),
            ("その他", "", Color::Black),
        ] {
            let text = format!("手合割：{handicap}\n{board}{turn}");
            let read = games_and_positions(Path::new(name), text.as_bytes());
            let read = read.expect("a known format").remove(0).game;
            let position = read.expect("a position").position(0);
            assert_eq!(position.side_to_move(), side, "{name} {handicap} {turn}");
            assert!(position.to_string().starts_with("4k4/"), "{position}");
        }
    }
}

/// Returns the board of a mate problem against a lone king.
fn the_board_of_a_lone_king() -> String {
    let row = "| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n";
    format!(
        "上手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n\
         | ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n{}| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九\n\
         +---------------------------+\n下手の持駒：飛\n",
        row.repeat(7)
    )
}

#[test]
fn the_stronger_side_of_a_handicap_game_may_be_to_move() {
    use monju_engine::Color::{Black, White};
    let board = the_board_of_a_lone_king();
    for name in ["game.kif", "game.ki2"] {
        for (turn, side) in [
            ("上手番", White),
            ("後手番", White),
            ("下手番", Black),
            ("", Black),
        ] {
            let text = format!("{board}{turn}\n");
            let read = games_and_positions(Path::new(name), text.as_bytes());
            let read = read.expect("a known format").remove(0).game;
            let position = read.expect("a position").position(0);
            assert_eq!(position.side_to_move(), side, "{name} {turn}");
        }
    }
}
