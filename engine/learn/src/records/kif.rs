//! Consistency checks of KIF and KI2 files. A parser that skips lines it does not understand would
//! silently cut a damaged game short.
//!
//! The checks look at the raw bytes, in UTF-8 or Shift_JIS, since only a few words matter.

/// An inconsistency of a KIF or KI2 file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KifError {
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
    #[error("{moves} moves were read from {lines} numbered lines")]
    Moves {
        /// Number of moves.
        moves: usize,
        /// Number of numbered lines.
        lines: usize,
    },
    /// The last line counts another number of moves.
    #[error("{moves} moves were read, but the last line counts {given}")]
    Total {
        /// Number of moves.
        moves: usize,
        /// Number in the last line.
        given: usize,
    },
}

/// A word in both encodings.
type Word = [&'static [u8]; 2];

/// `まで`, which precedes the number of moves on the last line.
const UNTIL: Word = ["まで".as_bytes(), b"\x82\xdc\x82\xc5"];

/// `変化`, which begins a variation after the main line.
const VARIATION: Word = ["変化".as_bytes(), b"\x95\xcf\x89\xbb"];

/// `手数`, the heading above the moves.
const HEADING: Word = ["手数".as_bytes(), b"\x8e\xe8\x90\x94"];

/// `消費時間`, which some programs put on a line of its own.
const TIME: Word = ["消費時間".as_bytes(), b"\x8f\xc1\x94\xef\x8e\x9e\x8a\xd4"];

fn after(line: &[u8], word: Word) -> Option<&[u8]> {
    word.iter().find_map(|word| line.strip_prefix(*word))
}

fn contains(line: &[u8], word: Word) -> bool {
    let within = |word: &&[u8]| line.windows(word.len()).any(|part| part == *word);
    word.iter().any(within)
}

/// Reads the number at the beginning of a line.
fn number(line: &[u8]) -> Option<usize> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&line[..digits]).ok()?.parse().ok()
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    // Classic Mac OS ends lines with a carriage return alone.
    let has_feeds = bytes.contains(&b'\n');
    let lines = bytes.split(move |&byte| byte == if has_feeds { b'\n' } else { b'\r' });
    (1..).zip(lines.map(<[u8]>::trim_ascii))
}

/// Compares the lines of a KIF file with the number of moves that were parsed from it.
///
/// # Errors
/// The lines and the moves do not agree.
pub(super) fn check(bytes: &[u8], moves: usize) -> Result<(), KifError> {
    let mut numbered = 0;
    let mut begun = false;
    let mut ended = false;
    for (place, line) in lines(bytes) {
        if after(line, VARIATION).is_some() {
            break;
        }
        begun |= after(line, HEADING).is_some() || number(line).is_some();
        let is_comment = matches!(line.first(), None | Some(b'*' | b'\'' | b'#' | b'&'));
        if !begun || is_comment || after(line, HEADING).is_some() {
            continue;
        }
        if let Some(rest) = after(line, UNTIL) {
            check_count(rest, moves)?;
            ended = true;
        } else if let Some(given) = number(line) {
            numbered += 1;
            if ended || given != numbered {
                return Err(KifError::Number {
                    line: place,
                    given,
                    expected: (!ended).then_some(numbered),
                });
            }
        } else if !ended && !contains(line, TIME) {
            return Err(KifError::Line(place));
        }
    }
    // The last number may be that of a word such as 投了.
    if numbered != moves && numbered != moves + 1 {
        return Err(KifError::Moves {
            moves,
            lines: numbered,
        });
    }
    Ok(())
}

/// Compares the last line of a KI2 file, which has no move numbers, with the number of moves that
/// were parsed from it.
///
/// # Errors
/// The last line counts another number of moves.
pub(super) fn check_total(bytes: &[u8], moves: usize) -> Result<(), KifError> {
    let last = lines(bytes).find_map(|(_, line)| after(line, UNTIL));
    last.map_or(Ok(()), |rest| check_count(rest, moves))
}

fn check_count(rest: &[u8], moves: usize) -> Result<(), KifError> {
    match number(rest) {
        Some(given) if given != moves => Err(KifError::Total { moves, given }),
        _ => Ok(()),
    }
}
