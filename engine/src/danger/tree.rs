//! The AND/OR tree, searched depth first (Hiramatsu et al., section 3), by iterative deepening: a single
//! search in depth spends its nodes below the first attack that leads to a long series of threats.

use super::{
    attacks::{Attack, attacks},
    defences::defences,
    gain::{Goal, balance, gain},
    judgement::{Danger, DangerOutcome, DangerSettings, Step},
    path::Path,
};
use crate::rules::{MoveList, Position};

/// Length of the longest path of the first iteration. Nodes at its end stay undecided.
const FIRST_LENGTH: usize = 2;

/// Length of the longest path of all.
pub const LAST_LENGTH: usize = 64;

/// Value of a node to its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeValue {
    /// The side to move has reached its aim.
    Ok,
    /// The side to move has failed: it has no move left, or all its moves let the other reach its aim.
    Ng,
    /// Not known.
    Undecided,
}

/// A value with the line that shows it, its last step first.
type Judged = (NodeValue, Vec<Step>);

struct Tree<'a> {
    position: Position,
    goal: Goal,
    path: Path,
    /// Length of the longest path of this iteration.
    longest: usize,
    /// Most nodes to expand.
    nodes: u64,
    is_over: &'a mut dyn FnMut(u64) -> bool,
    generated: u64,
    expanded: u64,
}

/// Judges the assumption that the side ahead keeps `goal` in a position, until `is_over` says true of the number of
/// expanded nodes.
pub fn search(
    position: &Position,
    settings: DangerSettings,
    goal: Goal,
    is_over: &mut dyn FnMut(u64) -> bool,
) -> DangerOutcome {
    let ahead = !settings.worse;
    let mut tree = Tree {
        position: position.clone(),
        goal,
        path: Path::new(),
        longest: FIRST_LENGTH,
        nodes: settings.nodes,
        is_over,
        generated: 0,
        expanded: 0,
    };
    let before = balance(position, ahead);
    let attacks_first = position.side_to_move() == settings.worse;
    let (value, mut line) = match attacks_first {
        // An assumption that is wrong already needs no attack.
        true if !goal.is_kept(before) => (NodeValue::Ok, Vec::new()),
        _ => tree.deepen(|tree| match attacks_first {
            true => tree.attacker(before),
            false => tree.first_move(before),
        }),
    };
    line.reverse();
    let danger = match (value, attacks_first) {
        (NodeValue::Undecided, _) => Danger::Unknown,
        (NodeValue::Ng, true) | (NodeValue::Ok, false) => Danger::Holds,
        (NodeValue::Ok, true) | (NodeValue::Ng, false) => Danger::Fails,
    };
    let mut end = position.clone();
    for step in &line {
        match step {
            Step::Move(mv) => _ = end.make(*mv),
            Step::Pass => end.make_pass(),
        }
    }
    DangerOutcome {
        danger,
        line,
        generated: tree.generated,
        expanded: tree.expanded,
        before,
        after: balance(&end, ahead),
        mates: end.side_to_move() == ahead
            && end.in_check()
            && MoveList::legal(&end).as_slice().is_empty(),
    }
}

impl Tree<'_> {
    /// Searches with longer and longer paths until the root is decided.
    fn deepen(&mut self, judge: impl Fn(&mut Self) -> Judged) -> Judged {
        loop {
            let judged = judge(self);
            let is_exhausted = self.expanded >= self.nodes || self.longest >= LAST_LENGTH;
            if judged.0 != NodeValue::Undecided || is_exhausted {
                return judged;
            }
            self.longest += 1;
        }
    }

    /// Judges a node at which the worse side attacks.
    fn attacker(&mut self, balance: i32) -> Judged {
        if !self.may_expand() {
            return (NodeValue::Undecided, Vec::new());
        }
        let attacks = attacks(&mut self.position, self.goal, balance, &self.path);
        self.generated += attacks.len() as u64;
        let mut sum = Sum::default();
        for attack in attacks {
            let after = balance - gain(&self.position, attack.mv);
            let step = Step::Move(attack.mv);
            let child = self.below(step, balance, attack.is_check_alone, |tree| {
                tree.defender(&attack, after)
            });
            if let Some(won) = sum.add(step, child) {
                return won;
            }
        }
        sum.judged()
    }

    /// Judges a node at which the side ahead answers an attack.
    fn defender(&mut self, attack: &Attack, balance: i32) -> Judged {
        if !self.may_expand() {
            return (NodeValue::Undecided, Vec::new());
        }
        let defences = defences(&mut self.position, attack, self.goal, balance, &self.path);
        self.generated += defences.len() as u64;
        self.answer(&defences, balance)
    }

    /// Judges a root at which the side ahead may make any move.
    fn first_move(&mut self, balance: i32) -> Judged {
        if !self.may_expand() {
            return (NodeValue::Undecided, Vec::new());
        }
        let moves = MoveList::legal(&self.position);
        let kept = |mv: &_| self.goal.is_kept(balance + gain(&self.position, *mv));
        let moves = moves.iter().copied().filter(kept);
        let steps: Vec<Step> = moves.map(Step::Move).collect();
        self.generated += steps.len() as u64;
        self.answer(&steps, balance)
    }

    fn answer(&mut self, steps: &[Step], balance: i32) -> Judged {
        let mut sum = Sum::default();
        for &step in steps {
            let after = match step {
                Step::Move(mv) => balance + gain(&self.position, mv),
                Step::Pass => balance,
            };
            let child = self.below(step, balance, false, |tree| tree.attacker(after));
            if let Some(won) = sum.add(step, child) {
                return won;
            }
        }
        sum.judged()
    }

    /// Judges the node below a step.
    fn below(
        &mut self,
        step: Step,
        balance: i32,
        is_check: bool,
        judge: impl FnOnce(&mut Self) -> Judged,
    ) -> Judged {
        self.path.push(&self.position, step, balance, is_check);
        let judged = match step {
            Step::Move(mv) => {
                let undo = self.position.make(mv);
                let judged = judge(self);
                self.position.unmake(mv, undo);
                judged
            }
            Step::Pass => {
                self.position.make_pass();
                let judged = judge(self);
                self.position.unmake_pass();
                judged
            }
        };
        self.path.pop();
        judged
    }

    /// Tells whether one more node may be expanded, and counts it.
    fn may_expand(&mut self) -> bool {
        if self.expanded < self.nodes && (self.is_over)(self.expanded) {
            self.nodes = self.expanded;
        }
        let may = self.expanded < self.nodes && self.path.len() < self.longest;
        self.expanded += u64::from(may);
        may
    }
}

/// The children of a node, seen so far.
#[derive(Default)]
struct Sum {
    is_open: bool,
    longest: Vec<Step>,
}

impl Sum {
    /// Adds a child; returns the judgement on the node if it decides it.
    fn add(&mut self, step: Step, (value, mut line): Judged) -> Option<Judged> {
        line.push(step);
        match value {
            NodeValue::Ng => return Some((NodeValue::Ok, line)),
            NodeValue::Undecided => self.is_open = true,
            NodeValue::Ok if line.len() > self.longest.len() => self.longest = line,
            NodeValue::Ok => {}
        }
        None
    }

    /// Returns the judgement on a node that no child decides.
    fn judged(self) -> Judged {
        match self.is_open {
            true => (NodeValue::Undecided, Vec::new()),
            false => (NodeValue::Ng, self.longest),
        }
    }
}
