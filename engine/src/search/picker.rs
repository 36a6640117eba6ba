//! The move picker: returns the moves of a node one by one, the most promising first.

mod list;
mod quiets;

use super::{
    history::{Contexts, History},
    move_judge::{LastMove, LearnedOrder, OrderStage},
    value::Value,
};
use crate::{
    eval::{board_value, exchange_value, see},
    rules::{Bitboard, CheckInfo, CheckTargets, Move, PieceKind, Position, Scope, generate},
};
use list::{ScoredList, append_by_bucket, sort_next};
use quiets::{list_checks, list_quiets};

/// Tells whether a move is noisy: a capture, or a promotion of a pawn, bishop or rook.
#[inline(always)]
pub(super) fn is_noisy(position: &Position, mv: Move) -> bool {
    if !position.piece(mv.to()).is_none() {
        return true;
    }
    mv.is_promotion()
        && mv.from().is_some_and(|from| {
            matches!(
                position.piece(from).kind(),
                PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook
            )
        })
}

/// Returns the stage to which a move belongs.
pub(super) fn stage_of(mv: Move, position: &Position, info: &CheckInfo) -> OrderStage {
    match (info.checkers.is_empty(), is_noisy(position, mv)) {
        (false, _) => OrderStage::Evasion,
        (true, true) => OrderStage::Noisy,
        (true, false) => OrderStage::Quiet,
    }
}

fn noisy_scope(position: &Position) -> Scope {
    let theirs = position.pieces_of(!position.side_to_move());
    Scope {
        plain: theirs,
        promoting: theirs,
        rewarding: Bitboard::ALL,
        drops: Bitboard::EMPTY,
    }
}

fn quiet_scope(position: &Position) -> Scope {
    let empty = !position.occupied();
    Scope {
        plain: empty,
        promoting: empty,
        rewarding: Bitboard::EMPTY,
        drops: Bitboard::ALL,
    }
}

/// Returns a scope of quiet moves that contains all quiet checks.
fn check_scope(position: &Position, targets: &CheckTargets) -> Scope {
    let zone = targets.zone();
    let mut scope = quiet_scope(position);
    scope.drops &= zone;
    if !targets.can_discover() {
        scope.plain &= zone;
        scope.promoting &= zone;
    }
    scope
}

/// Score down to which quiet moves come before the captures that lose material.
const GOOD_QUIET: i32 = -14_000;

/// Generates noisy moves or evasions. Inlined twice, the generator would not fit into the cache.
#[inline(never)]
fn fill(position: &Position, info: &CheckInfo, scope: Scope, list: &mut ScoredList) {
    generate::<false, _>(position, info, scope, list);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    TableMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateChecks,
    Checks,
    GenerateQuiet,
    GoodQuiet,
    BadNoisy,
    BadQuiet,
    GenerateEvasions,
    Evasions,
    Done,
}

/// The moves of one node, one at a time.
#[derive(Clone)]
pub(super) struct Picker {
    stage: Stage,
    table_move: Option<Move>,
    contexts: Contexts,
    list: ScoredList,
    next: usize,
    /// Number of noisy moves that lose material, kept at the front of the list.
    bad: usize,
    /// End of the sorted quiet moves.
    sorted: usize,
    noisy_only: bool,
    /// Noisy moves that lose material are not delayed.
    ignores_exchanges: bool,
    /// Targets of quiet checks. In quiescence such checks follow the noisy moves; elsewhere their
    /// score is raised.
    checks: Option<CheckTargets>,
    skip_quiets: bool,
    /// The next bad noisy move.
    next_bad: usize,
    /// The last move is known to gain so much, in centipawns.
    gain: Value,
    /// Learned part of the order, and the move before the node.
    learned: Option<(LearnedOrder, Option<LastMove>)>,
}

