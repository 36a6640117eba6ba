//! Principal-variation search (Scout): papers 000 and 003 list its parts.

use super::{
    Bound, Search,
    history::{Context, bonus},
    iterate::BEFORE_ROOT,
    node::{Node, Tried, TriedMove, Verdict},
    picker::{Picker, is_noisy},
    see,
    split::Searched,
    table::Entry,
    value::{
        DRAW, INFINITE, MATE_BOUND, MAX_PLY, Value, clamp_evaluation, from_table, mate_in,
        mated_in, to_table,
    },
};
use crate::{
    eval::Evaluator,
    mate::mate_in_one,
    rules::{CheckInfo, CheckTargets, Move, Visit},
};
use std::sync::LazyLock;

/// Value of a win by the opponent's perpetual check: below every mate, above every evaluation.
const PERPETUAL_CHECK: Value = 31_000;

/// Reduction of late moves by depth and number of the move.
static REDUCTIONS: LazyLock<[[i8; 64]; 64]> = LazyLock::new(|| {
    let mut table = [[0; 64]; 64];
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, entry) in row.iter_mut().enumerate().skip(1) {
            let product = libm::log(depth as f64) * libm::log(number as f64);
            *entry = (0.6 + product / 2.2) as i8;
        }
    }
    table
});

fn reduction(depth: i32, number: usize) -> i32 {
    i32::from(REDUCTIONS[depth.clamp(0, 63) as usize][number.min(63)])
}

