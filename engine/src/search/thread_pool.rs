//! The threads of one search, and the split points that have work for idle threads (YBWC* of
//! Shimoyama).

use super::{search_value::SearchValue, split_point::SplitPoint};
use std::{
    hint::spin_loop,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Time for which an idle thread spins before it sleeps: longer than a busy thread usually needs to
/// reach a node that it can split, and longer than a sleeping thread needs to wake up.
const PATIENCE: Duration = Duration::from_micros(50);

/// More threads than this are many: what they lose by waiting is more than what they lose by moves that a cut
/// would have spared.
const MANY_THREADS: usize = 4;

/// The part of the pool behind the lock.
#[derive(Debug)]
struct PoolState<V: SearchValue> {
    /// The split points whose owners still work there.
    open: Vec<Arc<SplitPoint<V>>>,
    sleeping: usize,
    dismissed: bool,
}

impl<V: SearchValue> PoolState<V> {
    /// Returns the split point with the most remaining depth among those with moves to give away;
    /// only below `own`, if that is given.
    fn deepest(&self, own: Option<&Arc<SplitPoint<V>>>) -> Option<&Arc<SplitPoint<V>>> {
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

/// The threads of one search, with the data that they share besides the tables.
#[derive(Debug)]
pub(super) struct ThreadPool<V: SearchValue> {
    /// Number of threads that search together.
    threads: usize,
    state: Mutex<PoolState<V>>,
    wake: Condvar,
    /// Changes, while the state is locked, whenever an idle thread may find work.
    epoch: AtomicU32,
    /// Number of threads without work.
    idle: AtomicUsize,
    stopped: AtomicBool,
    nodes: AtomicU64,
    selective_depth: AtomicUsize,
    /// A better root move has not been reported yet.
    root_improvement: AtomicBool,
}

impl<V: SearchValue> ThreadPool<V> {
    /// Creates the pool of a search by so many threads.
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            state: Mutex::new(PoolState {
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
            root_improvement: AtomicBool::new(false),
        }
    }

    /// Tells whether many threads search.
    #[inline(always)]
    pub fn has_many(&self) -> bool {
        self.threads > MANY_THREADS
    }

    /// Locks the state. A poisoned lock is harmless, because every change of the state is a single
    /// step.
    fn lock(&self) -> MutexGuard<'_, PoolState<V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unlocks the state and lets idle threads look for work again.
    fn notify(&self, state: MutexGuard<'_, PoolState<V>>) {
        self.epoch.fetch_add(1, Ordering::Relaxed);
        if state.sleeping > 0 {
            self.wake.notify_all();
        }
    }

    /// Tells whether some thread is without work.
    #[inline(always)]
    pub fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Offers the moves of a split point to all threads.
    pub fn open(&self, split: &Arc<SplitPoint<V>>) {
        let mut state = self.lock();
        if self.is_stopped() || split.parent().is_some_and(|parent| parent.is_cut()) {
            split.mark_cut();
        }
        state.open.push(Arc::clone(split));
        self.notify(state);
    }

    /// Waits for work and joins the split point with the most remaining depth.
    ///
    /// A thread that waits at its own split point `own` gets that one back as soon as it has moves
    /// again, and otherwise only split points below it, so that it helps the threads it waits for
    /// (the helpful master). Once no other thread works at `own`, the split point is closed and the
    /// result is `None`. A thread without a split point gets `None` when the search is over.
    pub fn find(&self, own: Option<&Arc<SplitPoint<V>>>) -> Option<Arc<SplitPoint<V>>> {
        let mut state = self.lock();
        loop {
            match own {
                Some(own) if own.has_moves() => return Some(Arc::clone(own)),
                Some(own) if !own.has_workers() => {
                    state.open.retain(|split| !Arc::ptr_eq(split, own));
                    return None;
                }
                None if state.dismissed => return None,
                _ => {}
            }
            if let Some(split) = state.deepest(own) {
                split.join();
                return Some(Arc::clone(split));
            }
            let epoch = self.epoch.load(Ordering::Relaxed);
            let unchanged = || self.epoch.load(Ordering::Relaxed) == epoch;
            drop(state);
            self.idle.fetch_add(1, Ordering::Relaxed);
            let begun = Instant::now();
            while unchanged() && begun.elapsed() < PATIENCE {
                spin_loop();
            }
            state = self.lock();
            if unchanged() {
                state.sleeping += 1;
                state = self
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                state.sleeping -= 1;
            }
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Lets idle threads look for work again, after moves that had to wait have become available.
    pub fn wake_idle(&self) {
        self.notify(self.lock());
    }

    /// Leaves a split point that [`ThreadPool::find`] joined.
    pub fn leave(&self, split: &SplitPoint<V>) {
        if split.leave() {
            self.notify(self.lock());
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

    /// Ends the search and releases the idle threads.
    pub fn dismiss(&self) {
        self.stop();
        let mut state = self.lock();
        state.dismissed = true;
        self.notify(state);
    }

    /// Adds nodes to the total and updates the deepest ply; returns the total.
    pub fn publish(&self, nodes: u64, selective_depth: usize) -> u64 {
        self.selective_depth
            .fetch_max(selective_depth, Ordering::Relaxed);
        self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    pub fn selective_depth(&self) -> usize {
        self.selective_depth.load(Ordering::Relaxed)
    }

    /// Resets the deepest ply for a new iteration.
    pub fn reset_selective_depth(&self) {
        self.selective_depth.store(0, Ordering::Relaxed);
    }

    /// Announces that a better move has been found at the root.
    pub fn announce_root_improvement(&self) {
        self.root_improvement.store(true, Ordering::Relaxed);
    }

    /// Tells whether a better root move was announced since the last call.
    pub fn take_root_improvement(&self) -> bool {
        self.root_improvement.load(Ordering::Relaxed)
            && self.root_improvement.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_thread_joins_the_split_point_with_most_depth() {
        let pool = ThreadPool::<i32>::new(2);
        let splits = [7, 9, 8].map(|depth| SplitPoint::sample(depth, None));
        for split in &splits {
            pool.open(split);
        }
        let found = pool.find(None).unwrap();
        assert!(Arc::ptr_eq(&found, &splits[1]));
        assert!(found.has_workers());
    }

    #[test]
    fn a_helpful_master_helps_only_below_its_own_split_point() {
        let pool = ThreadPool::<i32>::new(2);
        let own = SplitPoint::sample(9, None);
        let elsewhere = SplitPoint::sample(12, None);
        let child = SplitPoint::sample(7, Some(&own));
        let grandchild = SplitPoint::sample(5, Some(&child));
        for split in [&own, &elsewhere, &child, &grandchild] {
            pool.open(split);
        }
        own.exhaust();
        own.join();
        let found = pool.find(Some(&own)).unwrap();
        assert!(Arc::ptr_eq(&found, &child));
        child.mark_cut();
        let found = pool.find(Some(&own)).unwrap();
        assert!(Arc::ptr_eq(&found, &grandchild));
        pool.leave(&own);
        assert!(
            pool.find(Some(&own)).is_none(),
            "no thread keeps it waiting"
        );
    }

    #[test]
    fn while_a_better_move_is_searched_again_the_other_moves_wait() {
        let pool = ThreadPool::<i32>::new(2);
        let own = SplitPoint::sample(9, None);
        let child = SplitPoint::sample(7, Some(&own));
        pool.open(&own);
        pool.open(&child);
        own.join();
        own.begin_research();
        own.begin_research();
        for finder in [None, Some(&own)] {
            let found = pool.find(finder).unwrap();
            assert!(Arc::ptr_eq(&found, &child));
        }
        assert!(!own.end_research() && own.end_research());
        for finder in [None, Some(&own)] {
            let found = pool.find(finder).unwrap();
            assert!(Arc::ptr_eq(&found, &own));
        }
    }

    #[test]
    fn a_cut_reaches_everything_below_and_nothing_else() {
        let pool = ThreadPool::<i32>::new(2);
        let top = SplitPoint::sample(9, None);
        let middle = SplitPoint::sample(8, Some(&top));
        let bottom = SplitPoint::sample(7, Some(&middle));
        for split in [&top, &middle, &bottom] {
            pool.open(split);
        }
        pool.cut(&middle);
        assert!(!top.is_cut() && middle.is_cut() && bottom.is_cut());
        let late = SplitPoint::sample(6, Some(&bottom));
        pool.open(&late);
        assert!(late.is_cut());
        pool.stop();
        assert!(top.is_cut());
    }

    #[test]
    fn idle_threads_are_released_at_the_end() {
        let pool = ThreadPool::<i32>::new(2);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| pool.find(None).is_none());
            while !pool.has_idle() {
                std::thread::yield_now();
            }
            pool.dismiss();
            assert!(waiting.join().unwrap());
        });
    }
}
