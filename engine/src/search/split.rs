//! Split points: nodes whose younger brothers are searched by several threads (YBWC* of paper
//! 003). The eldest has been searched by the owner alone.

use super::{
    Search,
    attempt::Place,
    iterate::{BEFORE_ROOT, Frame},
    node::{Node, Tried, TriedMove, Verdict},
    picker::{Picker, is_noisy},
    report::{LaneMoves, note_lanes},
    team::Team,
    values::Values,
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, Move, Position, Visit},
};
use std::{
    cell::Cell,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// What the search of a node's moves has come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Searched<V> {
    pub number: usize,
    pub best: V,
    pub best_move: Option<Move>,
    pub tried: Tried,
}

/// What a move that is searched at a split point changes.
struct Progress<V> {
    picker: Picker,
    alpha: V,
    searched: Searched<V>,
    /// The principal variation from the node on, if it lies on one.
    pv: Vec<Move>,
    /// The best move of each virtual player, at the root.
    lanes: LaneMoves,
}

impl<V> std::fmt::Debug for Progress<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}

/// A node that several threads search, and all they need to get there.
#[derive(Debug)]
pub(super) struct SplitPoint<V: Values> {
    /// The split point at which its owner worked.
    parent: Option<Arc<SplitPoint<V>>>,
    is_pv: bool,
    node: Node<V>,
    info: CheckInfo,
    position: Position,
    /// Since the root.
    visits: Vec<Visit>,
    after_pass: usize,
    /// As far as nodes below look back.
    frames: Vec<Frame<V>>,
    root_depth: i32,
    /// A copy of the one in `progress`.
    alpha: V::Shared,
    /// The search of this node has become useless.
    cut: AtomicBool,
    exhausted: AtomicBool,
    /// Moves found better than the best so far that are being searched again.
    rivals: AtomicUsize,
    /// Threads at work here, without the owner. Rises only while the board of the team is locked.
    workers: AtomicUsize,
    progress: Mutex<Progress<V>>,
}

impl<V: Values> SplitPoint<V> {
    pub fn parent(&self) -> Option<&Arc<Self>> {
        self.parent.as_ref()
    }

    pub fn depth(&self) -> i32 {
        self.node.depth
    }

    #[inline(always)]
    pub fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    pub fn mark_cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }

    pub fn has_moves(&self) -> bool {
        !self.exhausted.load(Ordering::Relaxed) && !self.is_cut() && !self.is_contested()
    }

    pub fn exhaust(&self) {
        self.exhausted.store(true, Ordering::Relaxed);
    }

    /// Whether a better move is being searched again: until its value is known, what others would
    /// search here is likely to be cut, or to be compared with too low an alpha.
    fn is_contested(&self) -> bool {
        self.rivals.load(Ordering::Relaxed) > 0
    }

    pub fn add_rival(&self) {
        self.rivals.fetch_add(1, Ordering::Relaxed);
    }

    /// True for the last one.
    pub fn remove_rival(&self) -> bool {
        self.rivals.fetch_sub(1, Ordering::Relaxed) == 1
    }

    pub fn is_below(&self, other: &Arc<Self>) -> bool {
        let mut ancestor = self.parent.as_ref();
        while let Some(split) = ancestor {
            if Arc::ptr_eq(split, other) {
                return true;
            }
            ancestor = split.parent.as_ref();
        }
        false
    }

    pub fn has_workers(&self) -> bool {
        self.workers.load(Ordering::Acquire) > 0
    }

    pub fn join(&self) {
        self.workers.fetch_add(1, Ordering::Relaxed);
    }

    /// True for the last one.
    pub fn leave(&self) -> bool {
        self.workers.fetch_sub(1, Ordering::Release) == 1
    }

    /// A thread that panicked stops the search, so nobody relies on what it left.
    fn progress(&self) -> MutexGuard<'_, Progress<V>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A split point while one of its moves is searched.
struct Shared<'a, V: Values> {
    team: &'a Team<V>,
    split: &'a SplitPoint<V>,
    /// Whether the other moves wait while this one is searched again.
    waiting: bool,
    is_rival: Cell<bool>,
}

impl<V: Values> Place<V> for Shared<'_, V> {
    fn alpha(&self) -> V {
        V::load(&self.split.alpha)
    }

    fn contest(&self) {
        if self.waiting && !self.is_rival.replace(true) {
            self.split.add_rival();
        }
    }
}

impl<V: Values> Drop for Shared<'_, V> {
    fn drop(&mut self) {
        if self.is_rival.get() && self.split.remove_rival() {
            self.team.look_again();
        }
    }
}

/// Leaves a split point whatever happens there, so that its owner never waits in vain.
struct Membership<'a, V: Values> {
    team: &'a Team<V>,
    split: &'a SplitPoint<V>,
}

