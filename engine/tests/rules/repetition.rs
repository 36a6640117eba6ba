//! Fourfold repetition and perpetual check.

use crate::support::{data, objects, texts};
use monju_engine::{Color, Game, Repetition};

#[test]
fn repetition_is_found_at_the_fourth_occurrence_and_not_before() {
    let vectors = objects(&data("rules/repetition.jsonl"));
    assert_eq!(vectors.len(), 14);
    for vector in &vectors {
        let id = vector["id"].as_str().expect("an id");
        let start = vector["start"].as_str().expect("a start");
        let moves = texts(&vector["moves"]);
        let expected = match vector["expect"].as_str() {
            Some("none") => Repetition::None,
            Some("draw") => Repetition::Draw,
            Some("black") => Repetition::PerpetualCheckBy(Color::Black),
            Some("white") => Repetition::PerpetualCheckBy(Color::White),
            other => panic!("{id}: unknown expectation {other:?}"),
        };
        let first_fourfold = vector["first_fourfold_ply"].as_u64();
        let mut game = Game::from_parts::<&str>(start, &[]).expect("a start");
        assert_eq!(game.repetition(), Repetition::None, "{id}: at the start");
        for (index, text) in moves.iter().enumerate() {
            let played = index as u64 + 1;
            let mv = game
                .parse_move(text)
                .unwrap_or_else(|error| panic!("{id}: {error}"));
            game.play(mv).expect("a legal move");
            if Some(played) == first_fourfold {
                assert_eq!(game.repetition(), expected, "{id}: after {played} moves");
            } else if first_fourfold.is_none_or(|first| played < first) {
                assert_eq!(
                    game.repetition(),
                    Repetition::None,
                    "{id}: after {played} moves"
                );
            }
        }
        assert_eq!(game.repetition(), expected, "{id}: at the end");
        let read_at_once = Game::from_parts(start, &moves).expect("a legal game");
        assert_eq!(
            read_at_once.repetition(),
            expected,
            "{id}: read from its text"
        );
    }
}

/// The same position without its moves is not a repetition.
#[test]
fn a_position_without_history_repeats_nothing() {
    for vector in objects(&data("rules/repetition.jsonl")) {
        let start = vector["start"].as_str().expect("a start");
        let game = Game::from_parts(start, &texts(&vector["moves"])).expect("a legal game");
        let alone = Game::from_usi(&format!("sfen {}", game.position())).expect("its own text");
        assert_eq!(alone.repetition(), Repetition::None, "{}", vector["id"]);
    }
}
