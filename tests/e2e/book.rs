//! Opening books: made by `monju book`, and played from by a team and by a single player.

use monju_tests::{
    cluster::coordinator_over,
    command::{complaint_of, json_of, output_of, refusal_of, run, without_times},
    data::data,
    usi::Usi,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::Path, time::Duration};

/// A folder with a book of the openings that the tests have.
struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self {
            folder: tempfile::tempdir().expect("a folder"),
        };
        fixture.write("games.sfen", &data("openings/taya_36ply.sfen"));
        let (games, book) = (fixture.at("games.sfen"), fixture.at("met.book"));
        let played = ["--source", "played", "--plies", "12", "--output", &book];
        output_of(&[&["book", "build", &games], &played[..]].concat());
        fixture
    }

    fn at(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.folder.path().join(name), text).expect("written");
        self.at(name)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn moves_of(shown: &Value) -> BTreeSet<String> {
    let moves = shown["moves"].as_array().expect("moves").iter();
    let text = |one: &Value| one["move"].as_str().expect("a move").to_owned();
    moves.map(text).collect()
}

#[test]
fn games_become_a_book_a_database_and_a_searched_book() {
    let fixture = Fixture::new();
    let (games, met) = (fixture.at("games.sfen"), fixture.at("met.book"));
    let shown = json_of(&["book", "show", &met, "--json"]);
    assert!(
        shown["positions"].as_u64().expect("a number") > 50,
        "{shown}"
    );
    let start = json_of(&["book", "show", &met, "startpos", "--json"]);
    let total: f64 = (start["moves"].as_array().expect("moves").iter())
        .map(|one| one["probability"].as_f64().expect("a share"))
        .sum();
    assert!((total - 1.0).abs() < 1e-9, "{start}");

    let (database, back) = (fixture.at("met.db"), fixture.at("back.book"));
    output_of(&["book", "convert", &met, "--output", &database]);
    output_of(&["book", "convert", &database, "-o", &back]);
    let again = json_of(&["book", "show", &back, "startpos", "--json"]);
    assert_eq!(moves_of(&again), moves_of(&start));

    let searched = fixture.at("searched.book");
    let mut search = vec!["book", "search", &met, "--output", &searched];
    search.extend("--nodes 200 --hash 1 --plies 4 --min-games 20 --evaluator material".split(' '));
    let output = output_of(&search);
    let text = fs::read(&searched).expect("a book");
    assert_eq!(output_of(&search), output, "nothing is left to search");
    assert_eq!(fs::read(&searched).expect("a book"), text);
    let start = json_of(&["book", "show", &searched, "startpos", "--json"]);
    assert!(start["moves"][0]["value"].is_i64(), "{start}");

    // Games without a winner make no book of wins, and an output is no input.
    let ended = run(&["book", "build", &games, "--output", &searched]);
    let complaint = ended.errors;
    assert!(!ended.status.success());
    assert!(
        complaint.contains("of 0 games with a winner and 550 without"),
        "{complaint}"
    );
    let complaint = complaint_of(&["book", "convert", &met, "--output", &met]);
    assert!(complaint.contains("which is read"), "{complaint}");
    refusal_of(&[
        "book", "search", &met, "--output", &searched, "--nodes", "0",
    ]);
    refusal_of(&["book", "show", &met, "startpos", "moves", "7g7e"]);
    assert_eq!(fs::read(&searched).expect("a book"), text);
}

#[test]
fn a_team_is_not_consulted_in_the_book_embedded_and_over_tcp() {
    let fixture = Fixture::new();
    let book = fixture.at("met.book");
    let known = moves_of(&json_of(&["book", "show", &book, "startpos", "--json"]));
    let coordinator = |voting: bool| {
        let player = |name: &str| format!("[[player]]\nname = \"{name}\"\nhash_mib = 1\n");
        let players: Vec<String> = ["one", "two", "three"]
            .iter()
            .map(|name| player(name))
            .collect();
        let tables = format!(
            "{}[ensemble]\nrule = \"single\"\n[book]\nfile = \"met.book\"\nplies = 10\nvoting = {voting}\n",
            players.concat()
        );
        coordinator_over(fixture.path(), &[], &tables)
    };
    let embedded = fixture.write(
        "team.toml",
        "[[player]]\nname = \"player\"\ncount = 3\nhash_mib = 1\n[book]\nfile = \"met.book\"\n",
    );
    let ask = |way: &[&str], seed: &str, position: &str| {
        let asked = [
            "consult", position, "--nodes", "500", "--seed", seed, "--json",
        ];
        without_times(json_of(&[&asked[..], way].concat()))
    };
    let remote = coordinator(false);
    let url = remote.url();
    let mut drawn = BTreeSet::new();
    for seed in 0..8 {
        let seed = seed.to_string();
        let here = ask(&["--config", &embedded], &seed, "startpos");
        let there = ask(&["--coordinator", &url], &seed, "startpos");
        for ballot in [&here, &there] {
            assert_eq!(ballot["votes"], json!([]));
            assert_eq!(ballot["decision"]["tie_break"], "book");
            assert_eq!(ballot["decision"]["book"], true);
        }
        assert_eq!(here["decision"]["move"], there["decision"]["move"]);
        drawn.insert(
            here["decision"]["move"]
                .as_str()
                .expect("a move")
                .to_owned(),
        );
    }
    assert!(drawn.len() > 1 && drawn.is_subset(&known), "{drawn:?}");
    let outside = ask(
        &["--config", &embedded],
        "1",
        "startpos moves 1g1f 9c9d 1f1e",
    );
    assert_eq!(outside["votes"].as_array().expect("votes").len(), 3);
    assert_eq!(outside["decision"]["book"], Value::Null);
    let without = ask(&["--coordinator", &url, "--no-book"], "1", "startpos");
    assert_eq!(without["votes"].as_array().expect("votes").len(), 3);
    drop(remote);

    let voting = coordinator(true);
    let url = voting.url();
    let ballots: Vec<Value> = (0..8)
        .map(|seed| ask(&["--coordinator", &url], &seed.to_string(), "startpos"))
        .collect();
    for ballot in &ballots {
        let votes = ballot["votes"].as_array().expect("votes");
        assert_eq!(votes.len(), 3);
        for vote in votes {
            assert!(known.contains(vote["move"].as_str().expect("a move")));
            assert_eq!(
                (&vote["counted"], &vote["nodes"]),
                (&json!(true), &json!(0))
            );
        }
        assert_eq!(ballot["decision"]["rule"], "majority");
        assert_eq!(ballot["decision"]["book"], true);
    }
    let differ = |ballot: &&Value| ballot["tally"].as_object().expect("a tally").len() > 1;
    assert!(
        ballots.iter().any(|ballot| differ(&ballot)),
        "every player draws its own"
    );
    let again = ask(&["--coordinator", &url], "0", "startpos");
    assert_eq!(again["votes"], ballots[0]["votes"]);
}

