use super::{
    attacks::*,
    bitboard::Bitboard,
    color::Color,
    hand::Hand,
    piece::{Piece, PieceKind},
    square::Square,
    zobrist,
};

/// A position that can exist: each side has at most one king, no dead pieces, no two unpromoted
/// pawns of one side on a file, and the side that just moved is not in check.
///
/// A side may lack its king, as the attacker does in mate problems and both do in diagrams of how
/// a piece moves. `Display` and [`Position::from_sfen`] are SFEN.
#[derive(Clone, Debug)]
pub struct Position {
    pub(super) kinds: [Bitboard; 16],
    pub(super) colors: [Bitboard; 2],
    pub(super) board: [Piece; Square::COUNT],
    pub(super) side: Color,
    pub(super) hands: [Hand; 2],
    pub(super) key: u64,
    pub(super) ply: u32,
}

impl PartialEq for Position {
    /// The same pieces, hands and side to move; the ply does not count.
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
            && self.board == other.board
            && self.kinds == other.kinds
            && self.colors == other.colors
            && self.hands == other.hands
            && self.side == other.side
    }
}

impl Eq for Position {}

impl Position {
    /// An empty board with Black to move, from which the reader builds.
    pub(super) fn empty() -> Self {
        Self {
            kinds: [Bitboard::EMPTY; 16],
            colors: [Bitboard::EMPTY; 2],
            board: [Piece::NONE; Square::COUNT],
            side: Color::Black,
            hands: [Hand::default(); 2],
            key: 0,
            ply: 1,
        }
    }

    /// Who moves.
    #[inline(always)]
    pub const fn side_to_move(&self) -> Color {
        self.side
    }

    /// The number of the next move, 1 at the start of a game.
    #[inline(always)]
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// The Zobrist key of pieces, hands and side to move.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// What stands on a square.
    #[inline(always)]
    pub const fn piece(&self, square: Square) -> Piece {
        self.board[square.index()]
    }

    /// What a side holds in its hand.
    #[inline(always)]
    pub const fn hand(&self, color: Color) -> Hand {
        self.hands[color.index()]
    }

    /// All squares with a piece.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The squares of a side's pieces.
    #[inline(always)]
    pub const fn pieces_of(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The squares of all pieces of one kind, of both sides.
    #[inline(always)]
    pub const fn pieces_of_kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The squares of a side's pieces of one kind.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()] & self.colors[color.index()]
    }

    /// The squares of golds and of what moves like one, of both sides.
    #[inline(always)]
    pub(super) fn gold_movers(&self) -> Bitboard {
        self.kinds[PieceKind::Gold.index()]
            | self.kinds[PieceKind::ProPawn.index()]
            | self.kinds[PieceKind::ProLance.index()]
            | self.kinds[PieceKind::ProKnight.index()]
            | self.kinds[PieceKind::ProSilver.index()]
    }

    /// Bishops and horses of both sides.
    #[inline(always)]
    pub(super) fn bishop_movers(&self) -> Bitboard {
        self.kinds[PieceKind::Bishop.index()] | self.kinds[PieceKind::Horse.index()]
    }

    /// Rooks and dragons of both sides.
    #[inline(always)]
    pub(super) fn rook_movers(&self) -> Bitboard {
        self.kinds[PieceKind::Rook.index()] | self.kinds[PieceKind::Dragon.index()]
    }

    /// Kings, horses and dragons of both sides: what attacks all neighbouring squares.
    #[inline(always)]
    pub(super) fn king_steppers(&self) -> Bitboard {
        self.kinds[PieceKind::King.index()]
            | self.kinds[PieceKind::Horse.index()]
            | self.kinds[PieceKind::Dragon.index()]
    }

