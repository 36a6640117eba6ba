//! One game of a file, with names and times, that takes comments and is written again.

use crate::{
    csa,
    formats::{
        ParsedGame, UnknownFormat, convert, games_and_positions, has_ki2_variations, is_csa,
        kif_text, one_game, several_games,
    },
    kif::{KifText, with_kanji_numbers},
    mark::without_utf16,
    rejection::Rejection,
};
use monju_engine::{Color, Game, Move, counted};
use rsshogi::records::{
    Record as ForeignRecord, SpecialMove, SpecialMoveEntry,
    formats::{
        common::{CsaVersion, ExportOptions},
        csa::export_csa_with_options,
        kif::export_kif,
        usi::parse_usi_position,
    },
};
use rsshogi::types::{Eval, GameResult as ForeignResult};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// First line of a CSA file that names its encoding, without the name.
const ENCODING: &str = "'CSA encoding=";

/// A game with everything that its file says of it.
#[derive(Clone, Debug)]
pub struct CommentedGame {
    record: ForeignRecord,
    game: Game,
    /// The text of a KIF file.
    kif: Option<KifText>,
    /// The version of a CSA file.
    csa_version: CsaVersion,
    /// The file is in CSA, whose evaluations are Black's, where the library keeps those of the side that moved.
    is_csa: bool,
    /// The file has variations that are not written again.
    lacks_variations: bool,
    /// The lines of comment that were added, by the number of moves before their positions.
    comments: BTreeMap<usize, Vec<String>>,
}

/// Reason for which no game is read.
#[derive(Debug, thiserror::Error)]
pub enum ReadGameError {
    /// The file cannot be read.
    #[error("cannot read {}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        #[source]
        source: io::Error,
    },
    /// The extension names no format.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// The file has fewer games.
    #[error("{} has {}, no game {number}", .path.display(), counted(games, "game"))]
    Number {
        /// The file.
        path: PathBuf,
        /// Its number of games.
        games: usize,
        /// The number asked for, from 1.
        number: usize,
    },
    /// The game is not a game of shogi.
    #[error("{}: game {number}", .path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The number of the game, from 1.
        number: usize,
        /// The reason.
        #[source]
        source: Rejection,
    },
}

impl CommentedGame {
    /// Reads the game with a number, counted from 1, of a file in any format of
    /// [`parse_games`](crate::parse_games). It may be a position without moves.
    ///
    /// # Errors
    /// The file cannot be read, has fewer games, or the game is not one.
    pub fn read(path: &Path, number: usize) -> Result<Self, ReadGameError> {
        let bytes = fs::read(path).map_err(|source| ReadGameError::File {
            path: path.to_owned(),
            source,
        })?;
        let bytes = without_utf16(&bytes);
        let missing = |games| ReadGameError::Number {
            path: path.to_owned(),
            games,
            number,
        };
        let records = records(path, &bytes)?;
        let games = records.len();
        let index = number.checked_sub(1).ok_or_else(|| missing(games))?;
        let record = records
            .into_iter()
            .nth(index)
            .ok_or_else(|| missing(games))?;
        let read = record.and_then(|record| Self::of(record, kif_text(path, &bytes)));
        let mut game = read.map_err(|source| ReadGameError::Game {
            path: path.to_owned(),
            number,
            source,
        })?;
        game.csa_version = csa::version(&bytes);
        game.is_csa = is_csa(path);
        game.lacks_variations |= has_ki2_variations(path, &bytes);
        Ok(game)
    }

    /// Checks a record by our rules.
    fn of(mut record: ForeignRecord, kif: Option<KifText>) -> Result<Self, Rejection> {
        let checked = convert(&record)?;
        let start = match checked.start_sfen() {
            even if even.is_empty() => "startpos".to_owned(),
            sfen => sfen,
        };
        let moves: Vec<String> = checked.moves().iter().map(Move::to_string).collect();
        let game = Game::from_parts(&start, &moves).map_err(Rejection::unreadable)?;
        let lacks_variations = kif.is_none() && detach_variations(&mut record)?;
        if let Some(text) = &kif {
            set_comments(&mut record, text)?;
        }
        Ok(Self {
            lacks_variations,
            record,
            game,
            kif,
            csa_version: CsaVersion::default(),
            is_csa: false,
            comments: BTreeMap::new(),
        })
    }

