//! SFEN, the text form of positions: `board side hands [ply]`.

use super::{
    bitboard::Bitboard,
    color::Color,
    excerpt::excerpt,
    hand::Hand,
    legality::is_dead,
    piece::{Piece, PieceKind},
    position::Position,
    square::Square,
    zobrist,
};
use std::fmt;

/// The start position of an even game.
const STARTPOS: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Error of a text that is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SfenError {
    /// The text has too few or too many words.
    #[error("sfen must have four fields, 'board side hands ply', not {0}")]
    Fields(usize),
    /// The board does not have nine ranks.
    #[error("sfen board has {0} ranks, expected 9")]
    Ranks(usize),
    /// A rank is not nine squares wide.
    #[error("sfen rank {rank} has {width} squares, expected 9")]
    Width {
        /// The rank, `a` to `i`.
        rank: char,
        /// The squares found.
        width: usize,
    },
    /// A character is neither a piece nor a gap.
    #[error("'{letter}' in sfen rank {rank} is no piece and no gap of 1 to 9")]
    Letter {
        /// The rank, `a` to `i`.
        rank: char,
        /// The character.
        letter: char,
    },
    /// A `+` does not precede a piece that can promote.
    #[error("'+' in sfen rank {0} is not followed by a piece that promotes")]
    Promotion(char),
    /// The side to move is neither `b` nor `w`.
    #[error("sfen side to move is '{0}', expected b or w")]
    Side(String),
    /// The hands cannot be read.
    #[error("sfen hands are '{0}', expected - or counted pieces such as 2Pb")]
    Hands(String),
    /// The move number cannot be read.
    #[error("sfen ply is '{0}', expected a number up to 65535")]
    Ply(String),
    /// There are more pieces of a kind than in a set.
    #[error("{count} pieces of kind {kind}, a set has {max}")]
    TooMany {
        /// The letter of the kind.
        kind: char,
        /// Number of pieces, promoted ones and those in hand included.
        count: usize,
        /// Number of pieces in a set.
        max: usize,
    },
    /// A side has two kings.
    #[error("{0:?} has two kings")]
    TwoKings(Color),
    /// A piece could never move again.
    #[error("a {piece} on {square} could never move again")]
    Dead {
        /// The SFEN letter of the piece.
        piece: char,
        /// The square of the piece.
        square: Square,
    },
    /// A side has two unpromoted pawns on a file.
    #[error("{color:?} has two pawns on file {file}")]
    TwoPawns {
        /// The owner of the pawns.
        color: Color,
        /// The file, 1 to 9.
        file: usize,
    },
    /// The side that just moved has left its king in check.
    #[error("{0:?}, the side that is not to move, is in check")]
    OpponentInCheck(Color),
    /// More pieces give check than a move allows.
    #[error("{0} pieces give check; no move gives more than two")]
    TooManyCheckers(usize),
}

impl Position {
    /// Returns the position before the first move of an even game.
    pub fn startpos() -> Self {
        Self::from_sfen(STARTPOS).expect("the start position is legal")
    }

