//! The last lines of a game record, which name the winner.
//!
//! Both formats have words for an end that the side to move causes, and other programs take it for the
//! loser: they read `%TORYO`, `%TIME_UP` and `%ILLEGAL_MOVE`, and not `%TSUMI`. Neither format has a word for an
//! end that the other side causes, as in most adjudicated games, whose last move is the loser's: there the
//! loser resigns instead, and its last move stands in a comment of the CSA file. A declaration has the word `%KACHI`
//! of the side to move, which wins by it; python-shogi reads no winner from it, and the format has no other word that
//! it would read rightly. The sign of `%+ILLEGAL_ACTION` is the offender's, as the format has it; tsshogi takes it for
//! the winner's. The end and the winner of mated, adjudicated, declared and too long games are written in the comment
//! `'summary:` of the floodgate server, which `monju learn records` reads; KIF has the line `まで…手で…の勝ち` for
//! every game.

use monju_engine::Color;

/// The end of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct KifuEnd<'a> {
    /// Reason for which it ended, by its name in stores.
    pub ending: &'a str,
    /// Winner; `None` in a drawn game.
    pub winner: Option<Color>,
    /// Side to move in the last position.
    pub to_move: Color,
}

impl KifuEnd<'_> {
    /// Returns whether a CSA file has to stop before the last move, so that its last word can name the loser.
    pub fn is_before_last_move(&self) -> bool {
        self.ending == "adjudication" && self.winner == Some(self.to_move)
    }

    /// Lines after the last move of a CSA file.
    pub fn csa(&self) -> String {
        let Some(winner) = self.winner else {
            // The format has no word for a game of too many plies.
            return match self.ending {
                "repetition" => "%SENNICHITE\n".to_owned(),
                "interruption" => "%CHUDAN\n".to_owned(),
                _ => format!("%JISHOGI\n{}", self.summary()),
            };
        };
        let word = match (self.ending, winner == self.to_move) {
            ("declaration", true) => return format!("%KACHI\n{}", self.summary()),
            // The sign names the side that broke the rules.
            ("illegal move" | "perpetual check", true) if winner == Color::White => {
                "%+ILLEGAL_ACTION"
            }
            ("illegal move" | "perpetual check", true) => "%-ILLEGAL_ACTION",
            (_, true) => return format!("%CHUDAN\n{}", self.summary()),
            ("time loss", false) => "%TIME_UP",
            ("illegal move" | "perpetual check", false) => "%ILLEGAL_MOVE",
            // The summary corrects the word: no side has resigned.
            ("mate" | "adjudication" | "crash", false) => {
                return format!("%TORYO\n{}", self.summary());
            }
            (_, false) => "%TORYO",
        };
        format!("{word}\n")
    }

    fn summary(&self) -> String {
        let [black, white] = match self.winner {
            Some(Color::Black) => ["win", "lose"],
            Some(Color::White) => ["lose", "win"],
            None => ["draw", "draw"],
        };
        format!("'summary:{}:black {black}:white {white}\n", self.ending)
    }

    /// Lines after the last of `count` moves of a KIF file.
    pub fn kif(&self, count: usize) -> String {
        let winner = self.winner.map_or("", |winner| match winner {
            Color::Black => "先手",
            Color::White => "後手",
        });
        let (word, sentence) = match (self.ending, self.winner) {
            ("repetition", None) => ("千日手", "千日手".to_owned()),
            ("interruption", None) => ("中断", "中断".to_owned()),
            (_, None) => ("持将棋", "持将棋".to_owned()),
            ("declaration", Some(_)) => ("入玉勝ち", format!("{winner}の入玉勝ち")),
            ("illegal move" | "perpetual check", Some(color)) => {
                let word = match color == self.to_move {
                    true => "反則勝ち",
                    false => "反則負け",
                };
                (word, format!("{winner}の反則勝ち"))
            }
            ("time loss", Some(_)) => ("切れ負け", format!("時間切れにより{winner}の勝ち")),
            ("mate", Some(_)) => ("詰み", format!("{winner}の勝ち")),
            (_, Some(_)) => ("投了", format!("{winner}の勝ち")),
        };
        // Leave out words by which readers would take the other side for the winner.
        let names_winner = match word {
            "入玉勝ち" => self.winner == Some(self.to_move),
            "切れ負け" | "詰み" | "投了" => self.winner != Some(self.to_move),
            _ => true,
        };
        let last = match names_winner {
            true => format!("{:>4} {word}\n", count + 1),
            false => String::new(),
        };
        format!("{last}まで{count}手で{sentence}\n")
    }
}
