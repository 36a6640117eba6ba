//! The text of KIF and KI2 files: how it is decoded, what the parser gets of it, and where comments go.
//!
//! A parser that skips lines it does not understand would silently cut a damaged game short. So the lines are
//! compared with the moves that were parsed from them.

use crate::{
    handicap::{HANDICAP, lines_of_start, unknown_handicap},
    mark::without_mark,
};
use encoding_rs::SHIFT_JIS;
use monju_engine::counted;
use std::{borrow::Cow, collections::BTreeMap};

/// An inconsistency of a KIF or KI2 file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KifError {
    /// There are neither moves nor a header.
    #[error("there are no moves, and no header such as 手合割：平手")]
    NoGame,
    /// The header has no board, and a handicap from which none follows.
    #[error(
        "line {line}: no start position is known for {HANDICAP}：{name}; add the board, or write {HANDICAP}：平手"
    )]
    Handicap {
        /// Number of the line, counted from 1.
        line: usize,
        /// Name of the handicap.
        name: String,
    },
    /// There are more moves than the parser, which keeps the position after each, has room for.
    #[error(
        "{0} moves are too many; a game in KIF or KI2, or in JKF with its variations, has {MOST_MOVES} at most"
    )]
    TooLong(usize),
    /// A KI2 file has moves that the parser skips.
    #[error(
        "read {} where the main line has {given}; in KI2 each move has its mark, ▲ or △, and none stands behind the last \
         line",
        counted(moves, "move")
    )]
    Skipped {
        /// Number of moves that were read.
        moves: usize,
        /// Number of moves that are written.
        given: usize,
    },
    /// A word takes the place of a move.
    #[error("'{0}' is neither a move nor an ending")]
    Word(String),
    /// A move has the wrong number.
    #[error("line {line} has the number {given} where {} is expected",
            expected.map_or_else(|| "nothing".to_owned(), |number| number.to_string()))]
    Number {
        /// Number of the line, counted from 1.
        line: usize,
        /// Number of the move in that line.
        given: usize,
        /// Next number, or `None` after the end of the game.
        expected: Option<usize>,
    },
    /// A line is neither a move nor a comment.
    #[error("line {0} is neither a move nor a comment")]
    Line(usize),
    /// Some numbered lines are not moves.
    #[error(
        "read {} from {}",
        counted(moves, "move"),
        counted(lines, "numbered line")
    )]
    Moves {
        /// Number of moves.
        moves: usize,
        /// Number of numbered lines.
        lines: usize,
    },
    /// The file has a second game.
    #[error("line {0} ends a second game; give each game a file of its own")]
    Second(usize),
    /// The last line counts another number of moves.
    #[error("read {}, but the last line counts {given}", counted(moves, "move"))]
    Total {
        /// Number of moves.
        moves: usize,
        /// Number in the last line.
        given: usize,
    },
}

impl KifError {
    /// Returns the line that is wrong, where it is one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Number { line, .. } | Self::Line(line) => Some(*line),
            _ => None,
        }
    }
}

/// `まで`, which precedes the number of moves on the last line.
const UNTIL: &str = "まで";

/// `変化`, which begins a variation after the main line.
const VARIATION: &str = "変化";

/// `手数`, with which the heading above the moves begins. As a key of the header it has another meaning.
const HEADING: &str = "手数";

/// `指手`, which the heading has, too.
const MOVES: &str = "指手";

/// `消費時間`, which some programs put on a line of its own.
const TIME: &str = "消費時間";

/// The colon between the names and the values of a header.
const AFTER_NAMES: char = '：';

/// Beginnings of the lines with the pieces in hand.
const IN_HAND: [&str; 4] = ["先手の持駒", "後手の持駒", "下手の持駒", "上手の持駒"];

/// Largest number of moves of a game, with some 50 KB of memory each in the parser.
const MOST_MOVES: usize = 10_000;

/// Marks of the sides, which some programs put before a move.
const SIDES: [char; 6] = ['▲', '△', '▼', '▽', '☗', '☖'];

/// Endings that the parser does not know, and its own words for them.
const ENDINGS: [(&str, &str); 7] = [
    ("引き分け", "裁定引分"),
    ("引分け", "裁定引分"),
    ("引分", "裁定引分"),
    ("封じ手", "中断"),
    ("時間切れ", "切れ負け"),
    ("勝ち宣言", "入玉宣言"),
    ("宣言勝ち", "入玉宣言"),
];

