use super::*;
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
    use monju_engine::{Color, learn::records::GameResult};
    let collection = take(&[("a.csa", CSA)]);
    assert_eq!(collection.kept[0].result(), GameResult::Won(Color::Black));
    assert!(games(Path::new("a.pdf"), b"").is_err());
}
