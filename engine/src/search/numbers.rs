//! The numbers of the search that no option sets: depths in plies, margins in centipawns, reductions in
//! 1/1024 plies, histories in their own unit. Margins are those of the network; [`Margins`] widens
//! them for other evaluators.
//!
//! [`Margins`]: super::options::SearchOptions::margin

/// The window of an iteration at first.
pub mod aspiration {
    /// Half the width without variance.
    pub const LEAST: i32 = 9;
    /// Mean square of the last values that adds one centipawn.
    pub const VARIANCE: i32 = 12_000;
    /// Half the width at most.
    pub const MOST: i32 = 60;
    /// Half the width beyond which the window is opened.
    pub const OPEN: i32 = 1_500;
}

/// Reverse futility pruning.
pub mod reverse_futility {
    pub const DEPTH: i32 = 14;
    /// Margin of each ply.
    pub const MARGIN: i32 = 93;
    /// Less margin of each ply at cut nodes that the table does not know.
    pub const UNKNOWN_CUT: i32 = 20;
    /// History score of the last move that adds one centipawn.
    pub const HISTORY: i32 = 376;
}

/// Razoring.
pub mod razoring {
    pub const BASE: i32 = 200;
    /// Times the squared depth.
    pub const MARGIN: i32 = 130;
}

/// Null-move pruning.
pub mod null_move {
    /// Plies by which a null move is searched less deep, beside a third of the depth.
    pub const REDUCTION: i32 = 7;
    /// Margin over beta that the evaluation must reach; `MARGIN_DEPTH` less per ply, so below beta beyond
    /// depth 10.
    pub const MARGIN: i32 = 200;
    /// Reduction of the margin per ply of depth.
    pub const MARGIN_DEPTH: i32 = 20;
    /// Depth from which a cut is verified.
    pub const VERIFIED: i32 = 16;
}

/// ProbCut.
pub mod probcut {
    pub const DEPTH: i32 = 3;
    /// Plies by which it searches less deep.
    pub const REDUCTION: i32 = 5;
    /// Evaluation above beta that takes away one ply more.
    pub const SURPLUS: i32 = 300;
    /// By so much beta is raised.
    pub const MARGIN: i32 = 190;
    /// Less of it at improving nodes.
    pub const IMPROVING: i32 = 55;
    /// By so much beta is raised for a cut by the table's bound alone.
    pub const TABLE_MARGIN: i32 = 400;
    /// That bound may be so many plies less deep.
    pub const TABLE_DEPTH: i32 = 4;
}

/// Internal iterative reductions: least depth.
pub const INTERNAL_REDUCTION_DEPTH: i32 = 5;

/// Reductions of the parent in hindsight.
pub mod hindsight {
    /// Parent's reduction in plies after which a node that worsened is searched deeper.
    pub const DEEPER: i32 = 3;
    /// Sum of both sides' evaluations above which a reduced node is searched less deep.
    pub const SHALLOWER: i32 = 150;
}

/// Pruning of moves.
pub mod move_pruning {
    /// Moves that late-move pruning keeps, beside the squared depth.
    pub const LATE_MOVES: i32 = 3;
    /// Reduced depth below which captures are pruned by futility.
    pub const CAPTURE_DEPTH: i32 = 7;
    pub const CAPTURE_BASE: i32 = 230;
    /// Margin of each ply of reduced depth.
    pub const CAPTURE_MARGIN: i32 = 220;
    /// Part of the capture history in the margin, of 1024.
    pub const CAPTURE_HISTORY: i32 = 130;
    /// Allowed loss of captures and checks for each ply of depth.
    pub const EXCHANGE_NOISY: i32 = 170;
    /// Most of it, with the capture history.
    pub const EXCHANGE_NOISY_MOST: i32 = 290;
    /// History below which quiet moves are pruned, for each ply of depth.
    pub const HISTORY: i32 = 4_300;
    /// History that adds one ply to the reduced depth.
    pub const HISTORY_PLY: i32 = 3_300;
    /// Reduced depth below which quiet moves are pruned by futility.
    pub const FUTILITY_DEPTH: i32 = 12;
    /// Margin before a move has raised alpha, and afterwards.
    pub const FUTILITY_BASE: [i32; 2] = [190, 50];
    /// Margin of each ply of reduced depth.
    pub const FUTILITY_MARGIN: i32 = 115;
    /// Allowed loss of quiet moves, times the squared reduced depth.
    pub const EXCHANGE_QUIET: i32 = 26;
}