/// Decodes a file in UTF-8 or Shift_JIS.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = without_mark(bytes);
    match str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => SHIFT_JIS.decode_without_bom_handling(bytes).0,
    }
}

/// Returns the letter that ends the lines of a text: Classic Mac OS ends them with a carriage return alone.
fn line_end(text: &str) -> char {
    if text.contains('\n') { '\n' } else { '\r' }
}

/// Refuses a text that is none of a game: one that has neither moves nor a line with a name and a value.
fn check_content(
    text: impl IntoIterator<Item = impl AsRef<str>>,
    moves: usize,
) -> Result<(), KifError> {
    let has_header = |line: &str| line.contains(AFTER_NAMES) && !line.contains('\0');
    match moves > 0 || text.into_iter().any(|line| has_header(line.as_ref())) {
        true => Ok(()),
        false => Err(KifError::NoGame),
    }
}

/// Refuses a handicap that the parser would take for an even game, unless there is a board.
fn check_handicap<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Result<(), KifError> {
    match unknown_handicap(lines) {
        Some((place, name)) => Err(KifError::Handicap {
            line: place + 1,
            name: name.to_owned(),
        }),
        None => Ok(()),
    }
}

/// A line of a KIF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KifLine<'a> {
    /// A line before the moves.
    Header,
    /// The heading above the moves.
    Heading,
    /// A comment, a bookmark or a time, which belong to the line before them, or an empty line.
    Beside,
    /// A move or an ending with its number and the text behind it.
    Numbered(usize, &'a str),
    /// The last line, with the text behind its first word.
    Until(&'a str),
    /// Anything else.
    Unknown,
}

/// The text of a KIF file.
#[derive(Clone, Debug)]
pub(crate) struct KifText {
    lines: Vec<String>,
    /// Number of the lines before the first variation.
    main: usize,
}

impl KifText {
    /// Decodes a file.
    pub fn new(bytes: &[u8]) -> Self {
        let text = decode(bytes);
        let mut lines: Vec<String> = (text.split(line_end(&text)))
            .map(|line| with_kanji_numbers(line.trim_end_matches('\r')))
            .collect();
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let main = Self::variations(&lines).unwrap_or(lines.len());
        Self { lines, main }
    }

    /// Returns the place of the first variation. Some programs have written the word before the moves, too.
    fn variations(lines: &[String]) -> Option<usize> {
        let begin = lines
            .iter()
            .position(|line| number(line.trim()).is_some())?;
        let after = lines[begin..].iter();
        let first = after
            .map(|line| line.trim())
            .position(|line| line.starts_with(VARIATION))?;
        Some(begin + first)
    }

    /// Returns the lines of the main line.
    fn main_line(&self) -> impl Iterator<Item = KifLine<'_>> {
        let mut begun = false;
        self.lines[..self.main].iter().map(move |line| {
            let line = line.trim();
            let numbered = number(line);
            let is_heading = line.starts_with(HEADING) && line.contains(MOVES);
            begun |= is_heading || numbered.is_some();
            if matches!(line.chars().next(), None | Some('*' | '\'' | '#' | '&')) {
                return KifLine::Beside;
            }
            if is_heading {
                return KifLine::Heading;
            }
            if let Some(rest) = line.strip_prefix(UNTIL) {
                return KifLine::Until(rest);
            }
            match numbered {
                Some((number, rest)) => KifLine::Numbered(number, rest),
                None if !begun => KifLine::Header,
                None if line.contains(TIME) => KifLine::Beside,
                None => KifLine::Unknown,
            }
        })
    }

    /// Returns the texts of the moves and of the ending in the words of the parser.
    pub fn plain_moves(&self) -> impl Iterator<Item = String> {
        self.main_line().filter_map(|line| match line {
            KifLine::Numbered(_, rest) => Some(plain_move(rest)),
            _ => None,
        })
    }

    /// Returns the line of a move, both counted from 1.
    pub fn line_of(&self, number: usize) -> Option<usize> {
        let is_move = |line| matches!(line, KifLine::Numbered(given, _) if given == number);
        self.main_line().position(is_move).map(|index| index + 1)
    }

    /// Returns the comments of the main line, without their marks, by the number of moves before them. Those behind the
    /// last line come last.
    pub fn comments(&self) -> BTreeMap<usize, Vec<&str>> {
        let mut comments = BTreeMap::<_, Vec<_>>::new();
        let mut plies = 0;
        for (line, kind) in self.lines.iter().zip(self.main_line()) {
            let line = line.trim();
            // A second mark is one of the comment, by which programs know their own.
            let comment = match line.strip_prefix('*') {
                None if line.starts_with('\'') => Some(line.trim_start_matches('\'')),
                comment => comment,
            };
            match kind {
                KifLine::Numbered(number, _) => plies = number,
                KifLine::Until(_) => plies = usize::MAX,
                KifLine::Beside => comments.entry(plies).or_default().extend(comment),
                KifLine::Header | KifLine::Heading | KifLine::Unknown => {}
            }
        }
        comments
    }

    /// Returns the main line without what the parser does not know: bookmarks, marks of the sides, some endings, the
    /// start of some handicap games.
    pub fn plain(&self) -> String {
        let mut text = String::new();
        let start = lines_of_start(self.lines[..self.main].iter().map(String::as_str));
        for (place, (line, kind)) in self.lines.iter().zip(self.main_line()).enumerate() {
            match kind {
                // An empty line, so that the lines keep their numbers.
                KifLine::Beside if line.trim_start().starts_with(['&', '#']) => {}
                KifLine::Header
                    if [VARIATION, HEADING]
                        .iter()
                        .any(|word| line.trim().starts_with(word)) => {}
                KifLine::Numbered(number, rest) => {
                    text.push_str(&format!("{number:4} {}", plain_move(rest)));
                }
                _ => text.push_str(known_turn(line)),
            }
            text.push('\n');
            if let Some((_, lines)) = start.as_ref().filter(|&&(line, _)| line == place) {
                text.push_str(lines);
            }
        }
        text
    }

    /// Returns the whole text with lines of comment on positions, by the number of moves before them. They come
    /// behind the comments that the position has.
    pub fn with_comments(&self, comments: &BTreeMap<usize, Vec<String>>) -> String {
        let mut text = Commented {
            text: String::new(),
            comments,
            next: 0,
        };
        // The number of moves of the position that the lines belong to, once the moves have begun.
        let mut plies = None;
        for (line, kind) in self.lines.iter().zip(self.main_line()) {
            match kind {
                KifLine::Heading => plies = Some(0),
                KifLine::Numbered(number, _) => {
                    text.write_before(number);
                    plies = Some(number);
                }
                KifLine::Until(_) | KifLine::Unknown => text.write_before(usize::MAX),
                // A comment that another program wrote after the ending stays there.
                KifLine::Header | KifLine::Beside => {}
            }
            let line = &*in_utf8(line);
            // An empty line ends what belongs to a position.
            if line.trim().is_empty()
                && let Some(plies) = plies
            {
                text.write_before(plies + 1);
            }
            text.line(line);
        }
        text.write_before(usize::MAX);
        for line in &self.lines[self.main..] {
            text.line(line);
        }
        text.text
    }

    /// Checks what the parser begins the game from, and that it has room for the moves.
    ///
    /// # Errors
    /// The handicap has no known position, and there is no board; there are too many moves.
    pub fn check_start(&self) -> Result<(), KifError> {
        let is_move = |text: &String| text.contains(['(', '打']);
        check_length(self.plain_moves().filter(is_move).count())?;
        check_handicap(self.lines.iter().map(String::as_str))
    }

    /// Checks the numbers of the moves, and returns how many there are.
    ///
    /// # Errors
    /// A number is wrong, or a line is none of a game.
    pub fn check_numbers(&self) -> Result<usize, KifError> {
        let mut numbered = 0;
        let mut ended = false;
        for (place, kind) in (1..).zip(self.main_line()) {
            match kind {
                KifLine::Header | KifLine::Heading | KifLine::Beside => {}
                KifLine::Until(_) => ended = true,
                KifLine::Numbered(given, _) => {
                    numbered += 1;
                    if ended || given != numbered {
                        return Err(KifError::Number {
                            line: place,
                            given,
                            expected: (!ended).then_some(numbered),
                        });
                    }
                }
                KifLine::Unknown if ended => {}
                KifLine::Unknown => return Err(KifError::Line(place)),
            }
        }
        Ok(numbered)
    }

    /// Compares the lines with the number of moves that were parsed from them.
    ///
    /// # Errors
    /// The lines and the moves do not agree.
    pub fn check(&self, moves: usize) -> Result<(), KifError> {
        let numbered = self.check_numbers()?;
        for kind in self.main_line() {
            if let KifLine::Until(rest) = kind {
                check_count(rest, moves)?;
            }
        }
        // The last number may be that of a word such as 投了.
        if numbered != moves && numbered != moves + 1 {
            return Err(KifError::Moves {
                moves,
                lines: numbered,
            });
        }
        check_content(&self.lines, numbered)
    }
}

