//! The values of the evaluator `material` and their text form.
//!
//! The first line is `monju material v1`; empty lines and lines that begin with `#` are ignored.
//! Then come centipawns, each number or row of numbers after its name: `turn`, the right to move;
//! `hand`, seven values in the order pawn, lance, knight, silver, bishop, rook, gold; and for every
//! kind of piece, by its letter in SFEN, nine lines from the opponent's back rank to the own one,
//! each with the files 1, 2, 3, 4 and 5. Files 9, 8, 7 and 6 have the values of files 1, 2, 3 and 4.
//! The last word is `end`, so that a truncated file is noticed.

use crate::{
    eval::{
        pieces::{board_value, hand_value},
        weights_error::WeightsError,
    },
    rules::{PieceKind, Square},
};
use std::{fmt, str::SplitAsciiWhitespace};

const HEADER: &str = "monju material v1";

/// Largest absolute value, in centipawns.
const LIMIT: i32 = 10_000;

/// Files of half a board, the middle one included.
const FILES: usize = 5;
/// Squares of half a board.
const HALF: usize = FILES * 9;

/// Values of every piece on every square and in hand, in centipawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialValues {
    /// Value of the right to move.
    pub turn: i32,
    /// Values of pieces in hand by the number of the kind.
    pub hand: [i32; 7],
    placed: [[i32; HALF]; PieceKind::COUNT],
}

/// Returns the index of a square among those of half a board, as the owner of the piece sees it.
const fn half(square: Square) -> usize {
    let file = square.file();
    let from_edge = if file < FILES { file } else { 8 - file };
    square.rank() * FILES + from_edge
}

fn name(kind: PieceKind) -> String {
    let sign = if kind.is_promoted() { "+" } else { "" };
    format!("{sign}{}", kind.letter())
}

impl MaterialValues {
    /// Number of values of pieces on the board.
    pub const PLACES: usize = PieceKind::COUNT * HALF;

    /// Returns the index of such a value, below [`Self::PLACES`]. Its quotient by the number of
    /// values of a kind is the kind's number. The square is as the owner of the piece sees it.
    pub const fn place_of(kind: PieceKind, square: Square) -> usize {
        kind.index() * HALF + half(square)
    }

    /// Returns values that do not depend on the square.
    pub fn flat() -> Self {
        Self {
            turn: 0,
            hand: PieceKind::HAND.map(hand_value),
            placed: PieceKind::ALL.map(|kind| [board_value(kind); HALF]),
        }
    }

    /// Returns the value of a piece on a square, as its owner sees it.
    pub fn placed(&self, kind: PieceKind, square: Square) -> i32 {
        self.placed[kind.index()][half(square)]
    }

    /// Sets the value of a piece on a square and on the mirrored square.
    pub fn place(&mut self, kind: PieceKind, square: Square, value: i32) {
        self.placed[kind.index()][half(square)] = value;
    }

    /// Returns the mean value of capturing a pawn: its loss on the board and its gain in hand.
    pub fn pawn_exchange(&self) -> f64 {
        let ranks = self.placed[PieceKind::Pawn.index()].chunks_exact(FILES);
        // A pawn cannot stand on the last rank, and the middle file has no mirror image.
        let sum: i32 = ranks
            .skip(1)
            .map(|files| 2 * files.iter().sum::<i32>() - files[FILES - 1])
            .sum();
        f64::from(sum) / 72.0 + f64::from(self.hand[PieceKind::Pawn.index()])
    }

    /// Reads a file of values.
    ///
    /// # Errors
    /// The header is another one, or something is missing, misspelt or left over.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let header = WeightsError::Header { expected: HEADER };
        let text = std::str::from_utf8(bytes).map_err(|_| header.clone())?;
        let mut words = WordReader::new(text).ok_or(header)?;
        let mut values = Self::flat();
        words.name("turn")?;
        values.turn = words.number()?;
        words.name("hand")?;
        for value in &mut values.hand {
            *value = words.number()?;
        }
        for kind in PieceKind::ALL {
            words.name(&name(kind))?;
            for value in &mut values.placed[kind.index()] {
                *value = words.number()?;
            }
        }
        words.name("end")?;
        words.end()?;
        Ok(values)
    }
}

/// Writes the text that [`MaterialValues::from_bytes`] reads.
impl fmt::Display for MaterialValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}\n\nturn {}\n\nhand", self.turn)?;
        let row = |values: &[i32]| {
            let columns: Vec<String> = values.iter().map(|value| format!(" {value:5}")).collect();
            columns.concat()
        };
        writeln!(f, "{}", row(&self.hand))?;
        for kind in PieceKind::ALL {
            writeln!(f, "\n{}", name(kind))?;
            for files in self.placed[kind.index()].chunks_exact(FILES) {
                writeln!(f, "{}", row(files))?;
            }
        }
        writeln!(f, "\nend")
    }
}

