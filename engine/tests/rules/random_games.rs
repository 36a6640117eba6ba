//! Properties of every position, tested in random games from fixed seeds.

use crate::support::{data, game, legal_moves, rows};
use monju_engine::{Game, Move, random::SplitMix64};
use std::collections::BTreeSet;

/// Returns the start position, several times, and various positions from published data.
fn starts() -> Vec<String> {
    let mut starts = vec!["startpos".to_owned(); 10];
    let text = data("rules/legal_moves_5000.tsv");
    starts.extend(rows(&text).step_by(10).map(|row| row[0].to_owned()));
    starts
}

/// Plays random games and calls `check` for every position.
fn walk(seed: u64, plies: usize, mut check: impl FnMut(&Game)) {
    let mut random = SplitMix64::from_state(seed);
    for start in starts() {
        let mut game = game(&start);
        check(&game);
        for _ in 0..plies {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[random.below(moves.len())])
                .expect("a listed move");
            check(&game);
        }
    }
}

/// Returns every text of the form of a move: all pairs of squares with and without promotion, and all
/// drops.
fn conceivable_moves() -> Vec<String> {
    let squares: Vec<String> = (1..=9)
        .flat_map(|file| ('a'..='i').map(move |rank| format!("{file}{rank}")))
        .collect();
    let mut moves = Vec::new();
    for from in &squares {
        for to in &squares {
            moves.push(format!("{from}{to}"));
            moves.push(format!("{from}{to}+"));
        }
    }
    for piece in ["P", "L", "N", "S", "G", "B", "R", "K"] {
        moves.extend(squares.iter().map(|square| format!("{piece}*{square}")));
    }
    moves
}

#[test]
fn a_move_is_accepted_exactly_when_it_is_listed() {
    let conceivable = conceivable_moves();
    let mut visits = 0;
    walk(1, 40, |game| {
        visits += 1;
        // Testing every conceivable move is slow, so that only one position in ten is tested.
        if visits % 10 != 0 {
            return;
        }
        let listed = legal_moves(game);
        let accepted: BTreeSet<String> = conceivable
            .iter()
            .filter(|text| game.parse_move(text).is_ok())
            .cloned()
            .collect();
        assert_eq!(accepted, listed, "{}", game.position());
    });
}

#[test]
fn play_refuses_unlisted_moves_and_leaves_the_game_unchanged() {
    let conceivable: Vec<Move> = conceivable_moves()
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    let mut visits = 0;
    walk(2, 40, |game| {
        visits += 1;
        if visits % 97 != 0 {
            return;
        }
        let listed = game.legal_moves();
        let mut played = game.clone();
        for mv in &conceivable {
            if listed.contains(mv) {
                continue;
            }
            assert!(played.play(*mv).is_err(), "{mv} in {}", game.position());
        }
        assert_eq!(&played, game);
    });
}

#[test]
fn a_position_is_written_and_read_unchanged() {
    walk(3, 120, |game| {
        let text = game.position().to_string();
        let read = Game::from_usi(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read.position(), game.position(), "{text}");
        assert_eq!(read.position().to_string(), text);
        assert_eq!(read.position().in_check(), game.position().in_check());
        assert_eq!(read.can_declare_win(), game.can_declare_win(), "{text}");
        assert_eq!(legal_moves(&read), legal_moves(game), "{text}");
    });
}

#[test]
fn moves_are_written_and_read_unchanged() {
    walk(4, 60, |game| {
        for mv in game.legal_moves() {
            let text = mv.to_string();
            assert_eq!(text.parse(), Ok(mv), "{text}");
            assert_eq!(game.parse_move(&text), Ok(mv), "{text}");
        }
    });
}

#[test]
fn a_game_read_from_its_text_equals_the_game_as_it_was_played() {
    let mut random = SplitMix64::from_state(5);
    for start in starts() {
        let mut game = game(&start);
        for _ in 0..200 {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[random.below(moves.len())])
                .expect("a listed move");
        }
        let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
        let read = Game::from_parts(game.start(), &moves).expect("a legal game");
        assert_eq!(read, game);
        assert_eq!(read.repetition(), game.repetition());
        let start = match game.start() {
            "startpos" => "startpos".to_owned(),
            sfen => format!("sfen {sfen}"),
        };
        let text = format!("position {start} moves {}", moves.join(" "));
        assert_eq!(Game::from_usi(&text), Ok(game));
    }
}

/// With the board turned and the colours exchanged, the legal moves are the turned moves.
#[test]
fn the_rules_are_the_same_for_both_sides() {
    walk(6, 60, |game| {
        let text = game.position().to_string();
        let turned = crate::support::game(&turn_position(&text));
        let expected: BTreeSet<String> = legal_moves(game).iter().map(|mv| turn_move(mv)).collect();
        assert_eq!(legal_moves(&turned), expected, "{text}");
        assert_eq!(turned.position().in_check(), game.position().in_check());
    });
}

/// Returns the SFEN of the position as seen from the other side, with the colours exchanged.
fn turn_position(sfen: &str) -> String {
    let parts: Vec<&str> = sfen.split(' ').collect();
    let mut turned = String::new();
    // Read backwards, a promotion mark comes after its piece.
    let mut rest = parts[0].chars().rev().peekable();
    while let Some(symbol) = rest.next() {
        if rest.peek() == Some(&'+') {
            rest.next();
            turned.push('+');
        }
        turned.push(exchange(symbol));
    }
    let side = if parts[1] == "b" { "w" } else { "b" };
    let exchanged: String = parts[2].chars().map(exchange).collect();
    // Black's pieces in hand come first.
    let boundary = exchanged
        .find(char::is_uppercase)
        .map_or(0, |first| first - count_before(&exchanged, first));
    let (white, black) = exchanged.split_at(boundary);
    format!("{turned} {side} {black}{white} {}", parts[3])
}

/// Returns the number of digits right before `end`.
fn count_before(text: &str, end: usize) -> usize {
    text[..end]
        .chars()
        .rev()
        .take_while(char::is_ascii_digit)
        .count()
}

/// Returns the piece of the other colour, or any other symbol unchanged.
fn exchange(symbol: char) -> char {
    if symbol.is_ascii_uppercase() {
        symbol.to_ascii_lowercase()
    } else {
        symbol.to_ascii_uppercase()
    }
}

/// Returns the move as seen from the other side.
fn turn_move(mv: &str) -> String {
    let turn = |symbol: char| match symbol {
        '1'..='9' => char::from(b'1' + b'9' - symbol as u8),
        'a'..='i' => char::from(b'a' + b'i' - symbol as u8),
        other => other,
    };
    mv.chars().map(turn).collect()
}
