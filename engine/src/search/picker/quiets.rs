//! Generation of quiet moves together with their scores.

use super::{
    super::{
        history::{KindSums, QuietRows},
        numbers::history,
    },
    list::ScoredList,
};
use crate::eval::see;
use crate::rules::{
    Bitboard, CheckInfo, CheckTargets, Color, Move, PieceKind, Position, Scope, Sink, Square,
    generate,
};

/// Adds the quiet moves within a scope to a list, with their scores.
pub(super) fn list_quiets(
    position: &Position,
    info: &CheckInfo,
    scope: Scope,
    rows: &QuietRows,
    checks: Option<&CheckTargets>,
    list: &mut ScoredList,
) {
    let first = list.len();
    let mut sink = QuietSink {
        position,
        rows,
        sums: KindSums::new(rows),
        checks,
        list,
    };
    generate::<false, _>(position, info, scope, &mut sink);
    if rows.is_early() {
        for entry in &mut list.as_mut_slice()[first..] {
            entry.score += rows.early(entry.mv);
        }
    }
}

/// Adds the quiet checks within a scope to a list, with their scores.
pub(super) fn list_checks(
    position: &Position,
    info: &CheckInfo,
    scope: Scope,
    rows: &QuietRows,
    targets: &CheckTargets,
    list: &mut ScoredList,
) {
    let mut sink = CheckSink {
        position,
        rows,
        targets,
        list,
    };
    generate::<false, _>(position, info, scope, &mut sink);
}

/// A sink that scores quiet moves.
struct QuietSink<'a> {
    position: &'a Position,
    rows: &'a QuietRows<'a>,
    sums: KindSums<'a>,
    /// Targets of checks, whose scores are raised.
    checks: Option<&'a CheckTargets>,
    list: &'a mut ScoredList,
}

impl QuietSink<'_> {
    /// Adds the moves of one kind from one origin.
    #[inline(always)]
    fn add(&mut self, kind: PieceKind, origin: usize, to: Bitboard, of: impl Fn(Square) -> Move) {
        let sums = self.sums.of(kind);
        let quiet = self.rows.of_origin(origin);
        self.list.push_each(to, |to| {
            let score = sums[to.index()] + 2 * quiet[to.index()].get();
            (of(to), score)
        });
    }

    /// Raises the scores of those moves from `first` on, all of a piece that will be a `placed`, that check
    /// without loss.
    #[inline(always)]
    fn favour_checks(
        &mut self,
        first: usize,
        to: Bitboard,
        placed: PieceKind,
        from: Option<Square>,
    ) {
        if let Some(targets) = self.checks {
            let checks = targets.destinations(self.position, placed, from) & to;
            if !checks.is_empty() {
                favour(self.position, &mut *self.list, first, checks);
            }
        }
    }
}

fn favour(position: &Position, list: &mut ScoredList, first: usize, checks: Bitboard) {
    for entry in &mut list.as_mut_slice()[first..] {
        if checks.contains(entry.mv.to()) && see::gains_at_least(position, entry.mv, -75) {
            entry.score += history::check();
        }
    }
}

impl Sink for QuietSink<'_> {
    #[inline(always)]
    fn piece(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        let kind = self.position.piece(from).kind();
        let origin = from.index();
        if !promoting.is_empty() {
            let first = self.list.len();
            self.add(kind, origin, promoting, |to| Move::new(from, to, true));
            self.favour_checks(first, promoting, kind.promoted(), Some(from));
        }
        if !plain.is_empty() {
            let first = self.list.len();
            self.add(kind, origin, plain, |to| Move::new(from, to, false));
            self.favour_checks(first, plain, kind, Some(from));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, color: Color, plain: Bitboard, promoting: Bitboard) {
        // Promotions of pawns are noisy.
        debug_assert!(promoting.is_empty());
        if plain.is_empty() {
            return;
        }
        let first = self.list.len();
        let sums = self.sums.of(PieceKind::Pawn);
        let rows = self.rows;
        self.list.push_each(plain, |to| {
            let from = pawn_origin(color, to);
            let score = sums[to.index()] + 2 * rows.of_origin(from.index())[to.index()].get();
            (Move::new(from, to, false), score)
        });
        if let Some(targets) = self.checks
            && targets.can_discover()
        {
            let checks = plain.squares().filter(|&to| {
                targets.is_check(self.position, Move::new(pawn_origin(color, to), to, false))
            });
            let checks = checks.collect();
            favour(self.position, &mut *self.list, first, checks);
        } else {
            self.favour_checks(first, plain, PieceKind::Pawn, None);
        }
    }

    #[inline(always)]
    fn drops(&mut self, kinds: u8, to: Bitboard) {
        let mut kinds = kinds;
        while kinds != 0 {
            let kind = PieceKind::from_index(kinds.trailing_zeros() as usize);
            kinds &= kinds - 1;
            let first = self.list.len();
            self.add(kind, Square::COUNT + kind.index(), to, |to| {
                Move::drop(kind, to)
            });
            self.favour_checks(first, to, kind, None);
        }
    }
}

/// A sink that keeps checks only.
struct CheckSink<'a> {
    position: &'a Position,
    rows: &'a QuietRows<'a>,
    targets: &'a CheckTargets,
    list: &'a mut ScoredList,
}

impl CheckSink<'_> {
    #[inline(always)]
    fn add(&mut self, to: Bitboard, of: impl Fn(Square) -> Move) {
        self.list.push_each(to, |to| {
            let mv = of(to);
            (mv, self.rows.order(self.position, mv))
        });
    }
}

impl Sink for CheckSink<'_> {
    #[inline(always)]
    fn piece(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        let kind = self.position.piece(from).kind();
        let checks = |placed| (self.targets).destinations(self.position, placed, Some(from));
        let promoting = promoting & checks(kind.promoted());
        let plain = plain & checks(kind);
        self.add(promoting, |to| Move::new(from, to, true));
        self.add(plain, |to| Move::new(from, to, false));
    }

    #[inline(always)]
    fn pawns(&mut self, color: Color, plain: Bitboard, _: Bitboard) {
        for to in plain {
            let mv = Move::new(pawn_origin(color, to), to, false);
            if self.targets.is_check(self.position, mv) {
                self.add(Bitboard::of(to), |_| mv);
            }
        }
    }

    #[inline(always)]
    fn drops(&mut self, kinds: u8, to: Bitboard) {
        let mut kinds = kinds;
        while kinds != 0 {
            let kind = PieceKind::from_index(kinds.trailing_zeros() as usize);
            kinds &= kinds - 1;
            let to = to & self.targets.destinations(self.position, kind, None);
            self.add(to, |to| Move::drop(kind, to));
        }
    }
}

/// Returns the square from which a pawn came.
#[inline(always)]
fn pawn_origin(color: Color, to: Square) -> Square {
    Square::from_index(match color {
        Color::Black => to.index() + 1,
        Color::White => to.index() - 1,
    })
}
