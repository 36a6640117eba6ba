//! Generation of legal moves: sets of destinations are computed piece by piece and passed to a
//! [`Sink`], which lists or counts them.

use super::{
    attacks::*,
    bitboard::Bitboard,
    check::CheckInfo,
    color::Color,
    piece::PieceKind,
    position::Position,
    sink::Sink,
    square::Square,
    zones::{LAST_RANK, LAST_TWO_RANKS, PROMOTION_ZONE},
};

/// Destinations of the wanted moves.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Destinations without promotion.
    pub plain: Bitboard,
    /// Destinations with promotion of lances, knights and silvers.
    pub promoting: Bitboard,
    /// Destinations with promotion of pawns, bishops and rooks, which is a large gain.
    pub rewarding: Bitboard,
    /// Squares for drops; occupied ones are ignored.
    pub drops: Bitboard,
}

impl Scope {
    /// Every legal move.
    pub const ALL: Self = Self {
        plain: Bitboard::ALL,
        promoting: Bitboard::ALL,
        rewarding: Bitboard::ALL,
        drops: Bitboard::ALL,
    };
}

/// Returns the files without a pawn. No file may have two of the given pawns.
#[inline(always)]
pub fn files_without(pawns: Bitboard) -> Bitboard {
    // In each group of nine bits, 2^8 minus the pawn's bit keeps bit 8 only without a pawn.
    let tops = Bitboard::rank(8).0;
    let free = (tops - pawns.0) & tops;
    Bitboard(free | (free - (free >> 8)))
}

/// Returns the squares in front of pawns.
#[inline(always)]
pub fn pawn_steps(color: Color, pawns: Bitboard) -> Bitboard {
    match color {
        Color::Black => pawns >> 1,
        Color::White => pawns << 1,
    }
}

/// Passes all legal moves within `scope` to `sink`. Without `ALL`, useless moves are left out:
/// pawns, bishops and rooks always promote where they can, and so do lances on the last two ranks.
#[inline(always)]
pub fn generate<const ALL: bool, S: Sink>(
    position: &Position,
    info: &CheckInfo,
    scope: Scope,
    sink: &mut S,
) {
    match position.side {
        Color::Black => generate_for::<ALL, false, S>(position, info, scope, sink),
        Color::White => generate_for::<ALL, true, S>(position, info, scope, sink),
    }
}

#[inline(always)]
fn generate_for<const ALL: bool, const WHITE: bool, S: Sink>(
    position: &Position,
    info: &CheckInfo,
    scope: Scope,
    sink: &mut S,
) {
    let us = if WHITE { Color::White } else { Color::Black };
    let own = position.colors[us.index()];
    let occupied = position.occupied();

    if let Some(king) = info.king {
        let reach = king_attacks(king).without(own) & scope.plain;
        if !reach.is_empty() {
            let safe = safe_squares(position, us, king, reach, occupied);
            sink.piece(king, safe, Bitboard::EMPTY);
        }
    }

    // In check, a piece other than the king must capture the checker or block the check.
    let mut reach = !own;
    let mut empty = !occupied;
    if !info.checkers.is_empty() {
        if info.checkers.has_several() {
            return;
        }
        if let (Some(king), Some(checker)) = (info.king, info.checkers.first()) {
            let line = between(king, checker);
            reach = line | info.checkers;
            empty = line;
        }
    }
    board_moves::<ALL, S>(position, us, info, reach, scope, sink);
    let targets = empty & scope.drops;
    if !position.hands[us.index()].is_empty() && !targets.is_empty() {
        drop_moves(position, us, targets, sink);
    }
}

/// Returns the squares of `reach` on which the king of `us` would not be attacked.
#[inline(always)]
fn safe_squares(
    position: &Position,
    us: Color,
    king: Square,
    reach: Bitboard,
    occupied: Bitboard,
) -> Bitboard {
    let without_king = occupied ^ Bitboard::of(king);
    let mut safe = reach;
    for to in reach {
        if position.is_attacked(!us, to, without_king) {
            safe ^= Bitboard::of(to);
        }
    }
    safe
}