/// A text that is written line by line, with comments between its lines.
struct Commented<'a> {
    text: String,
    comments: &'a BTreeMap<usize, Vec<String>>,
    /// The first position whose comments are not written yet.
    next: usize,
}

impl Commented<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes the comments on the positions before that after `plies` moves.
    fn write_before(&mut self, plies: usize) {
        if self.next >= plies {
            return;
        }
        let comments = self.comments;
        for line in comments
            .range(self.next..plies)
            .flat_map(|(_, lines)| lines)
        {
            self.line(&format!("*{line}"));
        }
        self.next = plies;
    }
}

/// Writes the numbers of the pieces in hand as all programs read them: `十七` for `17`. Other lines stay.
pub(crate) fn with_kanji_numbers(line: &str) -> String {
    if !IN_HAND
        .iter()
        .any(|word| line.trim_start().starts_with(word))
    {
        return line.to_owned();
    }
    let mut text = String::new();
    let mut digits = None;
    for letter in line.chars() {
        match digit(letter) {
            Some(digit) => {
                digits = Some(
                    digits
                        .unwrap_or(0u32)
                        .saturating_mul(10)
                        .saturating_add(digit),
                )
            }
            None => {
                text.extend(digits.take().map(kanji_number));
                text.push(letter);
            }
        }
    }
    text.extend(digits.map(kanji_number));
    text
}

