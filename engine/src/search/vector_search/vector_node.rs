//! A node of the vector search: what is common to its lanes, and the lanes that have left it.

use crate::{
    rules::{CheckTargets, Move},
    search::{
        history::Contexts,
        lanes::{LaneSet, Lanes},
        reward::RewardedNode,
        search_value::TableEntry,
    },
};

/// A node before its moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorNode {
    pub depth: i32,
    pub ply: usize,
    pub cut_node: bool,
    pub in_check: bool,
    /// The static evaluation has risen since the last move of the same side, for at least half of the open
    /// lanes.
    pub improving: bool,
    /// The node lies on the principal variation of at least half of all lanes.
    pub is_principal: bool,
    /// Static evaluation; in check, that of two plies before.
    pub evaluation: Lanes,
    pub contexts: Contexts,
    /// The entry of the transposition table, and its values at this ply.
    pub entry: Option<TableEntry<Lanes>>,
    pub table_value: Option<Lanes>,
    /// The table's move, if it is legal.
    pub table_move: Option<Move>,
    /// The table's move captures or promotes.
    pub noisy_table_move: bool,
    /// The node lies on a principal variation or has done so before, as the table remembers.
    pub tt_pv: bool,
    pub targets: CheckTargets,
}

impl VectorNode {
    /// Returns what the histories learn of the node.
    pub fn rewarded(&self) -> RewardedNode<'_> {
        RewardedNode {
            depth: self.depth,
            ply: self.ply,
            contexts: &self.contexts,
            table_move: self.table_move,
        }
    }
}

/// The windows of a node, and the values of the lanes that have left it early.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneWindows {
    /// Alpha at the start; lanes that have left are settled.
    first: Lanes,
    /// Alpha as raised by moves.
    pub alpha: Lanes,
    pub beta: Lanes,
    left: LaneSet,
    values: Lanes,
}

impl LaneWindows {
    pub fn new((alpha, beta): (Lanes, Lanes)) -> Self {
        Self {
            first: alpha,
            alpha,
            beta,
            left: LaneSet::NONE,
            values: alpha,
        }
    }

    /// Lets some of the open lanes leave, each with its value.
    pub fn leave(&mut self, lanes: LaneSet, values: Lanes) {
        let lanes = lanes.and(self.open());
        self.left = self.left.or(lanes);
        self.values = values.within(lanes, self.values);
        self.first = self.first.closed(lanes);
        self.alpha = self.alpha.closed(lanes);
        self.beta = self.beta.closed_beta(lanes);
    }

    /// Returns the lanes that have a window.
    pub fn open(&self) -> LaneSet {
        self.alpha.open()
    }

    /// Returns the lanes that have left early.
    pub fn left(&self) -> LaneSet {
        self.left
    }

    /// Tells whether no lane has a window any more.
    pub fn is_left(&self) -> bool {
        self.open().is_empty()
    }

    /// Returns the window with which the moves are searched.
    pub fn window(&self) -> (Lanes, Lanes) {
        (self.first, self.beta)
    }

    /// Returns the values of the node; `values` are those of the lanes that have not left early.
    pub fn result(&self, values: Lanes) -> Lanes {
        self.values.within(self.left, values)
    }
}

/// The best move of each lane at one node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BestMoves {
    /// Moves that have raised some lane, each with the lanes that still prefer it.
    moves: [Option<(Move, LaneSet)>; 8],
    len: usize,
}

impl BestMoves {
    /// Records that some lanes prefer a move to the earlier ones.
    pub fn choose(&mut self, mv: Move, lanes: LaneSet) {
        for (_, others) in self.moves[..self.len].iter_mut().flatten() {
            *others = others.except(lanes);
        }
        // With more moves than places, the last one is replaced.
        self.len = (self.len + 1).min(self.moves.len());
        self.moves[self.len - 1] = Some((mv, lanes));
    }

    /// Returns the move that most lanes prefer; of equals the later one.
    pub fn of_most_lanes(&self) -> Option<Move> {
        match &self.moves[..self.len] {
            [] => None,
            [only] => only.map(|(mv, _)| mv),
            moves => moves
                .iter()
                .flatten()
                .max_by_key(|(_, lanes)| lanes.count())
                .map(|&(mv, _)| mv),
        }
    }
}
