//! Legality of moves: positions with all their moves, and edge cases of the rules.

use crate::support::{data, game, legal_moves, objects, rows, texts};
use monju_engine::Game;
use std::collections::BTreeSet;

#[test]
fn legal_moves_agree_move_by_move() {
    let text = data("rules/legal_moves_5000.tsv");
    let mut positions = 0;
    for row in rows(&text) {
        let (sfen, in_check, count, moves) = (row[0], row[1], row[2], row[3]);
        let game = game(sfen);
        let ours = legal_moves(&game);
        let theirs: BTreeSet<String> = moves.split_whitespace().map(str::to_owned).collect();
        assert_eq!(count.parse(), Ok(theirs.len()), "{sfen}");
        let missing: Vec<_> = theirs.difference(&ours).collect();
        let extra: Vec<_> = ours.difference(&theirs).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{sfen}: missing {missing:?}, extra {extra:?}"
        );
        assert_eq!(game.position().in_check(), in_check == "1", "{sfen}");
        positions += 1;
    }
    assert_eq!(positions, 2011);
}

#[test]
fn edges_of_legality() {
    let vectors = objects(&data("rules/legality.jsonl"));
    assert_eq!(vectors.len(), 26);
    for vector in &vectors {
        let id = vector["id"].as_str().expect("an id");
        let sfen = vector["sfen"].as_str().expect("a sfen");
        let game = Game::from_parts(sfen, &texts(&vector["moves"]))
            .unwrap_or_else(|error| panic!("{id}: {error}"));
        let moves = legal_moves(&game);
        for legal in texts(&vector["legal"]) {
            assert!(moves.contains(legal), "{id}: {legal} is legal");
            assert!(game.parse_move(legal).is_ok(), "{id}: {legal} is legal");
        }
        for illegal in texts(&vector["illegal"]) {
            assert!(!moves.contains(illegal), "{id}: {illegal} is not legal");
            assert!(
                game.parse_move(illegal).is_err(),
                "{id}: {illegal} is not legal"
            );
        }
        let count = vector["n_legal"].as_u64().expect("a count");
        assert_eq!(moves.len() as u64, count, "{id}: {moves:?}");
    }
}

#[test]
fn positions_that_once_broke_a_cluster() {
    let text = data("problems/gpsshogi_cluster_positions.tsv");
    for row in rows(&text) {
        let (id, count, declarable, command) = (row[0], row[2], row[3], row[4]);
        let game = game(command);
        assert_eq!(count.parse(), Ok(legal_moves(&game).len()), "problem {id}");
        assert_eq!(game.can_declare_win(), declarable == "1", "problem {id}");
    }
}
