//! The numbers of the vector search: depths in plies, margins in centipawns, which
//! [`SearchOptions::margin`] widens for evaluators that err more, reductions in hundredths of a ply.
//!
//! [`SearchOptions::margin`]: crate::search::options::SearchOptions::margin

/// Largest depth of reverse futility pruning.
pub const REVERSE_FUTILITY_DEPTH: i32 = 8;
/// Its margin for each ply.
pub const REVERSE_FUTILITY: i32 = 96;

/// Largest depth of razoring.
pub const RAZORING_DEPTH: i32 = 3;
/// Its margin, and more for each ply.
pub const RAZORING: [i32; 2] = [58, 207];

/// Plies by which a null move is searched less deep, beside a quarter of the depth.
pub const NULL_MOVE_REDUCTION: i32 = 3;
/// Centipawns above beta that add one ply to that reduction, up to three plies.
pub const NULL_MOVE_SURPLUS: i32 = 337;
/// By so much the evaluation must exceed beta, and less for each ply.
pub const NULL_MOVE_MARGIN: [i32; 2] = [187, 40];

/// Least depth of internal iterative reductions.
pub const INTERNAL_REDUCTION_DEPTH: i32 = 4;

/// Least depth of singular extensions.
pub const SINGULAR_DEPTH: i32 = 7;
/// Their margin in hundredths for each ply of depth.
pub const SINGULAR_MARGIN: i32 = 243;

/// One ply in the unit of reductions.
pub const PLY: i32 = 100;

/// Late-move reductions in hundredths of a ply.
pub mod reduction {
    pub const BASE: i32 = 54;
    /// Percent of the product of the logarithms of depth and move number.
    pub const SCALE: i32 = 125;
    /// Less on the principal variation.
    pub const PRINCIPAL: i32 = 66;
    /// More at nodes where a cut is expected.
    pub const CUT_NODE: i32 = 22;
    /// Less for checks and evasions.
    pub const CHECK: i32 = 128;
    /// Less for captures and promotions.
    pub const NOISY: i32 = 19;
    /// More where the evaluation is not improving.
    pub const NOT_IMPROVING: i32 = 107;
    /// Less at nodes once on a principal variation.
    pub const TT_PV: i32 = 42;
    /// More for quiet moves where the table's move is noisy.
    pub const NOISY_TABLE_MOVE: i32 = 34;
    /// More where many siblings of the child failed high.
    pub const CUTS: i32 = 10;
    /// History of a quiet move, and of a capture, that is worth one ply.
    pub const HISTORY: [i32; 2] = [9_890, 8_000];
}

/// Depth up to which moves are pruned by their number and quiet moves by exchange.
pub const QUIET_DEPTH: i32 = 8;
/// Moves that late-move pruning keeps, and more in hundredths of the squared depth.
pub const LATE_MOVES: [i32; 2] = [6, 253];
/// Reduced depth up to which quiet moves are pruned by futility.
pub const FUTILITY_DEPTH: i32 = 6;
/// Margin of futility pruning, and more for each ply.
pub const FUTILITY: [i32; 2] = [108, 116];
/// Allowed loss of a quiet move, times the squared depth.
pub const EXCHANGE_QUIET: i32 = 27;
/// Allowed loss of a capture or check, times the depth.
pub const EXCHANGE_NOISY: i32 = 235;
/// Depth up to which captures and checks are pruned by exchange.
pub const NOISY_DEPTH: i32 = 6;

/// Possible gain of a capture in quiescence beside its victim.
pub const QUIESCENCE_MARGIN: i32 = 200;

/// Weight in percent of the reward of a move that leaves no good answer.
pub const LAST_MOVE_WEIGHT: i32 = 300;
