//! Parsers of games in CSA, KIF, KI2, TSV and USI files.

use crate::{
    csa::{
        beyond_end, is_position_or_move, line_of, out_of_turn, with_comments_of_programs,
        with_early_headers, with_pieces_left,
    },
    guard::guarded,
    kif::{Ki2Text, KifError, KifText, check_length, resembles_move},
    mark::{without_mark, without_utf16},
    named::{check_named_pieces, piece_of_kif, pieces_of_jkf},
    record::{GameRecord, GameRecordError, RecordedResult},
    rejection::Rejection,
};
use monju_engine::{Color, Game, Move, rules::PieceKind};
use rsshogi::{
    records::{
        Record as ForeignRecord, SpecialMove, SpecialMoveEntry,
        formats::{
            csa::{self, CsaError},
            jkf, kif,
        },
    },
    types::GameResult as ForeignResult,
};
use std::{
    borrow::Cow,
    mem,
    path::{Path, PathBuf},
};

/// A game of a file, or the reason for which it is rejected.
#[derive(Debug)]
pub struct ParsedGame {
    /// Line at which it begins, counted from 1.
    pub line: usize,
    /// The game.
    pub game: Result<GameRecord, Rejection>,
}

/// Error of a file whose extension names no known format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}: unknown extension; expected .csa, .kif, .kifu, .ki2, .ki2u, .jkf, .tsv, .usi, .sfen or .txt",
    .0.display()
)]
pub struct UnknownFormat(PathBuf);

/// Parses all games of a file whose extension is its format: `.csa`, `.kif` (`.kifu`), `.ki2`
/// (`.ki2u`), `.jkf`, `.tsv` (id, result, plies, end, black, white, event, date, moves), or `.usi`, `.sfen`,
/// `.txt` and none for one `[position] startpos|sfen … moves …` a line.
///
/// # Errors
/// The extension is unknown.
pub fn parse_games(path: &Path, bytes: &[u8]) -> Result<Vec<ParsedGame>, UnknownFormat> {
    let mut games = games_and_positions(path, bytes)?;
    for parsed in &mut games {
        let game = mem::replace(&mut parsed.game, Err(GameRecordError::Empty.into()));
        parsed.game = game.and_then(|game| Ok(game.with_moves()?));
    }
    Ok(games)
}

/// As [`parse_games`], but games without moves, which are positions to look at, are games too.
///
/// # Errors
/// The extension is unknown.
pub(crate) fn games_and_positions(
    path: &Path,
    bytes: &[u8],
) -> Result<Vec<ParsedGame>, UnknownFormat> {
    let bytes = &without_utf16(bytes);
    Ok(match extension(path).as_str() {
        "csa" => csa_games(bytes),
        "tsv" => lines(bytes, tsv_game),
        "txt" | "usi" | "sfen" | "" => lines(bytes, usi_game),
        _ => {
            let parsed = one_game(path, bytes).ok_or_else(|| UnknownFormat(path.to_owned()))?;
            vec![ParsedGame {
                line: 1,
                game: parsed.and_then(|record| convert(&record)),
            }]
        }
    })
}

fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// Parses a file of a format with one game; `None` for other formats.
pub(crate) fn one_game(path: &Path, bytes: &[u8]) -> Option<Result<ForeignRecord, Rejection>> {
    Some(match extension(path).as_str() {
        "kif" | "kifu" => {
            let text = KifText::new(bytes);
            let pieces = text.plain_moves().map(|text| piece_of_kif(&text));
            (text.check_start().map_err(Rejection::unreadable))
                .and_then(|()| guarded(|| kif::parse_kif_str(&text.plain())))
                .map_err(|rejection| first_fault(rejection, &text))
                .and_then(|record| check_moves(record, |moves| text.check(moves)))
                .and_then(|record| check_pieces(record, pieces))
                .map_err(|rejection| rejection.with_line(|number| text.line_of(number)))
        }
        "ki2" | "ki2u" => {
            let text = Ki2Text::new(bytes);
            (text.check_start().map_err(Rejection::unreadable))
                .and_then(|()| guarded(|| kif::parse_ki2_str(&text.plain())))
                .map_err(|rejection| ki2_rejection(rejection, &text))
                .and_then(|record| check_moves(record, |moves| text.check(moves)))
                .and_then(|record| match text.has_end() {
                    true => Ok(record),
                    false => without_default_ending(record),
                })
        }
        "jkf" => {
            let bytes = without_mark(bytes);
            (check_jkf_start(bytes))
                .and_then(|()| guarded(|| jkf::parse_jkf_bytes(&with_names_of_sides(bytes))))
                .and_then(|record| check_moves(record, |_| Ok(())))
                .and_then(|record| check_jkf_moves(record, bytes))
        }
        _ => return None,
    })
}

