use super::{
    bitboard::Bitboard, moves::Move, piece::Piece, position::Position, structure::Structure,
    zobrist,
};

/// Data that [`Position::unmake`] needs to take a move back.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    captured: Piece,
    key: u64,
    hands_key: u64,
    structure: Structure,
}

impl Undo {
    /// Returns the captured piece, or [`Piece::NONE`].
    #[inline(always)]
    pub const fn captured(&self) -> Piece {
        self.captured
    }
}

impl Position {
    /// Makes a legal move. The result of an illegal move is unspecified, though memory-safe.
    ///
    /// ```
    /// use monju_engine::Position;
    /// let mut position = Position::startpos();
    /// let before = position.clone();
    /// let mv = "2g2f".parse()?;
    /// let undo = position.make(mv);
    /// assert_ne!(position, before);
    /// position.unmake(mv, undo);
    /// assert_eq!(position, before);
    /// # Ok::<(), monju_engine::MoveError>(())
    /// ```
    #[inline(always)]
    pub fn make(&mut self, mv: Move) -> Undo {
        self.make_known(mv, self.key_after(mv))
    }

    /// Makes a legal move whose key, [`Position::key_after`], is known.
    #[inline(always)]
    pub fn make_known(&mut self, mv: Move, key_after: u64) -> Undo {
        debug_assert_eq!(key_after, self.key_after(mv));
        let us = self.side;
        let to = mv.to();
        let to_bit = Bitboard::of(to);
        let (key, hands_key, structure) = (self.key, self.hands_key, self.structure);
        let mut captured = Piece::NONE;

        if let Some(from) = mv.from() {
            let piece = self.board[from.index()];
            let placed = mv.placed(piece);
            captured = self.board[to.index()];
            if !captured.is_none() {
                let kind = captured.kind();
                self.kinds[kind.index()] ^= to_bit;
                self.colors[(!us).index()] ^= to_bit;
                let taken = kind.unpromoted();
                let hand = &mut self.hands[us.index()];
                hand.add(taken);
                let value = zobrist::board(captured, to);
                self.structure.toggle(captured, value);
                self.hands_key ^= zobrist::hand(us, taken, hand.count(taken));
            }
            let from_bit = Bitboard::of(from);
            self.kinds[piece.kind().index()] ^= from_bit;
            self.kinds[placed.kind().index()] ^= to_bit;
            self.colors[us.index()] ^= from_bit | to_bit;
            self.board[from.index()] = Piece::NONE;
            self.board[to.index()] = placed;
            self.structure.toggle(piece, zobrist::board(piece, from));
            self.structure.toggle(placed, zobrist::board(placed, to));
        } else if let Some(kind) = mv.dropped() {
            let placed = Piece::new(us, kind);
            let hand = &mut self.hands[us.index()];
            self.hands_key ^= zobrist::hand(us, kind, hand.count(kind));
            hand.remove(kind);
            self.kinds[kind.index()] ^= to_bit;
            self.colors[us.index()] ^= to_bit;
            self.board[to.index()] = placed;
            self.structure.toggle(placed, zobrist::board(placed, to));
        }

        self.key = key_after;
        self.side = !us;
        self.ply = self.ply.wrapping_add(1);
        Undo {
            captured,
            key,
            hands_key,
            structure,
        }
    }

    /// Returns the key after a legal move, without making it.
    #[inline(always)]
    pub fn key_after(&self, mv: Move) -> u64 {
        let us = self.side;
        let to = mv.to();
        let mut key = self.key ^ zobrist::SIDE;
        if let Some(from) = mv.from() {
            let piece = self.board[from.index()];
            let captured = self.board[to.index()];
            let placed = mv.placed(piece);
            key ^= zobrist::board(piece, from) ^ zobrist::board(placed, to);
            if !captured.is_none() {
                let taken = captured.kind().unpromoted();
                let count = self.hands[us.index()].count(taken) + 1;
                key ^= zobrist::board(captured, to) ^ zobrist::hand(us, taken, count);
            }
        } else if let Some(kind) = mv.dropped() {
            let count = self.hands[us.index()].count(kind);
            key ^= zobrist::board(Piece::new(us, kind), to) ^ zobrist::hand(us, kind, count);
        }
        key
    }

    /// Returns the key of the pieces on the board and the side to move after a legal move, given that
    /// key before it.
    #[inline]
    pub fn board_key_after(&self, board_key: u64, mv: Move) -> u64 {
        let us = self.side;
        let to = mv.to();
        let key = board_key ^ zobrist::SIDE;
        if let Some(from) = mv.from() {
            let piece = self.board[from.index()];
            let captured = self.board[to.index()];
            let placed = mv.placed(piece);
            let moved = key ^ zobrist::board(piece, from) ^ zobrist::board(placed, to);
            match captured.is_none() {
                true => moved,
                false => moved ^ zobrist::board(captured, to),
            }
        } else if let Some(kind) = mv.dropped() {
            key ^ zobrist::board(Piece::new(us, kind), to)
        } else {
            key
        }
    }

    /// Takes back the last move.
    #[inline(always)]
    pub fn unmake(&mut self, mv: Move, undo: Undo) {
        let us = !self.side;
        let to = mv.to();
        let to_bit = Bitboard::of(to);
        let placed = self.board[to.index()];

        if let Some(from) = mv.from() {
            let piece = if mv.is_promotion() {
                Piece::new(us, placed.kind().unpromoted())
            } else {
                placed
            };
            let from_bit = Bitboard::of(from);
            self.kinds[placed.kind().index()] ^= to_bit;
            self.kinds[piece.kind().index()] ^= from_bit;
            self.colors[us.index()] ^= from_bit | to_bit;
            self.board[from.index()] = piece;
            self.board[to.index()] = undo.captured;
            if !undo.captured.is_none() {
                let kind = undo.captured.kind();
                self.kinds[kind.index()] ^= to_bit;
                self.colors[(!us).index()] ^= to_bit;
                self.hands[us.index()].remove(kind.unpromoted());
            }
        } else if let Some(kind) = mv.dropped() {
            self.kinds[kind.index()] ^= to_bit;
            self.colors[us.index()] ^= to_bit;
            self.board[to.index()] = Piece::NONE;
            self.hands[us.index()].add(kind);
        }

        self.key = undo.key;
        self.hands_key = undo.hands_key;
        self.structure = undo.structure;
        self.side = us;
        self.ply = self.ply.wrapping_sub(1);
    }

    /// Passes the turn. The side to move must not be in check.
    #[inline(always)]
    pub fn make_pass(&mut self) {
        self.key ^= zobrist::SIDE;
        self.side = !self.side;
        self.ply = self.ply.wrapping_add(1);
    }

    /// Takes a pass back.
    #[inline(always)]
    pub fn unmake_pass(&mut self) {
        self.key ^= zobrist::SIDE;
        self.side = !self.side;
        self.ply = self.ply.wrapping_sub(1);
    }
}