    /// Where a side's king stands, if it has one.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.pieces(color, PieceKind::King).first()
    }

    /// The pieces of `color` that attack `square`, with the board occupied as given.
    #[inline(always)]
    pub fn attackers(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let victim = !color;
        let mut attackers = pawn_attacks(victim, square) & self.kinds[PieceKind::Pawn.index()];
        attackers |= knight_attacks(victim, square) & self.kinds[PieceKind::Knight.index()];
        attackers |= silver_attacks(victim, square) & self.kinds[PieceKind::Silver.index()];
        attackers |= gold_attacks(victim, square) & self.gold_movers();
        attackers |= king_attacks(square) & self.king_steppers();
        attackers &= self.colors[color.index()];
        attackers | self.sliding_attackers(color, square, occupied)
    }

    #[inline(always)]
    fn sliding_attackers(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let own = self.colors[color.index()];
        let mut attackers = Bitboard::EMPTY;
        let lances = self.kinds[PieceKind::Lance.index()] & own;
        if lances.intersects(lance_lines(!color, square)) {
            attackers |= lance_attacks(!color, square, occupied) & lances;
        }
        let bishops = self.bishop_movers() & own;
        if bishops.intersects(bishop_lines(square)) {
            attackers |= bishop_attacks(square, occupied) & bishops;
        }
        let rooks = self.rook_movers() & own;
        if rooks.intersects(rook_lines(square)) {
            attackers |= rook_attacks(square, occupied) & rooks;
        }
        attackers
    }

    /// Whether `color` attacks `square`, with the board occupied as given.
    #[inline(always)]
    pub fn is_attacked(&self, color: Color, square: Square, occupied: Bitboard) -> bool {
        !self.attackers(color, square, occupied).is_empty()
    }

    /// Every square that a side attacks, with `occupied` for the pieces that stop sliders.
    #[inline]
    pub fn attacked_by(&self, color: Color, occupied: Bitboard) -> Bitboard {
        match color {
            Color::Black => self.attacked_forward::<-1, 1, -2>(color, occupied),
            Color::White => self.attacked_forward::<1, -1, 2>(color, occupied),
        }
    }

    /// The same; `FORWARD` and `BACK` are steps of one rank, `LEAP` is a knight's of two.
    #[inline(always)]
    fn attacked_forward<const FORWARD: i32, const BACK: i32, const LEAP: i32>(
        &self,
        color: Color,
        occupied: Bitboard,
    ) -> Bitboard {
        let own = self.colors[color.index()];
        let kind = |kind: PieceKind| self.kinds[kind.index()] & own;
        let golds = self.gold_movers() & own;
        let kings = self.king_steppers() & own;
        let silvers = kind(PieceKind::Silver) | kings;
        let sides = golds | kings;
        let diagonals = golds | silvers;
        let knights = kind(PieceKind::Knight);
        let mut attacked = stepped::<0, FORWARD>(diagonals | kind(PieceKind::Pawn))
            | stepped::<1, FORWARD>(diagonals)
            | stepped::<-1, FORWARD>(diagonals)
            | stepped::<1, 0>(sides)
            | stepped::<-1, 0>(sides)
            | stepped::<0, BACK>(sides)
            | stepped::<1, BACK>(silvers)
            | stepped::<-1, BACK>(silvers)
            | stepped::<1, LEAP>(knights)
            | stepped::<-1, LEAP>(knights);
        for square in kind(PieceKind::Lance) {
            attacked |= lance_attacks(color, square, occupied);
        }
        for square in self.bishop_movers() & own {
            attacked |= bishop_attacks(square, occupied);
        }
        for square in self.rook_movers() & own {
            attacked |= rook_attacks(square, occupied);
        }
        attacked
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        match self.king(self.side) {
            Some(king) => self.attackers(!self.side, king, self.occupied()),
            None => Bitboard::EMPTY,
        }
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// Puts a piece on an empty square, keeping every board and the key in step.
    #[inline(always)]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind().index()] ^= bit;
        self.colors[piece.color().index()] ^= bit;
        self.board[square.index()] = piece;
        self.key ^= zobrist::board(piece, square);
    }

    /// Adds a piece to a hand, keeping the key in step.
    #[inline(always)]
    pub(super) fn add_to_hand(&mut self, color: Color, kind: PieceKind) {
        let hand = &mut self.hands[color.index()];
        hand.add(kind);
        self.key ^= zobrist::hand(color, kind, hand.count(kind));
    }

    /// The key computed from the pieces, hands and side alone.
    pub fn recomputed_key(&self) -> u64 {
        let mut key = match self.side {
            Color::Black => 0,
            Color::White => zobrist::SIDE,
        };
        for square in self.occupied() {
            key ^= zobrist::board(self.piece(square), square);
        }
        for color in Color::ALL {
            for kind in PieceKind::HAND {
                for count in 1..=self.hand(color).count(kind) {
                    key ^= zobrist::hand(color, kind, count);
                }
            }
        }
        key
    }
}
