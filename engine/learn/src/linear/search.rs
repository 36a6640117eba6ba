//! The search with which games are studied: alpha-beta, then quiescence, without a table or
//! pruning that would hide where a value comes from. Its principal variation ends in the position
//! whose evaluation is the value.

use monju_engine::{
    eval::{Evaluator, Linear, exchange_value},
    rules::{Bitboard, CheckInfo, Move, MoveList, Position, PushMove, Scope, generate},
    search::gains_at_least,
};

/// Beyond every evaluation; a value this large is a mate.
pub(super) const MATE: i32 = 30_000;

/// Deepest ply below the root.
const MAX_PLY: usize = 24;

/// Plies of quiescence in which checks are answered.
const EVASION_PLIES: usize = 4;

/// What a capture may gain besides the captured piece, in centipawns.
const DELTA_MARGIN: i32 = 200;

/// One thread's search.
pub(super) struct Study {
    evaluator: Linear,
    position: Position,
    /// The principal variation from each ply on.
    lines: [Line; MAX_PLY + 2],
}

#[derive(Clone, Copy)]
struct Line {
    moves: [Option<Move>; MAX_PLY + 1],
    len: usize,
}

const EMPTY: Line = Line {
    moves: [None; MAX_PLY + 1],
    len: 0,
};

#[derive(Default)]
struct Captures(Vec<(i32, Move)>);

impl PushMove for Captures {
    fn push_move(&mut self, mv: Move) {
        self.0.push((0, mv));
    }
}

impl Study {
    /// A search with this evaluator.
    pub fn new(evaluator: Linear) -> Self {
        Self {
            evaluator,
            position: Position::startpos(),
            lines: [EMPTY; MAX_PLY + 2],
        }
    }

    /// Goes to a position.
    pub fn visit(&mut self, position: &Position) {
        self.position = position.clone();
        self.evaluator.reset(position);
    }

    /// The value of a move, or of a pass, from the side that makes it, searched `depth` plies deep
    /// and then until it is quiet. Values outside the window are bounds.
    pub fn value_of(&mut self, mv: Option<Move>, depth: u32, alpha: i32, beta: i32) -> i32 {
        match mv {
            Some(mv) => self.child(mv, depth.saturating_sub(1), 0, alpha, beta, 0),
            None => {
                self.position.make_pass();
                let value = -self.search(depth.saturating_sub(1), -beta, -alpha, 1);
                self.position.unmake_pass();
                let (own, below) = self.lines.split_at_mut(1);
                own[0] = below[0];
                value
            }
        }
    }

    /// The position in which the line of the last value ends, after `mv`.
    pub fn leaf(&self, mv: Option<Move>) -> Position {
        let mut position = self.position.clone();
        if mv.is_none() {
            position.make_pass();
        }
        let line = &self.lines[0];
        for mv in line.moves[..line.len].iter().flatten() {
            position.make(*mv);
        }
        position
    }

    /// The value of a move that is made, searched, and taken back; the line from `ply` on becomes
    /// the move and what follows it. `quiet_plies` counts the plies of quiescence so far.
    fn child(
        &mut self,
        mv: Move,
        depth: u32,
        quiet_plies: usize,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        self.evaluator.push(&self.position, mv);
        let undo = self.position.make(mv);
        let value = if depth > 0 {
            -self.search(depth, -beta, -alpha, ply + 1)
        } else {
            -self.quiesce(quiet_plies, -beta, -alpha, ply + 1)
        };
        self.position.unmake(mv, undo);
        self.evaluator.pop();
        let (own, below) = self.lines.split_at_mut(ply + 1);
        let (line, tail) = (&mut own[ply], &below[0]);
        line.moves[0] = Some(mv);
        line.moves[1..=tail.len].copy_from_slice(&tail.moves[..tail.len]);
        line.len = tail.len + 1;
        value
    }

    fn search(&mut self, depth: u32, alpha: i32, beta: i32, ply: usize) -> i32 {
        if depth == 0 {
            return self.quiesce(0, alpha, beta, ply);
        }
        let mut moves: Vec<(i32, Move)> = MoveList::legal(&self.position)
            .as_slice()
            .iter()
            .map(|&mv| (self.promise(mv), mv))
            .collect();
        moves.sort_by_key(|&(promise, _)| -promise);
        self.best_of(&moves, depth, None, alpha, beta, ply)
    }

