use super::*;
use crate::{
    ProgressObserver, TrainingExample, files::with_suffix, progress::NoProgress,
    self_play::testing::play,
};
use monju_engine::{
    Game, Model, PlayerSettings,
    book::{Book, BookMove, ValueWeights},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Three games with a winner, one draw, and one without a result; the first two reach the same position on
/// different ways.
const GAMES: &str = "\
1\tb\t3\tother\t\t\t\t\t7g7f 3c3d 2g2f
2\tb~\t3\tother\t\t\t\t\t2g2f 3c3d 7g7f 8c8d
3\tw\t3\tother\t\t\t\t\t7g7f 8c8d 2g2f
4\td\t3\tother\t\t\t\t\t7g7f 3c3d 2g2f 4c4d
5\t?\t3\tother\t\t\t\t\t7g7f 3c3d 2g2f 5c5d
";

struct BookFolder(tempfile::TempDir);

impl BookFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn games(&self, text: &str) -> PathBuf {
        let path = self.at("games.tsv");
        fs::write(&path, text).unwrap();
        path
    }
}

fn build(games: &Path, output: &Path) -> BuildRun {
    BuildRun {
        files: vec![games.to_owned()],
        output: output.to_owned(),
        plies: 60,
        source: BookSource::WonByMover,
        min_wins: 2,
        min_games: 1,
    }
}

/// Returns the moves of a position as `move weight games wins`.
fn moves(book: &Book, position: &str) -> Vec<String> {
    let game = Game::from_usi(position).unwrap();
    let moves = book.find(game.position()).map(|entry| entry.moves.clone());
    let text = |one: &BookMove| format!("{} {} {} {}", one.mv, one.weight, one.games, one.wins);
    moves.unwrap_or_default().iter().map(text).collect()
}

#[test]
fn games_with_a_winner_are_counted() {
    let folder = BookFolder::new();
    let output = folder.at("a.book");
    let run = build(&folder.games(GAMES), &output);
    let summary = run.run(&mut NoProgress).unwrap();
    assert_eq!((summary.games, summary.without_winner), (3, 2));
    let book = read_book(&output).unwrap();
    // Black won twice from the start; no other position has two wins of its side to move.
    assert_eq!(book.len(), 1);
    assert_eq!(moves(&book, "startpos"), ["2g2f 1 1 1", "7g7f 1 2 1"]);
}

