//! Iterative deepening, and what one search carries with it.

use super::{
    Bound, Candidate, Control, Limits, Line,
    history::{Context, History},
    memory::{Memory, ThreadMemory},
    options::{Reductions, SearchOptions},
    split::SplitPoint,
    table::Table,
    team::Team,
    value::{INFINITE, MATE_BOUND, MAX_PLY, Value, score},
};
use crate::{
    eval::{Evaluator, Noise},
    rules::{CheckInfo, Game, Move, Position, Visit},
};
use std::{
    sync::Arc,
    thread::{self, Builder},
    time::Instant,
};

/// How often, in nodes, the clock and the control are looked at.
const POLL_INTERVAL: u64 = 512;

/// Stack of a helper thread in bytes: as much as the thread that searches should have.
const STACK_SIZE: usize = 16 << 20;

/// What a node leaves for the nodes below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub context: Context,
    /// Corrected static evaluation.
    pub evaluation: Value,
    /// Static evaluation as the evaluator and the noise make it.
    pub raw_evaluation: Value,
    pub killers: [Option<Move>; 2],
    pub excluded: Option<Move>,
}

impl Frame {
    const EMPTY: Self = Self {
        context: Context::NONE,
        evaluation: 0,
        raw_evaluation: 0,
        killers: [None; 2],
        excluded: None,
    };
}

/// Frames that stand before the root, so that a node can look two plies back.
pub(super) const BEFORE_ROOT: usize = 4;

/// One search.
pub(crate) struct Search<'a, E> {
    pub(super) options: &'a SearchOptions,
    pub(super) reductions: &'a Reductions,
    pub(super) table: &'a Table,
    pub(super) history: &'a mut History,
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
    /// The search of the current node has to be broken off.
    pub(super) stopped: bool,
    /// The threads that search together, if there are several.
    pub(super) team: Option<&'a Team>,
    /// The split point at which this thread works.
    pub(super) split: Option<Arc<SplitPoint>>,
    /// The root, while this thread owns a split point there.
    pub(super) root_split: Option<Arc<SplitPoint>>,
    /// Moves that the root does without, because better ones are ranked already.
    pub(super) ruled_out: Vec<Move>,
    /// Length of `visits` at the root.
    pub(super) root_visits: usize,
    /// Evaluators to use while this thread helps others.
    pub(super) spares: Vec<E>,
    /// How many of `nodes` the team knows of.
    published: u64,
    control: &'a Control,
    node_limit: u64,
    next_poll: u64,
    started: Instant,
    progress: &'a mut dyn FnMut(&Line),
    best: Option<Line>,
}

/// What all threads of one search look at.
#[derive(Clone, Copy)]
struct Task<'a> {
    game: &'a Game,
    options: &'a SearchOptions,
    reductions: &'a Reductions,
    table: &'a Table,
    noise: &'a Noise,
    control: &'a Control,
    team: Option<&'a Team>,
}

/// Searches the position that `game` has reached until a limit is reached, with as many threads as
/// `memory` has room for. `legal` are its legal moves; there must be one.
///
/// # Panics
/// When one of the threads does; the others end first.
pub(crate) fn search<E: Evaluator + Clone>(
    game: &Game,
    legal: &[Move],
    limits: &Limits,
    control: &Control,
    memory: &mut Memory<E>,
    noise: &Noise,
    progress: &mut dyn FnMut(&Line),
) -> Line {
    if memory.options.table_persistence != 0 {
        memory.table.age();
    } else {
        memory.table.clear();
    }
    let mut task = Task {
        game,
        options: &memory.options,
        reductions: &memory.reductions,
        table: &memory.table,
        noise,
        control,
        team: None,
    };
    let Some((own, helpers)) = memory.threads.split_first_mut() else {
        unreachable!("a memory has at least one thread");
    };
    if helpers.is_empty() {
        return Search::new(task, own, progress).run(limits, legal);
    }
    let team = Team::default();
    task.team = Some(&team);
    thread::scope(|scope| {
        let _dismissal = Dismissal(&team);
        for thread in helpers {
            let serve = move || Search::new(task, thread, &mut |_| ()).serve();
            let builder = Builder::new().stack_size(STACK_SIZE);
            if builder.spawn_scoped(scope, serve).is_err() {
                // A machine that has no thread to spare is searched with those it has.
                break;
            }
        }
        Search::new(task, own, progress).run(limits, legal)
    })
}