    fn quiesce(&mut self, quiet_plies: usize, alpha: i32, beta: i32, ply: usize) -> i32 {
        self.lines[ply].len = 0;
        let info = CheckInfo::new(&self.position);
        if !info.checkers.is_empty() && quiet_plies < EVASION_PLIES && ply < MAX_PLY {
            let mut moves: Vec<(i32, Move)> = MoveList::legal(&self.position)
                .as_slice()
                .iter()
                .map(|&mv| (self.promise(mv), mv))
                .collect();
            moves.sort_by_key(|&(promise, _)| -promise);
            return self.best_of(&moves, 0, Some((quiet_plies, None)), alpha, beta, ply);
        }
        let standing = self.evaluator.evaluate(&self.position);
        if standing >= beta || ply >= MAX_PLY {
            return standing;
        }
        let mut captures = Captures::default();
        let theirs = self.position.pieces_of(!self.position.side_to_move());
        let scope = Scope {
            plain: theirs,
            promoting: theirs,
            rewarding: Bitboard::ALL,
            drops: Bitboard::EMPTY,
        };
        generate::<false, _>(&self.position, &info, scope, &mut captures);
        captures.0.retain_mut(|(promise, mv)| {
            *promise = self.promise(*mv);
            standing + *promise + DELTA_MARGIN > alpha && gains_at_least(&self.position, *mv, 0)
        });
        captures.0.sort_by_key(|&(promise, _)| -promise);
        self.best_of(
            &captures.0,
            0,
            Some((quiet_plies, Some(standing))),
            alpha,
            beta,
            ply,
        )
    }

    /// The best value among moves, and among them the value of moving nothing at all (`standing`,
    /// in quiescence out of check). No move at all is mate.
    fn best_of(
        &mut self,
        moves: &[(i32, Move)],
        depth: u32,
        quiescence: Option<(usize, Option<i32>)>,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        let (quiet_plies, standing) = match quiescence {
            Some((plies, standing)) => (plies + 1, standing),
            None => (0, None),
        };
        let mut best = standing.unwrap_or(ply as i32 - MATE - MAX_PLY as i32);
        let mut alpha = alpha.max(best);
        let mut line = EMPTY;
        for &(_, mv) in moves {
            let value = self.child(mv, depth.saturating_sub(1), quiet_plies, alpha, beta, ply);
            if value > best || line.len == 0 && standing.is_none() {
                best = best.max(value);
                line = self.lines[ply];
            }
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
        }
        self.lines[ply] = line;
        best
    }

    /// What a move seems to gain at once, in centipawns.
    fn promise(&self, mv: Move) -> i32 {
        let gain = match self.position.piece(mv.to()).get() {
            Some((_, kind)) => exchange_value(kind),
            None => 0,
        };
        gain + if mv.is_promotion() { 400 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{bench::POSITIONS, eval::LinearWeights, rules::Game};
    use std::sync::Arc;

    #[test]
    fn a_value_is_the_evaluation_of_its_leaf() {
        let weights = Arc::new(LinearWeights::material());
        let mut fresh = Linear::new(Arc::clone(&weights));
        let mut study = Study::new(Linear::new(weights));
        let mut values = 0;
        for start in POSITIONS {
            let game = Game::from_usi(start).expect("a position");
            let position = game.position();
            study.visit(position);
            let pass = (!position.in_check()).then_some(None);
            let legal = game.legal_moves();
            for other in legal.into_iter().step_by(5).map(Some).chain(pass) {
                for depth in [1, 2] {
                    let value = study.value_of(other, depth, -2 * MATE, 2 * MATE);
                    if value.abs() >= MATE {
                        continue;
                    }
                    let leaf = study.leaf(other);
                    fresh.reset(&leaf);
                    let own = leaf.side_to_move() == position.side_to_move();
                    let evaluation = fresh.evaluate(&leaf);
                    let evaluation = if own { evaluation } else { -evaluation };
                    assert_eq!(value, evaluation, "{start} {other:?} depth {depth}");
                    values += 1;
                }
            }
        }
        assert!(values > 100);
    }
}
