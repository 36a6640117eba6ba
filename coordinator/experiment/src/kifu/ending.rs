//! How the last lines of a game say who won, so that programs and people read the same.
//!
//! Both formats have words for an end that the side to move brings about. A game that is over for
//! the other side, as an adjudicated one may be, has no such word: CSA then says that it was
//! broken off. How an adjudicated or too long game ended, and who won, stands in the comment `'summary:` of
//! the floodgate server, which `monju learn records` reads; KIF has its line `まで…手で…の勝ち` for every game.

use monju_engine::Color;

/// The end of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct End<'a> {
    /// How it ended, as stores say.
    pub ending: &'a str,
    /// Who won; nobody in a drawn game.
    pub winner: Option<Color>,
    /// Whose turn it would be.
    pub to_move: Color,
}

impl End<'_> {
    /// The lines after the last move of a CSA file.
    pub fn csa(&self) -> String {
        let Some(winner) = self.winner else {
            // No word of the format is for games that became too long.
            return match self.ending {
                "repetition" => "%SENNICHITE\n".to_owned(),
                _ => format!("%JISHOGI\n{}", self.summary()),
            };
        };
        let word = match (self.ending, winner == self.to_move) {
            ("declaration", true) => "%KACHI",
            // The sign says who broke the rules.
            ("illegal move" | "perpetual check", true) if winner == Color::White => {
                "%+ILLEGAL_ACTION"
            }
            ("illegal move" | "perpetual check", true) => "%-ILLEGAL_ACTION",
            (_, true) => return format!("%CHUDAN\n{}", self.summary()),
            ("mate", false) => "%TSUMI",
            ("time loss", false) => "%TIME_UP",
            ("illegal move" | "perpetual check", false) => "%ILLEGAL_MOVE",
            // Nobody has resigned.
            ("adjudication", false) => return format!("%TORYO\n{}", self.summary()),
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

    /// The lines after the last of `count` moves of a KIF file.
    pub fn kif(&self, count: usize) -> String {
        let winner = self.winner.map_or("", |winner| match winner {
            Color::Black => "先手",
            Color::White => "後手",
        });
        let (word, sentence) = match (self.ending, self.winner) {
            ("repetition", None) => ("千日手", "千日手".to_owned()),
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
        // Words that would give the game to the other side are left out.
        let says_who = match word {
            "入玉勝ち" => self.winner == Some(self.to_move),
            "切れ負け" | "詰み" | "投了" => self.winner != Some(self.to_move),
            _ => true,
        };
        let last = match says_who {
            true => format!("{:>4} {word}\n", count + 1),
            false => String::new(),
        };
        format!("{last}まで{count}手で{sentence}\n")
    }
}
