//! Attacks of pieces, from tables for steppers and from rays for sliders.

use super::{
    bitboard::Bitboard,
    color::Color,
    piece::{Piece, PieceKind},
    square::Square,
};

type SquareTable = [Bitboard; Square::COUNT];

/// Steps of the eight directions as (file, rank). A direction and its opposite differ in the lowest
/// bit; odd directions lead to squares with higher numbers.
const DIRECTIONS: [(i32, i32); 8] = [
    (0, -1),
    (0, 1),
    (-1, 0),
    (1, 0),
    (-1, -1),
    (1, 1),
    (-1, 1),
    (1, -1),
];

/// Number in [`DIRECTION_OF`] of two squares that share no line.
const NO_DIRECTION: u8 = 8;

const fn step(square: usize, files: i32, ranks: i32) -> Option<usize> {
    let file = (square / 9) as i32 + files;
    let rank = (square % 9) as i32 + ranks;
    if file >= 0 && file < 9 && rank >= 0 && rank < 9 {
        Some((file * 9 + rank) as usize)
    } else {
        None
    }
}

const fn steps_table(steps: &[(i32, i32)], sign: i32) -> SquareTable {
    let mut table = [Bitboard::EMPTY; Square::COUNT];
    let mut square = 0;
    while square < Square::COUNT {
        let mut i = 0;
        while i < steps.len() {
            if let Some(to) = step(square, steps[i].0, sign * steps[i].1) {
                table[square].0 |= 1 << to;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn both(steps: &[(i32, i32)]) -> [SquareTable; 2] {
    [steps_table(steps, 1), steps_table(steps, -1)]
}

static PAWN: [SquareTable; 2] = both(&[(0, -1)]);
static KNIGHT: [SquareTable; 2] = both(&[(-1, -2), (1, -2)]);
static SILVER: [SquareTable; 2] = both(&[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)]);
static GOLD: [SquareTable; 2] = both(&[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]);
static KING: SquareTable = steps_table(&DIRECTIONS, 1);

static RAYS: [SquareTable; 8] = {
    let mut rays = [[Bitboard::EMPTY; Square::COUNT]; 8];
    let mut direction = 0;
    while direction < 8 {
        let (files, ranks) = DIRECTIONS[direction];
        let mut square = 0;
        while square < Square::COUNT {
            let mut at = square;
            while let Some(to) = step(at, files, ranks) {
                rays[direction][square].0 |= 1 << to;
                at = to;
            }
            square += 1;
        }
        direction += 1;
    }
    rays
};

/// Direction from one square to another, indexed by origin and destination.
static DIRECTION_OF: [[u8; Square::COUNT]; Square::COUNT] = {
    let mut table = [[NO_DIRECTION; Square::COUNT]; Square::COUNT];
    let mut direction = 0;
    while direction < 8 {
        let (files, ranks) = DIRECTIONS[direction];
        let mut square = 0;
        while square < Square::COUNT {
            let mut at = square;
            while let Some(to) = step(at, files, ranks) {
                table[square][to] = direction as u8;
                at = to;
            }
            square += 1;
        }
        direction += 1;
    }
    table
};

/// Returns the squares of a ray up to the first occupied one, in a direction with rising numbers.
#[inline(always)]
fn slide_up<const DIRECTION: usize>(square: Square, occupied: Bitboard) -> Bitboard {
    let ray = RAYS[DIRECTION][square.index()].0;
    let blockers = ray & occupied.0;
    Bitboard(ray & (blockers ^ blockers.wrapping_sub(1)))
}

/// Returns the squares of a ray up to the first occupied one, in a direction with falling numbers.
#[inline(always)]
fn slide_down<const DIRECTION: usize>(square: Square, occupied: Bitboard) -> Bitboard {
    let ray = RAYS[DIRECTION][square.index()].0;
    let blockers = ray & occupied.0;
    Bitboard(ray & FROM[(blockers | 1).ilog2() as usize & 127])
}

/// The bits from each bit on.
static FROM: [u128; 128] = {
    let mut sets = [0; 128];
    let mut bit = 0;
    while bit < 128 {
        sets[bit] = u128::MAX << bit;
        bit += 1;
    }
    sets
};

/// Returns the squares in a direction up to the edge of the board, without the square itself.
///
/// # Panics
/// `direction` is 8 or more.
#[inline(always)]
pub fn ray(direction: usize, square: Square) -> Bitboard {
    RAYS[direction][square.index()]
}

/// Returns the direction from one square to another on the same rank, file or diagonal.
#[inline(always)]
pub fn direction(from: Square, to: Square) -> Option<usize> {
    let direction = DIRECTION_OF[from.index()][to.index()];
    (direction != NO_DIRECTION).then_some(direction as usize)
}

/// Returns the squares strictly between two squares of a line; empty if they share no line.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    let direction = DIRECTION_OF[a.index()][b.index()] as usize;
    if direction == NO_DIRECTION as usize {
        return Bitboard::EMPTY;
    }
    RAYS[direction][a.index()] & RAYS[direction ^ 1][b.index()]
}

/// Attacks of a pawn.
#[inline(always)]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Attacks of a knight.
#[inline(always)]
pub fn knight_attacks(color: Color, square: Square) -> Bitboard {
    KNIGHT[color.index()][square.index()]
}

/// Attacks of a silver.
#[inline(always)]
pub fn silver_attacks(color: Color, square: Square) -> Bitboard {
    SILVER[color.index()][square.index()]
}

/// Attacks of a gold and of the pieces that promote to it.
#[inline(always)]
pub fn gold_attacks(color: Color, square: Square) -> Bitboard {
    GOLD[color.index()][square.index()]
}

/// Attacks of a king.
#[inline(always)]
pub fn king_attacks(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Attacks of a lance.
#[inline(always)]
pub fn lance_attacks(color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match color {
        Color::Black => slide_down::<0>(square, occupied),
        Color::White => slide_up::<1>(square, occupied),
    }
}

/// Attacks of a lance on an empty board.
#[inline(always)]
pub(super) fn lance_lines(color: Color, square: Square) -> Bitboard {
    RAYS[color.index()][square.index()]
}

/// Attacks of a bishop.
#[inline(always)]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    slide_down::<4>(square, occupied)
        | slide_up::<5>(square, occupied)
        | slide_down::<6>(square, occupied)
        | slide_up::<7>(square, occupied)
}

/// Attacks of a bishop on an empty board.
#[inline(always)]
pub(super) fn bishop_lines(square: Square) -> Bitboard {
    static LINES: SquareTable = {
        let mut table = [Bitboard::EMPTY; Square::COUNT];
        let mut square = 0;
        while square < Square::COUNT {
            table[square].0 =
                RAYS[4][square].0 | RAYS[5][square].0 | RAYS[6][square].0 | RAYS[7][square].0;
            square += 1;
        }
        table
    };
    LINES[square.index()]
}

/// Attacks of a rook.
#[inline(always)]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    slide_down::<0>(square, occupied)
        | slide_up::<1>(square, occupied)
        | slide_down::<2>(square, occupied)
        | slide_up::<3>(square, occupied)
}

/// Attacks of a rook on an empty board.
#[inline(always)]
pub(super) fn rook_lines(square: Square) -> Bitboard {
    static LINES: SquareTable = {
        let mut table = [Bitboard::EMPTY; Square::COUNT];
        let mut square = 0;
        while square < Square::COUNT {
            table[square].0 =
                RAYS[0][square].0 | RAYS[1][square].0 | RAYS[2][square].0 | RAYS[3][square].0;
            square += 1;
        }
        table
    };
    LINES[square.index()]
}

/// Returns the attacks of pieces that all step by `FILES` and `RANKS`.
#[inline(always)]
pub(super) fn stepped<const FILES: i32, const RANKS: i32>(pieces: Bitboard) -> Bitboard {
    const fn edge(ranks: i32) -> u128 {
        let mut edge = 0;
        let mut rank = 0;
        while rank < 9 {
            let to = rank as i32 + ranks;
            if to < 0 || to >= 9 {
                edge |= Bitboard::rank(rank).0;
            }
            rank += 1;
        }
        edge
    }
    let stay = const { !edge(RANKS) };
    let distance = const { 9 * FILES + RANKS };
    let from = pieces.0 & stay;
    // Bits beyond a file at the edge are shifted out at one end and masked at the other.
    Bitboard(if distance < 0 {
        from >> -distance
    } else {
        from << distance
    }) & Bitboard::ALL
}

/// Attacks of any piece.
#[inline(always)]
pub fn piece_attacks(piece: Piece, square: Square, occupied: Bitboard) -> Bitboard {
    let color = piece.color();
    match piece.kind() {
        PieceKind::Pawn => pawn_attacks(color, square),
        PieceKind::Lance => lance_attacks(color, square, occupied),
        PieceKind::Knight => knight_attacks(color, square),
        PieceKind::Silver => silver_attacks(color, square),
        PieceKind::Bishop => bishop_attacks(square, occupied),
        PieceKind::Rook => rook_attacks(square, occupied),
        PieceKind::Gold
        | PieceKind::ProPawn
        | PieceKind::ProLance
        | PieceKind::ProKnight
        | PieceKind::ProSilver => gold_attacks(color, square),
        PieceKind::King => king_attacks(square),
        PieceKind::Horse => bishop_attacks(square, occupied) | king_attacks(square),
        PieceKind::Dragon => rook_attacks(square, occupied) | king_attacks(square),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes attacks square by square, by their definition.
    fn walk(square: Square, directions: &[usize], occupied: Bitboard) -> Bitboard {
        let mut attacks = Bitboard::EMPTY;
        for &direction in directions {
            let (files, ranks) = DIRECTIONS[direction];
            let mut at = square.index();
            while let Some(to) = step(at, files, ranks) {
                at = to;
                attacks.0 |= 1 << to;
                if occupied.0 >> to & 1 == 1 {
                    break;
                }
            }
        }
        attacks
    }

    #[test]
    fn sliders_stop_at_the_first_piece() {
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            state >> 32
        };
        for _ in 0..200 {
            let bits = (random() as u128) << 64 | (random() as u128) << 32 | random() as u128;
            let thin = bits & ((random() as u128) << 64 | (random() as u128) << 32);
            for occupied in [
                Bitboard(bits) & Bitboard::ALL,
                Bitboard(thin) & Bitboard::ALL,
            ] {
                for square in Square::all() {
                    assert_eq!(
                        rook_attacks(square, occupied),
                        walk(square, &[0, 1, 2, 3], occupied)
                    );
                    assert_eq!(
                        bishop_attacks(square, occupied),
                        walk(square, &[4, 5, 6, 7], occupied)
                    );
                    for color in Color::ALL {
                        assert_eq!(
                            lance_attacks(color, square, occupied),
                            walk(square, &[color.index()], occupied)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn sets_step_like_single_pieces() {
        fn check<const FILES: i32, const RANKS: i32>() {
            for square in Square::all() {
                let expected = step(square.index(), FILES, RANKS)
                    .map_or(Bitboard::EMPTY, |to| Bitboard::of(Square::from_index(to)));
                assert_eq!(
                    stepped::<FILES, RANKS>(Bitboard::of(square)),
                    expected,
                    "{square}"
                );
            }
        }
        check::<0, 1>();
        check::<0, -1>();
        check::<1, 0>();
        check::<-1, 0>();
        check::<1, 1>();
        check::<1, -1>();
        check::<-1, 1>();
        check::<-1, -1>();
        check::<1, -2>();
        check::<-1, -2>();
        check::<1, 2>();
        check::<-1, 2>();
    }

    #[test]
    fn between_is_the_open_segment() {
        for a in Square::all() {
            for b in Square::all() {
                let expected = (0..8)
                    .map(|d| walk(a, &[d], Bitboard::of(b)))
                    .find(|line| line.contains(b))
                    .map_or(Bitboard::EMPTY, |line| line ^ Bitboard::of(b));
                assert_eq!(between(a, b), expected, "{a} {b}");
            }
        }
    }
}
