//! Steps down the tree and up again: everything that follows the position is kept with it.

use super::{
    Search,
    history::{Context, Contexts},
    iterate::BEFORE_ROOT,
    values::{Store, Values},
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, Move, Undo, Visit},
};

impl<E: Evaluator + Clone, V: Values> Search<'_, E, V> {
    /// The moves that have led to the node at `ply`.
    #[inline(always)]
    pub(super) fn contexts(&self, ply: usize) -> Contexts {
        [1, 2, 4].map(|plies| self.frames[ply + BEFORE_ROOT - plies].context)
    }

    /// Makes a move at `ply`. Comes back with what the child's move generation needs, and with what
    /// [`Search::step_up`] does.
    #[inline(always)]
    pub(super) fn step_down(
        &mut self,
        mv: Move,
        ply: usize,
        gives_check: bool,
    ) -> (CheckInfo, Undo) {
        self.table.prefetch(self.position.key_after(mv));
        let context = Context::of(&self.position, mv);
        self.evaluator.push(&self.position, mv);
        let undo = self.position.make(mv);
        self.frames[ply + BEFORE_ROOT].context = context;
        let child = CheckInfo::new(&self.position);
        self.visits.push(Visit {
            key: self.position.key(),
            side: self.position.side_to_move(),
            in_check: gives_check,
        });
        (child, undo)
    }

    /// Takes the move back.
    #[inline(always)]
    pub(super) fn step_up(&mut self, mv: Move, undo: Undo) {
        self.visits.pop();
        self.position.unmake(mv, undo);
        self.evaluator.pop();
    }
}
