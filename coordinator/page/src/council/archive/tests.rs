use super::*;
use monju_coordinator::record::schema::{
    BallotRecord, GameResult, LogLine, LoggedBallot, VERSION, Winner,
};
use monju_engine::Game;
use std::io::Write;

/// A ballot of a game after some moves, as a line of a log.
fn line(id: &str, moves: &str) -> String {
    let text = match moves {
        "" => "startpos".to_owned(),
        moves => format!("startpos moves {moves}"),
    };
    let game = Game::from_usi(&text).expect("legal");
    let ballot = Ballot {
        game_id: id.to_owned(),
        ..Ballot::default()
    };
    let logged = LoggedBallot {
        version: VERSION,
        monju: "1".to_owned(),
        id: 1,
        game_id: id.to_owned(),
        decided_unix_ms: 5,
        ballot: BallotRecord::of(&game, &ballot),
    };
    LogLine::Ballot(Box::new(logged)).render().expect("JSON")
}

fn result(id: &str, winner: Winner) -> String {
    let result = GameResult {
        version: VERSION,
        game_id: id.to_owned(),
        winner,
        reason: "gameover".to_owned(),
    };
    LogLine::Result(result).render().expect("JSON")
}

fn append(log: &Path, text: &str) {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(log)
        .expect("a file");
    file.write_all(text.as_bytes()).expect("written");
}

fn refreshed(index: &mut Index, log: &Path) -> Vec<(String, u64, Option<String>)> {
    index.refresh(log).expect("read");
    (index.list().iter())
        .map(|game| {
            (
                game["id"].as_str().expect("an id").to_owned(),
                game["plies"].as_u64().expect("a number"),
                game["winner"].as_str().map(str::to_owned),
            )
        })
        .collect()
}

/// Returns the plies of the positions that a page shows of a game.
fn plies(index: &Index, id: &str) -> Vec<u64> {
    let key = format!("{:016x}", seed::hash_text(id));
    let (found, places) = index.places(&key).expect("a game");
    assert_eq!(found, id);
    let game = GameView::of(found, &ballots(&places)).json();
    (game["positions"].as_array().expect("positions").iter())
        .map(|position| position["plies"].as_u64().expect("a number"))
        .collect()
}

#[test]
fn games_are_found_as_the_log_grows() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("ballots.jsonl");
    let mut index = Index::default();
    assert!(refreshed(&mut index, &log).is_empty());
    append(&log, &line("one", ""));
    append(
        &log,
        "{\"kind\":\"ballot\",\"game_id\":\"one\",\n\nnonsense\n",
    );
    append(&log, &line("two", "7g7f"));
    append(&log, &line("one", "7g7f 3c3d"));
    append(&log, &result("one", Winner::White));
    let half = line("two", "7g7f 3c3d 2g2f");
    append(&log, &half[..20]);
    let white = Some("white".to_owned());
    assert_eq!(
        refreshed(&mut index, &log),
        [("two".to_owned(), 1, None), ("one".to_owned(), 2, white)]
    );
    // The line is finished later.
    append(&log, &half[20..]);
    assert_eq!(refreshed(&mut index, &log)[0].1, 3);
    assert_eq!(plies(&index, "one"), [0, 1, 2]);
    assert_eq!(plies(&index, "two"), [1, 2, 3]);
    assert!(index.places("0000000000000000").is_none());
}

#[test]
fn files_that_were_put_aside_belong_to_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("ballots.jsonl");
    let mut index = Index::default();
    append(&log, &line("one", ""));
    refreshed(&mut index, &log);
    fs::rename(&log, folder.path().join("ballots.jsonl.20261124T205800")).expect("moved");
    append(&log, &line("one", "7g7f 3c3d"));
    append(&folder.path().join("ballots.jsonl.bak"), &line("no", ""));
    append(&folder.path().join("other.jsonl"), &line("no", ""));
    assert_eq!(refreshed(&mut index, &log), [("one".to_owned(), 2, None)]);
    assert_eq!(plies(&index, "one"), [0, 1, 2]);
    // A file that is deleted takes its ballots with it.
    fs::remove_file(folder.path().join("ballots.jsonl.20261124T205800")).expect("deleted");
    refreshed(&mut index, &log);
    assert_eq!(plies(&index, "one"), [2]);
}

#[test]
fn the_index_is_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("ballots.jsonl");
    let long = "x".repeat(LONGEST_LINE as usize + 7);
    append(&log, &format!("{long}\n"));
    let games: String = (0..GAMES + 5)
        .map(|number| line(&format!("g{number}"), ""))
        .collect();
    append(&log, &games);
    append(
        &log,
        &format!("{}{long}", line("last", "").repeat(BALLOTS + 3)),
    );
    let mut index = Index::default();
    let list = refreshed(&mut index, &log);
    assert_eq!(list.len(), GAMES);
    assert_eq!(list[0].0, "last");
    let key = format!("{:016x}", seed::hash_text("last"));
    let (_, places) = index.places(&key).expect("the game");
    assert_eq!(places.len(), BALLOTS);
    // Without its end, the last line waits.
    append(&log, &format!("\n{}", line("later", "")));
    assert_eq!(refreshed(&mut index, &log)[0].0, "later");
}
