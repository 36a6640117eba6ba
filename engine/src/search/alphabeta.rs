//! Principal-variation search (Scout): papers 000 and 003 list its parts.

use super::{
    Search,
    attempt::Alone,
    history::bonus,
    iterate::BEFORE_ROOT,
    mates::PROVED,
    node::{Node, Tried, TriedMove, Verdict},
    picker::{Picker, is_noisy},
    prune::Prospect,
    report::note_lanes,
    split::Searched,
    value::{DRAW, INFINITE, MAX_PLY, mate_in, mated_in},
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
        if let (Some(entry), Some(value)) = (entry, table_value)
            && (!PV || !is_root && entry.depth >= PROVED)
            && entry.depth >= depth
            && value.decides(entry.bounds, window)
        {
            if PV
                && let Some(mv) = entry.mv
                && self.position.is_legal_given(mv, info)
            {
                self.pv[ply + 1].clear();
                self.update_pv(ply, mv);
            }
            if options.table_reward != 0
                && value.all_at_least(window.1)
                && let Some(mv) = entry.mv
                && self.position.is_legal_given(mv, info)
                && !is_noisy(&self.position, mv)
            {
                let contexts = self.contexts(ply);
                self.history
                    .update_quiet(&self.position, mv, contexts, bonus(options, depth));
            }
            return value;
        }
        let mut table_move = entry
            .and_then(|entry| entry.mv)
            .or_else(|| self.best_so_far(is_root))
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
            return self.remember_mate(mv, ply, 1);
        }
        if (is_root || !in_check)
            && excluded.is_none()
            && options.mate_search > i32::from(!is_root)
            && (is_root || depth >= options.mate_search_depth)
            && let Some((mv, plies)) = self.find_mate(depth, is_root)
        {
            let value = self.remember_mate(mv, ply, plies);
            if PV {
                self.pv[ply + 1].clear();
                self.update_pv(ply, mv);
                if is_root {
                    note_lanes(&mut self.lanes, mv, value, window);
                    self.new_best_at_root(value, beta);
                }
            }
            return value;
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
        self.frames[here + 2].cuts = 0;
        if is_root {
            self.frames[here + 1].cuts = 0;
        }
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
                let found = self.known(key).and_then(|entry| entry.mv);
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
            contexts: self.contexts(ply),
            noisy_table_move: table_move.is_some_and(|mv| is_noisy(&self.position, mv)),
            once_principal: PV || entry.is_some_and(|entry| entry.principal),
            excluded,
            targets: CheckTargets::new(&self.position),
        };
        let killers = if options.killers != 0 {
            self.frames[here].killers
        } else {
            [None; 2]
        };
        let mut picker = Picker::new(in_check, table_move, killers, node.contexts);
        picker.favour_checks(&node.targets, options.check_reward);
        if options.exchange_order == 0 {
            picker.ignore_exchanges();
        }
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

            if !is_root && !best.is_lost(alpha) {
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
                let margin = options.singular_margin * depth / 100;
                let singular = V::below(value.plus(-margin).blanked(window));
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
                    let far = V::below(singular.1.plus(-margin - 20).blanked(window));
                    let by_far = !PV && !others.any_above(far.0);
                    extension = 1 + i32::from(by_far && options.double_extension != 0);
                } else if singular.1.all_at_least(beta) {
                    return singular.1;
                } else if options.negative_extension != 0 && (cut_node || value.all_at_least(beta))
                {
                    extension = -options.negative_extension;
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
            let mut value = self.search_move::<PV>(&node, tried_move, &Alone(alpha));
            if self.stopped {
                return V::all(DRAW);
            }
            if is_root {
                value = self.unless_mated(mv, value, alpha);
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
            self.frames[here].cuts += 1;
            self.reward(mv, &node, here, &tried);
        }
        if best_move.is_none() && excluded.is_none() && !is_root {
            self.reward_last(ply, depth);
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
                    // No search is a proof.
                    depth: depth.min(PROVED - 1),
                    principal: node.once_principal,
                },
            );
        }
        best
    }

    pub(super) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&tail[0]);
    }

    /// Remembers that the move that has led to `ply`, if it is quiet, leaves no good answer.
    fn reward_last(&mut self, ply: usize, depth: i32) {
        let percent = self.options.reply_reward;
        let last = &self.frames[ply + BEFORE_ROOT - 1];
        if percent != 0
            && let Some(mv) = last.quiet
        {
            let bonus = bonus(self.options, depth) * percent / 100;
            let mover = !self.position.side_to_move();
            (self.history).update_made(mover, mv, last.context, self.contexts(ply - 1), bonus);
        }
    }

    /// Remembers the move that made a node fail high, and that the moves before it did not.
    fn reward(&mut self, mv: Move, node: &Node<V>, here: usize, tried: &Tried) {
        let bonus = bonus(self.options, node.depth);
        let malus = -bonus * self.options.history_blame / 100;
        let position = &self.position;
        let history = self.history;
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
                history.update_quiet(position, other, node.contexts, malus);
            }
        }
        for &other in tried.noisy().iter().flatten() {
            history.update_capture(position, other, malus);
        }
    }
}
