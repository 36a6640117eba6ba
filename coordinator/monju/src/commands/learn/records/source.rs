//! Games in the formats that people keep them in.

use super::kif as lines_of;
use anyhow::bail;
use monju_engine::{Color, Game, Move};
use monju_learn::records::{Flaw, GameResult, Record};
use rsshogi::records::{
    Record as ForeignRecord, SpecialMove,
    formats::{csa, kif},
};
use rsshogi::types::GameResult as ForeignResult;
use std::path::Path;

/// A game and where it stands.
pub struct Found {
    /// The line at which it begins, counted from 1.
    pub line: usize,
    /// The game, or why it is thrown away.
    pub game: Result<Record, Unfit>,
}

/// Why a game is thrown away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// One of a few.
    pub reason: String,
    /// What is wrong with this one.
    pub detail: Option<String>,
}

impl From<Flaw> for Unfit {
    fn from(flaw: Flaw) -> Self {
        Self {
            reason: flaw.to_string(),
            detail: None,
        }
    }
}

impl Unfit {
    fn unreadable(error: impl std::fmt::Display) -> Self {
        // What a parser says may quote the whole game.
        let text = error.to_string().replace('\n', " ");
        Self {
            reason: "unreadable text".to_owned(),
            detail: Some(text.chars().take(120).collect()),
        }
    }
}

/// All games of a file; its ending says the format: `.csa`, `.kif` (`.kifu`), `.ki2` (`.ki2u`),
/// `.tsv` (id, result, plies, end, black, white, event, date, moves), and in all others one
/// `[position] startpos|sfen … moves …` a line.
///
/// # Errors
/// The ending is that of no text.
pub fn games(path: &Path, bytes: &[u8]) -> anyhow::Result<Vec<Found>> {
    let ending = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    Ok(match ending.as_str() {
        "csa" => csa_games(bytes),
        "kif" | "kifu" => vec![whole_file(
            kif::parse_kif_bytes(bytes)
                .map_err(Unfit::unreadable)
                .and_then(|record| add_up(record, |moves| lines_of::check(bytes, moves))),
        )],
        "ki2" | "ki2u" => vec![whole_file(
            kif::parse_ki2_bytes(bytes)
                .map_err(Unfit::unreadable)
                .and_then(|record| add_up(record, |moves| lines_of::check_total(bytes, moves))),
        )],
        "tsv" => lines(bytes, tsv_game),
        "txt" | "usi" | "sfen" | "" => lines(bytes, usi_game),
        _ => bail!(
            "{}: no format is known by this ending; expected .csa, .kif, .ki2, .tsv, .usi, .sfen or .txt",
            path.display()
        ),
    })
}

fn whole_file(parsed: Result<ForeignRecord, Unfit>) -> Found {
    Found {
        line: 1,
        game: parsed.and_then(|record| translate(&record)),
    }
}

/// Refuses a game of which lines were passed over.
fn add_up(
    record: ForeignRecord,
    check: impl Fn(usize) -> Result<(), String>,
) -> Result<ForeignRecord, Unfit> {
    let terminal = record.main_terminal();
    let word = terminal.and_then(|terminal| match terminal.kind() {
        SpecialMove::Unknown(word) => Some(word),
        _ => None,
    });
    let outcome = match word {
        Some(word) => Err(format!("'{word}' is neither a move nor an end")),
        None => check(record.main_moves().count()),
    };
    match outcome {
        Ok(()) => Ok(record),
        Err(detail) => Err(Unfit {
            reason: "lines that do not add up to a game".to_owned(),
            detail: Some(detail),
        }),
    }
}

/// A file may hold several games, with a `/` on a line between them.
fn csa_games(bytes: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut line = 1;
    for game in bytes_between_separators(bytes) {
        let lines = game.split(|&byte| byte == b'\n');
        let has_content = lines.clone().any(|line| {
            let text = line.trim_ascii();
            !text.is_empty() && !text.starts_with(b"'")
        });
        if has_content {
            let parsed = csa::parse_csa_bytes(game).map_err(Unfit::unreadable);
            let mut one = whole_file(parsed);
            one.line = line;
            if let Ok(record) = &mut one.game
                && record.result() == GameResult::Unknown
                && let Some(result) = summary(game)
            {
                *record = record.with_result(result);
            }
            found.push(one);
        }
        line += lines.count();
    }
    found
}