/// Returns the value of an ASCII or a wide digit.
fn digit(letter: char) -> Option<u32> {
    let wide = || {
        u32::from(letter)
            .checked_sub('０'.into())
            .filter(|&value| value < 10)
    };
    letter.to_digit(10).or_else(wide)
}

/// Writes a number of pieces in Japanese; no side has a hundred.
fn kanji_number(number: u32) -> String {
    const DIGITS: [&str; 10] = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    match (number / 10, number % 10) {
        (0, ones) => DIGITS[ones as usize].to_owned(),
        (1, ones) => format!("十{}", DIGITS[ones as usize]),
        (tens @ 2..10, ones) => format!("{}十{}", DIGITS[tens as usize], DIGITS[ones as usize]),
        _ => number.to_string(),
    }
}

/// Returns a line of a file that is written in UTF-8; a remark may name the encoding of the file.
fn in_utf8(line: &str) -> Cow<'_, str> {
    match line.split_once("encoding=") {
        Some((before, named)) if before.starts_with('#') && before.contains("KIF") => {
            let rest = named
                .find(char::is_whitespace)
                .map_or("", |end| &named[end..]);
            format!("{before}encoding=UTF-8{rest}").into()
        }
        _ => line.into(),
    }
}

/// Returns a line in the words of the parser, which knows the side to move of a game without a handicap alone.
fn known_turn(line: &str) -> &str {
    match line.trim() {
        "上手番" => "後手番",
        "下手番" => "先手番",
        _ => line,
    }
}

/// Returns a move or ending in the words of the parser.
fn plain_move(text: &str) -> String {
    let text = text.trim_start().trim_start_matches(SIDES);
    let ending = ENDINGS.iter().find_map(|(word, known)| {
        let rest = text.strip_prefix(word)?;
        (!rest.starts_with(char::is_alphanumeric)).then(|| format!("{known}{rest}"))
    });
    ending.unwrap_or_else(|| text.to_owned())
}

/// Returns true for a word that is meant as a move.
pub(crate) fn resembles_move(word: &str) -> bool {
    word.starts_with(|first: char| first == '同' || first.is_numeric())
}

/// Reads the number at the beginning of a line, and returns it with the rest.
fn number(line: &str) -> Option<(usize, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    Some((number.parse().ok()?, rest))
}

/// The text of a KI2 file, which has no move numbers.
pub(crate) struct Ki2Text {
    lines: Vec<String>,
    /// Number of the lines before the first variation.
    main: usize,
}

impl Ki2Text {
    /// Decodes a file.
    pub fn new(bytes: &[u8]) -> Self {
        let text = decode(bytes);
        let lines: Vec<String> = (text.split(line_end(&text)))
            .map(|line| line.trim_end_matches('\r').to_owned())
            .collect();
        let main = Self::variations(&lines).unwrap_or(lines.len());
        Self { lines, main }
    }

