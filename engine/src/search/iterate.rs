//! Iterative deepening, and what one search carries with it.

use super::{
    Bound, Control, Limits, Line, Table,
    history::{Context, History},
    value::{INFINITE, MATE_BOUND, MAX_PLY, Value, score},
};
use crate::{
    eval::{Evaluator, Noise},
    rules::{CheckInfo, Game, Move, Position, Visit},
};
use std::time::Instant;

/// How often, in nodes, the clock and the control are looked at.
const POLL_INTERVAL: u64 = 512;

/// What a player carries from search to search.
pub(crate) struct Memory {
    pub(super) table: Table,
    pub(super) history: History,
}

impl Memory {
    /// Allocates a table of `hash_mib` MiB.
    pub fn new(hash_mib: usize) -> Self {
        Self {
            table: Table::new(hash_mib),
            history: History::new(),
        }
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        self.table.clear();
        self.history.clear();
    }
}

/// What a node leaves for the nodes below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub context: Context,
    pub evaluation: Value,
    pub killers: [Option<Move>; 2],
    pub excluded: Option<Move>,
}

impl Frame {
    const EMPTY: Self = Self {
        context: Context::NONE,
        evaluation: 0,
        killers: [None; 2],
        excluded: None,
    };
}

/// Frames that stand before the root, so that a node can look two plies back.
pub(super) const BEFORE_ROOT: usize = 4;

/// One search.
pub(crate) struct Search<'a, E> {
    pub(super) memory: &'a mut Memory,
    pub(super) evaluator: &'a mut E,
    pub(super) noise: &'a Noise,
    pub(super) position: Position,
    /// Every position from the start of the game to the current node.
    pub(super) visits: Vec<Visit>,
    pub(super) frames: Box<[Frame]>,
    pub(super) pv: Vec<Vec<Move>>,
    pub(super) nodes: u64,
    pub(super) selective_depth: usize,
    pub(super) root_depth: i32,
    pub(super) stopped: bool,
    control: &'a Control,
    node_limit: u64,
    next_poll: u64,
    started: Instant,
    progress: &'a mut dyn FnMut(&Line),
    best: Option<Line>,
}

impl<'a, E: Evaluator> Search<'a, E> {
    /// Prepares a search of the position that `game` has reached.
    pub fn new(
        game: &Game,
        memory: &'a mut Memory,
        evaluator: &'a mut E,
        noise: &'a Noise,
        control: &'a Control,
        progress: &'a mut dyn FnMut(&Line),
    ) -> Self {
        memory.table.age();
        evaluator.reset(game.position());
        Self {
            memory,
            evaluator,
            noise,
            position: game.position().clone(),
            visits: game.visits().to_vec(),
            frames: vec![Frame::EMPTY; MAX_PLY + BEFORE_ROOT + 4].into_boxed_slice(),
            pv: vec![Vec::new(); MAX_PLY + 2],
            nodes: 0,
            selective_depth: 0,
            root_depth: 0,
            stopped: false,
            node_limit: control.node_limit(),
            next_poll: POLL_INTERVAL,
            control,
            started: Instant::now(),
            progress,
            best: None,
        }
    }

    /// Deepens until a limit is reached. The position must have a legal move.
    pub fn run(mut self, limits: &Limits, legal: &[Move]) -> Line {
        let mut previous = 0;
        for depth in 1..MAX_PLY as i32 {
            if depth as u32 > self.control.depth_limit() {
                break;
            }
            self.root_depth = depth;
            self.selective_depth = 0;
            let value = self.aspire(depth, previous);
            if self.stopped {
                break;
            }
            previous = value;
            self.report(value, Bound::Exact);
            // A mate that this depth has proved cannot become shorter.
            let proved =
                value.abs() >= MATE_BOUND && MATE_DISTANCE_SLACK * depth >= mate_plies(value);
            let forced = legal.len() == 1 && limits.time.is_some();
            if proved && limits != &Limits::default() || forced {
                break;
            }
        }
        let time = self.started.elapsed();
        let mut line = self.best.take().unwrap_or_else(|| Line {
            pv: legal.first().copied().into_iter().collect(),
            score: score(0),
            bound: Bound::Lower,
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            time,
        });
        line.nodes = self.nodes;
        line.time = time;
        line
    }

    /// One iteration, first in a narrow window around the value of the one before.
    fn aspire(&mut self, depth: i32, previous: Value) -> Value {
        if depth < 5 {
            return self.root(-INFINITE, INFINITE, depth);
        }
        let mut margin = 60;
        let mut alpha = (previous - margin).max(-INFINITE);
        let mut beta = (previous + margin).min(INFINITE);
        loop {
            let value = self.root(alpha, beta, depth);
            if self.stopped {
                return value;
            }
            if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (value - margin).max(-INFINITE);
            } else if value >= beta {
                beta = (value + margin).min(INFINITE);
            } else {
                return value;
            }
            margin += margin;
            if margin > 2000 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    fn root(&mut self, alpha: Value, beta: Value, depth: i32) -> Value {
        let info = CheckInfo::new(&self.position);
        self.alpha_beta::<true>(&info, alpha, beta, depth, 0, false)
    }

    /// Called at the root when a move has raised alpha.
    pub(super) fn new_best_at_root(&mut self, value: Value, beta: Value) {
        let bound = if value >= beta {
            Bound::Lower
        } else {
            Bound::Exact
        };
        let changed = self.best.as_ref().and_then(|line| line.pv.first().copied())
            != self.pv[0].first().copied();
        if changed || bound == Bound::Lower {
            self.report(value, bound);
        }
    }

    fn report(&mut self, value: Value, bound: Bound) {
        if self.pv[0].is_empty() {
            return;
        }
        let line = Line {
            pv: self.pv[0].clone(),
            score: score(value),
            bound,
            depth: self.root_depth as u32,
            selective_depth: self.selective_depth as u32,
            nodes: self.nodes,
            time: self.started.elapsed(),
        };
        (self.progress)(&line);
        self.best = Some(line);
    }

    /// Counts a node; true when the search has to end.
    #[inline(always)]
    pub(super) fn visit_node(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.next_poll = self.nodes + POLL_INTERVAL;
            self.node_limit = self.control.node_limit();
            if self.control.is_over() {
                self.stopped = true;
            }
        }
        if self.nodes >= self.node_limit {
            self.stopped = true;
        }
        self.stopped
    }
}

/// A mate of n plies counts as proved from depth n / 3 on: checks are extended.
const MATE_DISTANCE_SLACK: i32 = 3;

fn mate_plies(value: Value) -> i32 {
    super::value::MATE - value.abs()
}