    /// Reads SFEN, with or without the ply.
    ///
    /// # Errors
    /// The text is malformed, or the position cannot exist.
    ///
    /// ```
    /// use monju_engine::Position;
    /// let text = "8k/9/7G1/9/9/9/9/9/K8 b G 1";
    /// assert_eq!(Position::from_sfen(text)?.to_string(), text);
    /// assert!(Position::from_sfen("8k/8P/9/9/9/9/9/9/K8 b - 1").is_err());
    /// # Ok::<(), monju_engine::SfenError>(())
    /// ```
    pub fn from_sfen(text: &str) -> Result<Self, SfenError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let (board, side, hands, ply) = match fields[..] {
            [board, side, hands] => (board, side, hands, "1"),
            [board, side, hands, ply] => (board, side, hands, ply),
            _ => return Err(SfenError::Fields(fields.len())),
        };
        let mut position = Self::empty();
        position.read_board(board)?;
        match side {
            "b" => {}
            "w" => {
                position.side = Color::White;
                position.key ^= zobrist::SIDE;
            }
            _ => return Err(SfenError::Side(excerpt(side))),
        }
        position.read_hands(hands)?;
        position.ply = ply
            .parse::<u16>()
            .map_err(|_| SfenError::Ply(excerpt(ply)))?
            // Some programs count from 0.
            .max(1)
            .into();
        position.check()?;
        Ok(position)
    }

    fn read_board(&mut self, text: &str) -> Result<(), SfenError> {
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != 9 {
            return Err(SfenError::Ranks(ranks.len()));
        }
        for (rank, text) in ranks.into_iter().enumerate() {
            let name = (b'a' + rank as u8) as char;
            let mut width = 0;
            let mut promoted = false;
            for letter in text.chars() {
                if let Some(gap @ 1..) = letter.to_digit(10) {
                    if promoted {
                        return Err(SfenError::Promotion(name));
                    }
                    width += gap as usize;
                } else if letter == '+' && !promoted {
                    promoted = true;
                } else {
                    let kind = PieceKind::from_letter(letter.to_ascii_uppercase())
                        .ok_or(SfenError::Letter { rank: name, letter })?;
                    if promoted && !kind.can_promote() {
                        return Err(SfenError::Promotion(name));
                    }
                    let kind = if promoted { kind.promoted() } else { kind };
                    promoted = false;
                    let color = if letter.is_ascii_uppercase() {
                        Color::Black
                    } else {
                        Color::White
                    };
                    if let Some(square) = 8usize
                        .checked_sub(width)
                        .and_then(|file| Square::at(file, rank))
                    {
                        self.put(Piece::new(color, kind), square);
                    }
                    width += 1;
                }
            }
            if promoted {
                return Err(SfenError::Promotion(name));
            }
            if width != 9 {
                return Err(SfenError::Width { rank: name, width });
            }
        }
        Ok(())
    }

    fn read_hands(&mut self, text: &str) -> Result<(), SfenError> {
        if text == "-" {
            return Ok(());
        }
        let bad = || SfenError::Hands(excerpt(text));
        let mut count: Option<usize> = None;
        for letter in text.chars() {
            if let Some(digit) = letter.to_digit(10) {
                let value = count.unwrap_or(0) * 10 + digit as usize;
                if value == 0 || value > 18 {
                    return Err(bad());
                }
                count = Some(value);
                continue;
            }
            let kind = PieceKind::from_letter(letter.to_ascii_uppercase())
                .filter(|&kind| kind != PieceKind::King)
                .ok_or_else(bad)?;
            let color = if letter.is_ascii_uppercase() {
                Color::Black
            } else {
                Color::White
            };
            let wanted = count.take().unwrap_or(1);
            if self.hand(color).count(kind) + wanted > kind.count_in_set() {
                return Err(SfenError::TooMany {
                    kind: kind.letter(),
                    count: self.hand(color).count(kind) + wanted,
                    max: kind.count_in_set(),
                });
            }
            for _ in 0..wanted {
                self.add_to_hand(color, kind);
            }
        }
        // A count must be followed by a piece.
        if count.is_some() || text.is_empty() {
            return Err(bad());
        }
        Ok(())
    }

    /// Checks that the position can exist.
    pub(super) fn check(&self) -> Result<(), SfenError> {
        for kind in PieceKind::HAND {
            let on_board = self.kinds[kind.index()].len()
                + if kind.can_promote() {
                    self.kinds[kind.promoted().index()].len()
                } else {
                    0
                };
            let in_hands: usize = Color::ALL.iter().map(|&c| self.hand(c).count(kind)).sum();
            let count = on_board + in_hands;
            if count > kind.count_in_set() {
                return Err(SfenError::TooMany {
                    kind: kind.letter(),
                    count,
                    max: kind.count_in_set(),
                });
            }
        }
        for color in Color::ALL {
            if self.pieces(color, PieceKind::King).has_several() {
                return Err(SfenError::TwoKings(color));
            }
            for square in self.pieces_of(color) {
                let piece = self.piece(square);
                if is_dead(piece, square.index()) {
                    return Err(SfenError::Dead {
                        piece: letter_of(piece),
                        square,
                    });
                }
            }
            let pawns = self.pieces(color, PieceKind::Pawn);
            for file in 0..9 {
                if (pawns & Bitboard::file(file)).has_several() {
                    return Err(SfenError::TwoPawns {
                        color,
                        file: file + 1,
                    });
                }
            }
        }
        if let Some(king) = self.king(!self.side)
            && self.is_attacked(self.side, king, self.occupied())
        {
            return Err(SfenError::OpponentInCheck(!self.side));
        }
        let checkers = self.checkers().len();
        if checkers > 2 {
            return Err(SfenError::TooManyCheckers(checkers));
        }
        Ok(())
    }
}

fn letter_of(piece: Piece) -> char {
    let letter = piece.kind().letter();
    match piece.color() {
        Color::Black => letter,
        Color::White => letter.to_ascii_lowercase(),
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 0..9 {
            if rank > 0 {
                f.write_str("/")?;
            }
            let mut gap = 0;
            for file in (0..9).rev() {
                let piece = self.board[file * 9 + rank];
                if piece.is_none() {
                    gap += 1;
                    continue;
                }
                if gap > 0 {
                    write!(f, "{gap}")?;
                    gap = 0;
                }
                if piece.kind().is_promoted() {
                    f.write_str("+")?;
                }
                write!(f, "{}", letter_of(piece))?;
            }
            if gap > 0 {
                write!(f, "{gap}")?;
            }
        }
        let side = match self.side {
            Color::Black => "b",
            Color::White => "w",
        };
        write!(f, " {side} ")?;
        if self.hands.iter().all(|hand| hand.is_empty()) {
            f.write_str("-")?;
        }
        for color in Color::ALL {
            write_hand(f, color, self.hand(color))?;
        }
        write!(f, " {}", self.ply)
    }
}

/// Writes a hand in the order of GUIs: rook, bishop, gold, silver, knight, lance, pawn.
fn write_hand(f: &mut fmt::Formatter<'_>, color: Color, hand: Hand) -> fmt::Result {
    for kind in [
        PieceKind::Rook,
        PieceKind::Bishop,
        PieceKind::Gold,
        PieceKind::Silver,
        PieceKind::Knight,
        PieceKind::Lance,
        PieceKind::Pawn,
    ] {
        let count = hand.count(kind);
        if count > 1 {
            write!(f, "{count}")?;
        }
        if count > 0 {
            write!(f, "{}", letter_of(Piece::new(color, kind)))?;
        }
    }
    Ok(())
}