    /// Returns the place of the first variation, which stands behind the moves.
    fn variations(lines: &[String]) -> Option<usize> {
        // A main line without moves has its last line alone.
        let is_begun = |line: &String| is_ki2_moves(line) || line.trim().starts_with(UNTIL);
        let begin = lines.iter().position(is_begun)?;
        let is_variation = |line: &String| line.trim().starts_with(VARIATION);
        let first = lines[begin..].iter().position(is_variation)?;
        Some(begin + first)
    }

    /// Returns the lines of the main line.
    fn main_line(&self) -> impl Iterator<Item = &str> + Clone {
        self.lines[..self.main].iter().map(String::as_str)
    }

    /// Returns the main line in the words of the parser, which would take the ending of a variation for that of the
    /// game.
    pub fn plain(&self) -> String {
        let mut text = String::new();
        let start = lines_of_start(self.main_line());
        for (place, line) in self.main_line().enumerate() {
            // Bookmarks, remarks of programs, and the word for a variation above the moves.
            if !line.trim_start().starts_with(['&', '#'])
                && !line.trim_start().starts_with(VARIATION)
            {
                text.push_str(known_turn(line));
            }
            text.push('\n');
            if let Some((_, lines)) = start.as_ref().filter(|&&(line, _)| line == place) {
                text.push_str(lines);
            }
        }
        text
    }

    /// Returns the only line of the main line, counted from 1, that consists of these words.
    pub fn line_with(&self, words: &str) -> Option<usize> {
        let lines = (1..).zip(self.main_line());
        let mut found = lines.filter(|(_, line)| line.trim() == words);
        let (place, _) = found.next()?;
        found.next().is_none().then_some(place)
    }

    /// Tells whether the file has variations.
    pub fn has_variations(&self) -> bool {
        self.main < self.lines.len()
    }

    /// Returns the last lines of the main line, counted from 1, with the text behind the first word.
    fn ends(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..).zip(self.main_line());
        lines.filter_map(|(place, line)| Some((place, line.trim().strip_prefix(UNTIL)?)))
    }

    /// Tells whether the main line has a last line, which may be the end of a line of moves.
    pub fn has_end(&self) -> bool {
        self.ends().next().is_some() || self.move_lines().any(|line| line.contains(UNTIL))
    }

    /// As [`KifText::check_start`].
    ///
    /// # Errors
    /// The handicap has no known position, and there is no board; there are too many moves.
    pub fn check_start(&self) -> Result<(), KifError> {
        // A move alone in its line may be without its mark.
        let moves_in = |line: &str| match line.trim() {
            "" => 0,
            moves if is_ki2_moves(moves) => moves.matches(SIDES).count().max(1),
            other if other.starts_with(['*', '#', '&']) || other.contains(AFTER_NAMES) => 0,
            other if other.starts_with(UNTIL) => 0,
            other => other.matches(SIDES).count().max(1),
        };
        check_length(self.main_line().map(moves_in).sum())?;
        check_handicap(self.main_line())
    }

    /// Returns the lines of moves of the main line, without comments.
    fn move_lines(&self) -> impl Iterator<Item = &str> {
        let moves = (self.main_line().map(str::trim)).filter(|line| is_ki2_moves(line));
        moves.map(|line| line.split(['*', '（']).next().unwrap_or(line))
    }

    /// Compares the lines with the number of moves that were parsed from the file.
    ///
    /// # Errors
    /// The last line counts another number of moves, the parser has skipped moves, or the file has no game.
    pub fn check(&self, moves: usize) -> Result<(), KifError> {
        let mut ends = self.ends();
        if let Some((_, rest)) = ends.next() {
            check_count(rest, moves)?;
        }
        if let Some((line, _)) = ends.next() {
            return Err(KifError::Second(line));
        }
        let mut given = 0;
        for line in self.move_lines() {
            // Some programs end a line of moves with the last line.
            let (written, rest) = line.split_once(UNTIL).unwrap_or((line, ""));
            given += destinations(written);
            check_count(rest, moves)?;
        }
        // Moves of other forms than the usual ones are not counted.
        if given > moves {
            return Err(KifError::Skipped { moves, given });
        }
        check_content(&self.lines, moves)
    }
}

/// Tells whether a line of a KI2 file is one of moves: it begins with a mark, a square, or 同.
fn is_ki2_moves(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(SIDES) || line.starts_with('同') || starts_with_square(line)
}

/// Tells whether a text begins with a square, such as ７六.
fn starts_with_square(text: &str) -> bool {
    const RANKS: &str = "一二三四五六七八九";
    let mut letters = text.chars();
    let file = letters.next().and_then(digit);
    file.is_some_and(|file| file > 0) && letters.next().is_some_and(|rank| RANKS.contains(rank))
}

