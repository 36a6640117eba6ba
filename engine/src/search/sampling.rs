//! Searches of sampled moves, from which judges of moves learn.

use super::{
    move_judge::{
        LEAST_ORDER_DEPTH, LEAST_PRUNING_DEPTH, LastMove, MoveFeatures, MoveJudgement, MoveSample,
        NEAR_MARGIN, OrderSample, SampleOutcome, SearchSample,
    },
    node::{Node, NodeMove},
    picker::Picker,
    search_value::SearchValue,
    searcher::Searcher,
    stack::STACK_OFFSET,
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, Move},
};

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Searches a move that has been made to one ply less than usual and in full, if a sample is due. `plies` are the
    /// usual depth and the full one; `low` is alpha.
    #[cold]
    #[inline(never)]
    pub(super) fn sample_reduction(
        &mut self,
        child: &CheckInfo,
        node: &Node<V>,
        low: V,
        (usual, full): (i32, i32),
        features: MoveFeatures,
    ) {
        let Some(sampler) = &mut self.sampler else {
            return;
        };
        let reduced = usual - 1;
        if !sampler.samples(MoveJudgement::Reductions)
            || reduced < 1
            || reduced >= full
            || !sampler.begin_sample()
        {
            return;
        }
        let here = node.ply + STACK_OFFSET;
        let cuts = self.stack[here + 1].cuts;
        let window = V::turned(V::above(low));
        // The shallower search comes first: the other one could answer it from the table.
        let [reduced_beats, full_beats] =
            [(reduced, true), (full, !node.cut_node)].map(|(depth, is_cut)| {
                self.stack[here].reduction = full - depth;
                let value = self.alpha_beta::<false>(child, window, depth, node.ply + 1, is_cut);
                self.stack[here].reduction = 0;
                !low.all_at_least(value.negated())
            });
        self.stack[here + 1].cuts = cuts;
        self.end_sample(
            features,
            SampleOutcome::Reduction {
                reduced_beats,
                full_beats,
            },
        );
    }

    /// Searches a quiet move near the margin of futility pruning, pruned or not, if a sample is due. `has_raised`
    /// tells whether a move before has raised alpha.
    #[cold]
    #[inline(never)]
    pub(super) fn sample_margin(
        &mut self,
        node: &Node<V>,
        node_move: &NodeMove,
        alpha: V,
        has_raised: bool,
    ) {
        if node_move.noisy
            || node_move.gives_check
            || node.in_check
            || node.depth < LEAST_PRUNING_DEPTH
        {
            return;
        }
        let Some((surplus, features)) = self.futility_features(node, node_move, alpha, has_raised)
        else {
            return;
        };
        let Some(sampler) = &mut self.sampler else {
            return;
        };
        if surplus.abs() > NEAR_MARGIN || !sampler.begin_sample() {
            return;
        }
        let NodeMove {
            mv,
            key,
            move_count,
            ..
        } = *node_move;
        let here = node.ply + STACK_OFFSET;
        let cuts = self.stack[here + 1].cuts;
        let (child, undo) = self.make_move(mv, key, node.ply, false);
        let extended = self.stack[here - 1].extended;
        let entry = &mut self.stack[here];
        entry.extended = extended;
        (entry.quiet, entry.noisy) = (Some(mv), None);
        (entry.move_count, entry.is_table_move) = (move_count, false);
        (entry.history, entry.reduction) = (0, 0);
        let mut beats = false;
        if !self.count_node() {
            let window = V::turned(V::above(alpha));
            let depth = node.depth - 1;
            let value = self.alpha_beta::<false>(&child, window, depth, node.ply + 1, true);
            beats = !alpha.all_at_least(value.negated());
        }
        self.unmake_move(mv, undo);
        self.stack[here + 1].cuts = cuts;
        self.end_sample(features, SampleOutcome::Margin { surplus, beats });
    }

    /// Notes the moves of a node that `mv` has cut, with their scores, if a sample is due. The table's move, which
    /// comes first without a score, is left out.
    #[cold]
    #[inline(never)]
    pub(super) fn sample_order(&mut self, info: &CheckInfo, node: &Node<V>, mv: Move) {
        if node.depth < LEAST_ORDER_DEPTH || node.excluded.is_some() || node.table_move == Some(mv)
        {
            return;
        }
        let Some(sampler) = &mut self.sampler else {
            return;
        };
        if !sampler.begin_sample() {
            return;
        }
        let last = &self.stack[node.ply + STACK_OFFSET - 1];
        let captures = last.noisy.is_some();
        let mut picker = Picker::new(node.in_check, None, node.contexts);
        picker.favour_checks(&node.targets);
        let (stage, mut moves) = picker.moves_like(mv, &self.position, info, self.history);
        moves.retain(|&(other, _)| Some(other) != node.table_move);
        let place = moves.iter().position(|&(other, _)| other == mv);
        sampler.end(place.map(|place| {
            moves.swap(0, place);
            SearchSample::Order(Box::new(OrderSample {
                position: self.position.clone(),
                stage,
                last: (last.context.to()).map(|to| LastMove { to, captures }),
                moves,
            }))
        }));
    }

    /// Keeps a sample, unless its searches were broken off.
    fn end_sample(&mut self, features: MoveFeatures, outcome: SampleOutcome) {
        let is_whole = !self.stopped;
        if let Some(sampler) = &mut self.sampler {
            sampler.end(is_whole.then(|| {
                SearchSample::Late(MoveSample {
                    features: features.to_vec(),
                    outcome,
                })
            }));
        }
    }
}