/// Returns what the parser refuses a KIF file for, or a wrong number or a stray line before it: that says more than
/// what the parser makes of it.
fn first_fault(rejection: Rejection, text: &KifText) -> Rejection {
    let rejection = rejection.with_line(|number| text.line_of(number));
    match text.check_numbers() {
        Err(error) if error.line() <= rejection.line().or(Some(usize::MAX)) => match rejection {
            Rejection::Inconsistent(_) => rejection,
            _ => error.into(),
        },
        _ => rejection,
    }
}

/// Takes the ending out of a game in KI2 that has none in its file: the library adds an interruption.
fn without_default_ending(mut record: ForeignRecord) -> Result<ForeignRecord, Rejection> {
    let has_words = |ending: &SpecialMoveEntry| ending.raw().is_some();
    if !record.main_terminal().is_some_and(has_words)
        && let Some(ending) = record.main_terminal_node()
    {
        let detached = record.detach_subtree(ending);
        detached.map_err(Rejection::unreadable)?;
    }
    Ok(record)
}

/// Adds the place of the move to the rejection of a KI2 file.
fn ki2_rejection(rejection: Rejection, text: &Ki2Text) -> Rejection {
    if let Rejection::Unreadable(error) = &rejection
        && let Some(kif::Ki2Error::InvalidMove(words)) = error.downcast_ref()
        && let Some(line) = text.line_with(words)
    {
        return Rejection::unreadable(format!("line {line}: {error}"));
    }
    rejection
}

/// Returns the text of a KIF file; `None` for other formats.
pub(crate) fn kif_text(path: &Path, bytes: &[u8]) -> Option<KifText> {
    matches!(extension(path).as_str(), "kif" | "kifu").then(|| KifText::new(bytes))
}

/// Tells whether a file is in KI2 and has variations, most of which the parser skips.
pub(crate) fn has_ki2_variations(path: &Path, bytes: &[u8]) -> bool {
    matches!(extension(path).as_str(), "ki2" | "ki2u") && Ki2Text::new(bytes).has_variations()
}

/// Tells whether a file is in CSA.
pub(crate) fn is_csa(path: &Path) -> bool {
    extension(path) == "csa"
}

/// Parses the CSA games of a file; `None` for other formats.
pub(crate) fn several_games(path: &Path, bytes: &[u8]) -> Option<Vec<CsaGame>> {
    is_csa(path).then(|| csa_records(bytes))
}

/// Refuses a game of which the parser skipped lines. An unknown last word is an ending.
fn check_moves(
    record: ForeignRecord,
    check: impl Fn(usize) -> Result<(), KifError>,
) -> Result<ForeignRecord, Rejection> {
    if let Some(terminal) = record.main_terminal()
        && let SpecialMove::Unknown(word) = terminal.kind()
        && resembles_move(word)
    {
        return Err(KifError::Word(word.to_string()).into());
    }
    check(record.main_moves().count())?;
    Ok(record)
}

/// Refuses a text that is no JSON, a start that is not told, and more moves than the parser, whose time grows with
/// their square, comes through.
fn check_jkf_start(bytes: &[u8]) -> Result<(), Rejection> {
    let file: serde_json::Value = serde_json::from_slice(bytes)
        .map_err(|error| Rejection::unreadable(format!("it is no JSON: {error}")))?;
    let start = &file["initial"];
    if start["preset"] == "OTHER" && start["data"].is_null() {
        return Err(Rejection::unreadable(
            "initial has the preset OTHER, and no data with the board",
        ));
    }
    check_length(jkf_length(&file["moves"])).map_err(Rejection::unreadable)
}

/// Returns a JKF game with the names that `下手` and `上手` have in a handicap game under those of an even game, which
/// are the ones that the library knows.
fn with_names_of_sides(bytes: &[u8]) -> Cow<'_, [u8]> {
    // The parser says what is wrong with a text that is no JSON.
    let mut file = serde_json::from_slice(bytes).unwrap_or(serde_json::Value::Null);
    let Some(header) = (file.get_mut("header")).and_then(serde_json::Value::as_object_mut) else {
        return bytes.into();
    };
    let mut is_changed = false;
    for (handicap, even) in [("下手", "先手"), ("上手", "後手")] {
        let name = |key: &str| header.get(key)?.as_str().filter(|name| !name.is_empty());
        if name(even).is_none()
            && let Some(name) = name(handicap).map(serde_json::Value::from)
        {
            header.insert(even.to_owned(), name);
            header.remove(handicap);
            is_changed = true;
        }
    }
    match is_changed {
        true => file.to_string().into_bytes().into(),
        false => bytes.into(),
    }
}