/// Plays from the book in the role of a GUI, and turns it off.
fn play(mut usi: Usi, book: &str) {
    usi.handshake();
    for option in [
        &format!("BookFile value {book}"),
        "BookPlies value 6",
        "MoveOverhead value 50",
        "Seed value 7",
    ] {
        usi.send(&format!("setoption name {option}"));
    }
    usi.new_game();
    let answer = usi.think("startpos", "go nodes 5000000");
    let from_book = |lines: &[String]| lines.iter().any(|line| line.ends_with("from the book"));
    assert!(from_book(&answer.lines), "{:?}", answer.lines);
    assert!(
        answer.lines.iter().all(|line| !line.contains(" nodes ")),
        "no search"
    );

    // A book move waits for the hit, as every answer to a ponder does.
    let asked = usi.begin(
        "startpos moves 7g7f 3c3d",
        "go ponder btime 60000 wtime 60000 byoyomi 1000",
    );
    usi.expect_silence(Duration::from_millis(200));
    usi.send("ponderhit");
    assert!(from_book(&usi.answer(asked).lines));

    // An analysis searches, and so does a game without the book.
    let asked = usi.begin("startpos", "go infinite");
    usi.wait_for_thinking().expect("an info line");
    usi.send("stop");
    assert!(!from_book(&usi.answer(asked).lines));
    usi.send("setoption name USI_OwnBook value false");
    usi.new_game();
    let answer = usi.think("startpos", "go nodes 2000");
    assert!(!from_book(&answer.lines), "{:?}", answer.lines);

    // A book that cannot be read costs the book and not the game.
    usi.send("setoption name USI_OwnBook value true");
    usi.send("setoption name BookFile value /absent.book");
    usi.send("isready");
    let lines = usi.expect("readyok");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("error") && line.contains("/absent.book")),
        "{lines:?}"
    );
    let answer = usi.think("startpos", "go nodes 2000");
    assert!(!from_book(&answer.lines));
    assert!(usi.quit().status.success());
}

#[test]
fn a_gui_plays_from_the_book_with_a_team() {
    let fixture = Fixture::new();
    play(
        Usi::start(&["--players", "3", "--hash", "48"]),
        &fixture.at("met.book"),
    );
}

#[test]
fn a_gui_plays_from_the_book_with_a_single_player() {
    let fixture = Fixture::new();
    let database = fixture.at("met.db");
    output_of(&["book", "convert", &fixture.at("met.book"), "-o", &database]);
    play(Usi::start_engine(&["--hash", "16"]), &database);
}

#[test]
fn the_same_seed_plays_the_same_book_moves() {
    let fixture = Fixture::new();
    let book = fixture.at("met.book");
    let games = |seed: &str| -> Vec<String> {
        let mut usi = Usi::start_engine(&["--hash", "16", "--seed", seed, "--book", &book]);
        usi.handshake();
        let mut moves = Vec::new();
        for _ in 0..6 {
            usi.new_game();
            moves.push(usi.think("startpos", "go nodes 500").bestmove);
        }
        assert!(usi.quit().status.success());
        moves
    };
    let (first, again, other) = (games("1"), games("1"), games("2"));
    assert_eq!(first, again);
    assert_ne!(first, other);
    let different: BTreeSet<&String> = first.iter().collect();
    assert!(
        different.len() > 1,
        "the games of a session differ: {first:?}"
    );
}

#[test]
fn a_wrong_book_is_refused_with_its_line() {
    let fixture = Fixture::new();
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let text = format!("monju book 1\nsfen {start}\n7g7f 1\n7g7e 1\n");
    let wrong = fixture.write("wrong.book", &text);
    let expected = "wrong.book\": line 4: 7g7e is not legal in this position";
    let complaint = complaint_of(&["consult", "--players", "2", "--book", &wrong]);
    assert!(complaint.contains(expected), "{complaint}");
    let complaint = complaint_of(&["book", "show", &wrong]);
    assert!(complaint.contains("wrong.book: line 4: "), "{complaint}");
    let config = fixture.write("wrong.toml", "[book]\nfile = \"wrong.book\"\n");
    let complaint = complaint_of(&["consult", "--config", &config]);
    assert!(complaint.contains(expected), "{complaint}");
}
