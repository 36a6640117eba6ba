use super::{
    attacks::*,
    bitboard::Bitboard,
    color::Color,
    hand::Hand,
    piece::{Piece, PieceKind},
    square::Square,
    structure::Structure,
    zobrist,
};

/// A position that can exist: each side has at most one king, every piece can move some day, no file
/// has two unpromoted pawns of a side, and the side that just moved is not in check.
///
/// A side may lack its king, as the attacker does in mate problems. `Display` and
/// [`Position::from_sfen`] use SFEN.
///
/// ```
/// use monju_engine::{Color, Position, rules::PieceKind};
/// let position = Position::startpos();
/// assert_eq!(position.side_to_move(), Color::Black);
/// assert_eq!(position.pieces(Color::Black, PieceKind::Pawn).len(), 9);
/// assert!(!position.in_check());
/// ```
#[derive(Clone, Debug)]
pub struct Position {
    pub(super) kinds: [Bitboard; 16],
    pub(super) colors: [Bitboard; 2],
    pub(super) board: [Piece; Square::COUNT],
    pub(super) side: Color,
    pub(super) hands: [Hand; 2],
    pub(super) key: u64,
    /// Part of the key that the hands give.
    pub(super) hands_key: u64,
    pub(super) structure: Structure,
    pub(super) ply: u32,
}

impl PartialEq for Position {
    /// Compares pieces, hands and side to move, but not the ply.
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
    /// Returns an empty board with Black to move, to be filled by a reader.
    pub(super) fn empty() -> Self {
        Self {
            kinds: [Bitboard::EMPTY; 16],
            colors: [Bitboard::EMPTY; 2],
            board: [Piece::NONE; Square::COUNT],
            side: Color::Black,
            hands: [Hand::default(); 2],
            key: 0,
            hands_key: 0,
            structure: Structure::default(),
            ply: 1,
        }
    }

    /// Returns the side to move.
    #[inline(always)]
    pub const fn side_to_move(&self) -> Color {
        self.side
    }

    /// Returns the number of the next move, 1 at the start of a game.
    #[inline(always)]
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the Zobrist key of pieces, hands and side to move.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Returns the keys of groups of pieces on the board.
    #[inline(always)]
    pub const fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Returns the piece on a square, or [`Piece::NONE`].
    #[inline(always)]
    pub const fn piece(&self, square: Square) -> Piece {
        self.board[square.index()]
    }

    /// Returns the hand of a side.
    #[inline(always)]
    pub const fn hand(&self, color: Color) -> Hand {
        self.hands[color.index()]
    }

    /// Returns all squares with a piece.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Returns the squares of a side's pieces.
    #[inline(always)]
    pub const fn pieces_of(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// Returns the squares of both sides' pieces of one kind.
    #[inline(always)]
    pub const fn pieces_of_kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// Returns the squares of a side's pieces of one kind.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()] & self.colors[color.index()]
    }

    /// Returns both sides' golds and pieces that move like golds.
    #[inline(always)]
    pub(super) fn gold_movers(&self) -> Bitboard {
        self.kinds[PieceKind::Gold.index()]
            | self.kinds[PieceKind::ProPawn.index()]
            | self.kinds[PieceKind::ProLance.index()]
            | self.kinds[PieceKind::ProKnight.index()]
            | self.kinds[PieceKind::ProSilver.index()]
    }

    /// Returns both sides' bishops and horses.
    #[inline(always)]
    pub(super) fn bishop_movers(&self) -> Bitboard {
        self.kinds[PieceKind::Bishop.index()] | self.kinds[PieceKind::Horse.index()]
    }

    /// Returns both sides' rooks and dragons.
    #[inline(always)]
    pub(super) fn rook_movers(&self) -> Bitboard {
        self.kinds[PieceKind::Rook.index()] | self.kinds[PieceKind::Dragon.index()]
    }