    /// Returns the word at the end of the game, if it is none that is known.
    pub fn unknown_ending(&self) -> Option<&str> {
        match self.record.main_terminal()?.kind() {
            SpecialMove::Unknown(word) => Some(word),
            _ => None,
        }
    }

    /// Tells whether the file has variations that are not written again.
    pub fn lacks_variations(&self) -> bool {
        self.lacks_variations
    }

    /// Returns the whole game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the names of Black and White, where the file has them.
    pub fn names(&self) -> [Option<&str>; 2] {
        let metadata = self.record.metadata();
        [metadata.black_player(), metadata.white_player()]
    }

    /// Returns the event, where the file has it.
    pub fn event(&self) -> Option<&str> {
        self.record.metadata().event()
    }

    /// Adds lines of comment to the position after `plies` moves.
    pub fn comment(&mut self, plies: usize, lines: &[String]) {
        let own = self.comments.entry(plies).or_default();
        own.extend_from_slice(lines);
        let text = lines.join("\n");
        let id = match plies.checked_sub(1) {
            None => {
                let old = self.record.initial_comment().map(|old| format!("{old}\n"));
                let all = old.unwrap_or_default() + &text;
                self.record.set_initial_comment(Some(all));
                return;
            }
            Some(index) => self.record.main_line_ids().get(index).copied(),
        };
        if let Some(id) = id
            && let Ok(node) = self.record.node_mut(id)
        {
            node.append_comment_line(&text);
        }
    }

    /// Writes the game as KIF in UTF-8. A KIF file keeps its own lines, bookmarks and variations among them.
    ///
    /// # Errors
    /// The library refuses what it has read.
    pub fn kif(&self) -> Result<String, Rejection> {
        if let Some(text) = &self.kif {
            return Ok(text.with_comments(&self.comments));
        }
        let record = match self.is_csa {
            true => Cow::Owned(self.with_turned_evaluations()),
            false => Cow::Borrowed(&self.record),
        };
        let text = export_kif(&record).map_err(Rejection::unreadable)?;
        let is_handicap = self.game.is_handicap();
        let mut lines: Vec<String> = (text.lines())
            .map(|line| match is_handicap {
                true => with_handicap_names(line),
                false => with_kanji_numbers(line),
            })
            .collect();
        // The library leaves out the comments on the ending, which precede the last line.
        if let Some(ending) = record.main_terminal_node()
            && let Some(comment) = record.node(ending).comment()
        {
            let comment = comment.lines().map(|line| format!("*{line}"));
            let last = lines.len() - 1;
            lines.splice(last..last, comment);
        }
        Ok(lines.join("\n") + "\n")
    }

    /// Writes the game as CSA in UTF-8, which the file says, in version 3.0 if the file read is of that: it has parts
    /// of a second, as `T1.25`.
    ///
    /// # Errors
    /// The library refuses what it has read, or CSA has no word for it.
    pub fn csa(&self) -> Result<String, Rejection> {
        let options = ExportOptions::default().with_csa_version(self.csa_version);
        let mut record = match self.is_csa {
            true => self.record.clone(),
            false => self.with_turned_evaluations(),
        };
        self.name_ending(&mut record)?;
        let text = export_csa_with_options(&record, options);
        let text = text.map_err(Rejection::unreadable)?;
        let time = self.record.metadata().time_control();
        let time = time.filter(|_| self.csa_version == CsaVersion::V3_0);
        let lines = text.split_inclusive('\n').map(|line| match time {
            // The library writes this line as version 2.2 has it.
            Some(time) if line.starts_with("$TIME_LIMIT:") => {
                format!("$TIME:{}\n", time.to_spec())
            }
            None if line.starts_with("$TIME_LIMIT:") => with_two_digits(line),
            _ => in_words_of_csa(&with_spaced_squares(line)),
        });
        let text: String = lines.collect();
        // A file that does not name its encoding is in Shift_JIS.
        Ok(match text.is_ascii() || text.starts_with(ENCODING) {
            true => text,
            false => format!("{ENCODING}UTF-8\n{text}"),
        })
    }

