//! The threads of one search: who looks for work, and which split points have some (YBWC* of
//! paper 003).

use super::{split::SplitPoint, values::Values};
use std::{
    hint::spin_loop,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// How long a thread without work looks for some before it sleeps: longer than a busy thread
/// usually needs to reach a node that it can split, and than a sleeper needs to wake up.
const PATIENCE: Duration = Duration::from_micros(50);

#[derive(Debug)]
struct Board<V: Values> {
    /// Every split point that its owner has not left.
    open: Vec<Arc<SplitPoint<V>>>,
    sleeping: usize,
    dismissed: bool,
}

impl<V: Values> Board<V> {
    /// The split point with most remaining depth that still has moves to give away, below `own` if
    /// that is given.
    fn richest(&self, own: Option<&Arc<SplitPoint<V>>>) -> Option<&Arc<SplitPoint<V>>> {
        let mut best: Option<&Arc<SplitPoint<V>>> = None;
        for split in &self.open {
            if split.has_moves()
                && best.is_none_or(|best| split.depth() > best.depth())
                && own.is_none_or(|own| split.is_below(own))
            {
                best = Some(split);
            }
        }
        best
    }
}

/// What the threads of one search share besides the table.
#[derive(Debug)]
pub(super) struct Team<V: Values> {
    board: Mutex<Board<V>>,
    wake: Condvar,
    /// Changes, while the board is locked, whenever another look at it may be worth while.
    epoch: AtomicU32,
    /// Threads that look for work.
    idle: AtomicUsize,
    stopped: AtomicBool,
    nodes: AtomicU64,
    selective_depth: AtomicUsize,
    news: AtomicBool,
}

impl<V: Values> Default for Team<V> {
    fn default() -> Self {
        Self {
            board: Mutex::new(Board {
                open: Vec::new(),
                sleeping: 0,
                dismissed: false,
            }),
            wake: Condvar::new(),
            epoch: AtomicU32::new(0),
            idle: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            selective_depth: AtomicUsize::new(0),
            news: AtomicBool::new(false),
        }
    }
}

impl<V: Values> Team<V> {
    /// A thread that panicked has changed nothing by halves on the board.
    fn lock(&self) -> MutexGuard<'_, Board<V>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets those that look for work look again.
    fn call(&self, board: MutexGuard<'_, Board<V>>) {
        self.epoch.fetch_add(1, Ordering::Relaxed);
        if board.sleeping > 0 {
            self.wake.notify_all();
        }
    }

    /// Whether some thread looks for work.
    #[inline(always)]
    pub fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Offers the moves of a split point to everybody.
    pub fn open(&self, split: &Arc<SplitPoint<V>>) {
        let mut board = self.lock();
        if self.is_stopped() || split.parent().is_some_and(|parent| parent.is_cut()) {
            split.mark_cut();
        }
        board.open.push(Arc::clone(split));
        self.call(board);
    }

    /// Waits for work and joins the richest split point.
    ///
    /// The owner of a split point, given as `own`, gets that itself once moves that had to wait may be
    /// searched, else work from below it alone (the helpful master): those who keep it waiting. It
    /// gets none, and its split point is closed, once nobody else works there. A thread that owns
    /// nothing gets none when the search is over.
    pub fn find(&self, own: Option<&Arc<SplitPoint<V>>>) -> Option<Arc<SplitPoint<V>>> {
        let mut board = self.lock();
        loop {
            match own {
                Some(own) if own.has_moves() => return Some(Arc::clone(own)),
                Some(own) if !own.has_workers() => {
                    board.open.retain(|split| !Arc::ptr_eq(split, own));
                    return None;
                }
                None if board.dismissed => return None,
                _ => {}
            }
            if let Some(split) = board.richest(own) {
                split.join();
                return Some(Arc::clone(split));
            }
            let epoch = self.epoch.load(Ordering::Relaxed);
            let unchanged = || self.epoch.load(Ordering::Relaxed) == epoch;
            drop(board);
            self.idle.fetch_add(1, Ordering::Relaxed);
            let begun = Instant::now();
            while unchanged() && begun.elapsed() < PATIENCE {
                spin_loop();
            }
            board = self.lock();
            if unchanged() {
                board.sleeping += 1;
                board = self
                    .wake
                    .wait(board)
                    .unwrap_or_else(PoisonError::into_inner);
                board.sleeping -= 1;
            }
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Moves that had to wait may be searched.
    pub fn look_again(&self) {
        self.call(self.lock());
    }

    /// Leaves a split point that [`Team::find`] joined.
    pub fn leave(&self, split: &SplitPoint<V>) {
        if split.leave() {
            self.call(self.lock());
        }
    }

    /// Ends the work at a split point and everywhere below it.
    pub fn cut(&self, split: &Arc<SplitPoint<V>>) {
        split.mark_cut();
        for other in &self.lock().open {
            if other.is_below(split) {
                other.mark_cut();
            }
        }
    }

    /// Ends the search on every thread.
    pub fn stop(&self) {
        if !self.stopped.swap(true, Ordering::Relaxed) {
            for split in &self.lock().open {
                split.mark_cut();
            }
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Ends the search, and sends everybody home who looks for work.
    pub fn dismiss(&self) {
        self.stop();
        let mut board = self.lock();
        board.dismissed = true;
        self.call(board);
    }

    /// Adds to the nodes and the deepest ply of all threads; returns the nodes.
    pub fn publish(&self, nodes: u64, selective_depth: usize) -> u64 {
        self.selective_depth
            .fetch_max(selective_depth, Ordering::Relaxed);
        self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    pub fn selective_depth(&self) -> usize {
        self.selective_depth.load(Ordering::Relaxed)
    }

    /// A new iteration begins.
    pub fn reset_selective_depth(&self) {
        self.selective_depth.store(0, Ordering::Relaxed);
    }

    /// Says that a better move has been found at the root.
    pub fn announce_news(&self) {
        self.news.store(true, Ordering::Relaxed);
    }

    /// Whether there was news since the last call.
    pub fn take_news(&self) -> bool {
        self.news.load(Ordering::Relaxed) && self.news.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_without_duties_joins_the_richest_split_point() {
        let team = Team::<i32>::default();
        let splits = [7, 9, 8].map(|depth| SplitPoint::sample(depth, None));
        for split in &splits {
            team.open(split);
        }
        let found = team.find(None).unwrap();
        assert!(Arc::ptr_eq(&found, &splits[1]));
        assert!(found.has_workers());
    }

    #[test]
    fn a_helpful_master_helps_below_its_own_split_point_alone() {
        let team = Team::<i32>::default();
        let own = SplitPoint::sample(9, None);
        let elsewhere = SplitPoint::sample(12, None);
        let child = SplitPoint::sample(7, Some(&own));
        let grandchild = SplitPoint::sample(5, Some(&child));
        for split in [&own, &elsewhere, &child, &grandchild] {
            team.open(split);
        }
        own.exhaust();
        own.join();
        let found = team.find(Some(&own)).unwrap();
        assert!(Arc::ptr_eq(&found, &child));
        child.mark_cut();
        let found = team.find(Some(&own)).unwrap();
        assert!(Arc::ptr_eq(&found, &grandchild));
        team.leave(&own);
        assert!(team.find(Some(&own)).is_none(), "nobody keeps it waiting");
    }

    #[test]
    fn while_a_better_move_is_searched_again_the_other_moves_wait() {
        let team = Team::<i32>::default();
        let own = SplitPoint::sample(9, None);
        let child = SplitPoint::sample(7, Some(&own));
        team.open(&own);
        team.open(&child);
        own.join();
        own.add_rival();
        own.add_rival();
        for finder in [None, Some(&own)] {
            let found = team.find(finder).unwrap();
            assert!(Arc::ptr_eq(&found, &child));
        }
        assert!(!own.remove_rival() && own.remove_rival());
        for finder in [None, Some(&own)] {
            let found = team.find(finder).unwrap();
            assert!(Arc::ptr_eq(&found, &own));
        }
    }

    #[test]
    fn a_cut_reaches_everything_below_and_nothing_else() {
        let team = Team::<i32>::default();
        let top = SplitPoint::sample(9, None);
        let middle = SplitPoint::sample(8, Some(&top));
        let bottom = SplitPoint::sample(7, Some(&middle));
        for split in [&top, &middle, &bottom] {
            team.open(split);
        }
        team.cut(&middle);
        assert!(!top.is_cut() && middle.is_cut() && bottom.is_cut());
        let late = SplitPoint::sample(6, Some(&bottom));
        team.open(&late);
        assert!(late.is_cut());
        team.stop();
        assert!(top.is_cut());
    }

    #[test]
    fn who_waits_for_work_is_sent_home_at_the_end() {
        let team = Team::<i32>::default();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| team.find(None).is_none());
            while !team.has_idle() {
                std::thread::yield_now();
            }
            team.dismiss();
            assert!(waiting.join().unwrap());
        });
    }
}
