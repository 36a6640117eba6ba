//! Making and unmaking moves: the position, the evaluator and the key history go together.

use super::{
    history::{Context, Contexts, Features},
    search_value::SearchValue,
    searcher::Searcher,
    stack::STACK_OFFSET,
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, KeyHistoryEntry, Move, Undo},
};

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns the surroundings of the node at `ply`, with the pawns of the current position.
    #[inline(always)]
    pub(super) fn contexts(&self, ply: usize) -> Contexts {
        let here = ply + STACK_OFFSET;
        Contexts {
            moves: Contexts::PLIES.map(|plies| self.stack[here - plies].context),
            pawns: self.position.structure().pawns() as usize,
            ply,
            in_check: self.stack[here].in_check,
        }
    }

    /// Makes a move at `ply` that leads to the position with key `key`. Returns the checks and pins of the
    /// child, and the data that [`Searcher::unmake_move`] needs.
    #[inline(always)]
    pub(super) fn make_move(
        &mut self,
        mv: Move,
        key: u64,
        ply: usize,
        gives_check: bool,
    ) -> (CheckInfo, Undo) {
        let context = Context::of(&self.position, mv);
        self.evaluator.push(&self.position, mv);
        let undo = self.position.make_known(mv, key);
        self.stack[ply + STACK_OFFSET].context = context;
        (self.history.correction).prefetch(&Features::of(&self.position, context));
        let child = CheckInfo::new(&self.position);
        (self.key_history).push(KeyHistoryEntry::known(&self.position, gives_check));
        (child, undo)
    }

    /// Takes the last move back.
    #[inline(always)]
    pub(super) fn unmake_move(&mut self, mv: Move, undo: Undo) {
        self.key_history.pop();
        self.position.unmake(mv, undo);
        self.evaluator.pop();
    }
}