impl<V: Values> Drop for Membership<'_, V> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.team.stop();
        }
        self.team.leave(self.split);
    }
}

impl<'a, E: Evaluator + Clone, V: Values> Search<'a, E, V> {
    /// The team, if others should take some of this node's moves.
    #[inline(always)]
    pub(super) fn team_for(&self, node: &Node<V>, number: usize) -> Option<&'a Team<V>> {
        self.team
            .filter(|team| node.depth >= self.options.split_depth && team.has_idle())
            .filter(|_| !node.cut_node || number as i32 >= self.options.split_patience)
            // Helpers do not know which moves of the root are ruled out.
            .filter(|_| node.ply > 0 || self.ruled_out.is_empty())
    }

    /// Searches the rest of a node's moves together with whoever joins. `info` is the node's.
    // Kept out of the main search, whose every stack frame would grow by a split point.
    #[inline(never)]
    #[cold]
    pub(super) fn split<const PV: bool>(
        &mut self,
        team: &Team<V>,
        node: &Node<V>,
        info: &CheckInfo,
        picker: &Picker,
        alpha: V,
        searched: Searched<V>,
    ) -> Searched<V> {
        let pv = if PV {
            self.pv[node.ply].clone()
        } else {
            Vec::new()
        };
        let split = Arc::new(SplitPoint {
            parent: self.split.clone(),
            is_pv: PV,
            node: *node,
            info: *info,
            position: self.position.clone(),
            visits: self.visits[self.root_visits..].to_vec(),
            after_pass: self.after_pass,
            frames: self.frames[..node.ply + BEFORE_ROOT + 3].to_vec(),
            root_depth: self.root_depth,
            alpha: alpha.share(),
            cut: AtomicBool::new(false),
            exhausted: AtomicBool::new(false),
            rivals: AtomicUsize::new(0),
            workers: AtomicUsize::new(0),
            progress: Mutex::new(Progress {
                picker: picker.clone(),
                alpha,
                searched,
                pv,
                lanes: if node.ply == 0 {
                    self.lanes.clone()
                } else {
                    Vec::new()
                },
            }),
        });
        let is_root = node.ply == 0;
        if is_root {
            self.root_split = Some(Arc::clone(&split));
        }
        team.open(&split);
        let outer = self.split.replace(Arc::clone(&split));
        self.work::<PV>(team, &split);
        while let Some(other) = team.find(Some(&split)) {
            if Arc::ptr_eq(&other, &split) {
                self.work::<PV>(team, &split);
            } else {
                self.help(team, &other);
            }
        }
        self.split = outer;
        self.stopped = self.has_to_return(team);
        if is_root {
            self.report_news();
            self.root_split = None;
        }
        let progress = split.progress();
        if is_root {
            self.lanes.clone_from(&progress.lanes);
        }
        if PV {
            self.pv[node.ply].clone_from(&progress.pv);
        }
        progress.searched
    }

    /// Works at a split point of another thread, then comes back to where it was.
    pub(super) fn help(&mut self, team: &Team<V>, split: &Arc<SplitPoint<V>>) {
        let membership = Membership { team, split };
        let mut evaluator = self.spares.pop().unwrap_or_else(|| self.evaluator.clone());
        evaluator.reset(&split.position);
        mem::swap(self.evaluator, &mut evaluator);
        let position = mem::replace(&mut self.position, split.position.clone());
        // A helpful master goes to a node below its own: what comes before stays as it is.
        let visits = self.visits.len();
        self.visits.truncate(self.root_visits);
        self.visits.extend_from_slice(&split.visits);
        let after_pass = mem::replace(&mut self.after_pass, split.after_pass);
        self.frames[..split.frames.len()].copy_from_slice(&split.frames);
        self.root_depth = split.root_depth;
        let outer = self.split.replace(Arc::clone(split));
        self.stopped = false;

        self.poll();
        if split.is_pv {
            self.work::<true>(team, split);
        } else {
            self.work::<false>(team, split);
        }
        self.publish(team);

        self.split = outer;
        self.stopped = self.has_to_return(team);
        self.visits.truncate(visits);
        self.after_pass = after_pass;
        self.position = position;
        mem::swap(self.evaluator, &mut evaluator);
        self.spares.push(evaluator);
        drop(membership);
    }

    /// Searches moves of the split point, at whose position this thread is, until none are left or
    /// those that are have to wait.
    fn work<const PV: bool>(&mut self, team: &Team<V>, split: &Arc<SplitPoint<V>>) {
        while let Some(tried) = self.next_move(split) {
            let place = Shared {
                team,
                split,
                waiting: self.options.split_waiting != 0,
                is_rival: Cell::new(false),
            };
            let value = self.search_move::<PV>(&split.node, tried, &place);
            if self.stopped {
                return;
            }
            self.take_in::<PV>(team, split, tried, value);
        }
    }

    fn next_move(&self, split: &SplitPoint<V>) -> Option<TriedMove> {
        let node = &split.node;
        let mut progress = split.progress();
        let Progress {
            picker,
            alpha,
            searched,
            ..
        } = &mut *progress;
        while !split.is_cut() && !split.is_contested() {
            let Some(mv) = picker.next(&self.position, &split.info, self.history) else {
                split.exhaust();
                return None;
            };
            if Some(mv) == node.excluded {
                continue;
            }
            searched.number += 1;
            let number = searched.number;
            let noisy = is_noisy(&self.position, mv);
            let gives_check = node.targets.is_check(&self.position, mv);
            if node.ply > 0 && !searched.best.is_lost(*alpha) {
                match self.verdict(node, mv, number, noisy, gives_check, *alpha) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }
            return Some(TriedMove {
                mv,
                number,
                noisy,
                gives_check,
                extension: self.check_extension(node, mv, gives_check),
            });
        }
        None
    }

    /// Takes the value of a move into the account of its split point.
    fn take_in<const PV: bool>(
        &mut self,
        team: &Team<V>,
        split: &Arc<SplitPoint<V>>,
        tried: TriedMove,
        value: V,
    ) {
        let ply = split.node.ply;
        let value = match ply {
            0 => self.unless_mated(tried.mv, value, V::load(&split.alpha)),
            _ => value,
        };
        let mut progress = split.progress();
        if split.is_cut() {
            return;
        }
        let Progress {
            alpha, searched, ..
        } = &mut *progress;
        let before = *alpha;
        let taken = V::take(&mut searched.best, alpha, split.node.beta, value);
        let cuts = taken.cut;
        alpha.store(&split.alpha);
        if taken.raised {
            searched.best_move = Some(tried.mv);
            if PV {
                progress.pv.clear();
                progress.pv.push(tried.mv);
                progress.pv.extend_from_slice(&self.pv[ply + 1]);
                if ply == 0 {
                    note_lanes(
                        &mut progress.lanes,
                        tried.mv,
                        value,
                        (before, split.node.beta),
                    );
                    team.announce_news();
                }
            }
        }
        if cuts {
            split.mark_cut();
        } else {
            progress.searched.tried.add(tried.mv, tried.noisy);
        }
        drop(progress);
        if cuts {
            team.cut(split);
        }
        self.report_news();
    }

    /// Reports a better move at the root, if there is one and this thread is the one to do it.
    pub(super) fn report_news(&mut self) {
        if let Some(team) = self.team
            && let Some(split) = &self.root_split
            && team.take_news()
        {
            let progress = split.progress();
            self.pv[0].clone_from(&progress.pv);
            let value = progress.searched.best;
            let beta = split.node.beta;
            self.lanes.clone_from(&progress.lanes);
            drop(progress);
            self.new_best_at_root(value, beta);
        }
    }

    /// Whether the current node's search is useless: the limits are reached, or a cut above.
    fn has_to_return(&self, team: &Team<V>) -> bool {
        team.is_stopped() || self.split.as_ref().is_some_and(|split| split.is_cut())
    }
}

