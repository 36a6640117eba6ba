//! Principal-variation search (Scout): papers 000 and 003 list its parts.

use super::{
    Bound, Search,
    correction::Features,
    history::{Context, bonus},
    iterate::BEFORE_ROOT,
    node::{Node, Tried, TriedMove, Verdict},
    picker::{Picker, is_noisy},
    prune::Prospect,
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
        let options = self.options;
        if depth <= 0 {
            return self.quiescence::<PV>(info, alpha, beta, 0, ply);
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
            if options.mate_distance != 0 {
                alpha = alpha.max(mated_in(ply));
                beta = beta.min(mate_in(ply + 1));
                if alpha >= beta {
                    return alpha;
                }
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
        let mut table_move = entry
            .and_then(|entry| entry.mv)
            .filter(|&mv| self.position.is_legal_given(mv, info));

        if !is_root
            && !in_check
            && entry.is_none()
            && excluded.is_none()
            && options.mate_in_one != 0
            && let Some(mv) = mate_in_one(&self.position, info)
        {
            if PV {
                self.pv[ply + 1].clear();
                self.update_pv(ply, mv);
            }
            return self.remember_mate(mv, ply);
        }

        let raw_evaluation = if in_check {
            -INFINITE
        } else if excluded.is_some() {
            self.frames[here].raw_evaluation
        } else {
            match entry {
                Some(entry) if entry.evaluation != -INFINITE => entry.evaluation,
                _ => self.evaluate(),
            }
        };
        let (evaluation, features) = self.corrected(raw_evaluation, ply);
        self.frames[here].raw_evaluation = raw_evaluation;
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
            let prospect = Prospect {
                alpha,
                beta,
                depth,
                ply,
                cut_node,
                improving,
                evaluation,
                guess,
                entry,
                table_move,
            };
            if let Some(value) = self.prune(info, &prospect) {
                return value;
            }
        }

        if table_move.is_none() && excluded.is_none() && depth >= 4 {
            // Recursive iterative deepening: a shallower search finds a move to start with.
            if PV && options.internal_deepening != 0 {
                self.alpha_beta::<PV>(info, alpha, beta, depth - 2, ply, cut_node);
                if self.stopped {
                    return DRAW;
                }
                let found = self.table.get(key).and_then(|entry| entry.mv);
                table_move = found.filter(|&mv| self.position.is_legal_given(mv, info));
            } else if (PV || cut_node) && options.internal_reduction != 0 {
                depth -= 1;
            }
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
        let killers = if options.killers != 0 {
            self.frames[here].killers
        } else {
            [None; 2]
        };
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
                && options.singular_extension != 0
                && depth >= options.singular_depth
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
                    let by_far = !PV && others < singular_beta - 2 * depth - 20;
                    extension = 1 + i32::from(by_far && options.double_extension != 0);
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
        let is_whole = excluded.is_none() && (!is_root || self.ruled_out.is_empty());
        if !in_check
            && is_whole
            && !best_move.is_some_and(|mv| is_noisy(&self.position, mv))
            // A bound says something only on its own side of the evaluation.
            && (best < beta || best > evaluation)
            && (best_move.is_some() || best < evaluation)
            && best.abs() < MATE_BOUND
            && let Some(features) = features
        {
            self.history
                .correction
                .learn(&features, best - evaluation, depth);
        }
        if is_whole {
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
                    evaluation: raw_evaluation,
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
        let options = self.options;
        let reduced_depth = (depth - 1 - self.reduction(depth, number)).max(0);
        if !noisy && !gives_check {
            // Late moves at low depth: the history has had its say.
            if options.late_move_pruning != 0 && depth <= 8 {
                let enough =
                    options.late_move_base + depth * depth * options.late_move_factor / 100;
                if number as i32 > enough >> i32::from(!node.improving) {
                    return Verdict::SkipQuiets;
                }
            }
            if options.history_pruning != 0
                && depth <= 6
                && self.history.quiet(&self.position, mv, node.contexts)
                    < -options.history_pruning_margin * depth
            {
                return Verdict::Skip;
            }
            // Futility: the evaluation is so low that a quiet move cannot raise it.
            if options.futility != 0
                && reduced_depth <= 6
                && !node.in_check
                && node.evaluation + options.futility_base + options.futility_margin * reduced_depth
                    <= alpha
            {
                return Verdict::SkipQuiets;
            }
            let loss = options.exchange_quiet * reduced_depth * reduced_depth;
            if options.exchange_pruning != 0
                && depth <= 8
                && !see::gains_at_least(&self.position, mv, -loss)
            {
                return Verdict::Skip;
            }
        } else if options.exchange_pruning != 0
            && depth <= 6
            && !see::gains_at_least(&self.position, mv, -options.exchange_noisy * depth)
        {
            return Verdict::Skip;
        }
        Verdict::Search
    }

    /// Checks are extended by one ply (papers 000 and 003) when they cost nothing.
    #[inline(always)]
    pub(super) fn check_extension(&self, node: &Node, mv: Move, gives_check: bool) -> i32 {
        if gives_check
            && self.options.check_extension != 0
            && see::gains_at_least(&self.position, mv, 0)
        {
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
            if self.options.late_move_reduction != 0
                && depth >= 3
                && number > 1 + usize::from(ply == 0)
                && !(noisy && number < 4)
            {
                let mut less = self.reduction(depth, number);
                less -= i32::from(PV);
                less += i32::from(cut_node);
                less -= i32::from(gives_check || node.in_check);
                less -= i32::from(noisy);
                less += i32::from(!node.improving);
                less -= quiet_score / self.options.reduction_history;
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
                value = self.search_in_window(&child, node, alpha(), new_depth);
            }
        }

        self.visits.pop();
        self.position.unmake(mv, undo);
        self.evaluator.pop();
        value
    }

    /// Plies by which a late move is searched less deep.
    #[inline(always)]
    fn reduction(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.reductions[depth.clamp(0, 63) as usize][number.min(63)])
    }

    /// The value of a child on the principal variation, from the node's side.
    ///
    /// With `node_aspiration` the window is first a narrow one around what the table predicts for
    /// the child (paper 003, section 10), within that of the node.
    fn search_in_window(
        &mut self,
        child: &CheckInfo,
        node: &Node,
        alpha: Value,
        depth: i32,
    ) -> Value {
        let (ply, beta) = (node.ply + 1, node.beta);
        let (mut low, mut high) = (alpha, beta);
        if self.options.node_aspiration != 0
            && depth >= 3
            && let Some(entry) = self.table.get(self.position.key())
            && entry.depth >= depth - 3
            && entry.value.abs() < MATE_BOUND
        {
            let predicted = -from_table(entry.value, ply);
            let window = self.options.node_window;
            if predicted > alpha && predicted < beta {
                (low, high) = (alpha.max(predicted - window), beta.min(predicted + window));
            }
        }
        let mut value = -self.alpha_beta::<true>(child, -high, -low, depth, ply, false);
        if !self.stopped && (value <= low && low > alpha || value >= high && high < beta) {
            (low, high) = if value <= low {
                (alpha, high)
            } else {
                (low, beta)
            };
            self.pv[ply].clear();
            value = -self.alpha_beta::<true>(child, -high, -low, depth, ply, false);
            if !self.stopped && (value <= low && low > alpha || value >= high && high < beta) {
                self.pv[ply].clear();
                value = -self.alpha_beta::<true>(child, -beta, -alpha, depth, ply, false);
            }
        }
        value
    }

    /// The evaluation corrected by what searches have taught, and where to learn more.
    #[inline]
    pub(super) fn corrected(&self, raw: Value, ply: usize) -> (Value, Option<Features>) {
        if raw == -INFINITE || self.options.correction_history == 0 {
            return (raw, None);
        }
        let last = self.frames[ply + BEFORE_ROOT - 1].context;
        let features = Features::of(&self.position, last);
        let weight = self.options.correction_weight;
        let evaluation = self.history.correction.apply(raw, &features, weight);
        (evaluation, Some(features))
    }

    /// The static evaluation with the player's noise, from the side to move.
    #[inline]
    pub(super) fn evaluate(&mut self) -> Value {
        let evaluation = self.evaluator.evaluate(&self.position);
        clamp_evaluation(evaluation + self.noise.of(self.position.key()))
    }

    /// Notes in the table that `mv` mates at once; returns the node's value.
    pub(super) fn remember_mate(&self, mv: Move, ply: usize) -> Value {
        let value = mate_in(ply + 1);
        self.table.put(
            self.position.key(),
            Entry {
                mv: Some(mv),
                value: to_table(value, ply),
                evaluation: -INFINITE,
                depth: MAX_PLY as i32 - 1,
                bound: Bound::Exact,
            },
        );
        value
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
