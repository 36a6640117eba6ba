//! Openings and published games, in which every move must be legal.

use crate::support::{data, game_collections, read, rows, skipped};
use monju_engine::{Game, Repetition};
use std::fs;

/// Plays the moves of `startpos moves …` one by one.
fn replay(text: &str) -> Game {
    let moves = text
        .strip_prefix("startpos moves ")
        .unwrap_or_else(|| panic!("'{text}' does not begin with 'startpos moves '"));
    let mut game = Game::startpos();
    for (index, mv) in moves.split_whitespace().enumerate() {
        let parsed = game
            .parse_move(mv)
            .unwrap_or_else(|error| panic!("move {}: {error}: {text}", index + 1));
        game.play(parsed).expect("a legal move");
    }
    game
}

#[test]
fn openings_are_legal_to_the_end() {
    let text = data("openings/taya_36ply.sfen");
    let mut openings = 0;
    for line in text.lines() {
        let game = replay(line);
        assert_eq!(game.moves().len(), 36, "{line}");
        assert!(game.position().to_string().ends_with(" 37"), "{line}");
        assert_eq!(game.repetition(), Repetition::None, "{line}");
        let read_at_once = Game::from_usi(line).expect("a legal opening");
        assert_eq!(read_at_once, game, "{line}");
        openings += 1;
    }
    assert_eq!(openings, 550);
}

#[test]
fn published_games_are_legal_to_the_end() {
    let Some(folder) = game_collections() else {
        skipped(
            "replaying published games: no ../shared/data/games here (MONJU_GAMES names another folder)",
        );
        return;
    };
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .expect("a readable folder")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tsv"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no *.tsv in {}", folder.display());
    let mut games = 0;
    for path in &paths {
        let text = read(path);
        for row in rows(&text) {
            let (id, end, moves) = (row[0], row[3], row[8]);
            let mut game = Game::startpos();
            for (index, mv) in moves.split_whitespace().enumerate() {
                let parsed = game
                    .parse_move(mv)
                    .unwrap_or_else(|error| panic!("{id}: move {}: {error}", index + 1));
                game.play(parsed).expect("a legal move");
            }
            match end {
                "mate" => assert!(game.legal_moves().is_empty(), "{id} ends with mate"),
                "sennichite" => assert_eq!(game.repetition(), Repetition::Draw, "{id}"),
                _ => {}
            }
            games += 1;
        }
    }
    println!("replayed {games} published games");
}
