//! Games as CSA and KIF files, which every GUI opens.

mod ending;

use super::{notes::Note, record::MatchOutcome};
use ending::KifuEnd;
use monju_engine::{
    Color, Game, GameError, Move, Position,
    rules::{PieceKind, Square},
};
use std::{fmt::Write as _, iter};

/// A game to be written.
#[derive(Clone, Copy, Debug)]
pub struct Kifu<'a> {
    /// The event.
    pub event: &'a str,
    /// Lines about its origin, which stand as comments before the position.
    pub comments: &'a [String],
    /// Names of Black and of White.
    pub names: [&'a str; 2],
    /// The whole game in the form of the USI command `position`.
    pub moves: &'a str,
    /// Notes of the last moves; the moves of the opening, which come before, have none.
    pub notes: &'a [Note],
    /// Reason for which it ended, by its name in stores.
    pub ending: &'a str,
    /// Result for the first side.
    pub result: MatchOutcome,
    /// True when the first side had Black.
    pub first_is_black: bool,
}

impl Kifu<'_> {
    fn winner(&self) -> Option<Color> {
        match (self.result, self.first_is_black) {
            (MatchOutcome::Draw, _) => None,
            (MatchOutcome::Win, true) | (MatchOutcome::Loss, false) => Some(Color::Black),
            _ => Some(Color::White),
        }
    }

    /// The start position and the moves.
    fn replay(&self) -> Result<(Game, Vec<Move>), GameError> {
        let game = Game::from_usi(self.moves)?;
        let none: [&str; 0] = [];
        Ok((
            Game::from_parts(game.start(), &none)?,
            game.moves().to_vec(),
        ))
    }

    /// Writes CSA, version 2.2, with evaluations for Black in comments, in the form of the floodgate server.
    ///
    /// # Errors
    /// The moves are not a legal game.
    pub fn csa(&self) -> Result<String, GameError> {
        let (mut game, mut moves) = self.replay()?;
        let end = self.end(Game::from_usi(self.moves)?.position().side_to_move());
        let left_out = match end.is_before_last_move() {
            true => moves.pop(),
            false => None,
        };
        let mut text = format!(
            "V2.2\nN+{}\nN-{}\n$EVENT:{}\n",
            self.names[0], self.names[1], self.event
        );
        self.write_comments(&mut text, "'");
        text.push_str(&game.position().to_csa());
        let notes = self.notes_of(moves.len() + usize::from(left_out.is_some()));
        for (mv, note) in moves.into_iter().zip(notes) {
            let _ = writeln!(text, "{}", game.position().csa_move(mv));
            if let Some(note) = note {
                let _ = writeln!(text, "T{}", note.seconds());
                if let Some(score) = note.score {
                    let _ = writeln!(text, "'** {score}");
                }
            }
            if game.play(mv).is_err() {
                break;
            }
        }
        if let Some(mv) = left_out {
            let _ = writeln!(text, "'adjudicated after {}", game.position().csa_move(mv));
        }
        text.push_str(&self.end(game.position().side_to_move()).csa());
        Ok(text)
    }

    /// Writes the comments, each on one line behind the sign of its format.
    fn write_comments(&self, text: &mut String, sign: &str) {
        for comment in self.comments {
            let _ = writeln!(text, "{sign}{}", comment.replace(char::is_control, " "));
        }
    }

    /// One note for each move; `None` for moves of the opening, and for all moves of games without notes.
    fn notes_of(&self, moves: usize) -> impl Iterator<Item = Option<&Note>> {
        let opening = moves.saturating_sub(self.notes.len());
        iter::repeat_n(None, opening).chain(self.notes.iter().map(Some))
    }

    fn end(&self, to_move: Color) -> KifuEnd<'_> {
        KifuEnd {
            ending: self.ending,
            winner: self.winner(),
            to_move,
        }
    }

    /// Writes KIF in UTF-8, with evaluations for Black in comments, in the form of ShogiHome.
    ///
    /// # Errors
    /// The moves are not a legal game.
    pub fn kif(&self) -> Result<String, GameError> {
        let (mut game, moves) = self.replay()?;
        let mut text = String::new();
        self.write_comments(&mut text, "#");
        let _ = writeln!(text, "棋戦：{}", self.event);
        if game.start() == "startpos" {
            text.push_str("手合割：平手\n");
        } else {
            write_kif_position(&mut text, game.position());
        }
        let _ = writeln!(text, "先手：{}\n後手：{}", self.names[0], self.names[1]);
        text.push_str("手数----指手---------消費時間--\n");
        let count = moves.len();
        let notes = self.notes_of(count);
        let mut used = [0; 2];
        for (index, (mv, note)) in moves.into_iter().zip(notes).enumerate() {
            let japanese = game.japanese(mv);
            let mut written: String = japanese.chars().skip(1).collect();
            // KIF leaves a wide space after 同.
            if let Some(rest) = written.strip_prefix('同') {
                written = format!("同　{rest}");
            }
            // The origin square is enough; other programs do not read a move with this word.
            written = written.replace("不成", "");
            let _ = write!(text, "{:>4} {written}", index + 1);
            match note {
                None => text.push('\n'),
                Some(note) => {
                    let used = &mut used[index % 2];
                    *used += note.seconds();
                    let _ = writeln!(text, "   {}", kif_time(note.seconds(), *used));
                    if let Some(score) = note.score {
                        let _ = writeln!(text, "**評価値={score}");
                    }
                }
            }
            if game.play(mv).is_err() {
                break;
            }
        }
        text.push_str(&self.end(game.position().side_to_move()).kif(count));
        Ok(text)
    }
}