#[test]
fn the_least_number_of_wins_is_a_boundary() {
    let folder = BookFolder::new();
    let output = folder.at("a.book");
    let games = folder.games(GAMES);
    let with = |min_wins| BuildRun {
        min_wins,
        ..build(&games, &output)
    };
    with(1).run(&mut NoProgress).unwrap();
    let book = read_book(&output).unwrap();
    // Positions in which the side to move won once are kept now, and transpositions have met: after 7g7f
    // 3c3d Black plays 2g2f, and after 7g7f 8c8d the winner was White.
    assert_eq!(moves(&book, "startpos moves 7g7f 3c3d"), ["2g2f 1 1 1"]);
    assert_eq!(moves(&book, "startpos moves 2g2f 3c3d"), ["7g7f 1 1 1"]);
    assert_eq!(
        moves(&book, "startpos moves 7g7f"),
        ["8c8d 1 1 1", "3c3d 0 1 0"]
    );
    assert!(moves(&book, "startpos moves 7g7f 3c3d 2g2f").is_empty());
    let error = with(3).run(&mut NoProgress).unwrap_err().to_string();
    assert!(
        error.contains("; of 3 games with a winner and 2 without"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1, "{error}");
    // A database has no moves that are never drawn.
    let convert = BookConversionRun {
        book: output.clone(),
        output: folder.at("a.db"),
    };
    let whole = read_book(&output).unwrap();
    let size = convert.run().unwrap();
    let drawn = read_book(&convert.output).unwrap();
    assert_eq!((size.positions, size.moves), (drawn.len(), drawn.moves()));
    assert!(whole.moves() > drawn.moves());
}

#[test]
fn transpositions_share_an_entry() {
    let folder = BookFolder::new();
    let output = folder.at("a.book");
    let both = "\
1\tw\t4\tother\t\t\t\t\t7g7f 3c3d 2g2f 8c8d
2\tw\t4\tother\t\t\t\t\t2g2f 3c3d 7g7f 4c4d
3\tw\t4\tother\t\t\t\t\t2g2f 3c3d 7g7f 4c4d 2f2e
";
    let run = build(&folder.games(both), &output);
    run.run(&mut NoProgress).unwrap();
    let book = read_book(&output).unwrap();
    let either = [
        "startpos moves 7g7f 3c3d 2g2f",
        "startpos moves 2g2f 3c3d 7g7f",
    ];
    for way in either {
        assert_eq!(moves(&book, way), ["4c4d 2 2 2", "8c8d 1 1 1"]);
    }
    // The same games are one game, whoever lists them.
    assert_eq!(moves(&book, "startpos moves 2g2f"), ["3c3d 2 2 2"]);
}

#[test]
fn all_games_can_be_counted() {
    let folder = BookFolder::new();
    let output = folder.at("a.book");
    let games = folder.games(GAMES);
    let run = BuildRun {
        source: BookSource::Played,
        min_wins: 0,
        min_games: 2,
        plies: 1,
        ..build(&games, &output)
    };
    assert_eq!(run.run(&mut NoProgress).unwrap().games, 5);
    let book = read_book(&output).unwrap();
    assert_eq!(book.len(), 1, "one ply");
    assert_eq!(moves(&book, "startpos"), ["7g7f 4 4 1", "2g2f 1 1 1"]);
}

#[test]
fn a_repeated_position_counts_once_in_a_game() {
    let folder = BookFolder::new();
    let output = folder.at("a.book");
    let shuffle = "2h3h 8b7b 3h2h 7b8b";
    let game = |id, last| format!("{id}\tb\t9\tother\t\t\t\t\t{shuffle} {shuffle} {last}\n");
    let text = format!("{}{}", game(1, "7g7f"), game(2, "2g2f"));
    build(&folder.games(&text), &output)
        .run(&mut NoProgress)
        .unwrap();
    let book = read_book(&output).unwrap();
    assert_eq!(
        moves(&book, "startpos"),
        ["2h3h 2 2 2", "2g2f 1 1 1", "7g7f 1 1 1"]
    );
}

#[test]
fn one_game_is_one_win_of_a_position_whatever_was_played_there() {
    let folder = BookFolder::new();
    let output = folder.at("a.book");
    let moves = "2h3h 8b7b 3h2h 7b8b 7g7f";
    let won_once = folder.games(&format!("1\tb\t9\tother\t\t\t\t\t{moves}\n"));
    let run = build(&won_once, &output);
    let error = run.run(&mut NoProgress).unwrap_err();
    assert!(error.to_string().contains("no position"), "{error}");
    let met_twice = BuildRun {
        source: BookSource::Played,
        min_wins: 0,
        min_games: 2,
        ..run
    };
    assert!(met_twice.run(&mut NoProgress).is_err());
}

#[test]
fn files_of_self_play_are_counted() {
    let folder = BookFolder::new();
    let (games, output) = (folder.at("games.psv"), folder.at("a.book"));
    play(&games, 400, 1);
    let run = BuildRun {
        source: BookSource::Played,
        min_wins: 0,
        ..build(&games, &output)
    };
    let summary = run.run(&mut NoProgress).unwrap();
    assert!(
        summary.games > 1 && summary.size.positions > 10,
        "{summary:?}"
    );
    let book = read_book(&output).unwrap();
    assert!(book.iter().all(|(_, entry)| entry.ply <= 60));
}

#[test]
fn games_of_self_play_are_counted_once_and_whole() {
    let folder = BookFolder::new();
    let (games, copy) = (folder.at("games.psv"), folder.at("copy.psv"));
    play(&games, 400, 1);
    fs::copy(&games, &copy).unwrap();
    let refused = |files: &[&Path]| {
        let run = BuildRun {
            files: files.iter().map(|&path| path.to_owned()).collect(),
            source: BookSource::Played,
            min_wins: 0,
            ..build(&games, &folder.at("a.book"))
        };
        run.run(&mut NoProgress).unwrap_err().to_string()
    };
    for other in [games.clone(), folder.at("./games.psv")] {
        let error = refused(&[&games, &other]);
        assert!(error.contains("games.psv is named twice"), "{error}");
    }
    let error = refused(&[&games, &copy]);
    assert!(error.contains("copy.psv holds the same as"), "{error}");
    // Last positions first, each with its mark.
    let bytes = fs::read(&games).unwrap();
    let (examples, _) = bytes.as_chunks::<{ TrainingExample::SIZE }>();
    let turned: Vec<u8> = examples.iter().rev().flatten().copied().collect();
    fs::write(&games, turned).unwrap();
    let error = refused(&[&games]);
    assert!(error.contains("or is shuffled"), "{error}");
    assert!(!folder.at("a.book").exists());
}

fn search(book: &Path, output: &Path, threads: usize) -> SearchRun {
    SearchRun {
        book: book.to_owned(),
        output: output.to_owned(),
        player: PlayerSettings {
            evaluator: Model::material(),
            hash_mib: 1,
            ..PlayerSettings::default()
        },
        build: "a".to_owned(),
        accepts_builds: false,
        nodes: 200,
        threads,
        min_games: 1,
        plies: 40,
        minimax: true,
        weights: ValueWeights::default(),
    }
}

/// Builds a book of every position of the games.
fn counted(folder: &BookFolder) -> PathBuf {
    let path = folder.at("counted.book");
    let games = folder.games(GAMES);
    let run = BuildRun {
        source: BookSource::Played,
        min_wins: 0,
        ..build(&games, &path)
    };
    run.run(&mut NoProgress).unwrap();
    path
}

#[test]
fn a_searched_book_depends_on_neither_threads_nor_interruptions() {
    let folder = BookFolder::new();
    let book = counted(&folder);
    let (one, two) = (folder.at("one.book"), folder.at("two.book"));
    let summary = search(&book, &one, 1).run(&mut NoProgress).unwrap();
    assert!(
        summary.searched > 5 && summary.size.positions > 5,
        "{summary:?}"
    );
    // As after an interruption in the middle of an entry.
    let values = with_suffix(&one, ".values");
    let text = fs::read(&values).unwrap();
    let other = with_suffix(&two, ".values");
    for length in [text.len() - 5, text.len() - 30, text.len() / 2, 20, 0] {
        fs::write(&other, &text[..length]).unwrap();
        search(&book, &two, 2).run(&mut NoProgress).unwrap();
        assert_eq!(fs::read(&one).unwrap(), fs::read(&two).unwrap(), "{length}");
    }
    let run = || search(&book, &two, 1);
    let more = SearchRun {
        nodes: 300,
        ..run()
    };
    let other_build = SearchRun {
        build: "b".to_owned(),
        ..run()
    };
    for (other, words) in [(&more, "other settings"), (&other_build, "--accept-build")] {
        let error = other.run(&mut NoProgress).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    // A run that found nothing, because its settings were wrong, leaves nothing to go on with.
    let three = folder.at("three.book");
    let head = text.split_inclusive(|&byte| byte == b'\n').take(2);
    let head: Vec<u8> = head.flatten().copied().collect();
    fs::write(with_suffix(&three, ".values"), head).unwrap();
    let corrected = SearchRun {
        output: three,
        ..more.clone()
    };
    corrected.run(&mut NoProgress).unwrap();
    let accepting = SearchRun {
        accepts_builds: true,
        ..other_build.clone()
    };
    // Two threads may have written their values in another order.
    fs::write(&other, &text).unwrap();
    accepting.run(&mut NoProgress).unwrap();
    assert_eq!(fs::read(&one).unwrap(), fs::read(&two).unwrap());
    let text = String::from_utf8(text).unwrap();
    // Once the other build has gone on, the file is neither build's alone.
    let half = text.len() / 2;
    fs::write(&other, &text[..half]).unwrap();
    accepting.run(&mut NoProgress).unwrap();
    let mixed = fs::read_to_string(&other).unwrap();
    accepting.run(&mut NoProgress).unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), mixed);
    assert_eq!(mixed.matches("# build b\n").count(), 1, "{mixed}");
    assert_eq!(mixed.replacen("# build b\n", "", 1), text);
    for refused in [run(), other_build.clone()] {
        let error = refused.run(&mut NoProgress).unwrap_err().to_string();
        assert!(error.contains("--accept-build"), "{error}");
    }
    // As of a build that did not name itself yet.
    fs::write(&other, text.replacen(", build a", "", 1)).unwrap();
    assert!(run().run(&mut NoProgress).is_err());
    accepting.run(&mut NoProgress).unwrap();
    assert_eq!(fs::read(&one).unwrap(), fs::read(&two).unwrap());
}

