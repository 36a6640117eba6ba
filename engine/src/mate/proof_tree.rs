//! A proved mate as an explicit tree: one check for each position of the attacker, and every answer.

use super::{
    leaves::checks,
    proof_number::Mate,
    solver::{Gap, Solver},
};
use crate::rules::{Move, MoveList, Position};
use std::collections::HashMap;

/// Positions of a tree between two polls.
const POLL_INTERVAL: usize = 256;

/// The attacker's move in a position of the tree.
#[derive(Clone, Copy, Debug)]
struct Mating {
    mv: Move,
    /// Plies within which it mates.
    plies: u16,
}

/// A proved mate: the attacker's moves by the keys of the positions.
#[derive(Clone, Debug)]
pub(super) struct ProofTree {
    moves: HashMap<u64, Mating>,
    plies: u16,
}

impl ProofTree {
    /// Builds the tree of a mate in at most `plies` from the table, and searches again for what the
    /// table has lost.
    ///
    /// # Errors
    /// That has no result, or an answer is not refuted.
    pub fn build(
        solver: &mut Solver<'_>,
        position: &mut Position,
        plies: u16,
    ) -> Result<Self, Gap> {
        let mut tree = Self {
            moves: HashMap::new(),
            plies: 0,
        };
        tree.prove(solver, position, plies)?;
        let mut lengths = HashMap::new();
        tree.plies = tree.measure(position, &mut lengths);
        Ok(tree)
    }

    /// Length of the mate against the best defence, in plies.
    pub const fn plies(&self) -> u16 {
        self.plies
    }

    /// Adds the positions below one in which the attacker mates in at most `plies`.
    fn prove(
        &mut self,
        solver: &mut Solver<'_>,
        position: &mut Position,
        plies: u16,
    ) -> Result<(), Gap> {
        let key = position.key();
        if (self.moves.get(&key)).is_some_and(|mating| mating.plies <= plies) {
            return Ok(());
        }
        if self.moves.len() % POLL_INTERVAL == POLL_INTERVAL - 1 && solver.is_over() {
            return Err(Gap::Ended);
        }
        let (mv, plies) = match solver.mate(position, plies) {
            Mate::In { mv, plies } => (mv, plies),
            Mate::Unknown => return Err(solver.gap()),
            Mate::None | Mate::TooLong => return Err(Gap::Contradiction),
        };
        // Two positions with one key would give a move that is no check.
        if !checks(position).contains(&mv) {
            return Err(Gap::Contradiction);
        }
        let undo = position.make(mv);
        let proved = answers(position).into_iter().try_for_each(|answer| {
            if plies <= 2 {
                return Err(Gap::Contradiction);
            }
            let undo = position.make(answer);
            let proved = self.prove(solver, position, plies - 2);
            position.unmake(answer, undo);
            proved
        });
        position.unmake(mv, undo);
        proved?;
        self.add(key, Mating { mv, plies });
        Ok(())
    }

    /// Adds a mate. A shorter one of the same position stays: the lines below a position can come back to it, where
    /// a shorter mate of it was needed. So every line is shorter than the one above it, and none ends in a circle.
    fn add(&mut self, key: u64, mating: Mating) {
        let known = self.moves.entry(key).or_insert(mating);
        if mating.plies < known.plies {
            *known = mating;
        }
    }

    /// Returns the length of the mate, and notes that of every position below.
    fn measure(&mut self, position: &mut Position, lengths: &mut HashMap<u64, u16>) -> u16 {
        let key = position.key();
        if let Some(&plies) = lengths.get(&key) {
            return plies;
        }
        let Some(mating) = self.moves.get(&key).copied() else {
            return 0;
        };
        let undo = position.make(mating.mv);
        let mut plies = 1;
        for answer in answers(position) {
            let undo = position.make(answer);
            plies = plies.max(2 + self.measure(position, lengths));
            position.unmake(answer, undo);
        }
        position.unmake(mating.mv, undo);
        lengths.insert(key, plies);
        self.moves.insert(key, Mating { plies, ..mating });
        plies
    }

