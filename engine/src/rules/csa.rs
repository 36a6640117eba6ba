//! Positions and moves in CSA, the format of servers and records (version 2.2).

use super::{
    color::Color,
    moves::Move,
    piece::{Piece, PieceKind},
    position::Position,
    square::Square,
};

fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

impl PieceKind {
    /// Returns the two letters of the kind in CSA.
    pub const fn csa(self) -> &'static str {
        match self {
            Self::Pawn => "FU",
            Self::Lance => "KY",
            Self::Knight => "KE",
            Self::Silver => "GI",
            Self::Bishop => "KA",
            Self::Rook => "HI",
            Self::Gold => "KI",
            Self::King => "OU",
            Self::ProPawn => "TO",
            Self::ProLance => "NY",
            Self::ProKnight => "NK",
            Self::ProSilver => "NG",
            Self::Horse => "UM",
            Self::Dragon => "RY",
        }
    }
}

fn digits(square: Square) -> String {
    format!("{}{}", square.file() + 1, square.rank() + 1)
}

impl Position {
    /// Returns a legal move in CSA; the text of an illegal move is unspecified.
    ///
    /// ```
    /// use monju_engine::Game;
    /// let game = Game::startpos();
    /// let mv = game.parse_move("7g7f")?;
    /// assert_eq!(game.position().csa_move(mv), "+7776FU");
    /// # Ok::<(), monju_engine::MoveError>(())
    /// ```
    pub fn csa_move(&self, mv: Move) -> String {
        let us = self.side_to_move();
        let placed = match (mv.from(), mv.dropped()) {
            (Some(from), _) => mv.placed(self.piece(from)),
            (None, dropped) => Piece::new(us, dropped.unwrap_or(PieceKind::Pawn)),
        };
        // CSA names the piece after the move.
        let kind = placed.get().map_or(PieceKind::Pawn, |(_, kind)| kind);
        let from = mv.from().map_or("00".to_owned(), digits);
        format!("{}{from}{}{}", sign(us), digits(mv.to()), kind.csa())
    }

    /// Returns the lines of the position: the ranks, the hands, and the side to move.
    pub fn to_csa(&self) -> String {
        let mut text = String::new();
        for rank in 0..9 {
            text.push_str(&format!("P{}", rank + 1));
            for file in (0..9).rev() {
                match Square::at(file, rank).and_then(|square| self.piece(square).get()) {
                    Some((color, kind)) => {
                        text.push(sign(color));
                        text.push_str(kind.csa());
                    }
                    None => text.push_str(" * "),
                }
            }
            text.push('\n');
        }
        for color in Color::ALL {
            for kind in PieceKind::HAND {
                for _ in 0..self.hand(color).count(kind) {
                    text.push_str(&format!("P{}00{}\n", sign(color), kind.csa()));
                }
            }
        }
        text.push(sign(self.side_to_move()));
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::Game;

    #[test]
    fn moves_name_the_piece_that_stands_on_their_square_afterwards() {
        let start = "sfen 4k4/1P7/9/9/9/9/9/9/1+R2K4 b G 1 moves";
        let game = Game::from_usi(start).expect("a game");
        for (usi, csa) in [
            ("8b8a+", "+8281TO"),
            ("8i8h", "+8988RY"),
            ("G*5b", "+0052KI"),
        ] {
            let mv = game.parse_move(usi).expect("a legal move");
            assert_eq!(game.position().csa_move(mv), csa);
        }
    }
}