impl<E: Evaluator + Clone> Search<'_, E> {
    /// The value of the current node from its side to move, fail-soft. `info` is that node's.
    pub(super) fn alpha_beta<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        alpha: Value,
        beta: Value,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Value {
        if self.stopped {
            return DRAW;
        }
        if depth <= 0 {
            return self.quiescence::<PV>(info, alpha, beta, ply);
        }
        let (mut alpha, mut beta) = (alpha, beta);
        let mut depth = depth;
        let in_check = !info.checkers.is_empty();
        let is_root = ply == 0;
        if PV {
            self.pv[ply].clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if !is_root {
            if let Some(value) = self.repetition(ply) {
                return value;
            }
            if ply >= MAX_PLY {
                return if in_check { DRAW } else { self.evaluate() };
            }
            if self.can_declare(in_check) {
                return mate_in(ply + 1);
            }
            // No mate below can beat one that is known already (mate-distance pruning).
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        let here = ply + BEFORE_ROOT;
        let excluded = self.frames[here].excluded;
        let key = self.position.key();
        let entry = if excluded.is_some() {
            None
        } else {
            self.table.get(key)
        };
        let table_value = entry.map(|entry| from_table(entry.value, ply));
        if !PV
            && let (Some(entry), Some(value)) = (entry, table_value)
            && entry.depth >= depth
            && cuts(entry.bound, value, alpha, beta)
        {
            return value;
        }
        let table_move = entry
            .and_then(|entry| entry.mv)
            .filter(|&mv| self.position.is_legal_given(mv, info));

        if !is_root
            && !in_check
            && entry.is_none()
            && excluded.is_none()
            && let Some(mv) = mate_in_one(&self.position, info)
        {
            let value = mate_in(ply + 1);
            if PV {
                self.pv[ply + 1].clear();
                self.update_pv(ply, mv);
            }
            self.table.put(
                key,
                Entry {
                    mv: Some(mv),
                    value: to_table(value, ply),
                    evaluation: -INFINITE,
                    depth: MAX_PLY as i32 - 1,
                    bound: Bound::Exact,
                },
            );
            return value;
        }

        let evaluation = if in_check {
            -INFINITE
        } else {
            match entry {
                Some(entry) if entry.evaluation != -INFINITE => entry.evaluation,
                _ => self.evaluate(),
            }
        };
        self.frames[here].evaluation = evaluation;
        self.frames[here + 2].killers = [None; 2];
        self.frames[here + 1].excluded = None;
        let improving = !in_check && evaluation > self.frames[here - 2].evaluation;

        // The table's value is a better guess than the static one where its bound allows.
        let guess = match (entry, table_value) {
            (Some(entry), Some(value)) if !in_check && value.abs() < MATE_BOUND => {
                let better = match entry.bound {
                    Bound::Exact => true,
                    Bound::Lower => value > evaluation,
                    Bound::Upper => value < evaluation,
                };
                if better { value } else { evaluation }
            }
            _ => evaluation,
        };

        if !PV && !in_check && excluded.is_none() && beta.abs() < MATE_BOUND {
            // Reverse futility: so far above beta that a quiet move will stay above.
            let margin = 110 * (depth - i32::from(improving));
            if depth <= 8 && guess - margin >= beta && guess < MATE_BOUND {
                return guess;
            }
            // Razoring: so far below alpha that only captures can help.
            if depth <= 3 && guess + 250 * depth + 150 < alpha {
                let value = self.quiescence::<false>(info, alpha, alpha + 1, ply);
                if value <= alpha || self.stopped {
                    return value;
                }
            }
            // Null move: if even a pass keeps the value above beta, a move will.
            if depth >= 3
                && guess >= beta
                && evaluation >= beta - 40 * depth + 200
                && self.frames[here - 1].context != Context::NONE
            {
                let value = self.null_move(beta, depth, ply, guess, cut_node);
                if self.stopped {
                    return DRAW;
                }
                if value >= beta {
                    return value.min(MATE_BOUND - 1);
                }
            }
        }

        // Internal iterative reduction: without a move to start with, a shallower search finds one.
        if table_move.is_none() && excluded.is_none() && depth >= 4 && (PV || cut_node) {
            depth -= 1;
        }

        let node = Node {
            depth,
            ply,
            beta,
            cut_node,
            in_check,
            improving,
            evaluation,
            contexts: [self.frames[here - 1].context, self.frames[here - 2].context],
            excluded,
            targets: CheckTargets::new(&self.position),
        };
        let killers = self.frames[here].killers;
        let mut picker = Picker::new(in_check, table_move, killers, node.contexts);
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut tried = Tried::default();
        let mut number = 0;
        let original_alpha = alpha;

        while let Some(mv) = picker.next(&self.position, info, self.history) {
            if Some(mv) == excluded || is_root && self.ruled_out.contains(&mv) {
                continue;
            }
            number += 1;
            let noisy = is_noisy(&self.position, mv);
            let gives_check = node.targets.is_check(&self.position, mv);

            if !is_root && best > -MATE_BOUND {
                match self.verdict(&node, mv, number, noisy, gives_check, alpha) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // Singular extension: the table's move is extended when all others are clearly worse.
            let mut extension = 0;
            if !is_root
                && depth >= 7
                && Some(mv) == table_move
                && let (Some(entry), Some(value)) = (entry, table_value)
                && entry.depth >= depth - 3
                && entry.bound != Bound::Upper
                && value.abs() < MATE_BOUND
                && ply < 2 * self.root_depth as usize
            {
                let singular_beta = value - 2 * depth;
                self.frames[here].excluded = Some(mv);
                let killers = self.frames[here].killers;
                let others = self.alpha_beta::<false>(
                    info,
                    singular_beta - 1,
                    singular_beta,
                    (depth - 1) / 2,
                    ply,
                    cut_node,
                );
                self.frames[here].excluded = None;
                self.frames[here].killers = killers;
                if self.stopped {
                    return DRAW;
                }
                if others < singular_beta {
                    extension = 1;
                } else if singular_beta >= beta {
                    return singular_beta;
                }
            } else {
                extension = self.check_extension(&node, mv, gives_check);
            }

            let tried_move = TriedMove {
                mv,
                number,
                noisy,
                gives_check,
                extension,
            };
            let value = self.search_move::<PV>(&node, tried_move, || alpha);
            if self.stopped {
                return DRAW;
            }

            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.update_pv(ply, mv);
                        if is_root {
                            self.new_best_at_root(value, beta);
                        }
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
            tried.add(mv, noisy);

            // Young brothers wait: only now that the first move has been searched may other
            // threads take some of the rest.
            if let Some(team) = self.team_for(&node) {
                let searched = Searched {
                    number,
                    best,
                    best_move,
                    tried,
                };
                let end = self.split::<PV>(team, &node, info, &picker, alpha, searched);
                if self.stopped {
                    return DRAW;
                }
                (number, best, best_move, tried) = (end.number, end.best, end.best_move, end.tried);
                break;
            }
        }

        if number == 0 {
            // No legal move is mate; with a move excluded it only says that there is no other.
            return if excluded.is_some() {
                alpha
            } else {
                mated_in(ply)
            };
        }

        if best >= beta
            && let Some(mv) = best_move
        {
            self.reward(mv, &node, here, &tried);
        }
        // What is left of the root's moves is no value of the root.
        let is_whole = !is_root || self.ruled_out.is_empty();
        if excluded.is_none() && is_whole {
            let bound = if best >= beta {
                Bound::Lower
            } else if best > original_alpha && PV {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.table.put(
                key,
                Entry {
                    mv: best_move,
                    value: to_table(best, ply),
                    evaluation,
                    depth,
                    bound,
                },
            );
        }
        best
    }

    /// Whether a move that is not the first deserves a search at all.
    #[inline(always)]
    pub(super) fn verdict(
        &self,
        node: &Node,
        mv: Move,
        number: usize,
        noisy: bool,
        gives_check: bool,
        alpha: Value,
    ) -> Verdict {
        let depth = node.depth;
        let reduced_depth = (depth - 1 - reduction(depth, number)).max(0);
        if !noisy && !gives_check {
            // Late moves at low depth: the history has had its say.
            let enough = (4 + depth * depth * 2) / if node.improving { 1 } else { 2 };
            if depth <= 8 && number as i32 > enough {
                return Verdict::SkipQuiets;
            }
            // Futility: the evaluation is so low that a quiet move cannot raise it.
            if reduced_depth <= 6
                && !node.in_check
                && node.evaluation + 180 + 120 * reduced_depth <= alpha
            {
                return Verdict::SkipQuiets;
            }
            if depth <= 8
                && !see::gains_at_least(&self.position, mv, -30 * reduced_depth * reduced_depth)
            {
                return Verdict::Skip;
            }
        } else if depth <= 6 && !see::gains_at_least(&self.position, mv, -120 * depth) {
            return Verdict::Skip;
        }
        Verdict::Search
    }

    /// Checks are extended by one ply (papers 000 and 003) when they cost nothing.
    #[inline(always)]
    pub(super) fn check_extension(&self, node: &Node, mv: Move, gives_check: bool) -> i32 {
        if gives_check && see::gains_at_least(&self.position, mv, 0) {
            i32::from(node.ply < 2 * self.root_depth as usize)
        } else {
            0
        }
    }

    /// The value of a move from the side that makes it, once it is made, searched and taken back.
    /// `alpha` is asked anew before each search: at a split point it rises meanwhile.
    #[inline(always)]
    pub(super) fn search_move<const PV: bool>(
        &mut self,
        node: &Node,
        tried: TriedMove,
        alpha: impl Fn() -> Value,
    ) -> Value {
        let TriedMove {
            mv,
            number,
            noisy,
            gives_check,
            extension,
        } = tried;
        let &Node {
            depth,
            ply,
            cut_node,
            ..
        } = node;
        let quiet_score = if noisy {
            0
        } else {
            self.history.quiet(&self.position, mv, node.contexts)
        };
        let context = Context::of(&self.position, mv);
        self.evaluator.push(&self.position, mv);
        let undo = self.position.make(mv);
        self.table.prefetch(self.position.key());
        self.frames[ply + BEFORE_ROOT].context = context;
        let child = CheckInfo::new(&self.position);
        self.visits.push(Visit {
            key: self.position.key(),
            side: self.position.side_to_move(),
            in_check: gives_check,
        });
        let stopping = self.visit_node();

        let new_depth = depth - 1 + extension;
        let mut value = -INFINITE;
        if !stopping {
            let mut full = !PV || number > 1;
            let mut low = alpha();
            if depth >= 3 && number > 1 + usize::from(ply == 0) && !(noisy && number < 4) {
                let mut less = reduction(depth, number);
                less -= i32::from(PV);
                less += i32::from(cut_node);
                less -= i32::from(gives_check || node.in_check);
                less -= i32::from(noisy);
                less += i32::from(!node.improving);
                less -= quiet_score / 8192;
                let reduced = (new_depth - less).clamp(1, new_depth.max(1));
                if reduced < new_depth {
                    value =
                        -self.alpha_beta::<false>(&child, -low - 1, -low, reduced, ply + 1, true);
                    full = value > low;
                }
            }
            if full {
                low = alpha();
                value = -self.alpha_beta::<false>(
                    &child,
                    -low - 1,
                    -low,
                    new_depth,
                    ply + 1,
                    !cut_node,
                );
            }
            if PV && (number == 1 || value > low) {
                self.pv[ply + 1].clear();
                value = -self.alpha_beta::<true>(
                    &child,
                    -node.beta,
                    -alpha(),
                    new_depth,
                    ply + 1,
                    false,
                );
            }
        }

        self.visits.pop();
        self.position.unmake(mv, undo);
        self.evaluator.pop();
        value
    }

    fn null_move(
        &mut self,
        beta: Value,
        depth: i32,
        ply: usize,
        guess: Value,
        cut_node: bool,
    ) -> Value {
        let here = ply + BEFORE_ROOT;
        let less = 3 + depth / 4 + ((guess - beta) / 250).min(3);
        self.frames[here].context = Context::NONE;
        self.position.make_pass();
        let child = CheckInfo::new(&self.position);
        self.visits.push(Visit {
            key: self.position.key(),
            side: self.position.side_to_move(),
            in_check: false,
        });
        let value =
            -self.alpha_beta::<false>(&child, -beta, -beta + 1, depth - less, ply + 1, !cut_node);
        self.visits.pop();
        self.position.unmake_pass();
        value
    }

    /// The static evaluation with the player's noise, from the side to move.
    #[inline]
    pub(super) fn evaluate(&mut self) -> Value {
        let evaluation = self.evaluator.evaluate(&self.position);
        clamp_evaluation(evaluation + self.noise.of(self.position.key()))
    }

    /// Whether the side to move may end the game by declaration.
    #[inline]
    pub(super) fn can_declare(&self, in_check: bool) -> bool {
        let us = self.position.side_to_move();
        !in_check
            && self
                .position
                .king(us)
                .is_some_and(|king| king.relative_rank(us) < 3)
            && self.position.can_declare_win()
    }

    /// The value of a node whose position has occurred before: the first repetition already
    /// counts, since what was worth repeating once is worth repeating again.
    pub(super) fn repetition(&self, ply: usize) -> Option<Value> {
        /// How many plies back a cycle may begin.
        const HORIZON: usize = 32;
        let (current, earlier) = self.visits.split_last()?;
        let oldest = earlier.len().saturating_sub(HORIZON);
        let mut index = earlier.len().checked_sub(4)?;
        while index >= oldest {
            if earlier[index].key == current.key {
                return Some(self.repeated(index, ply));
            }
            index = index.checked_sub(2)?;
        }
        None
    }

    /// The value of a cycle that began at `first`.
    fn repeated(&self, first: usize, ply: usize) -> Value {
        let cycle = &self.visits[first + 1..];
        let us = self.position.side_to_move();
        let checked = |side| {
            cycle
                .iter()
                .filter(|visit| visit.side == side)
                .all(|visit| visit.in_check)
        };
        if checked(us) {
            PERPETUAL_CHECK - ply as Value
        } else if checked(!us) {
            ply as Value - PERPETUAL_CHECK
        } else {
            DRAW
        }
    }

    pub(super) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&tail[0]);
    }

    /// Remembers the move that made a node fail high, and that the moves before it did not.
    fn reward(&mut self, mv: Move, node: &Node, here: usize, tried: &Tried) {
        let bonus = bonus(node.depth);
        let position = &self.position;
        let history = &mut *self.history;
        if is_noisy(position, mv) {
            history.update_capture(position, mv, bonus);
        } else {
            let killers = &mut self.frames[here].killers;
            if killers[0] != Some(mv) {
                killers[1] = killers[0];
                killers[0] = Some(mv);
            }
            history.update_quiet(position, mv, node.contexts, bonus);
            for &other in tried.quiets().iter().flatten() {
                history.update_quiet(position, other, node.contexts, -bonus);
            }
        }
        for &other in tried.noisy().iter().flatten() {
            history.update_capture(position, other, -bonus);
        }
    }
}

/// Whether a stored value decides a node without a search (paper 004, section 4).
pub(super) fn cuts(bound: Bound, value: Value, alpha: Value, beta: Value) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => value >= beta,
        Bound::Upper => value <= alpha,
    }
}