/// Returns the number of moves in a list of JKF, with those of its variations.
fn jkf_length(moves: &serde_json::Value) -> usize {
    let entries = moves.as_array().map_or(&[][..], Vec::as_slice);
    let is_move = |entry: &&serde_json::Value| entry.get("move").is_some();
    let forks = entries.iter().filter_map(|entry| entry["forks"].as_array());
    entries.iter().filter(is_move).count() + forks.flatten().map(jkf_length).sum::<usize>()
}

/// Refuses a JKF game with moves behind its end, where the parser stops, or with other pieces than those that move.
fn check_jkf_moves(record: ForeignRecord, bytes: &[u8]) -> Result<ForeignRecord, Rejection> {
    let file: serde_json::Value = serde_json::from_slice(bytes).map_err(Rejection::unreadable)?;
    let entries = file["moves"].as_array().map_or(&[][..], Vec::as_slice);
    let given = entries.iter().filter(|entry| entry.get("move").is_some());
    let read = record.main_moves().count();
    if given.count() > read {
        return Err(Rejection::unreadable(format!(
            "move {} stands behind the end of the game",
            read + 1
        )));
    }
    check_pieces(record, pieces_of_jkf(entries))
}

/// Refuses a game in which another piece moves than the one that the file names.
fn check_pieces(
    record: ForeignRecord,
    named: impl Iterator<Item = Option<PieceKind>>,
) -> Result<ForeignRecord, Rejection> {
    check_named_pieces(&convert(&record)?, named)?;
    Ok(record)
}

/// A game of a CSA file as the library has parsed it.
pub(crate) struct CsaGame {
    /// Line at which it begins, counted from 1.
    line: usize,
    /// The record, or the reason for which it is rejected.
    pub record: Result<ForeignRecord, Rejection>,
    /// The result by its server's comment, if it has one. It counts more than the last word: the server of
    /// floodgate writes `%KACHI` of declarations that it refuses, too.
    summary: Option<RecordedResult>,
}

/// Parses a CSA file, in which lines with a `/` separate games.
fn csa_records(bytes: &[u8]) -> Vec<CsaGame> {
    let mut games = Vec::new();
    let mut line = 1;
    for game in bytes_between_separators(bytes) {
        let lines = game.split(|&byte| byte == b'\n');
        let has_content = lines.clone().any(|line| {
            let text = line.trim_ascii();
            !text.is_empty() && !text.starts_with(b"'")
        });
        if has_content {
            games.push(CsaGame {
                line,
                record: match (lines.clone().any(is_position_or_move), beyond_end(game)) {
                    (true, Some(beyond)) => Err(Rejection::unreadable(format!(
                        "line {}: the game has ended, and this goes on; a line '/' separates games",
                        line + beyond
                    ))),
                    (true, None) => guarded(|| {
                        let game = with_pieces_left(game);
                        let game = with_early_headers(&game);
                        csa::parse_csa_bytes(&with_comments_of_programs(&game))
                    })
                    .map_err(|rejection| csa_rejection(rejection, game, line)),
                    (false, _) => Err(Rejection::unreadable(
                        "there are no moves, and no position such as PI; is it a CSA file?",
                    )),
                },
                summary: summary(game),
            });
        }
        line += lines.count();
    }
    games
}

/// Adds the place of the move to the rejection of a game that begins at `first`.
fn csa_rejection(rejection: Rejection, game: &[u8], first: usize) -> Rejection {
    let place = |number| Some(first + line_of(game, number)?);
    if let Rejection::Unreadable(error) = &rejection
        && let Some(CsaError::MoveSideMismatch(_)) = error.downcast_ref()
        && let Some(number) = out_of_turn(game)
        && let Some(line) = place(number)
    {
        return Rejection::unreadable(format!("move {number}, line {line}: {error}"));
    }
    rejection.with_line(place)
}

fn csa_games(bytes: &[u8]) -> Vec<ParsedGame> {
    let games = csa_records(bytes).into_iter().map(|one| {
        let mut game = one.record.and_then(|record| convert(&record));
        if let Ok(record) = &mut game
            && let Some(result) = one.summary
        {
            *record = record.with_result(result);
        }
        ParsedGame {
            line: one.line,
            game,
        }
    });
    games.collect()
}

