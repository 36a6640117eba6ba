//! The state of one searching thread.

use super::{
    effort::RootEffort,
    history::History,
    kept_proofs::KeptProofs,
    limits::Control,
    line::Line,
    move_judge::{MoveJudges, Sampler},
    options::{Reductions, SearchOptions},
    ponder_table::PonderTable,
    search_value::SearchValue,
    split_point::SplitPoint,
    stack::StackEntry,
    thread_pool::ThreadPool,
    value::Value,
    votes::Votes,
};
use crate::{
    mate::MateSearch,
    rules::{EnteringKingRule, KeyHistoryEntry, Move, Position},
};
use std::{cell::Cell, sync::Arc, time::Instant};

/// One thread of a search: its position with everything that follows it down the tree.
pub(super) struct Searcher<'a, E, V: SearchValue> {
    pub options: &'a SearchOptions,
    pub reductions: &'a Reductions,
    pub judges: &'a MoveJudges,
    /// Takes samples of moves, if they are wanted.
    pub sampler: Option<&'a mut Sampler>,
    /// Reductions are judged or sampled.
    pub examines_reductions: bool,
    /// Samples are taken for margins of futility pruning.
    pub samples_margins: bool,
    /// Samples are taken for the order of moves.
    pub samples_order: bool,
    pub table: &'a V::Transpositions,
    pub ponder_table: &'a PonderTable,
    pub history: &'a History,
    pub evaluator: &'a mut E,
    pub mates: &'a mut MateSearch,
    /// Proofs of mates, for `mate_replay`.
    pub proofs: KeptProofs,
    /// Noise of the static evaluations.
    pub noise: &'a V::Noises,
    /// Noise that is added once to each result of quiescence, if the players have such noise.
    pub leaf_noise: Option<&'a V::Noises>,
    pub position: Position,
    /// Key history: every position from the start of the game to the current node.
    pub key_history: Vec<KeyHistoryEntry>,
    pub stack: Box<[StackEntry<V>]>,
    /// Triangular table of principal variations, by ply.
    pub pv: Vec<Vec<Move>>,
    pub nodes: u64,
    pub selective_depth: usize,
    pub root_depth: i32,
    /// Width of the root's window.
    pub root_window: i32,
    /// By how much a window of one centipawn lessens reductions, in 1/1024 plies.
    pub null_window_reduction: i32,
    /// Mean square of the root's last values.
    pub mean_square: i32,
    /// Least ply of a null move, 0 outside the verification of another one.
    pub null_move_from: usize,
    /// The current node's search has to be broken off.
    pub stopped: bool,
    /// The threads that search together, if there are several.
    pub pool: Option<&'a ThreadPool<V>>,
    /// The split point at which this thread works.
    pub split: Option<Arc<SplitPoint<V>>>,
    /// The split point at the root, while this thread owns one there.
    pub root_split: Option<Arc<SplitPoint<V>>>,
    /// Number of virtual players; 1 in an ordinary search.
    pub lane_count: usize,
    /// Best move of each virtual player at the root, in a vector search.
    pub votes: Votes,
    /// Root moves left out: those not asked for, and those that are ranked already.
    pub ruled_out: Vec<Move>,
    /// Root moves that were asked for although the search leaves such moves out: declined promotions.
    pub unlisted: Vec<Move>,
    /// The position, and the distance of its mate in plies, whose line could not be completed last, with the number
    /// of positions that were too few.
    pub not_completed: Cell<Option<((u64, usize), u64)>>,
    /// The nearest mate that the mate search has found at the root.
    pub found_mate: Option<(Vec<Move>, i32)>,
    /// Nodes of this iteration by root move.
    pub root_effort: RootEffort,
    /// Number of root moves that this iteration has ranked; 0 while the best one is searched.
    pub ranked: usize,
    /// Index in `key_history` of the position after the last null move; 0 without one.
    pub after_null_move: usize,
    /// The root has only one legal move.
    pub is_forced: bool,
    /// Length of `key_history` at the root.
    pub root_length: usize,
    /// The rule by which an entering king wins.
    pub entering_king: EnteringKingRule,
    /// Value of a draw to Black and to White.
    pub draw_values: [Value; 2],
    /// Number of plies after which the game is drawn, unless the last one mates.
    pub maximum_plies: u32,
    /// Keys that occur at least twice before the root, each with its last index in `key_history`.
    pub recurring: Vec<(u64, usize)>,
    /// Evaluators for use while this thread helps others.
    pub spare_evaluators: Vec<E>,
    /// Part of `nodes` that the pool has been told of.
    pub published: u64,
    pub control: &'a Control,
    pub node_limit: u64,
    pub next_poll: u64,
    pub started: Instant,
    pub progress: &'a mut dyn FnMut(&Line),
    pub best: Option<Line>,
}