/// Keeps the messages of a run.
#[derive(Default)]
struct Messages(Vec<String>);

impl ProgressObserver for Messages {
    fn begin(&mut self, _total: u64, _done: u64, _unit: &'static str) {}

    fn advance(&mut self, _done: u64, _remark: &str) {}

    fn message(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }

    fn finish(&mut self, _done: u64, _remark: &str) {}
}

#[test]
fn a_search_warns_of_a_book_without_plies() {
    let folder = BookFolder::new();
    let (book, database) = (counted(&folder), folder.at("without.db"));
    let mut text = "#YANEURAOU-DB2016 1.00\n".to_owned();
    for (key, entry) in read_book(&book).unwrap().iter() {
        text += &format!("sfen {key} 1\n{} none none none \n", entry.moves[0].mv);
    }
    fs::write(&database, text).unwrap();
    let messages = |book: &Path, output: &str| {
        let mut messages = Messages::default();
        let search = search(book, &folder.at(output), 1);
        search.run(&mut messages).unwrap();
        messages.0
    };
    let warned = messages(&database, "without.book");
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(
        warned[0].ends_with(
            "without.db are at move 1: --plies leaves none of them out, and --floor holds for each \
             of them"
        ),
        "{warned:?}"
    );
    assert_eq!(messages(&book, "with.book"), [""; 0]);
}

#[test]
fn a_book_is_not_written_over_what_is_read() {
    let folder = BookFolder::new();
    let book = counted(&folder);
    let before = fs::read(&book).unwrap();
    let searched = search(&book, &book, 1).run(&mut NoProgress);
    let converted = BookConversionRun {
        book: book.clone(),
        output: book.clone(),
    };
    assert!(searched.is_err() && converted.run().is_err());
    assert_eq!(fs::read(&book).unwrap(), before);
}

#[test]
fn a_book_becomes_a_database_and_back() {
    let folder = BookFolder::new();
    let book = counted(&folder);
    let (database, back) = (folder.at("a.db"), folder.at("b.book"));
    let convert = |book: &Path, output: &Path| BookConversionRun {
        book: book.to_owned(),
        output: output.to_owned(),
    };
    convert(&book, &database).run().unwrap();
    let text = fs::read_to_string(&database).unwrap();
    assert!(text.starts_with("#YANEURAOU-DB2016 1.00\nsfen "), "{text}");
    convert(&database, &back).run().unwrap();
    let weights = |path: &Path| -> Vec<_> {
        let book = read_book(path).unwrap();
        let moves = book.iter().flat_map(|(_, entry)| entry.moves.clone());
        moves.map(|one| (one.mv, one.weight)).collect()
    };
    assert_eq!(weights(&book), weights(&back));
    let error = read_book(&folder.at("games.tsv")).unwrap_err().to_string();
    assert!(
        error.contains("games.tsv: the first line is neither"),
        "{error}"
    );
}

#[test]
fn the_order_of_files_does_not_matter_to_a_game_whose_result_one_of_them_lacks() {
    let folder = BookFolder::new();
    let game = |name: &str, end: &str| {
        let path = folder.at(name);
        let text = format!("V2.2\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n{end}\n");
        fs::write(&path, text).unwrap();
        path
    };
    let (with, without) = (game("with.csa", "%TORYO"), game("without.csa", "%CHUDAN"));
    for files in [[with.clone(), without.clone()], [without, with]] {
        let output = folder.at("a.book");
        let run = BuildRun {
            files: files.to_vec(),
            min_wins: 1,
            ..build(&files[0], &output)
        };
        let summary = run.run(&mut NoProgress).unwrap();
        assert_eq!((summary.games, summary.without_winner), (1, 0));
        assert_eq!(
            moves(&read_book(&output).unwrap(), "startpos"),
            ["7g7f 1 1 1"]
        );
    }
}

#[test]
fn a_book_that_nobody_could_read_does_not_take_the_place_of_one() {
    let folder = BookFolder::new();
    let output = folder.at("a.db");
    fs::write(&output, "kept").unwrap();
    let empty = super::file::write_book(&output, &Book::default(), "").unwrap_err();
    assert!(empty.to_string().contains("no position is left"), "{empty}");
    assert_eq!(fs::read_to_string(&output).unwrap(), "kept");
}