/// Reads the result from the floodgate server's comment `'summary:ENDING:BLACK win:WHITE lose`, which
/// `monju experiment report` writes for endings that CSA has no word for.
fn summary(game: &[u8]) -> Option<RecordedResult> {
    let mut lines = game.split(|&byte| byte == b'\n');
    let line = lines.find_map(|line| line.trim_ascii().strip_prefix(b"'summary:"))?;
    // White comes last.
    match line.rsplit(|&byte| byte == b' ').next()? {
        b"win" => Some(RecordedResult::Won(Color::White)),
        b"lose" => Some(RecordedResult::Won(Color::Black)),
        b"draw" => Some(RecordedResult::Drawn),
        _ => None,
    }
}

fn bytes_between_separators(bytes: &[u8]) -> Vec<&[u8]> {
    let mut games = Vec::new();
    let (mut first, mut at) = (0, 0);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let end = at + line.len();
        if line.trim_ascii() == b"/" {
            games.push(&bytes[first..at]);
            first = end;
        }
        at = end;
    }
    games.push(&bytes[first..]);
    games
}

/// Converts a record that the library has parsed; Monju's own rules check every move.
pub(crate) fn convert(record: &ForeignRecord) -> Result<GameRecord, Rejection> {
    let moves: Option<Vec<Move>> = record
        .main_moves()
        .map(|entry| entry.mv().to_usi().parse().ok())
        .collect();
    let result = match record.result() {
        result if result.is_black_win() => RecordedResult::Won(Color::Black),
        result if result.is_white_win() => RecordedResult::Won(Color::White),
        ForeignResult::DrawByRepetition
        | ForeignResult::DrawByMaxPlies
        | ForeignResult::DrawByImpasse
        | ForeignResult::DrawByAdjudication => RecordedResult::Drawn,
        _ => RecordedResult::Unknown,
    };
    let start = record.init_position_sfen();
    let moves = moves.ok_or(GameRecordError::UnreadableMove)?;
    Ok(GameRecord::game_or_position(Some(start), moves, result)?)
}

/// Parses one game a line; empty lines and those that begin with `#` are skipped.
fn lines(bytes: &[u8], game: impl Fn(&str) -> Result<GameRecord, Rejection>) -> Vec<ParsedGame> {
    let text = String::from_utf8_lossy(without_mark(bytes));
    let numbered = text.lines().zip(1..);
    numbered
        .filter(|(text, _)| !text.trim().is_empty() && !text.starts_with('#'))
        .map(|(text, line)| ParsedGame {
            line,
            game: game(text),
        })
        .collect()
}

fn usi_game(line: &str) -> Result<GameRecord, Rejection> {
    let mut words = line.split_whitespace().peekable();
    words.next_if_eq(&"position");
    let start: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
    let start = match start[..] {
        ["startpos"] => None,
        ["sfen", ..] => Some(start[1..].join(" ")),
        // A bare SFEN has at least three words.
        [board, _, _, ..] if board.contains('/') => Some(start.join(" ")),
        _ => {
            return Err(Rejection::unreadable(
                "expected 'startpos', 'sfen …' or a bare SFEN, and 'moves …'",
            ));
        }
    };
    let mut words: Vec<&str> = words.collect();
    // Some programs write the answer with which the game ended behind the moves.
    let ending = words.pop_if(|word| matches!(*word, "resign" | "win"));
    let game = record(start.as_deref(), words.into_iter(), RecordedResult::Unknown)?;
    let to_move = game.position(game.moves().len()).side_to_move();
    Ok(match ending {
        Some("resign") => game.with_result(RecordedResult::Won(!to_move)),
        Some(_) => game.with_result(RecordedResult::Won(to_move)),
        None => game,
    })
}

fn tsv_game(line: &str) -> Result<GameRecord, Rejection> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [_, result, .., moves] = fields[..] else {
        return Err(Rejection::unreadable(
            "expected fields between tabs, the moves last",
        ));
    };
    // An inferred result ends with a tilde.
    let result = match result.trim_end_matches('~') {
        "b" => RecordedResult::Won(Color::Black),
        "w" => RecordedResult::Won(Color::White),
        "d" => RecordedResult::Drawn,
        _ => RecordedResult::Unknown,
    };
    record(None, moves.split_whitespace(), result)
}

fn record<'a>(
    start: Option<&str>,
    words: impl Iterator<Item = &'a str>,
    result: RecordedResult,
) -> Result<GameRecord, Rejection> {
    let words: Vec<&str> = words.collect();
    let moves: Option<Vec<Move>> = words.iter().map(|word| word.parse().ok()).collect();
    let moves = moves.ok_or(GameRecordError::UnreadableMove);
    moves
        .and_then(|moves| GameRecord::game_or_position(start, moves, result))
        .map_err(|error| Rejection::Record {
            error,
            // Names the move that is wrong.
            source: Game::from_parts(start.unwrap_or("startpos"), &words).err(),
        })
}
