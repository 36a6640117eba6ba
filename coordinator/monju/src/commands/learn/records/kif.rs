//! Whether a KIF or KI2 file adds up: a reader that passes over lines it does not understand would
//! cut a damaged game off without a word.
//!
//! The bytes are looked at as they are, UTF-8 or Shift_JIS: only few words matter.

/// A word in both encodings.
type Word = [&'static [u8]; 2];

/// `まで`: before the number of moves, on the last line.
const UNTIL: Word = ["まで".as_bytes(), b"\x82\xdc\x82\xc5"];

/// `変化`: the main line ends here at the latest.
const VARIATION: Word = ["変化".as_bytes(), b"\x95\xcf\x89\xbb"];

/// `手数`: the heading above the moves.
const HEADING: Word = ["手数".as_bytes(), b"\x8e\xe8\x90\x94"];

/// `消費時間`: some programs give it a line of its own.
const TIME: Word = ["消費時間".as_bytes(), b"\x8f\xc1\x94\xef\x8e\x9e\x8a\xd4"];

fn after(line: &[u8], word: Word) -> Option<&[u8]> {
    word.iter().find_map(|word| line.strip_prefix(*word))
}

fn contains(line: &[u8], word: Word) -> bool {
    let within = |word: &&[u8]| line.windows(word.len()).any(|part| part == *word);
    word.iter().any(within)
}

/// The number at the beginning of a line.
fn number(line: &[u8]) -> Option<usize> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&line[..digits]).ok()?.parse().ok()
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    // An old Macintosh ends lines with a carriage return alone.
    let has_feeds = bytes.contains(&b'\n');
    let lines = bytes.split(move |&byte| byte == if has_feeds { b'\n' } else { b'\r' });
    (1..).zip(lines.map(<[u8]>::trim_ascii))
}

/// Compares the lines of a KIF file with the number of moves that were read from it.
///
/// # Errors
/// In words, what does not add up.
pub(super) fn check(bytes: &[u8], moves: usize) -> Result<(), String> {
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
                return Err(format!(
                    "line {place} has the number {given} where {} is expected",
                    if ended {
                        "nothing".to_owned()
                    } else {
                        numbered.to_string()
                    }
                ));
            }
        } else if !ended && !contains(line, TIME) {
            return Err(format!("line {place} is neither a move nor a comment"));
        }
    }
    // The last number may be that of a word such as 投了.
    if numbered != moves && numbered != moves + 1 {
        return Err(format!("{moves} moves could be read of {numbered} lines"));
    }
    Ok(())
}

/// Compares the last line of a KI2 file, which has no numbers, with the number of moves that were
/// read from it.
///
/// # Errors
/// In words, what does not add up.
pub(super) fn check_total(bytes: &[u8], moves: usize) -> Result<(), String> {
    let last = lines(bytes).find_map(|(_, line)| after(line, UNTIL));
    last.map_or(Ok(()), |rest| check_count(rest, moves))
}

fn check_count(rest: &[u8], moves: usize) -> Result<(), String> {
    match number(rest) {
        Some(given) if given != moves => Err(format!(
            "{moves} moves could be read of {given} that its last line counts"
        )),
        _ => Ok(()),
    }
}