    /// Names an ending that the library does not write as CSA by its word in KIF, as one that is not known.
    fn name_ending(&self, record: &mut ForeignRecord) -> Result<(), Rejection> {
        let Some(ending) = record.main_terminal_node() else {
            return Ok(());
        };
        let node = record.node(ending);
        let word = node.special().and_then(|special| match special.kind() {
            SpecialMove::WinByDefault | SpecialMove::LoseByDefault => {
                let side = self.game.position().side_to_move();
                let is_won = match side {
                    Color::Black => special.result().is_black_win(),
                    Color::White => special.result().is_white_win(),
                };
                Some(if is_won { "不戦勝" } else { "不戦敗" })
            }
            SpecialMove::Try => Some("トライ"),
            _ => None,
        });
        if let Some(word) = word {
            let annotation = node.annotation().clone();
            let kind = SpecialMove::Unknown(word.to_owned());
            let special = SpecialMoveEntry::new(kind, ForeignResult::Paused);
            let named = record.set_main_terminal_with_annotation(special, annotation);
            named.map_err(Rejection::unreadable)?;
        }
        Ok(())
    }

    /// Returns the record with the evaluations of White's moves from the other side. CSA's are Black's, as KIF's are,
    /// but the library reads and writes CSA's as they stand, and turns KIF's to the side that moved.
    fn with_turned_evaluations(&self) -> ForeignRecord {
        let mut record = self.record.clone();
        let ids = record.main_line_ids();
        let ends_with_white = self.game.position().side_to_move() == Color::Black;
        let of_white = ids.iter().rev().skip(usize::from(!ends_with_white));
        for &id in of_white.step_by(2) {
            if let Ok(node) = record.node_mut(id)
                && let Some(evaluation) = node.eval()
            {
                let turned = evaluation.to_i32().saturating_neg();
                node.set_eval(Some(Eval::from_i32(turned)));
            }
        }
        record
    }
}

/// Writes the empty squares of a rank as CSA has them, ` * `; the library's `*  ` is read by few programs.
fn with_spaced_squares(line: &str) -> String {
    let is_rank = line.as_bytes().first() == Some(&b'P')
        && line.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    match is_rank {
        true => line.replace("*  ", " * "),
        false => line.to_owned(),
    }
}

/// Writes the seconds of a time limit with two digits, `00:25+00`; the library writes those below ten with one.
fn with_two_digits(line: &str) -> String {
    match line.trim_end().rsplit_once('+') {
        Some((before, seconds)) if seconds.len() == 1 => format!("{before}+0{seconds}\n"),
        _ => line.to_owned(),
    }
}

/// Writes an ending for which CSA has no word as an interruption, with the word in a comment.
fn in_words_of_csa(line: &str) -> String {
    match line.strip_prefix('%') {
        Some(word) if !word.is_ascii() => format!("%CHUDAN\n'{word}"),
        _ => line.to_owned(),
    }
}

/// Writes the names of both sides in a handicap game under the words that it has for them: `下手`, the one that is
/// Black, and `上手`. The library writes them as in an even game.
fn with_handicap_names(line: &str) -> String {
    for (even, handicap) in [("先手：", "下手："), ("後手：", "上手：")] {
        if let Some(name) = line.strip_prefix(even) {
            return format!("{handicap}{name}");
        }
    }
    with_kanji_numbers(line)
}

/// Takes the variations out of a record, which the library writes in an order that programs misread. Returns
/// false if there are none.
fn detach_variations(record: &mut ForeignRecord) -> Result<bool, Rejection> {
    let mut parents = record.main_line_ids();
    parents.push(record.root_id());
    let variations: Vec<_> = (parents.into_iter())
        .flat_map(|parent| record.variation_children(parent).to_vec())
        .collect();
    for &variation in &variations {
        let detached = record.detach_subtree(variation);
        detached.map_err(Rejection::unreadable)?;
    }
    Ok(!variations.is_empty())
}

