//! The text of a CSA file: its version, the pieces that `00AL` stands for, the places of the moves.

use crate::{guard::guarded, mark::without_mark};
use rsshogi::records::formats::{common::CsaVersion, csa};
use std::{borrow::Cow, mem};

/// The code of all pieces that are left.
const ALL: &str = "00AL";

/// A set without its kings: letters of SFEN, codes of pieces in hand, and numbers.
const SET: [(char, &str, usize); 7] = [
    ('P', "00FU", 18),
    ('L', "00KY", 4),
    ('N', "00KE", 4),
    ('S', "00GI", 4),
    ('G', "00KI", 4),
    ('B', "00KA", 2),
    ('R', "00HI", 2),
];

/// Returns the version of a file, which its first game names.
pub fn version(bytes: &[u8]) -> CsaVersion {
    let mut lines = without_mark(bytes).split(|&byte| byte == b'\n');
    let is_third = lines.any(|line| line.trim_ascii() == CsaVersion::V3_0.header().as_bytes());
    if is_third {
        CsaVersion::V3_0
    } else {
        CsaVersion::V2_2
    }
}

/// Returns a CSA game in which the names and other keys behind the first move come before the position: relays of games
/// write `$END_TIME` at the end, and the library refuses it there. Their lines stay, empty.
pub fn with_early_headers(game: &[u8]) -> Cow<'_, [u8]> {
    let is_begun = |line: &[u8]| matches!(line.trim_ascii(), [b'+' | b'-', _, ..] | [b'%', ..]);
    let is_header = |line: &[u8]| {
        let keys: [&[u8]; 3] = [b"$", b"N+", b"N-"];
        keys.iter().any(|key| line.starts_with(key))
    };
    let lines: Vec<&[u8]> = game.split_inclusive(|&byte| byte == b'\n').collect();
    let position_of = |is: &dyn Fn(&[u8]) -> bool| lines.iter().position(|line| is(line));
    let begin = position_of(&is_begun).unwrap_or(lines.len());
    let position = position_of(&is_position_or_move).map_or(begin, |line| line.min(begin));
    let late: Vec<&[u8]> = (lines[begin..].iter().copied())
        .filter(|line| is_header(line))
        .collect();
    if late.is_empty() {
        return game.into();
    }
    let mut text = lines[..position].concat();
    for line in late {
        text.extend(line.trim_ascii_end());
        text.push(b'\n');
    }
    text.extend(lines[position..begin].concat());
    for line in &lines[begin..] {
        text.extend(if is_header(line) { b"\n" } else { *line });
    }
    text.into()
}

/// Returns a CSA game in which the lines of programs, those that begin with `'**`, are comments unless they are
/// evaluations of moves. The library would keep them apart from the comments, and those before the moves not at all.
pub fn with_comments_of_programs(game: &[u8]) -> Cow<'_, [u8]> {
    const MARK: &[u8] = b"'**";
    if !game.windows(MARK.len()).any(|part| part == MARK) {
        return game.into();
    }
    let mut is_begun = false;
    let mut text = Vec::new();
    for line in game.split_inclusive(|&byte| byte == b'\n') {
        is_begun |= !line.starts_with(b"'") && signed(line).any(|(_, part)| is_move(part));
        match line.trim_ascii_start().strip_prefix(MARK) {
            // The library takes what follows a space for a comment, with its star.
            Some(rest) if !is_begun || !is_evaluation(rest) => {
                text.extend(b"'* *");
                text.extend(rest);
            }
            _ => text.extend(line),
        }
    }
    text.into()
}

/// Tells whether the rest of a line of a program is an evaluation with what the library reads behind it.
fn is_evaluation(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii();
    let named = "評価値=".as_bytes();
    let number = match rest.strip_prefix(named) {
        Some(number) => number.trim_ascii(),
        None => {
            let end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'#';
            rest.split(end).next().unwrap_or_default()
        }
    };
    str::from_utf8(number).is_ok_and(|number| number.parse::<i16>().is_ok())
}

/// Returns a CSA game with the pieces that `00AL` stands for: those that are neither on the board nor in a hand.
/// The first such hand has them all. The library would give a hand what is missing of one half of the set.
pub fn with_pieces_left(game: &[u8]) -> Cow<'_, [u8]> {
    let placements = game.split(|&byte| byte == b'\n').filter_map(placement);
    let placed = placements.collect::<Vec<_>>().join("\n");
    if !placed.contains(ALL) {
        return game.into();
    }
    // A text without a position is refused in the words of its own lines.
    let Ok(start) = guarded(|| csa::parse_csa_str(&placed.replace(ALL, ""))) else {
        return game.into();
    };
    let board = start.init_position_sfen().split(' ').next();
    let board = board.unwrap_or_default();
    let mut left: String = (SET.iter())
        .map(|&(letter, code, number)| {
            let on_board = board.matches([letter, letter.to_ascii_lowercase()]);
            let placed = on_board.count() + placed.matches(code).count();
            code.repeat(number.saturating_sub(placed))
        })
        .collect();
    let mut text = Vec::new();
    for line in game.split_inclusive(|&byte| byte == b'\n') {
        match placement(line) {
            Some(line) if line.contains(ALL) => {
                let line = line.replacen(ALL, &mem::take(&mut left), 1);
                text.extend((line.replace(ALL, "") + "\n").into_bytes());
            }
            _ => text.extend(line),
        }
    }
    text.into()
}