impl Picker {
    /// Creates the picker of a node of the main search. `table_move` must be legal.
    pub fn new(in_check: bool, table_move: Option<Move>, contexts: Contexts) -> Self {
        Self {
            stage: match (table_move, in_check) {
                (Some(_), _) => Stage::TableMove,
                (None, false) => Stage::GenerateNoisy,
                (None, true) => Stage::GenerateEvasions,
            },
            table_move,
            contexts,
            list: ScoredList::new(),
            next: 0,
            bad: 0,
            sorted: 0,
            noisy_only: false,
            ignores_exchanges: false,
            checks: None,
            skip_quiets: false,
            next_bad: 0,
            gain: Value::MIN,
            learned: None,
        }
    }

    /// Creates the picker of a node in quiescence: all evasions in check, otherwise noisy moves.
    pub fn quiescence(in_check: bool, table_move: Option<Move>, contexts: Contexts) -> Self {
        let mut picker = Self::new(in_check, table_move, contexts);
        picker.noisy_only = !in_check;
        picker.ignores_exchanges = true;
        picker
    }

    /// Adds quiet checks to the moves of a node in quiescence; elsewhere they come earlier.
    pub fn favour_checks(&mut self, targets: &CheckTargets) {
        self.checks = Some(*targets);
    }

    /// Adds the learned part of the order. `captures` tells whether the last move captured.
    pub fn learn(&mut self, order: LearnedOrder, captures: bool) {
        let last = (self.contexts.moves[0].to()).map(|to| LastMove { to, captures });
        self.learned = Some((order, last));
    }

    /// Leaves out all further quiet moves.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Returns how much the last move is known to gain by exchanges, in centipawns.
    pub const fn gain(&self) -> Value {
        self.gain
    }