/// Times of the move and of all moves of its side, as in `( 0:05/00:01:10)`.
fn kif_time(move_seconds: u64, all_seconds: u64) -> String {
    let (minutes, seconds) = (move_seconds / 60, move_seconds % 60);
    let (all_minutes, all_rest) = (all_seconds / 60, all_seconds % 60);
    let (hours, all_minutes) = (all_minutes / 60, all_minutes % 60);
    format!("({minutes:>2}:{seconds:02}/{hours:02}:{all_minutes:02}:{all_rest:02})")
}

const KIF_RANKS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

fn kif_kind(kind: PieceKind) -> char {
    match kind {
        PieceKind::Pawn => '歩',
        PieceKind::Lance => '香',
        PieceKind::Knight => '桂',
        PieceKind::Silver => '銀',
        PieceKind::Bishop => '角',
        PieceKind::Rook => '飛',
        PieceKind::Gold => '金',
        PieceKind::King => '玉',
        PieceKind::ProPawn => 'と',
        PieceKind::ProLance => '杏',
        PieceKind::ProKnight => '圭',
        PieceKind::ProSilver => '全',
        PieceKind::Horse => '馬',
        PieceKind::Dragon => '龍',
    }
}

fn kif_hand(position: &Position, color: Color) -> String {
    const NUMBERS: [&str; 19] = [
        "", "", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二", "十三",
        "十四", "十五", "十六", "十七", "十八",
    ];
    let mut text = String::new();
    for kind in PieceKind::HAND.into_iter().rev() {
        let count = position.hand(color).count(kind);
        if count > 0 {
            let _ = write!(text, "{}{}　", kif_kind(kind), NUMBERS[count.min(18)]);
        }
    }
    match text.is_empty() {
        true => "なし".to_owned(),
        false => text,
    }
}

