//! Nodes below each move of the root, in one iteration.

use crate::rules::Move;

/// The nodes of the present iteration, by root move.
#[derive(Debug, Default)]
pub(super) struct RootEffort {
    spent: Vec<(Move, u64)>,
    total: u64,
}

impl RootEffort {
    /// Begins an iteration.
    pub fn clear(&mut self) {
        self.spent.clear();
        self.total = 0;
    }

    /// Adds the nodes of a search of `mv`.
    pub fn add(&mut self, mv: Move, nodes: u64) {
        self.total += nodes;
        match self.spent.iter_mut().find(|(known, _)| *known == mv) {
            Some((_, spent)) => *spent += nodes,
            None => self.spent.push((mv, nodes)),
        }
    }

    /// Returns the share of the nodes below `mv`, in parts of a thousand; `None` before any.
    pub fn share_of(&self, mv: Move) -> Option<u32> {
        let spent = self.spent.iter().find(|(known, _)| *known == mv)?.1;
        (spent * 1_000)
            .checked_div(self.total)
            .map(|share| share as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;

    #[test]
    fn shares_add_up_over_the_searches_of_a_move() {
        let game = Game::startpos();
        let [one, other] = ["7g7f", "2g2f"].map(|mv| game.parse_move(mv).expect("legal"));
        let mut effort = RootEffort::default();
        assert_eq!(effort.share_of(one), None);
        effort.add(one, 500);
        effort.add(other, 250);
        effort.add(one, 250);
        assert_eq!(effort.share_of(one), Some(750));
        assert_eq!(effort.share_of(other), Some(250));
        effort.clear();
        assert_eq!(effort.share_of(one), None);
    }
}