/// Sends the helpers home when the search ends, by whatever way.
struct Dismissal<'a>(&'a Team);

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.0.dismiss();
    }
}

impl<'a, E: Evaluator + Clone> Search<'a, E> {
    fn new(
        task: Task<'a>,
        thread: &'a mut ThreadMemory<E>,
        progress: &'a mut dyn FnMut(&Line),
    ) -> Self {
        let Task {
            game,
            options,
            reductions,
            table,
            noise,
            control,
            team,
        } = task;
        thread.evaluator.reset(game.position());
        Self {
            options,
            reductions,
            table,
            history: &mut thread.history,
            evaluator: &mut thread.evaluator,
            noise,
            position: game.position().clone(),
            visits: game.visits().to_vec(),
            frames: vec![Frame::EMPTY; MAX_PLY + BEFORE_ROOT + 4].into_boxed_slice(),
            pv: vec![Vec::new(); MAX_PLY + 2],
            nodes: 0,
            selective_depth: 0,
            root_depth: 0,
            stopped: false,
            team,
            split: None,
            root_split: None,
            ruled_out: Vec::new(),
            root_visits: game.visits().len(),
            spares: Vec::new(),
            published: 0,
            node_limit: control.node_limit(),
            next_poll: POLL_INTERVAL,
            control,
            started: Instant::now(),
            progress,
            best: None,
        }
    }

    /// Helps the others until the search is over.
    fn serve(mut self) {
        let Some(team) = self.team else { return };
        while let Some(split) = team.find(None) {
            self.selective_depth = 0;
            self.help(team, &split);
        }
    }

