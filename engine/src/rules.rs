//! The rules of shogi on bitboards: positions, moves, repetition, declaration, text.

mod attacks;
mod bitboard;
mod check;
mod color;
mod csa;
mod declaration;
mod excerpt;
mod game;
mod generate;
mod gives_check;
mod hand;
mod japanese;
mod legality;
mod make;
mod move_list;
mod moves;
mod packed;
mod perft;
mod piece;
mod position;
mod repetition;
mod sfen;
mod sink;
mod square;
mod structure;
#[cfg(test)]
pub(crate) mod testing;
mod zobrist;
mod zones;

pub use attacks::{
    between, bishop_attacks, direction, gold_attacks, king_attacks, knight_attacks, lance_attacks,
    pawn_attacks, piece_attacks, ray, rook_attacks, silver_attacks,
};
pub use bitboard::{Bitboard, Squares};
pub use check::CheckInfo;
pub use color::Color;
pub use declaration::EnteringKingRule;
pub(crate) use excerpt::excerpt;
pub use game::{Game, GameError, GameRules};
pub use generate::{Scope, generate};
pub use gives_check::CheckTargets;
pub use hand::Hand;
pub use make::Undo;
pub use move_list::{MOST_LEGAL_MOVES, MoveList};
pub use moves::{Move, MoveError};
pub use packed::PackedError;
pub use perft::{perft, perft_every_leaf};
pub use piece::{Piece, PieceKind};
pub use position::Position;
pub(crate) use repetition::KeyHistoryEntry;
pub use repetition::Repetition;
pub use sfen::SfenError;
pub use sink::{PushMove, Sink};
pub use square::Square;
pub use structure::Structure;
