//! The start position of a handicap game in a KIF or KI2 file, where its name does not tell it to the parser.

use rsshogi::board::InitialPosition;

/// `手合割`, the handicap.
pub const HANDICAP: &str = "手合割";

/// The line that gives White, who gives the handicap, the first move.
const WHITE_TO_MOVE: &str = "後手番";

/// All lines that tell who is to move.
const TURNS: [&str; 4] = ["先手番", WHITE_TO_MOVE, "下手番", "上手番"];

/// The handicaps of seven pieces, which the library does not know, with White's first rank: the silver that is gone is
/// the one on White's left or right.
const SEVEN_PIECES: [(&str, &str); 2] = [
    ("左七枚落ち", "| ・ ・v銀v金v玉v金 ・ ・ ・|一"),
    ("右七枚落ち", "| ・ ・ ・v金v玉v金v銀 ・ ・|一"),
];

/// The line above a board.
const FILES: &str = "  ９ ８ ７ ６ ５ ４ ３ ２ １";

/// The ranks below White's first in a handicap of two pieces and more.
const OTHER_RANKS: &str = "\
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| 歩 歩 歩 歩 歩 歩 歩 歩 歩|七
| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八
| 香 桂 銀 金 玉 金 銀 桂 香|九
";

/// The edge of a board.
const EDGE: &str = "+---------------------------+";

/// Tells whether a line is the one above a board.
fn is_above_board(line: &str) -> bool {
    line.trim_start().starts_with('９') && line.contains('１')
}

/// Returns the first handicap of a file that does not tell the start position, with its line counted from 0.
pub fn unknown_handicap<'a>(
    lines: impl Iterator<Item = &'a str> + Clone,
) -> Option<(usize, &'a str)> {
    if lines.clone().any(is_above_board) {
        return None;
    }
    names(lines).find(|(_, name)| {
        InitialPosition::from_handicap_name_ja(name).is_none() && seven_pieces(name).is_none()
    })
}

/// Returns the lines that tell the parser the start position of a handicap game, with the line, counted from 0, behind
/// which they belong; `None` where it finds the position itself.
pub fn lines_of_start<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Option<(usize, String)> {
    let (place, name) = names(lines.clone()).next()?;
    let mut text = String::new();
    let rank = seven_pieces(name);
    if lines.clone().any(is_above_board) {
        // The parser takes the turn of a board for Black's.
        let known = InitialPosition::from_handicap_name_ja(name);
        let begins_with_white = known.is_some_and(|start| start.to_sfen().contains(" w "));
        if !begins_with_white && rank.is_none() {
            return None;
        }
    } else {
        text = format!("{FILES}\n{EDGE}\n{}\n{OTHER_RANKS}{EDGE}\n", rank?);
    }
    let is_turn = |line: &str| TURNS.contains(&line.trim());
    if !lines.clone().any(is_turn) {
        text += WHITE_TO_MOVE;
        text.push('\n');
    }
    Some((place, text))
}

/// Returns the names of handicaps, each with its line counted from 0.
fn names<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = (usize, &'a str)> {
    lines.enumerate().filter_map(|(place, line)| {
        let (key, name) = line.split_once(['：', ':'])?;
        let name = name.trim();
        (key.trim() == HANDICAP && !name.is_empty()).then_some((place, name))
    })
}

/// Returns White's first rank of a handicap of seven pieces.
fn seven_pieces(name: &str) -> Option<&'static str> {
    let mut known = SEVEN_PIECES.iter();
    known.find(|(own, _)| *own == name).map(|&(_, rank)| rank)
}
