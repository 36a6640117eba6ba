//! Updates of the histories after a node.

use super::{
    history::{Context, Contexts},
    node::{Node, SearchedMoves},
    numbers::{history as numbers, last_move},
    picker::is_noisy,
    search_value::SearchValue,
    searcher::Searcher,
    stack::STACK_OFFSET,
};
use crate::{eval::Evaluator, rules::Move};

/// A node whose best move is rewarded.
#[derive(Clone, Copy, Debug)]
pub(super) struct RewardedNode<'a> {
    pub depth: i32,
    pub ply: usize,
    pub contexts: &'a Contexts,
    pub table_move: Option<Move>,
}

impl<'a, V: SearchValue> From<&'a Node<V>> for RewardedNode<'a> {
    fn from(node: &'a Node<V>) -> Self {
        Self {
            depth: node.depth,
            ply: node.ply,
            contexts: &node.contexts,
            table_move: node.table_move,
        }
    }
}

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Rewards the best move of a node and penalises the others that were searched.
    pub(super) fn reward(
        &self,
        mv: Move,
        node: RewardedNode<'_>,
        move_count: usize,
        searched: &SearchedMoves,
    ) {
        let is_table_move = node.table_move == Some(mv);
        let bonus = numbers::bonus_depth() * node.depth - numbers::bonus_discount();
        let bonus = bonus.min(numbers::bonus_most())
            + numbers::bonus_table_move() * i32::from(is_table_move);
        let malus = numbers::malus_depth() * node.depth - numbers::malus_discount();
        let malus =
            malus.min(numbers::malus_most()) - numbers::malus_each() * move_count.min(64) as i32;
        let malus = malus.max(0);
        let position = &self.position;
        let history = self.history;
        let others =
            |moves| Iterator::flatten(<[Option<Move>]>::iter(moves)).filter(|&&other| other != mv);
        if is_noisy(position, mv) {
            history.update_capture(position, mv, bonus);
        } else {
            history.update_quiet(position, mv, node.contexts, bonus);
            for &other in others(searched.quiets()) {
                history.update_quiet(position, other, node.contexts, -malus);
            }
        }
        for &other in others(searched.noisy()) {
            history.update_capture(position, other, -malus);
        }
        // The last move was early and quiet, and is refuted.
        let last = &self.stack[node.ply + STACK_OFFSET - 1];
        if last.quiet.is_some() && (last.move_count == 1 || last.is_table_move) {
            self.update_last_continuation(node.ply, -malus * 3 / 5);
        }
    }

    /// Rewards a table move that cuts without a search, and penalises the early quiet move that it
    /// refutes.
    pub(super) fn reward_table_move(&self, mv: Move, depth: i32, ply: usize) {
        if !is_noisy(&self.position, mv) {
            let bonus = numbers::table_depth() * depth - numbers::table_discount();
            let bonus = bonus.min(numbers::table_most());
            let contexts = self.contexts(ply);
            (self.history).update_quiet(&self.position, mv, &contexts, bonus);
        }
        let last = &self.stack[ply + STACK_OFFSET - 1];
        if last.quiet.is_some() && last.move_count <= 3 {
            self.update_last_continuation(ply, -numbers::refuted());
        }
    }

    /// Rewards the move that led to the node, because it leaves no good answer.
    pub(super) fn reward_last_move(&self, node: &Node<V>, best: V) {
        let last = &self.stack[node.ply + STACK_OFFSET - 1];
        let mut weight = last_move::deep() * i32::from(node.depth > 5);
        weight += last_move::not_all_node() * i32::from(!node.all_node);
        weight += last_move::late() * i32::from(last.move_count > 8);
        let fall = node.evaluation.lead(best, node.alpha);
        weight += last_move::fall() * i32::from(!node.in_check && fall >= 100);
        let fall = last.evaluation.negated().lead(best, node.alpha);
        weight += last_move::own_fall() * i32::from(!last.in_check && fall >= 80);
        weight += last_move::table_move() * i32::from(last.is_table_move);
        weight += (-last.history / last_move::history()).min(last_move::history_most());
        self.reward_last_move_by(weight, node.into());
    }

    /// Rewards the move that led to a node by its depth and a weight in percent.
    pub(super) fn reward_last_move_by(&self, weight: i32, node: RewardedNode<'_>) {
        let last = &self.stack[node.ply + STACK_OFFSET - 1];
        if last.context == Context::NONE {
            return;
        }
        if let Some(mv) = last.quiet {
            let bonus = last_move::depth() * node.depth - last_move::discount();
            let bonus = bonus.min(last_move::most()) * weight.max(0) / 32;
            let mover = !self.position.side_to_move();
            let bonuses = (
                bonus * last_move::quiet() / 1_024,
                bonus * last_move::pawn() / 1_024,
            );
            (self.history).update_made((mover, mv, last.context), node.contexts, bonuses);
            self.update_last_continuation(node.ply, bonus * last_move::continuation() / 1_024);
        } else if let Some(victim) = last.noisy {
            (self.history).update_made_capture(last.context, victim, numbers::prior_capture());
        }
    }

    /// Adds a bonus to the continuation histories of the move that led to `ply`.
    fn update_last_continuation(&self, ply: usize, bonus: i32) {
        let last = &self.stack[ply + STACK_OFFSET - 1];
        if ply > 0 {
            let contexts = self.contexts(ply - 1);
            (self.history).update_continuation(last.context, &contexts, bonus);
        }
    }
}