/// Returns the number of destinations in a line of moves: squares, and 同 in the place of one.
fn destinations(line: &str) -> usize {
    let begins = (line.char_indices())
        .filter(|&(at, letter)| letter == '同' || starts_with_square(&line[at..]));
    begins.count()
}

pub(crate) fn check_length(moves: usize) -> Result<(), KifError> {
    match moves > MOST_MOVES {
        true => Err(KifError::TooLong(moves)),
        false => Ok(()),
    }
}

fn check_count(rest: &str, moves: usize) -> Result<(), KifError> {
    match number(rest) {
        Some((given, _)) if given != moves => Err(KifError::Total { moves, given }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a program\r\n手合割：平手\r\n手数：3\r\n*known\r\n\
        手数----指手---------消費時間--\r\n*first\r\n&begin\r\n   1 ７六歩(77)   ( 0:01/00:00:01)+\r\n\
        *one\r\n&mark\r\n   2 ３四歩(33)\r\n   3 投了\r\nまで2手で後手の勝ち\r\n\r\n\
        変化：1手\r\n   1 ２六歩(27)\r\n*of the variation\r\n&there\r\n";

    fn commented(text: &str, plies: &[usize]) -> String {
        let text = KifText::new(text.as_bytes());
        text.with_comments(
            &(plies.iter())
                .map(|&plies| (plies, vec![format!("view {plies}")]))
                .collect(),
        )
    }

    #[test]
    fn comments_come_behind_those_of_their_position_and_all_lines_stay() {
        let expected = TEXT.replace("\r\n", "\n");
        let expected = expected.replace("&begin\n", "&begin\n*view 0\n");
        let expected = expected.replace("&mark\n", "&mark\n*view 1\n");
        let expected = expected.replace("   3 投了", "*view 2\n   3 投了");
        assert_eq!(commented(TEXT, &[0, 1, 2]), expected);
        let without = commented(TEXT, &[]);
        assert_eq!(without, TEXT.replace("\r\n", "\n"));
    }

    #[test]
    fn comments_find_their_place_without_a_heading_and_without_an_ending() {
        let text = "   1 ７六歩(77)\n*one\n\n変化：1手\n   1 ２六歩(27)";
        assert_eq!(
            commented(text, &[0, 1]),
            "*view 0\n   1 ７六歩(77)\n*one\n*view 1\n\n変化：1手\n   1 ２六歩(27)\n"
        );
        assert_eq!(
            commented("手合割：平手\nまで0手で中断\n", &[0]),
            "手合割：平手\n*view 0\nまで0手で中断\n"
        );
        assert_eq!(
            commented("手合割：平手\r手数----指手--\r", &[0]),
            "手合割：平手\n手数----指手--\n*view 0\n"
        );
    }

    #[test]
    fn the_parser_gets_the_main_line_without_bookmarks() {
        let plain = KifText::new(TEXT.as_bytes()).plain();
        assert!(!plain.contains('&') && !plain.contains('#'), "{plain}");
        assert!(
            !plain.contains("変化") && !plain.contains("手数：3"),
            "{plain}"
        );
        assert!(
            plain.contains("   1 ７六歩(77)   ( 0:01/00:00:01)+\n*one\n\n   2 ３四歩(33)"),
            "{plain}"
        );
    }

    #[test]
    fn pieces_in_hand_are_counted_in_japanese() {
        for (line, expected) in [
            ("後手の持駒：歩18　飛2", "後手の持駒：歩十八　飛二"),
            ("先手の持駒：歩１０", "先手の持駒：歩十"),
            ("先手の持駒：歩十七", "先手の持駒：歩十七"),
            ("先手：player 17", "先手：player 17"),
            ("*先手の持駒：歩17", "*先手の持駒：歩17"),
        ] {
            assert_eq!(with_kanji_numbers(line), expected);
        }
        assert_eq!(kanji_number(23), "二十三");
    }

    #[test]
    fn texts_are_decoded_from_both_encodings() {
        let (bytes, _, _) = SHIFT_JIS.encode(TEXT);
        let of = |bytes: &[u8]| KifText::new(bytes).with_comments(&BTreeMap::new());
        assert_eq!(of(&bytes), of(TEXT.as_bytes()));
        assert_eq!(
            of(format!("\u{feff}{TEXT}").as_bytes()),
            of(TEXT.as_bytes())
        );
    }
}