fn write_kif_position(text: &mut String, position: &Position) {
    let _ = writeln!(text, "後手の持駒：{}", kif_hand(position, Color::White));
    text.push_str("  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n");
    for (rank, name) in KIF_RANKS.iter().enumerate() {
        text.push('|');
        for file in (0..9).rev() {
            let stands = Square::at(file, rank).and_then(|square| position.piece(square).get());
            match stands {
                Some((Color::Black, kind)) => {
                    let _ = write!(text, " {}", kif_kind(kind));
                }
                Some((Color::White, kind)) => {
                    let _ = write!(text, "v{}", kif_kind(kind));
                }
                None => text.push_str(" ・"),
            }
        }
        let _ = writeln!(text, "|{name}");
    }
    text.push_str("+---------------------------+\n");
    let _ = writeln!(text, "先手の持駒：{}", kif_hand(position, Color::Black));
    if position.side_to_move() == Color::White {
        text.push_str("後手番\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kifu(moves: &str) -> Kifu<'_> {
        Kifu {
            event: "table3 sigma=25 pair 0",
            comments: &[],
            names: ["council", "single"],
            moves,
            notes: &[],
            ending: "resignation",
            result: MatchOutcome::Win,
            first_is_black: true,
        }
    }

    #[test]
    fn csa_files_have_the_position_and_the_moves() {
        let game = kifu("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e");
        let text = game.csa().expect("a game");
        assert!(text.starts_with("V2.2\nN+council\nN-single\n$EVENT:table3 sigma=25 pair 0\n"));
        assert!(text.contains("P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \n"));
        let end = "+\n+7776FU\n-3334FU\n+8822UM\n-3122GI\n+0055KA\n%TORYO\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn the_origin_stands_before_the_position() {
        let comments = ["build: 0.1.0\n+7776FU".to_owned(), "seed: 7".to_owned()];
        let game = Kifu {
            comments: &comments,
            ..kifu("startpos moves 7g7f")
        };
        let csa = game.csa().expect("a game");
        let head = "$EVENT:table3 sigma=25 pair 0\n'build: 0.1.0 +7776FU\n'seed: 7\nP1-KY";
        assert!(csa.contains(head), "{csa}");
        let kif = game.kif().expect("a game");
        let head = "#build: 0.1.0 +7776FU\n#seed: 7\n棋戦：table3 sigma=25 pair 0\n";
        assert!(kif.starts_with(head), "{kif}");
    }

    #[test]
    fn the_loser_is_to_move_at_the_end_of_a_csa_file() {
        let moves = "startpos moves 7g7f 3c3d 8h2b+ 3a2b";
        let note = |time_ms| Note {
            time_ms,
            score: None,
        };
        let notes = [note(1_000), note(2_000), note(3_000)];
        let end = |ending, result| {
            let game = Kifu {
                ending,
                result,
                notes: &notes,
                ..kifu(moves)
            };
            let csa = game.csa().expect("a game");
            let (_, end) = csa.split_once("+7776FU\n").expect("the first move");
            end.to_owned()
        };
        let others = "-3334FU\nT1\n+8822UM\nT2\n";
        assert_eq!(
            end("adjudication", MatchOutcome::Win),
            format!(
                "{others}'adjudicated after -3122GI\n%TORYO\n'summary:adjudication:black win:white lose\n"
            )
        );
        for ending in ["adjudication", "mate"] {
            assert_eq!(
                end(ending, MatchOutcome::Loss),
                format!("{others}-3122GI\nT3\n%TORYO\n'summary:{ending}:black lose:white win\n")
            );
        }
    }

    #[test]
    fn a_declaration_names_its_winner_in_both_formats() {
        let declared = |result| {
            let game = Kifu {
                ending: "declaration",
                result,
                ..kifu("startpos moves 7g7f 3c3d")
            };
            (game.csa().expect("a game"), game.kif().expect("a game"))
        };
        let (csa, kif) = declared(MatchOutcome::Win);
        let end = "-3334FU\n%KACHI\n'summary:declaration:black win:white lose\n";
        assert!(csa.ends_with(end), "{csa}");
        let end = "   3 入玉勝ち\nまで2手で先手の入玉勝ち\n";
        assert!(kif.ends_with(end), "{kif}");
        // Where a declaration draws, neither side has won.
        let (csa, _) = declared(MatchOutcome::Draw);
        let end = "%JISHOGI\n'summary:declaration:black draw:white draw\n";
        assert!(csa.ends_with(end), "{csa}");
    }

    #[test]
    fn kif_files_have_the_moves() {
        let text = kifu("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e")
            .kif()
            .expect("a game");
        let end = "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n   \
                   5 ５五角打\n   6 投了\nまで5手で先手の勝ち\n";
        assert!(text.ends_with(end), "{text}");
        assert!(text.contains("手合割：平手\n先手：council\n後手：single\n"));
    }

    #[test]
    fn kif_files_omit_the_word_for_not_promoting() {
        let game = kifu("startpos moves 7g7f 3c3d 8h3c 2b3c");
        let text = game.kif().expect("a game");
        assert!(
            text.contains("   3 ３三角(88)\n   4 同　角(22)\n"),
            "{text}"
        );
    }

    #[test]
    fn times_and_evaluations_are_written_with_the_moves() {
        let note = |time_ms, score| Note { time_ms, score };
        let notes = [
            note(61_999, Some(-35)),
            note(999, None),
            note(3_600_000, Some(31_000)),
        ];
        let game = Kifu {
            notes: &notes,
            ..kifu("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e")
        };
        let csa = game.csa().expect("a game");
        let moves = "+\n+7776FU\n-3334FU\n+8822UM\nT61\n'** -35\n-3122GI\nT0\n+0055KA\nT3600\n'** 31000\n%TORYO\n";
        assert!(csa.ends_with(moves), "{csa}");
        let kif = game.kif().expect("a game");
        let moves = "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)   ( 1:01/00:01:01)\n**評価値=-35\n   \
                     4 同　銀(31)   ( 0:00/00:00:00)\n   5 ５五角打   (60:00/01:01:01)\n**評価値=31000\n   6 投了\n";
        assert!(kif.contains(moves), "{kif}");
    }

    #[test]
    fn other_start_positions_are_written_as_diagrams() {
        let sfen = "sfen 8k/9/7G1/9/9/9/9/9/K8 w 2PGb2p 1 moves B*5e";
        let game = kifu(sfen);
        let csa = game.csa().expect("a game");
        assert!(csa.contains("P+00FU\nP+00FU\nP+00KI\nP-00FU\nP-00FU\nP-00KA\n-\n-0055KA\n"));
        let kif = game.kif().expect("a game");
        assert!(kif.contains("後手の持駒：角　歩二　\n"), "{kif}");
        assert!(kif.contains("| ・ ・ ・ ・ ・ ・ ・ ・v玉|一\n"), "{kif}");
        assert!(kif.contains("先手の持駒：金　歩二　\n後手番\n"), "{kif}");
    }
}
