//! Principal-variation search (Scout): papers 000 and 003 list its parts.

use super::{
    Search,
    correction::Features,
    history::bonus,
    iterate::{BEFORE_ROOT, note_lanes},
    node::{Node, Tried, TriedMove, Verdict},
    picker::{Picker, is_noisy},
    prune::Prospect,
    see,
    split::Searched,
    value::{DRAW, INFINITE, MAX_PLY, Value, clamp_evaluation, mate_in, mated_in},
    values::{Entry, Store, Values},
};
use crate::{
    eval::Evaluator,
    mate::mate_in_one,
    rules::{CheckInfo, CheckTargets, Move},
};

impl<E: Evaluator + Clone, V: Values> Search<'_, E, V> {
    /// The value of the current node from its side to move, fail-soft. `info` is that node's.
    pub(super) fn alpha_beta<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        window: (V, V),
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> V {
        if self.stopped {
            return V::all(DRAW);
        }
        let options = self.options;
        if depth <= 0 {
            return self.quiescence::<PV>(info, window, 0, ply);
        }
        let mut window = V::settle(window);
        let mut depth = depth;
        let in_check = !info.checkers.is_empty();
        let is_root = ply == 0;
        if PV {
            self.pv[ply].clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if !is_root {
            if let Some(value) = self.repetition(ply) {
                return V::all(value);
            }
            if ply >= MAX_PLY {
                return if in_check {
                    V::all(DRAW)
                } else {
                    self.evaluate().0
                };
            }
            if self.can_declare(in_check) {
                return V::all(mate_in(ply + 1));
            }
            // No mate below can beat one that is known already (mate-distance pruning).
            if options.mate_distance != 0 {
                let (narrowed, closed) = V::narrowed(window, mated_in(ply), mate_in(ply + 1));
                if closed {
                    return narrowed.0;
                }
                window = narrowed;
            }
        }

        let (mut alpha, beta) = window;
        let here = ply + BEFORE_ROOT;
        let excluded = self.frames[here].excluded;
        let key = self.position.key();
        let entry = if excluded.is_some() {
            None
        } else {
            self.known(key)
        };
        let table_value = entry.map(|entry| entry.value.recalled(ply));
        if !PV
            && let (Some(entry), Some(value)) = (entry, table_value)
            && entry.depth >= depth
            && value.decides(entry.bounds, window)
        {
            return value;
        }
        let mut table_move = entry
            .and_then(|entry| entry.mv)
            .or_else(|| self.replies.get(key))
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

        let (evaluation, raw_evaluation) = if in_check {
            (V::all(-INFINITE), -INFINITE)
        } else if excluded.is_some() {
            let raw = self.frames[here].raw_evaluation;
            (V::evaluation(raw, self.noise, key), raw)
        } else {
            self.evaluation_of(entry.as_ref())
        };
        let (evaluation, features) = if in_check {
            (evaluation, None)
        } else {
            self.corrected(evaluation, ply)
        };
        self.frames[here].raw_evaluation = raw_evaluation;
        self.frames[here].evaluation = evaluation;
        self.frames[here + 2].killers = [None; 2];
        self.frames[here + 1].excluded = None;
        let improving =
            !in_check && evaluation.is_above_on_the_whole(self.frames[here - 2].evaluation);

        // The table's value is a better guess than the static one where its bound allows.
        let guess = match (entry, table_value) {
            (Some(entry), Some(value)) if !in_check => value.better_guess(entry.bounds, evaluation),
            _ => evaluation,
        };

        if !PV && !in_check && excluded.is_none() && !beta.has_mate(window) {
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
                self.alpha_beta::<PV>(info, window, depth - 2, ply, cut_node);
                if self.stopped {
                    return V::all(DRAW);
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
        let mut best = V::all(-INFINITE);
        let mut best_move = None;
        let mut tried = Tried::default();
        let mut number = 0;

        while let Some(mv) = picker.next(&self.position, info, self.history) {
            if Some(mv) == excluded || is_root && self.ruled_out.contains(&mv) {
                continue;
            }
            number += 1;
            // The child's entry comes while it is decided whether the move deserves a search.
            self.table.prefetch(self.position.key_after(mv));
            let noisy = is_noisy(&self.position, mv);
            let gives_check = node.targets.is_check(&self.position, mv);

            if !is_root && !best.is_mated(alpha) {
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
                && V::holds_from_below(entry.bounds, window)
                && !value.has_mate(window)
                && ply < 2 * self.root_depth as usize
            {
                let singular = V::below(value.plus(-2 * depth).blanked(window));
                self.frames[here].excluded = Some(mv);
                let killers = self.frames[here].killers;
                let others =
                    self.alpha_beta::<false>(info, singular, (depth - 1) / 2, ply, cut_node);
                self.frames[here].excluded = None;
                self.frames[here].killers = killers;
                if self.stopped {
                    return V::all(DRAW);
                }
                if !others.any_above(singular.0) {
                    let far = V::below(singular.1.plus(-2 * depth - 20).blanked(window));
                    let by_far = !PV && !others.any_above(far.0);
                    extension = 1 + i32::from(by_far && options.double_extension != 0);
                } else if singular.1.all_at_least(beta) {
                    return singular.1;
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
                return V::all(DRAW);
            }

            let before = alpha;
            let taken = V::take(&mut best, &mut alpha, beta, value);
            if taken.raised {
                best_move = Some(mv);
                if PV {
                    self.update_pv(ply, mv);
                    if is_root {
                        note_lanes(&mut self.lanes, mv, value, (before, beta));
                        self.new_best_at_root(value, beta);
                    }
                }
                if taken.cut {
                    break;
                }
            }
            tried.add(mv, noisy);

            // Young brothers wait: only now that the first move has been searched may other
            // threads take some of the rest.
            if let Some(team) = self.team_for(&node, number) {
                let searched = Searched {
                    number,
                    best,
                    best_move,
                    tried,
                };
                let end = self.split::<PV>(team, &node, info, &picker, alpha, searched);
                if self.stopped {
                    return V::all(DRAW);
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
                V::all(mated_in(ply))
            };
        }

        if best.all_at_least(beta)
            && let Some(mv) = best_move
        {
            self.reward(mv, &node, here, &tried);
        }
        // What is left of the root's moves is no value of the root.
        let is_whole = excluded.is_none() && (!is_root || self.ruled_out.is_empty());
        if !in_check
            && is_whole
            && !best_move.is_some_and(|mv| is_noisy(&self.position, mv))
            && let Some(features) = features
            && let Some(error) = best.error(evaluation, beta, best_move.is_some())
        {
            self.history.correction.learn(&features, error, depth);
        }
        if is_whole {
            self.replies.put(key, best_move, depth);
            self.table.put(
                key,
                Entry {
                    mv: best_move,
                    value: best.stored(ply),
                    bounds: best.bounds(window, PV),
                    evaluation: raw_evaluation,
                    depth,
                },
            );
        }
        best
    }

    /// Whether a move that is not the first deserves a search at all.
    #[inline(always)]
    pub(super) fn verdict(
        &self,
        node: &Node<V>,
        mv: Move,
        number: usize,
        noisy: bool,
        gives_check: bool,
        alpha: V,
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
                && alpha.mostly_at_least(
                    (node.evaluation)
                        .plus(options.futility_base + options.futility_margin * reduced_depth),
                    alpha,
                    options.lane_dissent,
                )
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
    pub(super) fn check_extension(&self, node: &Node<V>, mv: Move, gives_check: bool) -> i32 {
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
        node: &Node<V>,
        tried: TriedMove,
        alpha: impl Fn() -> V,
    ) -> V {
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
        let (child, undo) = self.step_down(mv, ply, gives_check);
        let stopping = self.visit_node();

        let new_depth = depth - 1 + extension;
        let mut value = V::all(-INFINITE);
        if !stopping && self.options.cuts == 0 {
            let window = (V::all(-INFINITE), V::all(INFINITE));
            self.pv[ply + 1].clear();
            value = self
                .alpha_beta::<true>(&child, window, new_depth, ply + 1, false)
                .negated();
        } else if !stopping {
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
                    let window = V::turned(V::above(low));
                    value = (self.alpha_beta::<false>(&child, window, reduced, ply + 1, true))
                        .negated();
                    full = !low.mostly_at_least(value, low, self.options.lane_dissent);
                    if !full {
                        value = value.smaller(low);
                    }
                }
            }
            if full {
                low = alpha();
                let window = V::turned(V::above(low));
                value = (self.alpha_beta::<false>(&child, window, new_depth, ply + 1, !cut_node))
                    .negated();
            }
            if PV && (number == 1 || value.any_above(low)) {
                self.pv[ply + 1].clear();
                value = self.search_in_window(&child, node, alpha(), new_depth);
            }
        }

        self.step_up(mv, undo);
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
    fn search_in_window(&mut self, child: &CheckInfo, node: &Node<V>, alpha: V, depth: i32) -> V {
        let ply = node.ply + 1;
        let whole = V::turned((alpha, node.beta));
        if self.options.node_aspiration != 0
            && depth >= 3
            && let Some(entry) = self.table.get(self.position.key())
            && entry.depth >= depth - 3
        {
            let predicted = entry.value.recalled(ply);
            let window = self.options.node_window;
            let narrow = (
                predicted.plus(-window).larger(whole.0),
                predicted.plus(window).smaller(whole.1),
            );
            let is_inside = predicted.any_above(whole.0) && whole.1.any_above(predicted);
            if V::LANES == 1 && is_inside && !predicted.has_mate(whole) {
                let value = self.alpha_beta::<true>(child, narrow, depth, ply, false);
                if self.stopped || value.any_above(narrow.0) && narrow.1.any_above(value) {
                    return value.negated();
                }
                // Outside: what it is above, or below, is known now.
                let rest = if value.any_above(narrow.0) {
                    (narrow.0, whole.1)
                } else {
                    (whole.0, narrow.1)
                };
                self.pv[ply].clear();
                let value = self.alpha_beta::<true>(child, rest, depth, ply, false);
                if self.stopped || value.any_above(rest.0) && rest.1.any_above(value) {
                    return value.negated();
                }
                self.pv[ply].clear();
            }
        }
        self.alpha_beta::<true>(child, whole, depth, ply, false)
            .negated()
    }

    /// The evaluation corrected by what searches have taught, and where to learn more.
    #[inline]
    pub(super) fn corrected(&self, evaluation: V, ply: usize) -> (V, Option<Features>) {
        if self.options.correction_history == 0 {
            return (evaluation, None);
        }
        let last = self.frames[ply + BEFORE_ROOT - 1].context;
        let features = Features::of(&self.position, last);
        let weight = self.options.correction_weight;
        let correction = self.history.correction.of(&features, weight);
        (evaluation.corrected(correction), Some(features))
    }

    /// The static evaluation with each player's noise, and without any.
    #[inline]
    pub(super) fn evaluate(&mut self) -> (V, Value) {
        let raw = clamp_evaluation(self.evaluator.evaluate(&self.position));
        (V::evaluation(raw, self.noise, self.position.key()), raw)
    }

    /// The same, if possible from what the table holds.
    #[inline]
    pub(super) fn evaluation_of(&mut self, entry: Option<&Entry<V>>) -> (V, Value) {
        match entry {
            Some(entry) if entry.evaluation != -INFINITE => {
                let key = self.position.key();
                (
                    V::evaluation(entry.evaluation, self.noise, key),
                    entry.evaluation,
                )
            }
            _ => self.evaluate(),
        }
    }

    /// What the table holds of a position.
    #[inline(always)]
    pub(super) fn known(&self, key: u64) -> Option<Entry<V>> {
        if self.options.table != 0 {
            self.table.get(key)
        } else {
            None
        }
    }

    /// Notes in the table that `mv` mates at once; returns the node's value.
    pub(super) fn remember_mate(&self, mv: Move, ply: usize) -> V {
        let value = V::all(mate_in(ply + 1));
        self.table.put(
            self.position.key(),
            Entry {
                mv: Some(mv),
                value: value.stored(ply),
                bounds: V::exact(),
                evaluation: -INFINITE,
                depth: MAX_PLY as i32 - 1,
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
    fn reward(&mut self, mv: Move, node: &Node<V>, here: usize, tried: &Tried) {
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