    /// Deepens until a limit is reached.
    fn run(mut self, limits: &Limits, legal: &[Move]) -> Line {
        let mut previous = 0;
        for depth in 1..MAX_PLY as i32 {
            if depth as u32 > self.control.depth_limit() {
                break;
            }
            self.root_depth = depth;
            self.selective_depth = 0;
            if let Some(team) = self.team {
                team.reset_selective_depth();
            }
            let value = self.aspire(depth, previous);
            if self.stopped {
                break;
            }
            previous = value;
            self.report(value, Bound::Exact);
            let wanted = limits.multi_pv.unwrap_or(1).min(legal.len() as u32);
            if wanted > 1 {
                self.rank_others(depth, value, wanted);
                if self.stopped {
                    break;
                }
            }
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
            candidates: Vec::new(),
        });
        line.nodes = self.total_nodes();
        line.time = time;
        line
    }

    /// Searches the root again without its best move, then without its two best, and so on, until
    /// `wanted` moves are ranked; `value` is that of the best.
    fn rank_others(&mut self, depth: i32, value: Value, wanted: u32) {
        let Some(&first) = self.pv[0].first() else {
            return;
        };
        let mut candidates = vec![Candidate {
            mv: first,
            score: score(value),
        }];
        let mut previous = value;
        while (candidates.len() as u32) < wanted {
            self.ruled_out = candidates.iter().map(|ranked| ranked.mv).collect();
            previous = self.aspire(depth, previous);
            if self.stopped {
                break;
            }
            let Some(&mv) = self.pv[0].first() else {
                break;
            };
            candidates.push(Candidate {
                mv,
                score: score(previous),
            });
        }
        self.ruled_out.clear();
        // A ranking that was broken off is no ranking: the last whole one stays.
        if !self.stopped
            && let Some(mut best) = self.best.take()
        {
            best.candidates = candidates;
            best.nodes = self.total_nodes();
            best.time = self.started.elapsed();
            (self.progress)(&best);
            self.best = Some(best);
        }
    }

    /// One iteration, first in a narrow window around the value of the one before.
    fn aspire(&mut self, depth: i32, previous: Value) -> Value {
        if depth < 5 || self.options.root_aspiration == 0 {
            return self.root(-INFINITE, INFINITE, depth);
        }
        let mut margin = self.options.root_window;
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
        if !self.ruled_out.is_empty() {
            return;
        }
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
        let nodes = self.total_nodes();
        let selective_depth = self
            .team
            .map_or(self.selective_depth, Team::selective_depth);
        let line = Line {
            pv: self.pv[0].clone(),
            score: score(value),
            bound,
            depth: self.root_depth as u32,
            selective_depth: selective_depth as u32,
            nodes,
            time: self.started.elapsed(),
            candidates: self
                .best
                .take()
                .map(|best| best.candidates)
                .unwrap_or_default(),
        };
        (self.progress)(&line);
        self.best = Some(line);
    }

    /// Counts a node; true when the search of the current node has to be broken off.
    #[inline(always)]
    pub(super) fn visit_node(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.poll();
        }
        if self.nodes >= self.node_limit {
            self.halt();
        }
        if let Some(split) = &self.split
            && split.is_cut()
        {
            self.stopped = true;
        }
        self.stopped
    }

    /// Looks at the clock, the control, and what the other threads did.
    #[cold]
    pub(super) fn poll(&mut self) {
        self.next_poll = self.nodes + POLL_INTERVAL;
        self.node_limit = self.control.node_limit();
        if let Some(team) = self.team {
            let left = self.node_limit.saturating_sub(self.publish(team));
            self.node_limit = self.nodes.saturating_add(left);
            self.report_news();
        }
        if self.control.is_over() {
            self.halt();
        }
    }

    /// Ends the search.
    #[cold]
    fn halt(&mut self) {
        self.stopped = true;
        if let Some(team) = self.team {
            team.stop();
        }
    }

    /// Tells the team of the nodes searched since the last time; returns those of all threads.
    pub(super) fn publish(&mut self, team: &Team) -> u64 {
        let new = self.nodes - self.published;
        self.published = self.nodes;
        team.publish(new, self.selective_depth)
    }

    /// The nodes of all threads.
    fn total_nodes(&mut self) -> u64 {
        match self.team {
            Some(team) => self.publish(team),
            None => self.nodes,
        }
    }
}

/// A mate of n plies counts as proved from depth n / 3 on: checks are extended.
const MATE_DISTANCE_SLACK: i32 = 3;

fn mate_plies(value: Value) -> i32 {
    super::value::MATE - value.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Material;
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        thread::ThreadId,
        time::Duration,
    };

    /// An evaluator that panics on every thread but one.
    #[derive(Clone)]
    struct Fragile {
        home: ThreadId,
        material: Material,
    }

    impl Evaluator for Fragile {
        fn reset(&mut self, position: &Position) {
            self.material.reset(position);
        }

        fn push(&mut self, position: &Position, mv: Move) {
            self.material.push(position, mv);
        }

        fn pop(&mut self) {
            self.material.pop();
        }

        fn evaluate(&mut self, position: &Position) -> i32 {
            assert_eq!(thread::current().id(), self.home, "expected by the test");
            self.material.evaluate(position)
        }
    }

    #[test]
    fn a_panic_of_a_helper_ends_the_search() {
        let evaluator = Fragile {
            home: thread::current().id(),
            material: Material::default(),
        };
        let mut memory = Memory::new(4, 3, &evaluator, SearchOptions::default()).unwrap();
        let game = Game::startpos();
        let limits = Limits {
            time: Some(Duration::from_secs(60)),
            ..Limits::default()
        };
        let control = Control::new();
        control.apply(&limits);
        let noise = Noise::new(0.0, 0).unwrap();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            search(
                &game,
                &game.legal_moves(),
                &limits,
                &control,
                &mut memory,
                &noise,
                &mut |_| (),
            )
        }));
        assert!(outcome.is_err());
        assert!(!control.is_over(), "it ended long before its time");
    }
}