/// Gives a record the comments of its KIF file, from which the library takes every mark at their beginnings.
fn set_comments(record: &mut ForeignRecord, text: &KifText) -> Result<(), Rejection> {
    let mut ids = vec![record.root_id()];
    ids.extend(record.main_line_ids());
    ids.extend(record.main_terminal_node());
    for &id in &ids {
        let node = record.node_mut(id).map_err(Rejection::unreadable)?;
        node.set_comment(None);
    }
    for (plies, lines) in text.comments() {
        let id = ids[plies.min(ids.len() - 1)];
        let node = record.node_mut(id).map_err(Rejection::unreadable)?;
        let has_evaluation = node.eval().is_some();
        let lines = (lines.into_iter()).filter(|line| !(has_evaluation && is_evaluation(line)));
        node.append_comment_line(&lines.collect::<Vec<_>>().join("\n"));
    }
    Ok(())
}

/// Tells whether a comment is an evaluation that the library has read.
fn is_evaluation(comment: &str) -> bool {
    let number = comment.strip_prefix("*評価値=");
    number.is_some_and(|number| number.parse::<i32>().is_ok())
}

/// Parses all games of a file with everything that it says of them.
fn records(
    path: &Path,
    bytes: &[u8],
) -> Result<Vec<Result<ForeignRecord, Rejection>>, UnknownFormat> {
    if let Some(game) = one_game(path, bytes) {
        return Ok(vec![game]);
    }
    if let Some(games) = several_games(path, bytes) {
        return Ok(games.into_iter().map(|game| game.record).collect());
    }
    let plain = |parsed: ParsedGame| {
        let record = parsed.game?;
        let moves: Vec<String> = record.moves().iter().map(Move::to_string).collect();
        let words = if moves.is_empty() { "" } else { " moves " };
        let text = format!("sfen {}{words}{}", record.start(), moves.join(" "));
        parse_usi_position(&text).map_err(Rejection::unreadable)
    };
    Ok(games_and_positions(path, bytes)?
        .into_iter()
        .map(plain)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSA: &str =
        "V2.2\nN+sente\nN-gote\n$EVENT:final\nPI\n+\n+7776FU\nT3\n'*known\n-3334FU\nT5\n%TORYO\n";

    fn read(name: &str, text: &str, number: usize) -> Result<CommentedGame, ReadGameError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        CommentedGame::read(&path, number)
    }

    /// ShogiHome and floodgate write evaluations from Black's view, in both formats.
    #[test]
    fn evaluations_stay_those_of_black_in_the_other_format() {
        let csa = "V2.2\nPI\n+\n+7776FU\n'** 40\n-3334FU\n'** -50\n+2726FU\n'** 60\n%TORYO\n";
        let game = read("a.csa", csa, 1).expect("a game");
        let kif = game.kif().expect("KIF");
        for expected in ["評価値=40", "評価値=-50", "評価値=60"] {
            assert!(kif.contains(expected), "{kif}");
        }
        let same = game.csa().expect("CSA");
        let back = read("a.kif", &kif, 1).expect("a game").csa();
        for text in [same, back.expect("CSA")] {
            for expected in ["'** 40", "'** -50", "'** 60"] {
                assert!(text.contains(expected), "{text}");
            }
        }
        // White moves first.
        let csa = "V2.2\nPI\n-\n-3334FU\n'** -50\n+7776FU\n'** 40\n%TORYO\n";
        let kif = read("a.csa", csa, 1).expect("a game").kif();
        let kif = kif.expect("KIF");
        for expected in ["評価値=-50", "評価値=40"] {
            assert!(kif.contains(expected), "{kif}");
        }
    }

    #[test]
    fn comments_are_added_and_everything_else_stays() {
        let mut game = read("a.csa", CSA, 1).expect("a game");
        assert_eq!(game.names(), [Some("sente"), Some("gote")]);
        assert_eq!(game.event(), Some("final"));
        assert_eq!(game.game().moves().len(), 2);
        game.comment(0, &["before".to_owned()]);
        game.comment(1, &["#評価値=35".to_owned(), "two".to_owned()]);
        game.comment(2, &["last".to_owned()]);
        let kif = game.kif().expect("KIF");
        assert!(kif.contains("先手：sente\n"), "{kif}");
        assert!(kif.contains("*before\n"), "{kif}");
        assert!(
            kif.contains("*known\n*#評価値=35\n*two\n   2 ３四歩(33)"),
            "{kif}"
        );
        assert!(kif.contains("*last\n"), "{kif}");
        assert!(kif.contains("( 0:03/00:00:03)"), "{kif}");
        let csa = game.csa().expect("CSA");
        assert!(
            csa.contains("+7776FU\nT3\n'*known\n'*#評価値=35\n'*two\n-3334FU\nT5\n'*last\n%TORYO"),
            "{csa}"
        );
        // A program reads the comments back.
        let again = read("b.kif", &kif, 1).expect("a game");
        assert_eq!(again.game(), game.game());
    }

    #[test]
    fn a_csa_file_in_japanese_says_that_it_is_in_utf_8() {
        let mut game = read("a.csa", CSA, 1).expect("a game");
        assert!(game.csa().expect("CSA").starts_with("V2.2\n"));
        game.comment(1, &["先手".to_owned()]);
        let written = game.csa().expect("CSA");
        assert!(
            written.starts_with("'CSA encoding=UTF-8\nV2.2\n"),
            "{written}"
        );
        let again = read("b.csa", &written, 1).expect("a game");
        assert_eq!(again.game(), game.game());
        assert_eq!(again.csa().expect("CSA"), written);
    }

    #[test]
    fn an_ending_without_a_word_of_csa_is_an_interruption() {
        let kif = "手合割：平手\n   1 ７六歩(77)\n   2 反則手\n";
        let game = read("a.kif", kif, 1).expect("a game");
        let csa = game.csa().expect("CSA");
        assert!(csa.ends_with("+7776FU\n%CHUDAN\n'反則手\n"), "{csa}");
    }

    /// CSA files were refused for these.
    #[test]
    fn an_ending_that_the_library_writes_in_kif_alone_is_an_interruption_in_csa() {
        for word in ["不戦勝", "不戦敗", "トライ"] {
            let kif = format!(
                "手合割：平手\n   1 ７六歩(77)\n   2 {word}   ( 0:02/00:00:02)\n*comment\n"
            );
            let game = read("a.kif", &kif, 1).expect("a game");
            let csa = game.csa().expect("CSA");
            let expected = format!("+7776FU\n%CHUDAN\n'{word}\nT2\n'*comment\n");
            assert!(csa.ends_with(&expected), "{csa}");
            assert_eq!(game.kif().expect("KIF"), kif);
        }
    }

    #[test]
    fn a_game_in_ki2_without_an_ending_gets_none() {
        let game = |end: &str| {
            let text = format!("手合割：平手\n▲７六歩    △３四歩{end}\n");
            let game = read("a.ki2", &text, 1).expect("a game");
            (game.kif().expect("KIF"), game.csa().expect("CSA"))
        };
        let (kif, csa) = game("");
        assert!(kif.contains("   2 ３四歩(33)"), "{kif}");
        assert!(!kif.contains("中断") && !kif.contains("まで"), "{kif}");
        assert!(csa.ends_with("-3334FU\n"), "{csa}");
        for end in ["\nまで2手で中断", " まで2手で中断", " ▲中断"] {
            let (kif, csa) = game(end);
            assert!(kif.ends_with("まで2手で中断\n"), "{kif}");
            assert!(csa.ends_with("%CHUDAN\n"), "{csa}");
        }
    }

    #[test]
    fn the_names_of_a_handicap_game_in_jkf_are_those_of_its_sides() {
        let game = |header: &str| {
            let text =
                format!(r#"{{"header":{header},"initial":{{"preset":"KA"}},"moves":[{{}}]}}"#);
            read("a.jkf", &text, 1).expect("a game")
        };
        let handicap = game(r#"{"下手":"アマ太郎","上手":"プロ花子"}"#);
        assert_eq!(handicap.names(), [Some("アマ太郎"), Some("プロ花子")]);
        let csa = handicap.csa().expect("CSA");
        assert!(csa.contains("N+アマ太郎\nN-プロ花子\n"), "{csa}");
        let kif = handicap.kif().expect("KIF");
        assert!(kif.contains("下手：アマ太郎\n上手：プロ花子\n"), "{kif}");
        let mixed = game(r#"{"先手":"A","下手":"B","後手":"","上手":"C"}"#);
        assert_eq!(mixed.names(), [Some("A"), Some("C")]);
    }

    /// ShogiHome and ShogiGUI write the results of searches so, and know them by both stars.
    #[test]
    fn comments_of_programs_keep_their_marks_in_the_other_format() {
        let csa = "V2.2\nPI\n+\n'*start\n'**深さ=9\n+7776FU\nT1\n'**対局 評価値 50 読み筋 △３四歩(33)\n\
            '*plain\n-3334FU\nT1\n'**詰み=先手勝ち:7手\n+2726FU\nT1\n'**読み筋=△８四歩\n'**評価値=120\n\
            %TORYO\nT2\n'*end\n'**深さ=20\n";
        let game = read("a.csa", csa, 1).expect("a game");
        let kif = game.kif().expect("KIF");
        for expected in [
            "*start\n**深さ=9\n   1 ",
            "\n**対局 評価値 50 読み筋 △３四歩(33)\n*plain\n   2 ",
            "\n**詰み=先手勝ち:7手\n   3 ",
            "\n**評価値=120\n**読み筋=△８四歩\n\n   4 投了",
            "\n*end\n**深さ=20\nまで3手で",
        ] {
            assert!(kif.contains(expected), "{expected}: {kif}");
        }
        // The library has a form of its own for evaluations, which it writes last.
        let line = "'**評価値=120\n";
        let same = csa.replace(line, "'** 120\n");
        assert_eq!(game.csa().expect("CSA"), format!("{ENCODING}UTF-8\n{same}"));
        let back = read("a.kif", &kif, 1).expect("a game").csa();
        let back = back.expect("CSA").replace("$手合割:平手\n", "");
        assert_eq!(back, game.csa().expect("CSA"));
    }

    #[test]
    fn the_time_limit_of_a_csa_file_stays() {
        for limit in ["00:25+00", "01:00+05", "00:00+30"] {
            let csa = format!("V2.2\nN+sente\n$TIME_LIMIT:{limit}\nPI\n+\n+7776FU\n%TORYO\n");
            let same = read("a.csa", &csa, 1).expect("a game").csa();
            assert_eq!(same.expect("CSA"), csa);
        }
    }

    #[test]
    fn a_time_behind_the_moves_of_a_csa_file_is_kept() {
        for end in ["+7776FU\n-3334FU\n", "+7776FU\n%TORYO\n", "%TORYO\n"] {
            let time = "$END_TIME:2024/05/04 10:00:00\n";
            let text = format!("V2.2\nN+sente\nPI\n+\n{end}{time}");
            let csa = read("a.csa", &text, 1).expect("a game").csa();
            let expected = format!("V2.2\nN+sente\n{time}PI\n+\n{end}");
            assert_eq!(csa.expect("CSA"), expected);
        }
    }

    #[test]
    fn the_sides_of_a_handicap_game_have_their_names() {
        let ki2 = "手合割：香落ち\n下手：A\n上手：B\n△３四歩▲７六歩\n";
        let kif = read("a.ki2", ki2, 1).expect("a game").kif().expect("KIF");
        assert!(
            kif.contains("下手：A\n") && kif.contains("上手：B\n"),
            "{kif}"
        );
        let again = read("b.kif", &kif, 1).expect("a game");
        assert_eq!(again.names(), [Some("A"), Some("B")]);
    }

    #[test]
    fn a_csa_file_keeps_its_version_and_parts_of_a_second() {
        let text = "'CSA encoding=UTF-8\nV3.0\nN+sente\n$TIME:600+10+0\nPI\n+\n+7776FU\nT1.250\n/\n\
            $TIME:0+0+5\nPI\n+\n+2726FU\nT2\n'*known\n%TORYO\nT0.500\n";
        let third = |number| read("a.csa", text, number).expect("a game").csa();
        let (head, games) = text.split_at(text.find("N+").expect("a name"));
        let games: Vec<&str> = games.split("/\n").collect();
        for (number, game) in (1..).zip(games) {
            assert_eq!(third(number).expect("CSA"), format!("{head}{game}"));
        }
        // Version 2.2 has neither.
        let second = read("a.csa", CSA, 1).expect("a game").csa().expect("CSA");
        assert!(second.starts_with("V2.2\n"), "{second}");
    }

    #[test]
    fn games_of_every_format_are_read() {
        let game = read("a.csa", CSA, 1).expect("a game");
        let kif = game.kif().expect("KIF");
        let usi = "startpos moves 7g7f 3c3d\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 2g2f\n";
        let jkf = r#"{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}}]}"#;
        for (name, text) in [("a.kif", kif.as_str()), ("a.usi", usi), ("a.jkf", jkf)] {
            let read = read(name, text, 1).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!(read.game().moves(), game.game().moves(), "{name}");
            assert!(read.kif().is_ok() && read.csa().is_ok(), "{name}");
        }
        let board = "sfen l3k3l/9/4P4/9/9/9/9/9/4K4 w 2Pb 1 moves 5a4a";
        let csa = read("a.usi", board, 1).expect("a game").csa();
        let ranks: Vec<String> = csa.expect("CSA").lines().map(str::to_owned).collect();
        let empty = " * ".repeat(9);
        for (number, rank) in [
            (1, "-KY *  *  * -OU *  *  * -KY".to_owned()),
            (2, empty.clone()),
            (3, " *  *  *  * +FU *  *  *  * ".to_owned()),
            (8, empty),
        ] {
            assert!(ranks.contains(&format!("P{number}{rank}")), "{ranks:?}");
        }
        let second = read("a.usi", usi, 2).expect("the second game");
        assert_eq!(second.game().moves().len(), 1);
    }

    #[test]
    fn variations_of_other_formats_are_left_out() {
        let ki2 =
            "手合割：平手\n▲７六歩 △３四歩 ▲２二角成\nまで3手で先手の勝ち\n\n変化：2手\n△８四歩\n";
        let jkf = r#"{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},
            {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"},
            "forks":[[{"move":{"from":{"x":8,"y":3},"to":{"x":8,"y":4},"piece":"FU"}}]]},{"special":"TORYO"}]}"#;
        for (name, text) in [("a.ki2", ki2), ("a.jkf", jkf)] {
            let game = read(name, text, 1).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert!(game.lacks_variations(), "{name}");
            let kif = game.kif().expect("KIF");
            assert!(!kif.contains("８四歩"), "{kif}");
            let again = read("b.kif", &kif, 1).expect("a game");
            assert_eq!(again.game().moves(), game.game().moves());
            assert!(!again.lacks_variations());
        }
    }

    #[test]
    fn unknown_endings_are_endings() {
        let kif =
            |word: &str| format!("手合割：平手\n   1 ７六歩(77)\n   2 {word}   ( 0:01/00:00:01)\n");
        for word in ["投了", "引き分け", "引分", "封じ手"] {
            let game = read("a.kif", &kif(word), 1).expect("a game");
            assert_eq!(game.unknown_ending(), None, "{word}");
        }
        let mut game = read("a.kif", &kif("昼食休憩"), 1).expect("a game");
        assert_eq!(game.unknown_ending(), Some("昼食休憩"));
        game.comment(1, &["a view".to_owned()]);
        let written = game.kif().expect("KIF");
        assert!(written.contains("*a view\n   2 昼食休憩   ("), "{written}");
    }

    #[test]
    fn a_file_tells_the_encoding_in_which_it_is_written_again() {
        let text =
            "#KIF version=2.0 encoding=Shift_JIS\n手合割：平手\n   1 ７六歩(77)\n   2 投了\n";
        let kif = read("a.kif", text, 1).expect("a game").kif().expect("KIF");
        assert_eq!(kif, text.replace("Shift_JIS", "UTF-8"));
        let third = "V3.0\nPI\n+\n+7776FU,T1.250\n%TORYO\n";
        let marked = format!("\u{feff}{third}");
        let csa = read("a.csa", &marked, 1)
            .expect("a game")
            .csa()
            .expect("CSA");
        assert!(csa.contains("V3.0\n") && csa.contains("T1.250"), "{csa}");
    }

    #[test]
    fn ten_pieces_in_hand_are_written_in_japanese() {
        let usi = "sfen 4k4/9/9/9/9/9/9/9/4K4 b 2R17P 1 moves P*5e\n";
        let game = read("a.usi", usi, 1).expect("a game");
        let kif = game.kif().expect("KIF");
        assert!(kif.contains("先手の持駒：歩十七　飛二\n"), "{kif}");
        // Comments of earlier versions are understood, too.
        for written in [&kif, &kif.replace("十七", "17")] {
            let again = read("b.kif", written, 1).expect("a game");
            assert_eq!(again.game().position(), game.game().position());
        }
    }

    #[test]
    fn a_kif_file_keeps_its_bookmarks_and_variations() {
        let text = "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n&mark\n   2 ３四歩(33)+\n\
            まで2手で中断\n\n変化：2手\n   2 ８四歩(83)\n*also good\n";
        let mut game = read("a.kif", text, 1).expect("a game");
        assert_eq!(game.game().moves().len(), 2);
        assert!(!game.lacks_variations());
        game.comment(1, &["a view".to_owned()]);
        let kif = game.kif().expect("KIF");
        assert_eq!(kif, text.replace("&mark\n", "&mark\n*a view\n"));
        // A variation that breaks the rules is none of the game.
        let text = text.replace("８四歩(83)", "８五歩(83)");
        let game = read("a.kif", &text, 1).expect("a game");
        assert_eq!(game.kif().expect("KIF"), text);
    }

    #[test]
    fn a_position_without_moves_is_read_from_every_format() {
        let board = "後手の持駒：飛　角　金四　銀四　桂四　香四　歩九\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n\
            +---------------------------+\n| ・ ・ ・ ・ ・ ・ ・ ・v玉|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n\
            | ・ ・ ・ ・ ・ ・ ・ ・ 歩|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n\
            | ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n\
            | ・ ・ ・ ・ ・ ・ ・ ・ ・|九\n+---------------------------+\n先手の持駒：飛　角\n";
        let ended = format!("{board}手数----指手---------消費時間--\n   1 詰み\n");
        let csa = "V2.2\nPI82HI22KA\n-\n";
        let jkf = r#"{"header":{},"initial":{"preset":"KA"},"moves":[{}]}"#;
        let usi = "sfen 8k/9/8P/9/9/9/9/9/9 b RBr 1\n";
        for (name, text) in [
            ("a.kif", board),
            ("b.kifu", ended.as_str()),
            ("a.ki2", board),
            ("a.csa", csa),
            ("a.jkf", jkf),
            ("a.usi", usi),
        ] {
            let mut game = read(name, text, 1).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!(game.game().moves(), [], "{name}");
            game.comment(0, &["a view".to_owned()]);
            let kif = game.kif().expect("KIF");
            assert!(kif.contains("\n*a view\n"), "{name}: {kif}");
            let again = read("again.kif", &kif, 1).expect("a position");
            let board = |game: &CommentedGame| game.game().position().to_string();
            assert_eq!(board(&again), board(&game), "{name}");
        }
    }

    #[test]
    fn errors_name_the_file_and_the_game() {
        let error = |name: &str, text: &str, number| {
            let error = read(name, text, number).expect_err("refused");
            let source = std::error::Error::source(&error).map(ToString::to_string);
            format!("{error}: {}", source.unwrap_or_default())
        };
        assert!(error("a.usi", "startpos moves 7g7f\n", 2).contains("has 1 game, no game 2"));
        assert!(error("a.usi", "startpos moves 7g7f\n", 0).contains("no game 0"));
        assert!(error("a.usi", "startpos moves 7g7e\n", 1).contains("game 1: illegal move"));
        assert!(error("a.pdf", "", 1).contains(".jkf"));
    }
}