#[cfg(test)]
impl SplitPoint<i32> {
    /// A split point of the start position with moves to give away.
    pub fn sample(depth: i32, parent: Option<&Arc<Self>>) -> Arc<Self> {
        use super::{history::Context, value::INFINITE};
        use crate::rules::CheckTargets;
        let position = Position::startpos();
        Arc::new(Self {
            parent: parent.cloned(),
            is_pv: false,
            node: Node {
                depth,
                ply: 1,
                beta: 1,
                cut_node: false,
                in_check: false,
                improving: false,
                evaluation: 0,
                contexts: [Context::NONE; 3],
                excluded: None,
                noisy_table_move: false,
                once_principal: false,
                targets: CheckTargets::new(&position),
            },
            info: CheckInfo::new(&position),
            position,
            visits: Vec::new(),
            after_pass: 0,
            frames: Vec::new(),
            root_depth: depth,
            alpha: 0.share(),
            cut: AtomicBool::new(false),
            exhausted: AtomicBool::new(false),
            rivals: AtomicUsize::new(0),
            workers: AtomicUsize::new(0),
            progress: Mutex::new(Progress {
                picker: Picker::new(false, None, [None; 2], [Context::NONE; 3]),
                alpha: 0,
                searched: Searched {
                    number: 0,
                    best: -INFINITE,
                    best_move: None,
                    tried: Tried::default(),
                },
                pv: Vec::new(),
                lanes: Vec::new(),
            }),
        })
    }
}