#[inline(always)]
fn board_moves<const ALL: bool, S: Sink>(
    position: &Position,
    us: Color,
    info: &CheckInfo,
    reach: Bitboard,
    scope: Scope,
    sink: &mut S,
) {
    let own = position.colors[us.index()];
    let occupied = position.occupied();
    let zone = PROMOTION_ZONE[us.index()];
    let last = LAST_RANK[us.index()];
    let plain = reach & scope.plain;
    let promoting = reach & scope.promoting;
    let rewarding = reach & scope.rewarding;
    let kinds = &position.kinds;
    // Promotion of a pawn is a pure gain, so that only `ALL` includes moves that decline it.
    let declining = if ALL { plain } else { plain.without(zone) };

    let mut pawns = kinds[PieceKind::Pawn.index()] & own;
    if pawns.intersects(info.pinned) {
        // A pinned pawn moves only along its king's file.
        if let Some(king) = info.king {
            pawns = pawns.without(info.pinned.without(Bitboard::file(king.file())));
        }
    }
    let steps = pawn_steps(us, pawns);
    sink.pawns(
        us,
        (steps & declining).without(last),
        steps & rewarding & zone,
    );

    for from in kinds[PieceKind::Lance.index()] & own {
        let mut to = lance_attacks(us, from, occupied);
        if info.pinned.contains(from) {
            to &= info.pin_line(from);
        }
        let stay = if ALL {
            plain.without(last)
        } else {
            plain.without(LAST_TWO_RANKS[us.index()])
        };
        sink.piece(from, to & stay, to & promoting & zone);
    }

    for from in (kinds[PieceKind::Knight.index()] & own).without(info.pinned) {
        let to = knight_attacks(us, from);
        let stay = plain.without(LAST_TWO_RANKS[us.index()]);
        sink.piece(from, to & stay, to & promoting & zone);
    }

    for from in kinds[PieceKind::Silver.index()] & own {
        let mut to = silver_attacks(us, from);
        if info.pinned.contains(from) {
            to &= info.pin_line(from);
        }
        let zone = if zone.contains(from) {
            Bitboard::ALL
        } else {
            zone
        };
        sink.piece(from, to & plain, to & promoting & zone);
    }

    for from in position.gold_movers() & own {
        let mut to = gold_attacks(us, from);
        if info.pinned.contains(from) {
            to &= info.pin_line(from);
        }
        sink.piece(from, to & plain, Bitboard::EMPTY);
    }

    for from in position.bishop_movers() & own {
        let mut to = bishop_attacks(from, occupied);
        let promoted = kinds[PieceKind::Horse.index()].contains(from);
        if promoted {
            to |= king_attacks(from);
        }
        if info.pinned.contains(from) {
            to &= info.pin_line(from);
        }
        slider::<ALL, S>(from, to, promoted, zone, plain, rewarding, sink);
    }

    for from in position.rook_movers() & own {
        let mut to = rook_attacks(from, occupied);
        let promoted = kinds[PieceKind::Dragon.index()].contains(from);
        if promoted {
            to |= king_attacks(from);
        }
        if info.pinned.contains(from) {
            to &= info.pin_line(from);
        }
        slider::<ALL, S>(from, to, promoted, zone, plain, rewarding, sink);
    }
}

#[inline(always)]
fn slider<const ALL: bool, S: Sink>(
    from: Square,
    to: Bitboard,
    promoted: bool,
    zone: Bitboard,
    plain: Bitboard,
    rewarding: Bitboard,
    sink: &mut S,
) {
    if promoted {
        sink.piece(from, to & plain, Bitboard::EMPTY);
        return;
    }
    let zone = if zone.contains(from) {
        Bitboard::ALL
    } else {
        zone
    };
    let stay = if ALL { plain } else { plain.without(zone) };
    sink.piece(from, to & stay, to & rewarding & zone);
}

#[inline(always)]
fn drop_moves<S: Sink>(position: &Position, us: Color, targets: Bitboard, sink: &mut S) {
    let hand = position.hands[us.index()];
    if hand.has(PieceKind::Pawn) {
        let pawns = position.pieces(us, PieceKind::Pawn);
        let mut to = targets.without(LAST_RANK[us.index()]) & files_without(pawns);
        if let Some(king) = position.king(!us) {
            let ahead = pawn_attacks(!us, king) & to;
            if let Some(square) = ahead.first()
                && position.is_pawn_drop_mate(us, square, king)
            {
                to ^= ahead;
            }
        }
        sink.drops(1 << PieceKind::Pawn.index(), to);
    }
    if hand.has(PieceKind::Lance) {
        let to = targets.without(LAST_RANK[us.index()]);
        sink.drops(1 << PieceKind::Lance.index(), to);
    }
    if hand.has(PieceKind::Knight) {
        let to = targets.without(LAST_TWO_RANKS[us.index()]);
        sink.drops(1 << PieceKind::Knight.index(), to);
    }
    let mut kinds = 0;
    for kind in [
        PieceKind::Silver,
        PieceKind::Gold,
        PieceKind::Bishop,
        PieceKind::Rook,
    ] {
        kinds |= (hand.has(kind) as u8) << kind.index();
    }
    if kinds != 0 {
        sink.drops(kinds, targets);
    }
}

impl Position {
    /// Tells whether a pawn dropped by `us` on `square` mates the king that it checks.
    #[inline]
    pub fn is_pawn_drop_mate(&self, us: Color, square: Square, king: Square) -> bool {
        let them = !us;
        let occupied = self.occupied() | Bitboard::of(square);
        if !self.is_attacked(us, square, occupied) {
            return false;
        }

        // Captures of the pawn by other pieces; a piece pinned along the file may capture it, too.
        let capturers = self
            .attackers(them, square, occupied)
            .without(Bitboard::of(king));
        if !capturers.is_empty() {
            let pinned = self.blockers(them, king);
            for capturer in capturers {
                if !pinned.contains(capturer) || king.file() == capturer.file() {
                    return false;
                }
            }
        }

        let own = self.colors[them.index()];
        let escapes = king_attacks(king)
            .without(own)
            .without(Bitboard::of(square));
        let without_king = occupied ^ Bitboard::of(king);
        escapes
            .squares()
            .all(|to| self.is_attacked(us, to, without_king))
    }
}