    /// Returns the next move. Every legal move that is not useless comes exactly once.
    pub fn next(
        &mut self,
        position: &Position,
        info: &CheckInfo,
        history: &History,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = if info.checkers.is_empty() {
                        Stage::GenerateNoisy
                    } else {
                        Stage::GenerateEvasions
                    };
                    return self.table_move;
                }
                Stage::GenerateNoisy => self.generate_noisy(position, info, history),
                Stage::GoodNoisy => {
                    let Some((score, mv)) = self.pick() else {
                        self.stage = match (self.noisy_only, &self.checks) {
                            (false, _) => Stage::GenerateQuiet,
                            (true, Some(_)) => Stage::GenerateChecks,
                            (true, None) => Stage::Done,
                        };
                        continue;
                    };
                    if Some(mv) == self.table_move {
                        continue;
                    }
                    if self.ignores_exchanges {
                        return Some(mv);
                    }
                    let least = -score / 18;
                    if see::gains_at_least(position, mv, least) {
                        self.gain = least;
                        return Some(mv);
                    }
                    let bad = self.bad;
                    self.list.as_mut_slice()[bad].mv = mv;
                    self.bad += 1;
                }
                Stage::GenerateChecks => self.generate_checks(position, info, history),
                Stage::Checks => match self.pick() {
                    Some((_, mv)) if Some(mv) == self.table_move => {}
                    Some((_, mv)) => return Some(mv),
                    None => self.stage = Stage::Done,
                },
                Stage::GenerateQuiet => self.generate_quiets(position, info, history),
                Stage::GoodQuiet => match self.next_quiet(GOOD_QUIET) {
                    Some(mv) if Some(mv) == self.table_move => {}
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::BadNoisy,
                },
                Stage::BadNoisy => {
                    if self.next_bad < self.bad {
                        let mv = self.list.as_mut_slice()[self.next_bad].mv;
                        self.next_bad += 1;
                        return Some(mv);
                    }
                    self.stage = Stage::BadQuiet;
                }
                Stage::BadQuiet => match self.next_quiet(i32::MIN) {
                    Some(mv) if Some(mv) == self.table_move => {}
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::Done,
                },
                Stage::GenerateEvasions => self.generate_evasions(position, info, history),
                Stage::Evasions => match self.pick() {
                    Some((_, mv)) if Some(mv) == self.table_move => {}
                    Some((_, mv)) => return Some(mv),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    // The stages stand apart from `next`, which is called for every move.
    #[inline(never)]
    fn generate_noisy(&mut self, position: &Position, info: &CheckInfo, history: &History) {
        fill(position, info, noisy_scope(position), &mut self.list);
        for entry in self.list.as_mut_slice() {
            entry.score = noisy_score(position, entry.mv, history);
        }
        add_learned(self.learned, OrderStage::Noisy, position, &mut self.list);
        self.stage = Stage::GoodNoisy;
    }

    #[inline(never)]
    fn generate_checks(&mut self, position: &Position, info: &CheckInfo, history: &History) {
        if let Some(targets) = &self.checks {
            self.list.truncate(0);
            self.next = 0;
            let scope = check_scope(position, targets);
            let rows = history.quiet_rows(position, &self.contexts);
            list_checks(position, info, scope, &rows, targets, &mut self.list);
        }
        self.stage = Stage::Checks;
    }

    #[inline(never)]
    fn generate_quiets(&mut self, position: &Position, info: &CheckInfo, history: &History) {
        if !self.skip_quiets {
            // The noisy moves still to come stand before `bad`.
            self.list.truncate(self.bad);
            self.next = self.bad;
            self.sorted = self.bad;
            let scope = quiet_scope(position);
            let rows = history.quiet_rows(position, &self.contexts);
            let checks = self.checks.as_ref();
            let mut unsorted = ScoredList::new();
            list_quiets(position, info, scope, &rows, checks, &mut unsorted);
            add_learned(self.learned, OrderStage::Quiet, position, &mut unsorted);
            append_by_bucket(&mut unsorted, &mut self.list);
        }
        self.gain = Value::MIN;
        self.stage = Stage::GoodQuiet;
    }

    #[inline(never)]
    fn generate_evasions(&mut self, position: &Position, info: &CheckInfo, history: &History) {
        fill(position, info, Scope::ALL, &mut self.list);
        let rows = history.quiet_rows(position, &self.contexts);
        for entry in self.list.as_mut_slice() {
            entry.score = if is_noisy(position, entry.mv) {
                (1 << 20) + noisy_score(position, entry.mv, history)
            } else {
                rows.order(position, entry.mv)
            };
        }
        add_learned(self.learned, OrderStage::Evasion, position, &mut self.list);
        self.stage = Stage::Evasions;
    }

    /// Returns the moves of a stage, with their scores.
    pub fn moves_of(
        mut self,
        stage: OrderStage,
        position: &Position,
        info: &CheckInfo,
        history: &History,
    ) -> Vec<(Move, i32)> {
        match stage {
            OrderStage::Evasion => self.generate_evasions(position, info, history),
            OrderStage::Noisy => self.generate_noisy(position, info, history),
            OrderStage::Quiet => self.generate_quiets(position, info, history),
        }
        scored(&mut self.list)
            .map(|(mv, score)| (mv, *score))
            .collect()
    }

    /// Returns the next quiet move with a score of at least `bound`.
    #[inline(always)]
    fn next_quiet(&mut self, bound: i32) -> Option<Move> {
        if self.skip_quiets || self.next >= self.list.len() {
            return None;
        }
        let next = self.next;
        if next == self.sorted {
            self.sorted += sort_next(&mut self.list.as_mut_slice()[next..]);
        }
        let entry = self.list.as_mut_slice()[next];
        if entry.score < bound {
            return None;
        }
        self.next += 1;
        Some(entry.mv)
    }

    /// Takes the best of the remaining moves.
    fn pick(&mut self) -> Option<(i32, Move)> {
        let next = self.next;
        let rest = &mut self.list.as_mut_slice()[next..];
        let better = |best: usize, at: usize| {
            let is_better = rest[at].score > rest[best].score;
            if is_better { at } else { best }
        };
        let best = (0..rest.len()).reduce(better)?;
        rest.swap(0, best);
        let best = rest[0];
        self.next += 1;
        Some((best.score, best.mv))
    }
}

/// Adds the learned part of the order to the scores of the moves of a stage.
#[inline(always)]
fn add_learned(
    learned: Option<(LearnedOrder, Option<LastMove>)>,
    stage: OrderStage,
    position: &Position,
    list: &mut ScoredList,
) {
    if let Some((order, last)) = learned {
        order.add(position, stage, last, scored(list));
    }
}

fn scored(list: &mut ScoredList) -> impl Iterator<Item = (Move, &mut i32)> {
    (list.as_mut_slice().iter_mut()).map(|entry| (entry.mv, &mut entry.score))
}

fn noisy_score(position: &Position, mv: Move, history: &History) -> i32 {
    let victim = match position.piece(mv.to()).get() {
        Some((_, kind)) => exchange_value(kind),
        None => 0,
    };
    let promotion = match mv.from() {
        Some(from) if mv.is_promotion() => {
            let kind = position.piece(from).kind();
            board_value(kind.promoted()) - board_value(kind)
        }
        _ => 0,
    };
    (victim + promotion) * 7 + history.capture(position, mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Game, MoveList};
    use std::collections::HashSet;

    /// Tells whether the generator of the search leaves a move out: a declined promotion without
    /// gain.
    fn is_useless(position: &Position, mv: Move) -> bool {
        let Some(from) = mv.from() else { return false };
        if mv.is_promotion() {
            return false;
        }
        let us = position.side_to_move();
        let (from_rank, to_rank) = (from.relative_rank(us), mv.to().relative_rank(us));
        match position.piece(from).kind() {
            PieceKind::Pawn => to_rank < 3,
            PieceKind::Lance => to_rank < 2,
            PieceKind::Bishop | PieceKind::Rook => to_rank < 3 || from_rank < 3,
            _ => false,
        }
    }

    #[test]
    fn every_useful_move_comes_exactly_once() {
        let history = History::new().unwrap();
        let mut state = 5u64;
        for _ in 0..20 {
            let mut game = Game::startpos();
            for _ in 0..150 {
                let position = game.position();
                let legal = MoveList::legal(position);
                if legal.is_empty() {
                    break;
                }
                let mut random = || {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                    legal[(state >> 33) as usize % legal.len()]
                };
                let table_move = Some(random()).filter(|&mv| !is_useless(position, mv));
                let played = random();
                let info = CheckInfo::new(position);
                let in_check = !info.checkers.is_empty();
                let mut picker = Picker::new(in_check, table_move, Contexts::NONE);
                let mut seen = HashSet::new();
                while let Some(mv) = picker.next(position, &info, &history) {
                    assert!(seen.insert(mv), "{mv} came twice in {position}");
                }
                let expected: HashSet<Move> = legal
                    .iter()
                    .copied()
                    .filter(|&mv| !is_useless(position, mv))
                    .collect();
                assert_eq!(seen, expected, "{position}");
                if !in_check {
                    let mut noisy = Picker::new(false, None, Contexts::NONE);
                    noisy.skip_quiets();
                    let seen: HashSet<Move> =
                        std::iter::from_fn(|| noisy.next(position, &info, &history)).collect();
                    let expected: HashSet<Move> = expected
                        .into_iter()
                        .filter(|&mv| is_noisy(position, mv))
                        .collect();
                    assert_eq!(seen, expected, "{position}");

                    let targets = CheckTargets::new(position);
                    let mut checking = Picker::quiescence(false, None, Contexts::NONE);
                    checking.favour_checks(&targets);
                    let seen: HashSet<Move> =
                        std::iter::from_fn(|| checking.next(position, &info, &history)).collect();
                    let gives_check = |mv: Move| {
                        let mut after = position.clone();
                        after.make(mv);
                        after.in_check()
                    };
                    let expected: HashSet<Move> = legal
                        .iter()
                        .copied()
                        .filter(|&mv| !is_useless(position, mv))
                        .filter(|&mv| is_noisy(position, mv) || gives_check(mv))
                        .collect();
                    assert_eq!(seen, expected, "{position}");
                }
                game.play(played).unwrap();
            }
        }
    }
}
