//! Searches of sampled moves, from which judges of moves learn.

use super::{
    move_judge::{
        LEAST_ORDER_DEPTH, LEAST_PRUNING_DEPTH, LastMove, MoveFeatures, MoveJudgement, MoveSample,
        NEAR_MARGIN, OrderSample, OrderStage, SampleOutcome, SearchSample,
    },
    node::{Node, NodeMove},
    picker::{Picker, stage_of},
    search_value::SearchValue,
    searcher::Searcher,
    stack::STACK_OFFSET,
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, Move},
};

/// The moves of the stages of a node that the picker has begun, each with its score.
#[derive(Debug, Default)]
pub(super) struct OrderedStages(Vec<(OrderStage, Vec<(Move, i32)>)>);

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

    /// Begins to note the moves of a node as the picker orders them, if a sample is due.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_order_sample(&mut self, node: &Node<V>) -> Option<Box<OrderedStages>> {
        if node.depth < LEAST_ORDER_DEPTH || node.excluded.is_some() {
            return None;
        }
        let is_due = self
            .sampler
            .as_mut()
            .is_some_and(|sampler| sampler.is_due());
        is_due.then(Box::default)
    }

    /// Notes the moves of the stage to which the picker's next move belongs, where it is the first of them: with the
    /// scores by which they are ordered, before the searches below them change the histories. The captures that are put
    /// off until after the quiet moves are noted before these. The table's move, which comes first without a score, is
    /// left out.
    #[cold]
    #[inline(never)]
    pub(super) fn note_stage(
        &self,
        info: &CheckInfo,
        node: &Node<V>,
        mv: Move,
        stages: &mut OrderedStages,
    ) {
        let stage = stage_of(mv, &self.position, info);
        if node.table_move == Some(mv) || stages.0.iter().any(|&(noted, _)| noted == stage) {
            return;
        }
        let moves_of = |stage| {
            let mut picker = Picker::new(node.in_check, None, node.contexts);
            picker.favour_checks(&node.targets);
            let mut moves = picker.moves_of(stage, &self.position, info, self.history);
            moves.retain(|&(other, _)| Some(other) != node.table_move);
            moves
        };
        if stage == OrderStage::Quiet && stages.0.is_empty() {
            stages
                .0
                .push((OrderStage::Noisy, moves_of(OrderStage::Noisy)));
        }
        let moves = moves_of(stage);
        debug_assert!(
            node.ply == 0
                || stage == OrderStage::Noisy
                || (moves.iter().max_by_key(|one| one.1).map(|one| one.1)
                    == moves.iter().find(|one| one.0 == mv).map(|one| one.1)),
            "the picker's first move of a stage has the largest score"
        );
        stages.0.push((stage, moves));
    }

    /// Keeps the sample of a node that `mv` has cut, unless that is the table's move.
    #[cold]
    #[inline(never)]
    pub(super) fn end_order_sample(&mut self, node: &Node<V>, mv: Move, stages: OrderedStages) {
        let last = &self.stack[node.ply + STACK_OFFSET - 1];
        let captures = last.noisy.is_some();
        let place_in = |moves: &[(Move, i32)]| moves.iter().position(|&(other, _)| other == mv);
        let mut stages = stages.0.into_iter();
        let Some((place, (stage, mut moves))) =
            stages.find_map(|stage| Some((place_in(&stage.1)?, stage)))
        else {
            return;
        };
        moves.swap(0, place);
        let sample = OrderSample {
            position: self.position.clone(),
            stage,
            last: (last.context.to()).map(|to| LastMove { to, captures }),
            moves,
        };
        if let Some(sampler) = &mut self.sampler {
            sampler.keep(SearchSample::Order(Box::new(sample)));
        }
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
