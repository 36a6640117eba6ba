//! Mates that were found once and are replayed in similar nodes (Shimoyama, section 2: 詰み部分木).
//!
//! The last proof at a ply is kept until the next one there, and replayed at its brothers: after another move of the
//! root (`mate_defence`), and after the moves of nodes where a pass fails clearly. There a threat is looked for with a
//! few positions, since the search of the pass proves hardly any mates but those in one, which need no replay: after
//! 200 passes that were answered by mate (24 middle games, 20,000 nodes each), 400 positions found 192 mates in one
//! and none that is longer. A replay in another node costs next to nothing when it fails, mostly at its first check,
//! which is illegal or none there.
//!
//! Each thread keeps its own proofs, for one search.

use super::{node::Node, search_value::SearchValue, searcher::Searcher};
use crate::{eval::Evaluator, mate::ProofSubtree, rules::Move};

/// Positions that may be looked at to copy a proof, or to replay one.
const POSITIONS: u64 = 1_000;

/// Value of `mate_replay` with which threats are replayed.
const AFTER_THREATS: i32 = 2;

/// Least remaining depth of a node where a threat is looked for, or replayed.
const LEAST_DEPTH: i32 = 4;

/// Positions of the search for a threat.
const THREAT_POSITIONS: u64 = 50;

/// Centipawns by which a pass has to fail so that a threat of mate is likely.
const THREAT_MARGIN: i32 = 300;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Keeps the proof of a mate in `plies` that the mate search has found at the current node.
    pub(super) fn keep_proof(&mut self, ply: usize, plies: usize) {
        let limit = POSITIONS.min(self.positions_left());
        let (proof, looked_at) =
            ProofSubtree::of(self.mates, &mut self.position, plies as u16, limit);
        self.count_positions(looked_at);
        *self.proofs.slot(ply) = proof;
    }

    /// Replays the last proof at this ply; returns the mate's first move and its length in plies.
    pub(super) fn replay_mate(&mut self, ply: usize) -> Option<(Move, usize)> {
        if !self.trusts_mates() {
            return None;
        }
        let limit = POSITIONS.min(self.positions_left());
        let proof = self.proofs.slot(ply).as_ref()?;
        let (mate, looked_at) = proof.replay(&mut self.position, limit);
        self.count_positions(looked_at);
        let (mv, plies) = mate?;
        (!self.is_too_late(plies)).then_some((mv, plies.into()))
    }

    /// Looks for a mate by the other side after a pass of this value has failed clearly, and keeps its proof for the
    /// moves of the node. Mates in one need none: the moves that allow them are seen at once.
    pub(super) fn look_for_threat(&mut self, node: &Node<V>, value: V) {
        let &Node {
            depth, ply, beta, ..
        } = node;
        if self.options.mate_replay < AFTER_THREATS || depth < LEAST_DEPTH {
            return;
        }
        let low = beta.plus(-self.options.margin(THREAT_MARGIN));
        if value.any_above(low) {
            return;
        }
        self.position.make_pass();
        let found = self.find_mate_within(THREAT_POSITIONS);
        if let Some((_, plies)) = found
            && plies > 1
        {
            self.keep_proof(ply + 1, plies);
        }
        self.position.unmake_pass();
    }

    /// Returns the value of a move after which the last mate at the next ply still mates. The proof may come from
    /// another node.
    #[inline(always)]
    pub(super) fn refuted_by_replay(&mut self, node: &Node<V>, mv: Move) -> Option<V> {
        match self.options.mate_replay >= AFTER_THREATS && node.depth >= LEAST_DEPTH {
            true => self.replay_after_move(mv, node.ply),
            false => None,
        }
    }

    #[inline(never)]
    fn replay_after_move(&mut self, mv: Move, ply: usize) -> Option<V> {
        if self.proofs.slot(ply + 1).is_none() {
            return None;
        }
        let undo = self.position.make(mv);
        let mate = match self.is_new_position() {
            true => self.replay_mate(ply + 1),
            false => None,
        };
        let value = mate.map(|(answer, plies)| self.store_mate(answer, ply + 1, plies).negated());
        self.position.unmake(mv, undo);
        value
    }
}
