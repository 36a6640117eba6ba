//! Japanese notation with the origin in brackets, as in KIF files; a declined promotion is marked 不成.

use super::{color::Color, game::Game, moves::Move, piece::PieceKind, zones::PROMOTION_ZONE};

const FILES: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
const RANKS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

impl PieceKind {
    /// Returns the name of the kind in moves: one character, two for a promoted silver, knight or lance.
    pub const fn japanese(self) -> &'static str {
        match self {
            Self::Pawn => "歩",
            Self::Lance => "香",
            Self::Knight => "桂",
            Self::Silver => "銀",
            Self::Bishop => "角",
            Self::Rook => "飛",
            Self::Gold => "金",
            Self::King => "玉",
            Self::ProPawn => "と",
            Self::ProLance => "成香",
            Self::ProKnight => "成桂",
            Self::ProSilver => "成銀",
            Self::Horse => "馬",
            Self::Dragon => "龍",
        }
    }
}

impl Game {
    /// Returns a legal move in Japanese notation with its origin, such as `▲７六歩(77)` or `△５五角打`;
    /// `同` stands for the square of the move before. The text of an illegal move is unspecified.
    ///
    /// ```
    /// use monju_engine::Game;
    /// let game = Game::startpos();
    /// let mv = game.parse_move("7g7f")?;
    /// assert_eq!(game.japanese(mv), "▲７六歩(77)");
    /// # Ok::<(), monju_engine::MoveError>(())
    /// ```
    pub fn japanese(&self, mv: Move) -> String {
        let position = self.position();
        let side = position.side_to_move();
        let mark = match side {
            Color::Black => '▲',
            Color::White => '△',
        };
        let to = mv.to();
        let mut text = String::from(mark);
        if self.moves().last().is_some_and(|last| last.to() == to) {
            text.push('同');
        } else {
            text.push(FILES[to.file()]);
            text.push(RANKS[to.rank()]);
        }
        if let Some(kind) = mv.dropped() {
            text.push_str(kind.japanese());
            text.push('打');
        } else if let Some(from) = mv.from() {
            let zone = PROMOTION_ZONE[side.index()];
            if let Some((_, kind)) = position.piece(from).get() {
                text.push_str(kind.japanese());
                if mv.is_promotion() {
                    text.push('成');
                } else if kind.can_promote() && (zone.contains(from) || zone.contains(to)) {
                    text.push_str("不成");
                }
            }
            text.push_str(&format!("({}{})", from.file() + 1, from.rank() + 1));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_written_as_in_kif_files() {
        let mut game = Game::startpos();
        let mut written = Vec::new();
        for text in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"] {
            let mv = game.parse_move(text).unwrap();
            written.push(game.japanese(mv));
            game.play(mv).unwrap();
        }
        let expected = [
            "▲７六歩(77)",
            "△３四歩(33)",
            "▲２二角成(88)",
            "△同銀(31)",
            "▲５五角打",
        ];
        assert_eq!(written, expected);
    }
}