/// A reader of the words after the header that knows their lines.
struct WordReader<'a> {
    lines: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
    line: usize,
    words: SplitAsciiWhitespace<'a>,
}

impl<'a> WordReader<'a> {
    fn new(text: &'a str) -> Option<Self> {
        let mut lines = text
            .lines()
            .zip(1..)
            .map(|(line, number)| (number, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let (line, header) = lines.next()?;
        (header == HEADER).then(|| Self {
            lines: Box::new(lines),
            line,
            words: "".split_ascii_whitespace(),
        })
    }

    fn next(&mut self) -> Option<&'a str> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            let (number, line) = self.lines.next()?;
            self.line = number;
            self.words = line.split_ascii_whitespace();
        }
    }

    fn wrong(&self, expected: &str, found: Option<&str>) -> WeightsError {
        WeightsError::Text {
            line: self.line,
            expected: expected.to_owned(),
            found: match found {
                None => "the end".to_owned(),
                Some(word) => format!("'{}'", word.chars().take(40).collect::<String>()),
            },
        }
    }

    fn name(&mut self, expected: &str) -> Result<(), WeightsError> {
        match self.next() {
            Some(word) if word == expected => Ok(()),
            other => Err(self.wrong(&format!("'{expected}'"), other)),
        }
    }

    fn number(&mut self) -> Result<i32, WeightsError> {
        let word = self.next();
        word.and_then(|word| word.parse().ok())
            .filter(|value| (-LIMIT..=LIMIT).contains(value))
            .ok_or_else(|| {
                let expected = format!("a number of centipawns from -{LIMIT} to {LIMIT}");
                self.wrong(&expected, word)
            })
    }

    fn end(&mut self) -> Result<(), WeightsError> {
        match self.next() {
            None => Ok(()),
            word => Err(self.wrong("nothing more", word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values() -> impl Strategy<Value = MaterialValues> {
        let value = -LIMIT..=LIMIT;
        (
            value.clone(),
            proptest::array::uniform7(value.clone()),
            proptest::collection::vec(value, PieceKind::COUNT * HALF),
        )
            .prop_map(|(turn, hand, numbers)| {
                let mut values = MaterialValues::flat();
                values.turn = turn;
                values.hand = hand;
                for (room, number) in values.placed.iter_mut().flatten().zip(numbers) {
                    *room = number;
                }
                values
            })
    }

    proptest! {
        #[test]
        fn values_are_read_as_they_were_written(values in values()) {
            let text = values.to_string();
            prop_assert_eq!(MaterialValues::from_bytes(text.as_bytes()), Ok(values));
        }

        #[test]
        fn no_text_crashes_the_reader(
            cut in 0..4000_usize,
            at in 0..4000_usize,
            byte in any::<u8>(),
        ) {
            let mut text = MaterialValues::flat().to_string().into_bytes();
            let cut = cut.min(text.len());
            if MaterialValues::from_bytes(&text[..cut]).is_ok() {
                prop_assert!(text[cut..].iter().all(u8::is_ascii_whitespace), "truncated");
            }
            let at = at % text.len();
            text[at] = byte;
            let _ = MaterialValues::from_bytes(&text);
        }
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let flat = MaterialValues::flat().to_string();
        let complaint = |text: &str| {
            MaterialValues::from_bytes(text.as_bytes())
                .expect_err(text)
                .to_string()
        };
        let said = complaint(&flat.replace("turn 0", "turn much"));
        assert!(said.contains("line 3") && said.contains("'much'"), "{said}");
        let said = complaint(&flat.replace("+S", "+G"));
        assert!(said.contains("'+S'") && said.contains("'+G'"), "{said}");
        let said = complaint(&format!("{flat}7"));
        assert!(said.contains("nothing more"), "{said}");
        let said = complaint(&flat.replace("turn 0", "turn 100000"));
        assert!(said.contains("10000"), "{said}");
        let said = complaint("monju material");
        assert!(said.contains(HEADER), "{said}");
    }

    #[test]
    fn mirrored_squares_have_the_same_value() {
        let mut values = MaterialValues::flat();
        let [right, left] = [(1, 6), (7, 6)].map(|(file, rank)| Square::at(file, rank).unwrap());
        values.place(PieceKind::Silver, right, 531);
        assert_eq!(values.placed(PieceKind::Silver, left), 531);
        assert_eq!(values.placed(PieceKind::Silver, right.flip()), 530);
        assert_eq!(values.pawn_exchange(), 215.0);
        values.place(PieceKind::Pawn, left, 100 + 36);
        assert_eq!(values.pawn_exchange(), 216.0);
    }
}
