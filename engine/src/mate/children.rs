//! The moves of a node with their numbers, and the best of them.

use super::proof_numbers::{EVERYWHERE, INFINITE, ProofNumbers};
use crate::rules::Move;

/// A move of a node, with the numbers after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub mv: Move,
    pub numbers: ProofNumbers,
    /// Cost of the move: the work that it adds while the result is open.
    pub cost: u32,
}

impl Child {
    /// Returns the work until the side to move reaches its goal by this move.
    fn delta(&self) -> u32 {
        match self.numbers.delta {
            decided @ (0 | INFINITE..) => decided,
            open => (open + self.cost).min(INFINITE - 1),
        }
    }
}

/// The numbers of a node by those of its children, with its best child.
pub(super) struct BestChild {
    pub numbers: ProofNumbers,
    /// Index of the child with the least `delta`, costs included.
    pub index: usize,
    /// The second least `delta`.
    pub second: u32,
    /// Number of children that the other side has not won.
    pub open: u32,
}

impl BestChild {
    pub fn of<const ATTACK: bool>(children: &[Child]) -> Self {
        let mut numbers = ProofNumbers::new(INFINITE, 0);
        let (mut index, mut second) = (0, INFINITE);
        let mut open = 0;
        for (at, child) in children.iter().enumerate() {
            let delta = child.delta();
            let child = child.numbers;
            if delta < numbers.phi {
                second = numbers.phi;
                numbers.phi = delta;
                numbers.plies = child.plies.saturating_add(1);
                numbers.since = child.since;
                index = at;
            } else {
                second = second.min(delta);
            }
            numbers.delta = numbers.delta.max(child.phi);
            open += u32::from(child.phi != 0);
        }
        if numbers.phi == 0 {
            numbers.delta = INFINITE;
        } else if open == 0 {
            let since = children.iter().map(|child| child.numbers.since);
            numbers.since = since.min().unwrap_or(EVERYWHERE);
            let plies = children.iter().map(|child| child.numbers.plies);
            let plies = match ATTACK {
                true => plies.min(),
                false => plies.max(),
            };
            numbers.plies = plies.unwrap_or_default().saturating_add(1);
        } else {
            numbers.delta = (numbers.delta + open - 1).min(INFINITE - 1);
            numbers.since = EVERYWHERE;
        }
        Self {
            numbers,
            index,
            second,
            open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;

    /// Returns the best child by `phi`, `delta` and cost of each.
    fn best(children: &[(u32, u32, u32)]) -> BestChild {
        let mv = Game::startpos().legal_moves()[0];
        let children: Vec<_> = (children.iter())
            .map(|&(phi, delta, cost)| Child {
                mv,
                numbers: ProofNumbers::new(phi, delta),
                cost,
            })
            .collect();
        BestChild::of::<true>(&children)
    }

    #[test]
    fn costs_count_while_a_result_is_open() {
        let choice = best(&[(1, 2, 2), (1, 3, 0), (1, 9, 0)]);
        assert_eq!((choice.index, choice.numbers.phi, choice.second), (1, 3, 4));
        let choice = best(&[(1, 1, 0), (INFINITE, 0, 2)]);
        assert_eq!(
            (choice.index, choice.numbers.phi),
            (1, 0),
            "a mate has no cost"
        );
        let choice = best(&[(0, INFINITE, 2), (0, INFINITE, 0)]);
        assert_eq!(choice.numbers.delta, 0, "no check mates");
        let choice = best(&[(1, INFINITE - 1, 2)]);
        assert_eq!(choice.numbers.phi, INFINITE - 1, "a cost refutes nothing");
    }
}