/// Returns a line of the start position without its spaces; `None` for other lines.
fn placement(line: &[u8]) -> Option<String> {
    let line = str::from_utf8(line).ok()?.trim();
    line.starts_with('P').then(|| line.replace(' ', ""))
}

/// Returns the texts that begin with the sign of a side, each with its line counted from 0.
fn signed(game: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = game.split(|&byte| byte == b'\n').enumerate();
    lines.flat_map(|(line, text)| {
        let parts = text.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        let signed = parts.filter(|part| part.starts_with(b"+") || part.starts_with(b"-"));
        signed.map(move |part| (line, part))
    })
}

/// Tells a move from a sign alone, which says who begins.
fn is_move(signed: &[u8]) -> bool {
    signed.len() >= "+7776FU".len()
}

/// Returns the line, counted from 0, of a move, counted from 1.
pub fn line_of(game: &[u8], number: usize) -> Option<usize> {
    let mut moves = signed(game).filter(|(_, text)| is_move(text));
    moves.nth(number.checked_sub(1)?).map(|(line, _)| line)
}

/// Returns the number of the first move, counted from 1, of a side whose turn it is not.
pub fn out_of_turn(game: &[u8]) -> Option<usize> {
    let (mut turn, mut number) = (b'+', 0);
    for (_, text) in signed(game) {
        if is_move(text) {
            number += 1;
            if text[0] != turn {
                return Some(number);
            }
            turn = b'+' + b'-' - turn;
        } else {
            turn = text[0];
        }
    }
    None
}

/// Tells whether a line of a CSA file is one of the position, the side to move or a move.
pub fn is_position_or_move(line: &[u8]) -> bool {
    match line.trim_ascii() {
        [b'+' | b'-', ..] => true,
        [b'P', next, ..] => matches!(next, b'I' | b'+' | b'-' | b'1'..=b'9'),
        _ => false,
    }
}

/// Returns the line, counted from 0, of the first move or position behind the end of a game.
pub fn beyond_end(game: &[u8]) -> Option<usize> {
    let lines = game.split(|&byte| byte == b'\n').enumerate();
    let mut behind = lines.skip_while(|(_, line)| !line.trim_ascii().starts_with(b"%"));
    behind
        .find(|(_, line)| is_position_or_move(line))
        .map(|(line, _)| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the start position that a text means.
    fn start(placements: &str) -> String {
        let text = format!("V2.2\n{placements}\n");
        let text = String::from_utf8(with_pieces_left(text.as_bytes()).into());
        let game = csa::parse_csa_str(&text.expect("ASCII")).expect("a position");
        game.init_position_sfen().to_owned()
    }

    #[test]
    fn all_pieces_that_are_left_are_in_one_hand() {
        for (placements, expected) in [
            // A mate problem: every other piece is White's.
            (
                "P-51OU\nP+53TO41RY\nP+00KI\nP-00AL\n+",
                "4k+R3/9/4+P4/9/9/9/9/9/9 b G17p4l4n4s3g2br",
            ),
            // The pieces may be with Black, and others be named behind them.
            (
                "P-51OU\r\nP+ 00 AL\r\nP-00FU00FU\r\n-",
                "4k4/9/9/9/9/9/9/9/9 w 16P4L4N4S4G2B2R2p",
            ),
            // The pieces that a handicap takes off the board are left.
            (
                "PI82HI22KA\nP+00AL,-",
                "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w BR",
            ),
            // The first hand leaves none for the second, and nothing is left of a whole set.
            (
                "PI22KA\nP-00AL00AL\nP+00AL\n+",
                "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b b",
            ),
            (
                "PI\nP+00AL\n+",
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -",
            ),
        ] {
            assert_eq!(start(placements), format!("{expected} 1"), "{placements}");
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "V2.2\nPI\n+\n'P-00AL\n+7776FU\n",
            "P1 nonsense\nP-00AL\n",
            "\u{fffd}",
        ] {
            assert_eq!(&*with_pieces_left(text.as_bytes()), text.as_bytes());
        }
        assert_eq!(&*with_pieces_left(b"N+\x8e\n"), b"N+\x8e\n");
    }
}
