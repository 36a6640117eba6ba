//! The moves of a node with their numbers, and the best of them.

use super::proof_numbers::{EVERYWHERE, INFINITE, ProofNumbers};
use crate::rules::Move;

/// A move of a node, with the numbers after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub mv: Move,
    pub numbers: ProofNumbers,
}

/// The numbers of a node by those of its children, with its best child.
pub(super) struct BestChild {
    pub numbers: ProofNumbers,
    /// Index of the child with the least `delta`.
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
            let child = child.numbers;
            if child.delta < numbers.phi {
                second = numbers.phi;
                numbers.phi = child.delta;
                numbers.plies = child.plies.saturating_add(1);
                numbers.since = child.since;
                index = at;
            } else {
                second = second.min(child.delta);
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