/// Who won by the comment `'summary:ENDING:BLACK win:WHITE lose` of the floodgate server, which
/// `monju experiment report` writes where no word of CSA says it.
fn summary(game: &[u8]) -> Option<GameResult> {
    let mut lines = game.split(|&byte| byte == b'\n');
    let line = lines.find_map(|line| line.trim_ascii().strip_prefix(b"'summary:"))?;
    // White comes last.
    match line.rsplit(|&byte| byte == b' ').next()? {
        b"win" => Some(GameResult::Won(Color::White)),
        b"lose" => Some(GameResult::Won(Color::Black)),
        b"draw" => Some(GameResult::Drawn),
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

/// Takes over what another library has read; our own rules check every move.
fn translate(record: &ForeignRecord) -> Result<Record, Unfit> {
    let moves: Option<Vec<Move>> = record
        .main_moves()
        .map(|entry| entry.mv().to_usi().parse().ok())
        .collect();
    let result = match record.result() {
        result if result.is_black_win() => GameResult::Won(Color::Black),
        result if result.is_white_win() => GameResult::Won(Color::White),
        ForeignResult::DrawByRepetition
        | ForeignResult::DrawByMaxPlies
        | ForeignResult::DrawByImpasse
        | ForeignResult::DrawByAdjudication => GameResult::Drawn,
        _ => GameResult::Unknown,
    };
    let start = record.init_position_sfen();
    let moves = moves.ok_or(Flaw::UnreadableMove)?;
    Ok(Record::new(Some(start), moves, result)?)
}

/// One game a line; empty lines and those that begin with `#` are none.
fn lines(bytes: &[u8], game: impl Fn(&str) -> Result<Record, Unfit>) -> Vec<Found> {
    let text = String::from_utf8_lossy(bytes);
    let numbered = text.lines().zip(1..);
    numbered
        .filter(|(text, _)| !text.trim().is_empty() && !text.starts_with('#'))
        .map(|(text, line)| Found {
            line,
            game: game(text),
        })
        .collect()
}

fn usi_game(line: &str) -> Result<Record, Unfit> {
    let mut words = line.split_whitespace().peekable();
    words.next_if_eq(&"position");
    let start: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
    let start = match start[..] {
        ["startpos"] => None,
        ["sfen", ..] => Some(start[1..].join(" ")),
        _ => {
            return Err(Unfit::unreadable(
                "expected 'startpos' or 'sfen …' and 'moves …'",
            ));
        }
    };
    record(start.as_deref(), words, GameResult::Unknown)
}

fn tsv_game(line: &str) -> Result<Record, Unfit> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [_, result, .., moves] = fields[..] else {
        return Err(Unfit::unreadable(
            "expected fields between tabs, the moves last",
        ));
    };
    // A result that was inferred ends with a tilde.
    let result = match result.trim_end_matches('~') {
        "b" => GameResult::Won(Color::Black),
        "w" => GameResult::Won(Color::White),
        "d" => GameResult::Drawn,
        _ => GameResult::Unknown,
    };
    record(None, moves.split_whitespace(), result)
}

fn record<'a>(
    start: Option<&str>,
    words: impl Iterator<Item = &'a str>,
    result: GameResult,
) -> Result<Record, Unfit> {
    let words: Vec<&str> = words.collect();
    let moves: Option<Vec<Move>> = words.iter().map(|word| word.parse().ok()).collect();
    let moves = moves.ok_or(Flaw::UnreadableMove);
    moves
        .and_then(|moves| Record::new(start, moves, result))
        .map_err(|flaw| {
            // The rules know which move it is.
            let detail = Game::from_parts(start.unwrap_or("startpos"), &words).err();
            Unfit {
                detail: detail.map(|error| error.to_string()),
                ..flaw.into()
            }
        })
}
