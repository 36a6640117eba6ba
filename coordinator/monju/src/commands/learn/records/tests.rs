use super::*;
use monju_engine::Color;
use monju_experiment::{
    kifu::Kifu,
    notes::Note,
    record::{GameEnding, GameOutcome as Outcome},
};
use rsshogi::records::formats::{common::TextEncoding, kif as foreign};
use std::path::Path;

fn take(files: &[(&str, &str)]) -> Collection {
    let mut collection = Collection::default();
    for (name, text) in files {
        for found in games(Path::new(name), text.as_bytes()).expect("a known format") {
            collection.take(name, found);
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
        let collection = take(&[(name, text)]);
        assert_eq!(collection.kept.len(), 1, "{name}{collection}");
        moves.push(collection.kept[0].moves().to_vec());
    }
    assert!(moves.windows(2).all(|pair| pair[0] == pair[1]));
    let all = take(&[("a.csa", CSA), ("b.kif", KIF)]);
    assert_eq!(all.kept.len(), 1);
    assert!(
        all.to_string()
            .contains("1 for a game that is there already, first b.kif:1")
    );
}

#[test]
fn what_is_thrown_away_is_counted_and_the_first_place_named() {
    let text = "startpos moves 7g7f 7f7d\n\nstartpos moves 7g7f 3c3d\nstartpos moves 7g7x\n\
                startpos moves 2g2e\nsfen 9/9/9/9/9/9/9/9/KK7 b - 1 moves 9i9h\nhello\nstartpos\n";
    let collection = take(&[("games.txt", text)]);
    assert_eq!(collection.kept.len(), 1);
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
fn one_bad_game_of_a_csa_file_leaves_the_others() {
    let text = format!("{CSA}/\nV2.2\nPI\n+\n+7775FU\n%TORYO\n/\nV2.2\nPI\n+\n+2726FU\n%TORYO\n");
    let collection = take(&[("a.csa", &text)]);
    assert_eq!(collection.kept.len(), 2);
    assert!(
        collection.to_string().contains("first a.csa:9"),
        "{collection}"
    );
}

#[test]
fn results_are_kept_and_other_files_refused() {
    let collection = take(&[("a.csa", CSA)]);
    assert_eq!(collection.kept[0].result(), GameResult::Won(Color::Black));
    assert!(games(Path::new("a.pdf"), b"").is_err());
}

/// The result of the only game of a file.
fn result_of(name: &str, text: &str) -> GameResult {
    let collection = take(&[(name, text)]);
    assert_eq!(collection.kept.len(), 1, "{name}{collection}\n{text}");
    collection.kept[0].result()
}

#[test]
fn every_end_of_an_exported_game_is_read_back_whoever_is_to_move() {
    let [even, odd] = ["startpos moves 7g7f 3c3d", "startpos moves 7g7f 3c3d 2g2f"];
    let after_black = "sfen 4k4/9/9/9/9/9/9/9/4K4 w R 1 moves 5a4a 5i4i";
    let note = |time_ms, score| Note { time_ms, score };
    let notes = [note(61_500, Some(-35)), note(900, None)];
    for ending in [
        GameEnding::Mate,
        GameEnding::Resignation,
        GameEnding::Declaration,
        GameEnding::Repetition,
        GameEnding::PerpetualCheck,
        GameEnding::MaximumPlies,
        GameEnding::Adjudication,
        GameEnding::IllegalMove,
        GameEnding::TimeLoss,
    ] {
        for moves in [even, odd, after_black] {
            for result in [Outcome::Win, Outcome::Draw, Outcome::Loss] {
                let kifu = Kifu {
                    event: "an event",
                    names: ["one", "two"],
                    moves,
                    notes: &notes,
                    ending: ending.name(),
                    result,
                    first_is_black: true,
                };
                let expected = match result {
                    Outcome::Win => GameResult::Won(Color::Black),
                    Outcome::Draw => GameResult::Drawn,
                    Outcome::Loss => GameResult::Won(Color::White),
                };
                let (csa, kif) = (kifu.csa().unwrap(), kifu.kif().unwrap());
                let what = format!("{ending:?} {result:?} {moves}");
                assert_eq!(result_of("a.csa", &csa), expected, "{what}\n{csa}");
                assert_eq!(result_of("a.kifu", &kif), expected, "{what}\n{kif}");
            }
        }
    }
}

#[test]
fn a_damaged_kif_is_refused_and_never_cut_off() {
    let whole = "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:01/00:00:01)\n\
                 *a comment\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n   5 投了\n\
                 まで4手で後手の勝ち\n\n変化：3手\n   3 ２六歩(27)\n";
    assert_eq!(result_of("a.kif", whole), GameResult::Won(Color::White));
    let bytes = foreign::parse_kif_str(whole).expect("a game");
    let bytes = foreign::export_kif_bytes(&bytes, TextEncoding::ShiftJis).expect("a game");
    let read = games(Path::new("a.kif"), bytes.bytes()).expect("a known format");
    assert_eq!(read[0].game.as_ref().map(|game| game.moves().len()), Ok(4));

    for (from, to, detail) in [
        ("   3 ", "   1 ", "line 6 has the number 1 where 3"),
        ("   3 ", "   x ", "unreadable text"),
        (
            "   3 ２二角成(88)\n   4 同　銀(31)\n",
            "",
            "line 6 has the number 5 where 3",
        ),
        (
            "   3 ２二角成(88)",
            "   3 投了",
            "2 moves could be read of 4 that",
        ),
        (
            "   3 ２二角成(88)\n   4 同　銀(31)\n   5 投了\nまで4手で後手の勝ち\n",
            "   3 投了\n   4 ２二角成(88)\n   5 同　銀(31)\n",
            "2 moves could be read of 5 lines",
        ),
        (
            "   3 ２二角成(88)",
            "   3 ２ほ角成(88)",
            "neither a move nor an end",
        ),
        ("まで4手", "まで112手", "4 moves could be read of 112"),
    ] {
        let text = whole.replacen(from, to, 1);
        let collection = take(&[("a.kif", &text)]);
        assert_eq!(collection.kept.len(), 0, "{text}");
        let report = collection.to_string();
        assert!(report.contains("thrown away: 1 for "), "{report}");
        assert!(report.contains(detail), "{detail}: {report}");
    }
    let short = take(&[(
        "a.ki2",
        "手合割：平手\n▲７六歩 △３四歩\nまで4手で後手の勝ち\n",
    )]);
    assert!(
        short.to_string().contains("2 moves could be read of 4"),
        "{short}"
    );
}