    /// Returns both sides' kings, horses and dragons, which attack all neighbouring squares.
    #[inline(always)]
    pub(super) fn king_steppers(&self) -> Bitboard {
        self.kinds[PieceKind::King.index()]
            | self.kinds[PieceKind::Horse.index()]
            | self.kinds[PieceKind::Dragon.index()]
    }

    /// Returns the square of a side's king, if it has one.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.pieces(color, PieceKind::King).first()
    }

    /// Returns the pieces of `color` that attack `square`, with the board occupied as given.
    #[inline(always)]
    pub fn attackers(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        self.stepping_attackers(color, square) | self.sliding_attackers(color, square, occupied)
    }

    #[inline(always)]
    fn stepping_attackers(&self, color: Color, square: Square) -> Bitboard {
        let victim = !color;
        let mut attackers = pawn_attacks(victim, square) & self.kinds[PieceKind::Pawn.index()];
        attackers |= knight_attacks(victim, square) & self.kinds[PieceKind::Knight.index()];
        attackers |= silver_attacks(victim, square) & self.kinds[PieceKind::Silver.index()];
        attackers |= gold_attacks(victim, square) & self.gold_movers();
        attackers |= king_attacks(square) & self.king_steppers();
        attackers & self.colors[color.index()]
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

    /// Tells whether `color` attacks `square`, with the board occupied as given.
    #[inline(always)]
    pub fn is_attacked(&self, color: Color, square: Square, occupied: Bitboard) -> bool {
        !self.stepping_attackers(color, square).is_empty()
            || !self.sliding_attackers(color, square, occupied).is_empty()
    }

    /// Returns every square that a side attacks; sliders are stopped by `occupied`.
    #[inline]
    pub fn attacked_by(&self, color: Color, occupied: Bitboard) -> Bitboard {
        match color {
            Color::Black => self.attacked_forward::<-1, 1, -2>(color, occupied),
            Color::White => self.attacked_forward::<1, -1, 2>(color, occupied),
        }
    }

    /// Like [`Position::attacked_by`]; `FORWARD` and `BACK` are steps of one rank, and `LEAP` is the
    /// knight's step of two ranks.
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

    /// Returns the pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        match self.king(self.side) {
            Some(king) => self.attackers(!self.side, king, self.occupied()),
            None => Bitboard::EMPTY,
        }
    }

    /// Tells whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// Puts a piece on an empty square and updates the key.
    #[inline(always)]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind().index()] ^= bit;
        self.colors[piece.color().index()] ^= bit;
        self.board[square.index()] = piece;
        let value = zobrist::board(piece, square);
        self.key ^= value;
        self.structure.toggle(piece, value);
    }

    /// Adds a piece to a hand and updates the key.
    #[inline(always)]
    pub(super) fn add_to_hand(&mut self, color: Color, kind: PieceKind) {
        let hand = &mut self.hands[color.index()];
        hand.add(kind);
        let value = zobrist::hand(color, kind, hand.count(kind));
        self.key ^= value;
        self.hands_key ^= value;
    }

    /// Computes the keys of groups of pieces from the board.
    pub fn recomputed_structure(&self) -> Structure {
        let mut structure = Structure::default();
        for square in self.occupied() {
            let piece = self.piece(square);
            structure.toggle(piece, zobrist::board(piece, square));
        }
        structure
    }

    /// Computes the key from the pieces, hands and side to move.
    pub fn recomputed_key(&self) -> u64 {
        let mut key = match self.side {
            Color::Black => 0,
            Color::White => zobrist::SIDE,
        };
        for square in self.occupied() {
            key ^= zobrist::board(self.piece(square), square);
        }
        key ^ self.recomputed_hands_key()
    }

    /// Returns the Zobrist key of the pieces on the board and the side to move, without the hands.
    #[inline(always)]
    pub const fn board_key(&self) -> u64 {
        self.key ^ self.hands_key
    }

    /// Computes the part of the key that the hands give.
    pub fn recomputed_hands_key(&self) -> u64 {
        let mut key = 0;
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
