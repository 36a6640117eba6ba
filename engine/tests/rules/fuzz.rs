//! The rules against themselves in random positions, by chunks of 10,000.
//!
//! `MONJU_FUZZ_CHUNKS` says how many chunks; a hundred of them are a million positions. Chunk *n*
//! is the same in every run, so a failure can be looked at again.

use crate::support::Random;
use monju_engine::{
    Color, Game, Move, Position,
    rules::{Bitboard, CheckInfo, CheckTargets},
};

const CHUNK: usize = 10_000;
const CHUNKS: u64 = 2;

/// Plies after which a game is given up: long enough for promoted pieces and full hands.
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

/// Random games until the chunk is full.
fn walk(chunk: u64, all: &[Move]) {
    let mut random = Random::new(chunk);
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
            game.play(*random.pick(&legal)).expect("a listed move");
        }
    }
}

fn check(position: &Position, legal: &[Move], all: &[Move]) {
    // is_legal(m) exactly when m is listed, over everything that is a move at all.
    let info = CheckInfo::new(position);
    let accepted = all
        .iter()
        .filter(|&&mv| position.is_legal_given(mv, &info))
        .count();
    assert_eq!(accepted, legal.len(), "{position}");
    let targets = CheckTargets::new(position);
    for &mv in legal {
        assert!(position.is_legal(mv), "{position} {mv}");
        // Made and taken back, every field and key is what it was; in between, keys and checks are
        // those that were foretold, and the key is that of the pieces alone.
        let mut after = position.clone();
        let foretold = position.key_after(mv);
        let undo = after.make(mv);
        assert_eq!(after.key(), foretold, "{position} {mv}");
        assert_eq!(after.key(), after.recomputed_key(), "{position} {mv}");
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

/// Who gives check, and who is pinned, by the definitions: a piece is pinned when its removal lets
/// another attacker through.
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
