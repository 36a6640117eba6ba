//! Consistency of the rules in random positions, in chunks of 10,000.
//!
//! `MONJU_FUZZ_CHUNKS` is the number of chunks; a hundred are a million positions. Chunk *n* is the
//! same in every run, so that a failure can be reproduced.

use monju_engine::{
    Color, Game, Move, Position,
    random::SplitMix64,
    rules::{Bitboard, CheckInfo, CheckTargets},
};

const CHUNK: usize = 10_000;
const CHUNKS: u64 = 2;

/// Largest length of a game, in plies: enough for promoted pieces and full hands.
const LONGEST: usize = 250;

#[test]
fn moves_keys_and_texts_agree_in_random_positions() {
    let chunks = match std::env::var("MONJU_FUZZ_CHUNKS") {
        Ok(text) => text.parse().expect("MONJU_FUZZ_CHUNKS is a number"),
        Err(_) => CHUNKS,
    };
    let all: Vec<Move> = (0..=u16::MAX).filter_map(Move::try_from_bits).collect();
    assert!(all.len() > 81 * 80 * 2, "{}", all.len());
    std::thread::scope(|scope| {
        let all = &all;
        // Two at a time: the even chunks and the odd ones.
        for first in 0..2 {
            scope.spawn(move || {
                for chunk in (first..chunks).step_by(2) {
                    walk(chunk, all);
                }
            });
        }
    });
}

/// Plays random games until the chunk is full.
fn walk(chunk: u64, all: &[Move]) {
    let mut random = SplitMix64::from_state(chunk);
    let mut left = CHUNK;
    while left > 0 {
        let mut game = Game::startpos();
        for _ in 0..LONGEST.min(left) {
            let legal = game.legal_moves();
            check(game.position(), &legal, all);
            left -= 1;
            if legal.is_empty() {
                break;
            }
            game.play(legal[random.below(legal.len())])
                .expect("a listed move");
        }
    }
}

fn check(position: &Position, legal: &[Move], all: &[Move]) {
    // Over all encodable moves, is_legal(m) holds exactly for the listed ones.
    let info = CheckInfo::new(position);
    let accepted = all
        .iter()
        .filter(|&&mv| position.is_legal_given(mv, &info))
        .count();
    assert_eq!(accepted, legal.len(), "{position}");
    let targets = CheckTargets::new(position);
    for &mv in legal {
        assert!(position.is_legal(mv), "{position} {mv}");
        // After a move, key and check are those predicted, and the key is that of the pieces alone.
        // Taken back, every field is as before.
        let mut after = position.clone();
        let predicted = position.key_after(mv);
        let undo = after.make(mv);
        assert_eq!(after.key(), predicted, "{position} {mv}");
        assert_eq!(after.key(), after.recomputed_key(), "{position} {mv}");
        let hands_key = after.key() ^ after.board_key();
        assert_eq!(hands_key, after.recomputed_hands_key(), "{position} {mv}");
        assert_eq!(
            *after.structure(),
            after.recomputed_structure(),
            "{position} {mv}"
        );
        assert_eq!(
            after.in_check(),
            targets.is_check(position, mv),
            "{position} {mv}"
        );
        after.unmake(mv, undo);
        assert_eq!(&after, position, "{mv}");
        assert_eq!(after.key(), position.key(), "{position} {mv}");
        assert_eq!(after.ply(), position.ply(), "{position} {mv}");
    }
    let text = position.to_string();
    let read = Game::from_usi(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(read.position(), position, "{text}");
    assert_eq!(read.position().key(), position.key(), "{text}");
    assert_eq!(read.position().to_string(), text);
    check_attacks(position, &info);
}

/// Compares checks and pins with their definitions: a piece is pinned when its removal exposes the
/// king to another attacker.
fn check_attacks(position: &Position, info: &CheckInfo) {
    let us = position.side_to_move();
    let occupied = position.occupied();
    for color in [Color::Black, Color::White] {
        let king = position.king(color).expect("both kings stand");
        let attackers = position.attackers(!color, king, occupied);
        if color == us {
            assert_eq!(info.checkers, attackers, "{position}");
            for square in position.pieces_of(us) {
                let without = position.attackers(!us, king, occupied ^ Bitboard::of(square));
                let pinned = square != king && without != attackers;
                assert_eq!(info.pinned.contains(square), pinned, "{position} {square}");
            }
        } else {
            assert!(
                attackers.is_empty(),
                "{position}: the wrong side is in check"
            );
        }
    }
}
