use super::*;
use crate::rules::{Game, Move, Position};
use proptest::prelude::*;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

fn mv(text: &str) -> Move {
    text.parse().expect("a move")
}

fn book(lines: &str) -> Book {
    let text = format!("monju book 1\nsfen {START} 1\n{lines}");
    Book::from_bytes(text.as_bytes()).expect("a book")
}

fn error(text: &str) -> String {
    let error = Book::from_bytes(text.as_bytes()).expect_err("a wrong book");
    error.to_string()
}

/// Mixes a counter into draws that look random.
fn draw(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

#[test]
fn moves_are_drawn_by_weight() {
    let book = book("7g7f 5\n2g2f 3\n5g5f 2\n1g1f 0\n");
    let game = Game::startpos();
    let mut counts = [0_u32; 3];
    for number in 0..10_000 {
        let drawn = book.choose(&game, draw(number)).expect("in the book");
        let index = ["7g7f", "2g2f", "5g5f"]
            .iter()
            .position(|known| mv(known) == drawn);
        counts[index.expect("a move of weight 0 is never drawn")] += 1;
    }
    let expected = [5_000.0, 3_000.0, 2_000.0];
    let chi_square: f64 = (counts.iter().zip(expected))
        .map(|(&count, expected)| (f64::from(count) - expected).powi(2) / expected)
        .sum();
    // The 99.9 % quantile for two degrees of freedom.
    assert!(chi_square < 13.8, "{counts:?}: {chi_square}");
}

#[test]
fn a_fourth_repetition_is_not_drawn() {
    let lines = "2h3h 9\n7g7f 1\n";
    let shuffle = "2h3h 8b7b 3h2h 7b8b";
    let twice = Game::from_usi(&format!("startpos moves {shuffle} {shuffle}")).unwrap();
    assert_eq!(book(lines).choose(&twice, 0), Some(mv("2h3h")));
    // The next 2h3h would reach its position for the fourth time.
    let thrice = Game::from_usi(&format!("startpos moves {shuffle} {shuffle} {shuffle}"));
    let thrice = thrice.unwrap();
    for number in 0..100 {
        assert_eq!(book(lines).choose(&thrice, draw(number)), Some(mv("7g7f")));
    }
    assert_eq!(book("2h3h 9\n").choose(&thrice, 0), None);
}

#[test]
fn positions_are_found_at_any_ply_and_no_others() {
    let book = book("7g7f 1\n");
    let later = Game::from_usi(&format!("sfen {START} 31")).unwrap();
    assert_eq!(book.choose(&later, 7), Some(mv("7g7f")));
    let other = Game::from_usi("startpos moves 7g7f").unwrap();
    assert_eq!(book.choose(&other, 7), None);
    // Another hand is another position.
    let hand =
        Game::from_usi("sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPP1/1B5R1/LNSGKGSNL b P 1")
            .unwrap();
    assert_eq!(book.choose(&hand, 7), None);
}

#[test]
fn the_expected_reply_is_the_heaviest_of_the_book_or_the_authors() {
    let mut book = book("7g7f 1 reply 8c8d\n2g2f 1 reply 8c8d\n5g5f 1 reply 7g7f\n");
    let after = Game::from_usi("startpos moves 7g7f").unwrap();
    let replies = vec![BookMove::new(mv("8c8d"), 1), BookMove::new(mv("3c3d"), 4)];
    book.insert(after.position(), replies).unwrap();
    let game = Game::startpos();
    assert_eq!(book.reply(&game, mv("7g7f")), Some(mv("3c3d")));
    assert_eq!(book.reply(&game, mv("2g2f")), Some(mv("8c8d")));
    assert_eq!(book.reply(&game, mv("5g5f")), None, "an illegal reply");
}

#[test]
fn wrong_lines_are_refused_with_their_number() {
    let head = format!("monju book 1\n# remark\nsfen {START} 1\n");
    for (lines, expected) in [
        ("7g7e 1\n", "line 4: 7g7e is not legal in this position"),
        (
            "7g7f 1\n7g7f 2\n",
            "line 5: 7g7f comes twice in this position",
        ),
        ("7g7f\n", "line 4: the weight is '', expected"),
        ("7g7f -1\n", "line 4: the weight is '-1', expected"),
        ("7g7f 1 wins many\n", "line 4: wins is 'many', expected"),
        ("7g7f 1 losses 3\n", "line 4: unknown word 'losses'"),
        ("K*5e 1\n", "line 4: 'K*5e' is not a move"),
        ("\n# no moves\n", "line 3: the position has no moves"),
        ("7g7f 1\nsfen 9/9 b - 1\n", "line 5: sfen board has 2 ranks"),
    ] {
        let error = error(&format!("{head}{lines}"));
        assert!(error.starts_with(expected), "{lines}: {error}");
    }
    let twice = format!("{head}7g7f 1\nsfen {START} 9\n2g2f 1\n");
    assert!(error(&twice).starts_with("line 5: this position comes twice"));
    assert!(error("monju book 1\n7g7f 1\n").starts_with("line 2: a move comes before"));
    assert!(error("").starts_with("the first line is neither"));
    assert_eq!(error("monju book 1\n"), "the book has no positions");
    let binary = Book::from_bytes(b"monju book 1\n\n\xff").expect_err("not text");
    assert!(binary.to_string().starts_with("line 3: "), "{binary}");
}

#[test]
fn a_remark_may_be_in_any_encoding() {
    // 定跡 in Shift_JIS.
    let mut text = b"monju book 1\n# \x92\xe8\x90\xd5\n".to_vec();
    text.extend(format!("sfen {START} 1\n7g7f 5\n").bytes());
    let book = Book::from_bytes(&text).expect("a book");
    assert!(!book.is_empty());
}

#[test]
fn a_move_that_is_never_drawn_is_in_no_database() {
    let database = book("7g7f 5\n2g2f 0\n").to_yaneuraou();
    assert!(
        database.contains("7g7f") && !database.contains("2g2f"),
        "{database}"
    );
}

#[test]
fn a_yaneuraou_database_is_read() {
    let text = format!(
        "#YANEURAOU-DB2016 1.00\r\n// remark\r\nsfen {START} 0\r\n7g7f 3c3d 30 12 7\r\n\
         2g2f none -5 12 3\r\nnone none 0 0\r\n"
    );
    let book = Book::from_bytes(text.as_bytes()).unwrap();
    assert_eq!((book.len(), book.moves()), (1, 2));
    let entry = book.find(&Position::startpos()).unwrap();
    let seven = &entry.moves[0];
    assert_eq!((seven.mv, seven.weight), (mv("7g7f"), 7));
    assert_eq!(
        (seven.value, seven.depth, seven.reply),
        (Some(30), Some(12), Some(mv("3c3d")))
    );
    assert_eq!(entry.moves[1], {
        let two = BookMove::new(mv("2g2f"), 3);
        BookMove {
            value: Some(-5),
            depth: Some(12),
            ..two
        }
    });
    let illegal = format!("#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7e none 0 0 1\n");
    assert!(error(&illegal).starts_with("line 3: 7g7e is not legal"));
}

/// Reads the start position of a database with these moves, and returns them with their weights, heaviest
/// first.
fn database(lines: &str) -> Vec<(String, u32)> {
    let text = format!("#YANEURAOU-DB2016 1.00\nsfen {START} 1\n{lines}");
    let book = Book::from_bytes(text.as_bytes()).expect("a database");
    let moves = book
        .find(&Position::startpos())
        .expect("known")
        .moves
        .iter();
    moves
        .map(|entry| (entry.mv.to_string(), entry.weight))
        .collect()
}

#[test]
fn a_position_of_several_plies_is_weighed_as_one() {
    // One temperature below the best, met once at each ply, and a move of another ply that loses too much.
    assert_eq!(
        database(&format!(
            "7g7f none 40 30 1\n2g2f none -10 30 1\nsfen {START} 3\n2g2f none -10 30\n1g1f none -300 30 1\n"
        )),
        [("7g7f", 1000), ("2g2f", 368), ("1g1f", 0)].map(|(mv, one)| (mv.to_owned(), one))
    );
    // The counts of a move are added up, and compared with those of moves at other plies.
    assert_eq!(
        database(&format!(
            "7g7f none 30 9 1\n2g2f none 20 9 1\nsfen {START} 3\n6i7h none 25 9 7\n2g2f none 20 9 4\n"
        )),
        [("6i7h", 7), ("2g2f", 5), ("7g7f", 1)].map(|(mv, one)| (mv.to_owned(), one))
    );
}

/// Returns the weights alone.
fn weights(lines: &str) -> Vec<u32> {
    let moves = database(lines).into_iter();
    moves.map(|(_, weight)| weight).collect()
}

#[test]
fn a_database_without_counts_is_weighed_by_its_values() {
    let weights = weights("7g7f none 40 30\n2g2f none -10 30\n1g1f none -61 30\n");
    // One temperature below the best is 1/e; more than the margin below it is left out.
    assert_eq!(weights, [1000, 368, 0]);
}

#[test]
fn counts_that_are_all_alike_leave_a_database_to_its_values() {
    for count in [1, 800] {
        let weights = weights(&format!(
            "7g7f none 40 30 {count}\n2g2f none -10 30 {count}\n1g1f none -61 30 {count}\n"
        ));
        assert_eq!(weights, [1000, 368, 0], "{count}");
    }
    // Counts that differ are those of games.
    let games = weights("7g7f none 40 30 3\n2g2f none -10 30 3\n1g1f none -61 30 4\n");
    assert_eq!(games, [4, 3, 3]);
    // Values that are alike tell no more than the counts.
    let alike = weights("7g7f none 0 0 5\n2g2f none 0 0 5\n");
    assert_eq!(alike, [5, 5]);
    assert_eq!(weights("7g7f none 40 30 800\n"), [800], "one move");
    assert_eq!(weights("7g7f none 0 0 0\n2g2f none 0 0 0\n"), [1000, 1000]);
}

#[test]
fn a_database_of_shogihome_is_read() {
    // As ShogiHome writes what is not known, and as its version 1.20.0 did.
    for (three, two, four) in [
        ("none none 4", "30 none ", "none 12 2"),
        ("  4", "30  ", " 12 2"),
    ] {
        let text = format!(
            "#YANEURAOU-DB2016 1.00\r\nsfen {START} 1\r\n#remark\r\n7g7f 3c3d {three}\r\n\
             2g2f none {two}\r\n5g5f none {four}\r\n"
        );
        let book = Book::from_bytes(text.as_bytes()).expect("a database");
        let entry = book.find(&Position::startpos()).expect("known");
        let moves: Vec<_> = (entry.moves.iter())
            .map(|one| (one.mv.to_string(), one.value, one.depth, one.weight))
            .collect();
        let expected = [
            ("7g7f".to_owned(), None, None, 4),
            ("5g5f".to_owned(), None, Some(12), 2),
            // One without a count, beside others that have one.
            ("2g2f".to_owned(), Some(30), None, 1),
        ];
        assert_eq!(moves, expected, "{text}");
        assert_eq!(entry.moves[0].reply, Some(mv("3c3d")));
    }
    // A move that was entered without a value is drawn as often as the best one.
    let entered = database("7g7f none 250 30 \n2g2f none none none \n1g1f none 100 30 \n");
    let entered: Vec<(&str, u32)> = entered.iter().map(|(mv, one)| (&**mv, *one)).collect();
    assert_eq!(entered, [("2g2f", 1000), ("7g7f", 1000), ("1g1f", 0)]);
    // Spaces that align the fields, and tabs.
    assert_eq!(
        weights("7g7f  3c3d   30  12  7\n2g2f\tnone\t30\t12\t3\n"),
        [7, 3]
    );
}

#[test]
fn nonsense_in_a_database_is_refused_with_its_line() {
    for (fields, expected) in [
        ("none nothing 12 1", "value is 'nothing', expected"),
        ("none 30 deep 1", "depth is 'deep', expected"),
        ("none 30 -1 1", "depth is '-1', expected"),
        ("none 30 12 often", "count is 'often', expected"),
        ("none 30 12 -1", "count is '-1', expected"),
        ("3c3 30 12 1", "'3c3' is not a move"),
    ] {
        let text = format!("#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7f {fields}\n");
        let error = error(&text);
        assert!(error.starts_with(&format!("line 3: {expected}")), "{error}");
    }
}

#[test]
fn values_and_counts_make_weights() {
    let one = |count, value| WeighedMove { count, value };
    let rule = ValueWeights::default();
    let moves = [one(4, 50), one(1, 0), one(9, -50), one(9, -51), one(0, 50)];
    assert_eq!(rule.of(21, &moves), [2000, 368, 406, 0, 0]);
    let bad = [one(1, -100), one(1, -151)];
    assert_eq!(rule.of(20, &bad), [1000, 0]);
    assert_eq!(rule.of(21, &bad), [1000, 361]);
}

/// A book of the positions of a random game, with random weights.
fn random_book(choices: &[(u16, u32)]) -> Book {
    let mut game = Game::startpos();
    let mut book = Book::default();
    for &(choice, weight) in choices {
        let legal = game.legal_moves();
        if legal.is_empty() {
            break;
        }
        let chosen = usize::from(choice) % legal.len();
        let moves = [chosen, (chosen + 1) % legal.len()];
        let mut moves: Vec<BookMove> = moves
            .iter()
            .map(|&index| BookMove {
                games: weight % 5,
                wins: weight % 3,
                value: (weight % 2 == 0).then_some(weight as i32 % 700 - 350),
                depth: (weight % 2 == 0).then_some(weight % 40),
                reply: (weight % 7 == 0).then_some(legal[chosen]),
                ..BookMove::new(legal[index], weight)
            })
            .collect();
        moves.dedup_by_key(|entry| entry.mv);
        // A position may come back.
        let _ = book.insert(game.position(), moves);
        game.play(legal[chosen]).expect("legal");
    }
    book
}

proptest! {
    #[test]
    fn a_book_survives_its_text(choices in prop::collection::vec(any::<(u16, u32)>(), 1..40)) {
        let book = random_book(&choices);
        let text = book.to_text("one\ntwo");
        prop_assert_eq!(Book::from_bytes(text.as_bytes()), Ok(book.clone()));
        let sorted: Vec<&str> = text.lines().filter(|line| line.starts_with("sfen")).collect();
        prop_assert!(sorted.is_sorted());
    }

    #[test]
    fn a_database_survives_its_text(choices in prop::collection::vec((any::<u16>(), 1..u32::MAX), 1..40)) {
        let book = random_book(&choices);
        let database = Book::from_bytes(book.to_yaneuraou().as_bytes()).expect("a database");
        prop_assert_eq!(database.len(), book.len());
        for ((sfen, before), (same, after)) in book.iter().zip(database.iter()) {
            prop_assert_eq!(sfen, same);
            prop_assert_eq!(before.ply, after.ply);
            let kept = |entry: &BookPosition| -> Vec<_> {
                let moves = entry.moves.iter();
                moves.map(|one| (one.mv, one.weight, one.value, one.depth, one.reply)).collect()
            };
            prop_assert_eq!(kept(before), kept(after));
        }
    }

    #[test]
    fn a_position_that_is_never_drawn_from_is_in_no_database(choices in prop::collection::vec((any::<u16>(), Just(0_u32)), 1..9)) {
        let database = random_book(&choices).to_yaneuraou();
        prop_assert!(!database.contains("sfen"), "{}", database);
    }

    #[test]
    fn a_drawn_move_is_legal(choices in prop::collection::vec(any::<(u16, u32)>(), 1..40), draw: u64) {
        let book = random_book(&choices);
        let mut game = Game::startpos();
        while let Some(mv) = book.choose(&game, draw) {
            prop_assert!(game.is_legal(mv));
            game.play(mv).expect("legal");
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(monju book 1|#YANEURAOU-DB2016 1.00)\n(sfen [a-zA-Z0-9/ +-]{0,80}\n|[1-9a-i+* ]{0,20}\n){0,6}") {
        let _ = Book::from_bytes(text.as_bytes());
    }
}
