//! The training search: alpha-beta and quiescence search, without a transposition table or pruning that
//! would hide the source of a value. Its principal variation ends in the position whose evaluation is the
//! value.

use monju_engine::{
    eval::{Evaluator, Linear, exchange_value, gains_at_least},
    rules::{Bitboard, CheckInfo, Move, MoveList, Position, PushMove, Scope, Square, generate},
};

/// Smallest value of a mate, beyond every evaluation.
pub(super) const MATE: i32 = 30_000;

/// Largest distance from the root.
const MAX_PLY: usize = 24;

/// Plies of quiescence search in which check evasions are searched.
const EVASION_PLIES: usize = 4;

/// Margin of delta pruning in centipawns.
const DELTA_MARGIN: i32 = 200;

/// The training search of one thread.
pub struct TrainingSearch {
    evaluator: Linear,
    position: Position,
    /// Principal variation from each ply.
    variations: [Variation; MAX_PLY + 2],
}

/// A sequence of moves.
#[derive(Clone, Copy)]
struct Variation {
    moves: [Option<Move>; MAX_PLY + 1],
    len: usize,
}

const NO_MOVES: Variation = Variation {
    moves: [None; MAX_PLY + 1],
    len: 0,
};

/// Captures with their ordering scores.
#[derive(Default)]
struct Captures(Vec<(i32, Move)>);

impl PushMove for Captures {
    fn push_moves(&mut self, to: Bitboard, of: impl Fn(Square) -> Move) {
        self.0.extend(to.squares().map(|square| (0, of(square))));
    }
}

impl TrainingSearch {
    /// Creates a search with this evaluator.
    pub fn new(evaluator: Linear) -> Self {
        Self {
            evaluator,
            position: Position::startpos(),
            variations: [NO_MOVES; MAX_PLY + 2],
        }
    }

    /// Sets the root position.
    pub fn set_position(&mut self, position: &Position) {
        self.position = position.clone();
        self.evaluator.reset(position);
    }

    /// Returns the value of a move, or of a pass, from the side that makes it, after `depth` plies and
    /// quiescence search. Values outside the window are bounds.
    pub fn value_of(&mut self, mv: Option<Move>, depth: u32, alpha: i32, beta: i32) -> i32 {
        match mv {
            Some(mv) => self.child(mv, depth.saturating_sub(1), 0, alpha, beta, 0),
            None => {
                self.position.make_pass();
                let value = -self.search(depth.saturating_sub(1), -beta, -alpha, 1);
                self.position.unmake_pass();
                let (own, below) = self.variations.split_at_mut(1);
                own[0] = below[0];
                value
            }
        }
    }

    /// Returns the leaf of the last value's principal variation, which began with `mv`.
    pub fn leaf(&self, mv: Option<Move>) -> Position {
        let mut position = self.position.clone();
        if mv.is_none() {
            position.make_pass();
        }
        let variation = &self.variations[0];
        for mv in variation.moves[..variation.len].iter().flatten() {
            position.make(*mv);
        }
        position
    }

    /// Returns the value of a move, and makes it the head of the variation at `ply`. `quiet_plies` counts
    /// the plies of quiescence search so far.
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
        let (own, below) = self.variations.split_at_mut(ply + 1);
        let (variation, tail) = (&mut own[ply], &below[0]);
        variation.moves[0] = Some(mv);
        variation.moves[1..=tail.len].copy_from_slice(&tail.moves[..tail.len]);
        variation.len = tail.len + 1;
        value
    }

    fn search(&mut self, depth: u32, alpha: i32, beta: i32, ply: usize) -> i32 {
        if depth == 0 {
            return self.quiesce(0, alpha, beta, ply);
        }
        let mut moves: Vec<(i32, Move)> = MoveList::legal(&self.position)
            .as_slice()
            .iter()
            .map(|&mv| (self.estimate_gain(mv), mv))
            .collect();
        moves.sort_by_key(|&(gain, _)| -gain);
        self.best_of(&moves, depth, None, alpha, beta, ply)
    }

    fn quiesce(&mut self, quiet_plies: usize, alpha: i32, beta: i32, ply: usize) -> i32 {
        self.variations[ply].len = 0;
        let info = CheckInfo::new(&self.position);
        if !info.checkers.is_empty() && quiet_plies < EVASION_PLIES && ply < MAX_PLY {
            let mut moves: Vec<(i32, Move)> = MoveList::legal(&self.position)
                .as_slice()
                .iter()
                .map(|&mv| (self.estimate_gain(mv), mv))
                .collect();
            moves.sort_by_key(|&(gain, _)| -gain);
            return self.best_of(&moves, 0, Some((quiet_plies, None)), alpha, beta, ply);
        }
        let stand_pat = self.evaluator.evaluate(&self.position);
        if stand_pat >= beta || ply >= MAX_PLY {
            return stand_pat;
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
        captures.0.retain_mut(|(gain, mv)| {
            *gain = self.estimate_gain(*mv);
            stand_pat + *gain + DELTA_MARGIN > alpha && gains_at_least(&self.position, *mv, 0)
        });
        captures.0.sort_by_key(|&(gain, _)| -gain);
        self.best_of(
            &captures.0,
            0,
            Some((quiet_plies, Some(stand_pat))),
            alpha,
            beta,
            ply,
        )
    }

    /// Returns the best value of the moves. In quiescence search, given the number of its plies so far, an
    /// optional stand-pat value is the lower bound; elsewhere a side without moves is mated.
    fn best_of(
        &mut self,
        moves: &[(i32, Move)],
        depth: u32,
        quiescence: Option<(usize, Option<i32>)>,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        let (quiet_plies, stand_pat) = match quiescence {
            Some((plies, stand_pat)) => (plies + 1, stand_pat),
            None => (0, None),
        };
        let mut best = stand_pat.unwrap_or(ply as i32 - MATE - MAX_PLY as i32);
        let mut alpha = alpha.max(best);
        let mut variation = NO_MOVES;
        for &(_, mv) in moves {
            let value = self.child(mv, depth.saturating_sub(1), quiet_plies, alpha, beta, ply);
            if value > best || variation.len == 0 && stand_pat.is_none() {
                best = best.max(value);
                variation = self.variations[ply];
            }
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
        }
        self.variations[ply] = variation;
        best
    }

    /// Estimates the immediate gain of a move in centipawns, for move ordering and delta pruning.
    fn estimate_gain(&self, mv: Move) -> i32 {
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
    fn a_value_is_the_evaluation_at_its_leaf() {
        let weights = Arc::new(LinearWeights::material());
        let mut fresh = Linear::new(Arc::clone(&weights));
        let mut search = TrainingSearch::new(Linear::new(weights));
        let mut values = 0;
        for start in POSITIONS {
            let game = Game::from_usi(start).expect("a position");
            let position = game.position();
            search.set_position(position);
            let pass = (!position.in_check()).then_some(None);
            let legal = game.legal_moves();
            for other in legal.into_iter().step_by(5).map(Some).chain(pass) {
                for depth in [1, 2] {
                    let value = search.value_of(other, depth, -2 * MATE, 2 * MATE);
                    if value.abs() >= MATE {
                        continue;
                    }
                    let leaf = search.leaf(other);
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