/// Singular extensions.
pub mod singular {
    /// Least depth, one ply more at nodes once on a principal variation.
    pub const DEPTH: i32 = 6;
    /// Margin in hundredths of each ply of depth.
    pub const MARGIN: i32 = 110;
    /// More of it at nodes once on a principal variation.
    pub const MARGIN_TT_PV: i32 = 130;
    /// Further margin of a double extension.
    pub const DOUBLE: i32 = 0;
    pub const DOUBLE_PV: i32 = 200;
    pub const DOUBLE_QUIET: i32 = 60;
    /// Further margin of a triple extension.
    pub const TRIPLE: i32 = 80;
    pub const TRIPLE_PV: i32 = 240;
    pub const TRIPLE_QUIET: i32 = 60;
    pub const TRIPLE_TT_PV: i32 = 80;
    /// Plies by which a line may be extended, in percent of the depth of the iteration. Without a bound,
    /// forced lines of lost games explode, and others are searched deeper than they deserve.
    pub const MOST_PERCENT: i32 = 50;
    /// Plies by which a line may have been extended where a move is extended by more than one.
    pub const MOST: i32 = 3;
    /// Plies by which the table's move is searched less deep where it is not singular.
    pub const NOT_SINGULAR: i32 = 3;
    pub const NOT_SINGULAR_CUT: i32 = 2;
}

/// Late-move reductions in 1/1024 plies.
pub mod reduction {
    pub const PLY: i32 = 1_024;
    pub const BASE: i32 = 1_086;
    /// Less for a window as wide as the root's.
    pub const WINDOW: i32 = 780;
    /// Part of the reduction that is added where the evaluation is not improving, of 512.
    pub const NOT_IMPROVING: i32 = 205;
    /// More before pruning at nodes once on a principal variation.
    pub const TT_PV_PRUNING: i32 = 940;
    /// Less at nodes once on a principal variation, more less by what the table knows.
    pub const TT_PV: i32 = 2_380;
    pub const TT_PV_NODE: i32 = 1_000;
    pub const TT_PV_VALUE: i32 = 880;
    pub const TT_PV_DEPTH: i32 = 1_020;
    pub const TT_PV_DEPTH_CUT: i32 = 1_140;
    /// More for every move, and less for each move before.
    pub const EVERY: i32 = 310;
    pub const EACH_BEFORE: i32 = 65;
    /// Correction of the evaluation that is worth 1024.
    pub const CORRECTION: i32 = 6;
    pub const CUT_NODE: i32 = 2_700;
    pub const CUT_NODE_UNKNOWN: i32 = 1_000;
    pub const NOISY_TABLE_MOVE: i32 = 1_200;
    /// More where so many siblings of the child were cut.
    pub const CUTS: i32 = 2;
    pub const AFTER_CUTS: i32 = 1_030;
    pub const AFTER_CUTS_ALL: i32 = 850;
    pub const TABLE_MOVE: i32 = 2_000;
    /// Part of the history, of 8192.
    pub const HISTORY: i32 = 820;
    pub const HISTORY_QUIET: i32 = 3_200;
    pub const HISTORY_NOISY: i32 = 4_900;
    /// Part of a victim's value in the history of a capture.
    pub const VICTIM: i32 = 6;
    /// Surplus over the best value above which a move is searched again one ply deeper.
    pub const DEEPER: i32 = 42;
    /// Surplus below which it is searched again one ply less deep.
    pub const SHALLOWER: i32 = 9;
    /// More without a table move, where no reduced search comes first.
    pub const UNKNOWN: i32 = 1_100;
    /// Reductions that take one and two plies there.
    pub const ONE: i32 = 3_500;
    pub const TWO: i32 = 5_600;
}

/// Updates of the histories.
pub mod history {
    /// Bonus of the best move: factor of the depth, discount, most, and more for the table's move.
    pub const BONUS: [i32; 4] = [121, 77, 1_633, 375];
    /// Malus of the others: factor of the depth, discount, most, and less for each move searched.
    pub const MALUS: [i32; 4] = [700, 200, 2_200, 16];
    /// Part of the bonus for the first plies, of 1024.
    pub const LOW_PLY: i32 = 770;
    /// Parts for the pawn structure, of 1024: of a malus and of a bonus.
    pub const PAWN: [i32; 2] = [550, 850];
    /// Part for the moves before, of 1024, and its weights by [`Contexts::PLIES`].
    ///
    /// [`Contexts::PLIES`]: super::super::history::Contexts::PLIES
    pub const CONTINUATION: i32 = 955;
    pub const CONTINUATIONS: [i32; 5] = [1_157, 648, 288, 576, 441];
    /// Malus of an early quiet move that the table refutes.
    pub const REFUTED: i32 = 2_200;
    /// Bonus of the moves before for a move that beats alpha in a reduced search.
    pub const BEAT_ALPHA: i32 = 1_500;
    /// Bonus of a capture that leaves no good answer.
    pub const PRIOR_CAPTURE: i32 = 1_000;
    /// Bonus of a table move that cuts without a search: factor of the depth, discount, most.
    pub const TABLE: [i32; 3] = [125, 77, 1_157];
    /// Score of a quiet move for a check that loses nothing.
    pub const CHECK: i32 = 16_384;
}

/// Quiescence.
pub mod quiescence {
    /// Moves that are searched without check.
    pub const MOVES: i32 = 2;
    /// Possible gain of a capture beside its victim.
    pub const MARGIN: i32 = 220;
    /// Allowed loss by exchange.
    pub const LOSS: i32 = 75;
    /// History above which a quiet move is searched.
    pub const HISTORY: i32 = 5_800;
}