    /// Returns the line in which the defence resists longest against the tree's moves.
    pub fn line(&self, position: &Position) -> Vec<Move> {
        let mut position = position.clone();
        let mut line = Vec::new();
        while let Some(mating) = self.moves.get(&position.key()) {
            line.push(mating.mv);
            position.make(mating.mv);
            let Some(answer) = self.longest(&mut position) else {
                break;
            };
            line.push(answer);
            position.make(answer);
        }
        line
    }

    /// Returns a line in which both sides play best, given that the mate of the tree is the shortest;
    /// the tree's line if the search for it has no result.
    pub fn best_line(&self, solver: &mut Solver<'_>, position: &Position) -> Vec<Move> {
        let mut after = position.clone();
        let mut line = Vec::new();
        let mut plies = self.plies;
        loop {
            let Mate::In { mv, .. } = solver.mate(&mut after, plies) else {
                return self.line(position);
            };
            line.push(mv);
            if plies == 1 {
                return line;
            }
            after.make(mv);
            plies -= 2;
            let Some(answer) = hardest(solver, &mut after, plies) else {
                return self.line(position);
            };
            line.push(answer);
            after.make(answer);
        }
    }

    /// Returns the answer with the longest mate after it.
    fn longest(&self, position: &mut Position) -> Option<Move> {
        let mut longest = None;
        for answer in answers(position) {
            let undo = position.make(answer);
            let plies = self.moves.get(&position.key()).map_or(0, |one| one.plies);
            position.unmake(answer, undo);
            if longest.is_none_or(|(_, most)| plies > most) {
                longest = Some((answer, plies));
            }
        }
        longest.map(|(answer, _)| answer)
    }
}

/// Returns an answer to which the shortest mate has `plies`, if the search for it has a result.
fn hardest(solver: &mut Solver<'_>, position: &mut Position, plies: u16) -> Option<Move> {
    answers(position).into_iter().find(|&answer| {
        let undo = position.make(answer);
        let shorter = match plies {
            1 => Mate::TooLong,
            _ => solver.settle(position, plies - 2, u64::MAX),
        };
        position.unmake(answer, undo);
        matches!(shorter, Mate::None | Mate::TooLong)
    })
}

fn answers(position: &Position) -> Vec<Move> {
    MoveList::legal(position).as_slice().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_is_refuted_is_a_contradiction() {
        let sfen = "7k1/9/7G1/9/9/9/9/9/4K4 b GP 1";
        let mut position = Position::from_sfen(sfen).expect("a position");
        let mut never = |_| false;
        let mut solver = Solver::new(1, u64::MAX, &mut never).expect("memory");
        let refuted = ProofTree::build(&mut solver, &mut Position::startpos(), 3);
        assert_eq!(refuted.err(), Some(Gap::Contradiction));
        let proved = ProofTree::build(&mut solver, &mut position, 5);
        assert!(proved.is_ok_and(|tree| tree.plies() % 2 == 1));
        let mut at_once = |_| true;
        let mut solver = Solver::new(1, u64::MAX, &mut at_once).expect("memory");
        let ended = ProofTree::build(&mut solver, &mut position, 5);
        assert_eq!(ended.err(), Some(Gap::Ended));
    }

    #[test]
    fn a_longer_mate_does_not_take_the_place_of_a_shorter_one() {
        let mut tree = ProofTree {
            moves: HashMap::new(),
            plies: 0,
        };
        let moves = MoveList::legal(&Position::startpos());
        for (index, plies) in [9, 15, 7].into_iter().enumerate() {
            let mv = moves.as_slice()[index];
            tree.add(1, Mating { mv, plies });
        }
        let kept = tree.moves[&1];
        assert_eq!((kept.plies, kept.mv), (7, moves.as_slice()[2]));
        tree.add(
            1,
            Mating {
                mv: moves.as_slice()[1],
                plies: 9,
            },
        );
        assert_eq!(tree.moves[&1].plies, 7);
    }
}
