//! `monju learn records` reads the games that `monju experiment report` writes.

use monju_engine::Color;
use monju_experiment::{
    kifu::Kifu,
    notes::Note,
    record::{GameEnding, MatchOutcome as Outcome},
};
use monju_records::{RecordedResult, parse_games};
use std::path::Path;

/// Returns the result of the only game of a file.
fn result_of(name: &str, text: &str) -> RecordedResult {
    let mut games = parse_games(Path::new(name), text.as_bytes()).expect("a known format");
    assert_eq!(games.len(), 1, "{name}\n{text}");
    let game = games.remove(0).game.expect("a legal game");
    game.result()
}

#[test]
fn every_ending_of_an_exported_game_is_read_back() {
    let [even, odd] = ["startpos moves 7g7f 3c3d", "startpos moves 7g7f 3c3d 2g2f"];
    let after_black = "sfen 4k4/9/9/9/9/9/9/9/4K4 w R 1 moves 5a4a 5i4i";
    let note = |time_ms, score| Note { time_ms, score };
    let notes = [note(61_500, Some(-35)), note(900, None)];
    let comments = ["build: a program".to_owned()];
    for ending in GameEnding::ALL {
        for moves in [even, odd, after_black] {
            for result in [Outcome::Win, Outcome::Draw, Outcome::Loss] {
                let kifu = Kifu {
                    event: "an event",
                    comments: &comments,
                    names: ["one", "two"],
                    moves,
                    notes: &notes,
                    ending: ending.name(),
                    result,
                    first_is_black: true,
                };
                let expected = match result {
                    Outcome::Win => RecordedResult::Won(Color::Black),
                    Outcome::Draw => RecordedResult::Drawn,
                    Outcome::Loss => RecordedResult::Won(Color::White),
                };
                let (csa, kif) = (kifu.csa().unwrap(), kifu.kif().unwrap());
                let what = format!("{ending:?} {result:?} {moves}");
                assert_eq!(result_of("a.csa", &csa), expected, "{what}\n{csa}");
                assert_eq!(result_of("a.kifu", &kif), expected, "{what}\n{kif}");
            }
        }
    }
}
