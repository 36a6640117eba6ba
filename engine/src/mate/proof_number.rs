//! Depth-first proof-number search for mates by checks alone (Nagai's df-pn), with weak proof numbers
//! (Ueda, Hashimoto, Hashimoto and Iida) against counting one line several times.
//!
//! Every node is seen from its side to move: `phi` is how hard it is for that side to reach its goal,
//! `delta` how hard for the other one. The attacker's goal is mate, the defender's to have no check to
//! answer any more.

use super::one_ply::mate_in_one;
use crate::{
    pages::large_array,
    rules::{CheckInfo, CheckTargets, Color, Move, MoveList, Position, Scope, generate},
};
use std::collections::TryReserveError;

/// The number of what is proved or disproved.
const INFINITE: u32 = 1 << 28;

/// Lines longer than this are given up, in plies.
pub(crate) const MAX_PLIES: usize = 192;

/// Combined with the keys of positions where White is the attacker.
const WHITE_ATTACKS: u64 = 0x5bd1_e995_9d1b_58a7;

/// Positions after which it is asked whether to go on: some milliseconds at most.
const LOOK: u64 = 1024;

/// Entries that a position can be stored in.
const CLUSTER: usize = 4;

/// How hard a node is, for its side to move and for the other one.
#[derive(Clone, Copy, Debug)]
struct ProofNumbers {
    phi: u32,
    delta: u32,
    /// Plies until the mate, where one is proved.
    plies: u16,
    /// A disproof may hold on this path only, since it needs a position that stands on it already: where the
    /// first of these stands, from 1, or [`TOO_LONG`]; [`EVERYWHERE`] if it needs none.
    since: u16,
}

/// Of what holds whatever the path is.
const EVERYWHERE: u16 = u16::MAX;

/// Of what was given up because the path was too long.
const TOO_LONG: u16 = 0;

impl ProofNumbers {
    const UNKNOWN: Self = Self::new(1, 1);

    const fn new(phi: u32, delta: u32) -> Self {
        Self {
            phi,
            delta,
            plies: 0,
            since: EVERYWHERE,
        }
    }

    /// Of a node whose side to move has reached its goal, or never will.
    const fn decided(reached: bool) -> Self {
        if reached {
            Self::new(0, INFINITE)
        } else {
            Self::new(INFINITE, 0)
        }
    }

    /// Of a node that the attacker cannot win on this path, because of what stands there `since`.
    const fn broken_off(attackers_turn: bool, since: u16) -> Self {
        Self {
            since,
            ..Self::decided(!attackers_turn)
        }
    }

    const fn is_decided(self) -> bool {
        self.phi == 0 || self.delta == 0
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, Default)]
struct ProofEntry {
    key: u64,
    phi: u32,
    delta: u32,
    /// Positions that were looked at for it.
    work: u32,
    plies: u16,
    /// The move that proves it, for the attacker.
    best: Option<Move>,
}

/// A move of a node, and how hard what follows is for the side that answers.
#[derive(Clone, Copy, Debug)]
struct Child {
    mv: Move,
    numbers: ProofNumbers,
}

/// What a search for a mate has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mate {
    /// The side to move mates with this move, in at most so many plies.
    In {
        /// The first move.
        mv: Move,
        /// The plies of the line that was found, which need not be the shortest.
        plies: u16,
    },
    /// No series of checks mates.
    None,
    /// The search was too short to tell.
    Unknown,
}

/// A search for mates, with the table of what it has found.
#[derive(Clone, Debug)]
pub struct MateSearch {
    table: Box<[ProofEntry]>,
    children: Vec<Child>,
    path: Vec<u64>,
    visited: u64,
    limit: u64,
    /// When it is asked next whether to go on.
    next_look: u64,
    /// Tells what is known of a position when White attacks from when Black does.
    attacker: u64,
}

/// A search that remembers next to nothing.
impl Default for MateSearch {
    fn default() -> Self {
        Self::new(1)
    }
}

impl MateSearch {
    /// What one position takes in the table.
    pub(super) const POSITION_BYTES: usize = size_of::<ProofEntry>();

    /// A table of about so many positions. For few: it panics where the system has no such room.
    pub fn new(positions: usize) -> Self {
        Self::try_new(positions).expect("so little memory is there")
    }

    /// A table of about so many positions, unless the system has no such room.
    pub(super) fn try_new(positions: usize) -> Result<Self, TryReserveError> {
        let count = positions.div_ceil(CLUSTER).max(1) * CLUSTER;
        Ok(Self {
            table: large_array(count)?,
            children: Vec::new(),
            path: Vec::new(),
            visited: 0,
            limit: 0,
            next_look: 0,
            attacker: 0,
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.fill(ProofEntry::default());
    }

    /// Looks for a mate by the side to move, at no more than `limit` positions, until `is_over`, which is told
    /// every few milliseconds how many there were so far. Tells how many it looked at. If it is not ended
    /// before, the outcome is a function of the position, the limit, and the searches since the table was empty.
    pub fn search(
        &mut self,
        position: &mut Position,
        limit: u64,
        is_over: &mut dyn FnMut(u64) -> bool,
    ) -> (Mate, u64) {
        self.children.clear();
        self.path.clear();
        self.visited = 0;
        self.limit = limit;
        self.next_look = LOOK;
        self.attacker = match position.side_to_move() {
            Color::Black => 0,
            Color::White => WHITE_ATTACKS,
        };
        if let Some(&ProofEntry {
            phi: 0,
            best: Some(mv),
            plies,
            ..
        }) = self.get(position.key())
        {
            return (Mate::In { mv, plies }, 0);
        }
        let numbers = self.expand::<true>(position, INFINITE - 1, INFINITE - 1, is_over);
        let mate = match numbers {
            ProofNumbers { phi: 0, plies, .. } => {
                let entry = self.get(position.key());
                (entry.and_then(|entry| entry.best))
                    .map_or(Mate::Unknown, |mv| Mate::In { mv, plies })
            }
            ProofNumbers {
                delta: 0,
                since: EVERYWHERE,
                ..
            } => Mate::None,
            _ => Mate::Unknown,
        };
        (mate, self.visited)
    }

    /// Searches below the node until one of its numbers reaches its limit.
    fn expand<const ATTACK: bool>(
        &mut self,
        position: &mut Position,
        phi_limit: u32,
        delta_limit: u32,
        is_over: &mut dyn FnMut(u64) -> bool,
    ) -> ProofNumbers {
        let key = position.key();
        let started = self.visited;
        let first = self.children.len();
        self.path.push(key);
        // Without a move the side to move has lost: no check is left, or no answer to one.
        let mut numbers = ProofNumbers::decided(false);
        let mut best = None;
        if self.path.len() > MAX_PLIES {
            numbers = ProofNumbers::broken_off(ATTACK, TOO_LONG);
        } else {
            self.list::<ATTACK>(position, first);
        }
        if self.children.len() > first {
            loop {
                let choice = BestChild::of(&self.children[first..]);
                numbers = choice.numbers;
                let child = self.children[first + choice.index];
                best = (numbers.phi == 0).then_some(child.mv);
                if self.visited >= self.next_look {
                    self.next_look = self.visited + LOOK;
                    if is_over(self.visited) {
                        self.limit = self.visited;
                    }
                }
                if numbers.is_decided()
                    || numbers.phi >= phi_limit
                    || numbers.delta >= delta_limit
                    || self.visited >= self.limit
                {
                    break;
                }
                let others = choice.open.saturating_sub(1);
                let child_phi = (delta_limit.saturating_sub(others)).max(child.numbers.phi + 1);
                // A quarter more than the next child's, against changing to and fro.
                let child_delta = phi_limit.min(choice.second + choice.second / 4 + 1);
                let undo = position.make(child.mv);
                self.visited += 1;
                let found = if ATTACK {
                    self.expand::<false>(position, child_phi, child_delta, is_over)
                } else {
                    self.expand::<true>(position, child_phi, child_delta, is_over)
                };
                position.unmake(child.mv, undo);
                self.children[first + choice.index].numbers = found;
            }
        }
        self.children.truncate(first);
        if usize::from(numbers.since) >= self.path.len() {
            // It needs nothing that stands before this node.
            numbers.since = EVERYWHERE;
        }
        self.path.pop();
        if !numbers.is_decided() || numbers.since == EVERYWHERE {
            let work = u32::try_from(self.visited - started).unwrap_or(u32::MAX);
            self.put(key, numbers, work, best);
        }
        numbers
    }

    /// Lists the moves of a node from `first` on, with what is known of each; one that decides stands
    /// alone.
    fn list<const ATTACK: bool>(&mut self, position: &mut Position, first: usize) {
        let moves = if ATTACK {
            checks(position)
        } else {
            MoveList::legal(position)
        };
        for &mv in moves.as_slice() {
            let key = position.key_after(mv);
            let stands = self.path.iter().position(|&other| other == key);
            let numbers = if let Some(index) = stands {
                // Perpetual check loses, and what mates there mates without the detour.
                ProofNumbers::broken_off(!ATTACK, index as u16 + 1)
            } else if let Some(entry) = self.get(key) {
                ProofNumbers {
                    phi: entry.phi,
                    delta: entry.delta,
                    plies: entry.plies,
                    since: EVERYWHERE,
                }
            } else if self.visited >= self.limit {
                ProofNumbers::UNKNOWN
            } else {
                self.visited += 1;
                let undo = position.make(mv);
                let numbers = if ATTACK {
                    assess_defence(position)
                } else {
                    self.assess_attack(position)
                };
                position.unmake(mv, undo);
                numbers
            };
            let child = Child { mv, numbers };
            if numbers.delta == 0 {
                // This move decides; the others need no look.
                self.children.truncate(first);
                self.children.push(child);
                break;
            }
            self.children.push(child);
        }
    }

    /// A first look at a position that the attacker moves in.
    fn assess_attack(&mut self, position: &Position) -> ProofNumbers {
        let info = CheckInfo::new(position);
        if info.checkers.is_empty()
            && let Some(mv) = mate_in_one(position, &info)
        {
            let numbers = ProofNumbers {
                plies: 1,
                ..ProofNumbers::decided(true)
            };
            self.put(position.key(), numbers, 1, Some(mv));
            return numbers;
        }
        ProofNumbers::UNKNOWN
    }

    fn cluster(&self, key: u64) -> usize {
        let clusters = self.table.len() / CLUSTER;
        ((u128::from(key) * clusters as u128) >> 64) as usize * CLUSTER
    }

    fn get(&self, key: u64) -> Option<&ProofEntry> {
        let key = key ^ self.attacker;
        let start = self.cluster(key);
        (self.table[start..start + CLUSTER].iter())
            .find(|entry| entry.key == key && (entry.phi, entry.delta) != (0, 0))
    }

    /// Stores what is known of a position, in place of what was, or of what took the least work.
    fn put(&mut self, key: u64, numbers: ProofNumbers, work: u32, best: Option<Move>) {
        let key = key ^ self.attacker;
        let start = self.cluster(key);
        let cluster = &mut self.table[start..start + CLUSTER];
        let index = (0..CLUSTER)
            .find(|&index| cluster[index].key == key)
            .or_else(|| (0..CLUSTER).min_by_key(|&index| cluster[index].work))
            .unwrap_or_default();
        // What stays ages, so that nothing stays for ever.
        for other in &mut *cluster {
            other.work -= other.work / 8;
        }
        cluster[index] = ProofEntry {
            key,
            phi: numbers.phi,
            delta: numbers.delta,
            work,
            plies: numbers.plies,
            best,
        };
    }
}

/// A node as its children make it.
struct BestChild {
    numbers: ProofNumbers,
    /// The child that is hardest for the other side.
    index: usize,
    /// How hard the next one is.
    second: u32,
    /// Children that the other side has not won.
    open: u32,
}

impl BestChild {
    fn of(children: &[Child]) -> Self {
        let mut numbers = ProofNumbers::decided(false);
        let (mut index, mut second) = (0, INFINITE);
        let mut open = 0;
        let mut longest = 0;
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
            longest = longest.max(child.plies);
        }
        if numbers.phi == 0 {
            numbers.delta = INFINITE;
        } else if open == 0 {
            let since = children.iter().map(|child| child.numbers.since);
            numbers.since = since.min().unwrap_or(EVERYWHERE);
            numbers.plies = longest.saturating_add(1);
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

/// The legal moves that give check.
fn checks(position: &Position) -> MoveList {
    let targets = CheckTargets::new(position);
    let info = CheckInfo::new(position);
    let zone = targets.zone(position);
    let mut scope = Scope {
        drops: zone,
        ..Scope::ALL
    };
    if !targets.can_discover() {
        scope.plain = zone;
        scope.promoting = zone;
        scope.rewarding = zone;
    }
    let mut all = MoveList::new();
    generate::<true, _>(position, &info, scope, &mut all);
    let mut checks = MoveList::new();
    for &mv in all.as_slice() {
        if targets.is_check(position, mv) {
            checks.push(mv);
        }
    }
    checks
}

/// A first look at a position in which the defender answers a check: the more answers, the harder to
/// mate.
fn assess_defence(position: &Position) -> ProofNumbers {
    let answers = MoveList::legal(position).as_slice().len();
    if answers == 0 {
        return ProofNumbers::decided(false);
    }
    ProofNumbers::new(1, answers as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::random_positions;
    use std::{fs, path::Path};

    /// Plays the attacker's moves that the table holds against every defence.
    fn assert_mates(search: &mut MateSearch, position: &mut Position, plies: u16) {
        let (Mate::In { mv, plies: found }, _) = search.search(position, 1_000_000, &mut |_| false)
        else {
            panic!("{position}: no mate any more");
        };
        assert!(found <= plies, "{position}: {found} plies, not {plies}");
        assert!(
            checks(position).contains(&mv),
            "{position}: {mv} is no check"
        );
        let undo = position.make(mv);
        for &answer in MoveList::legal(position).as_slice() {
            let undo = position.make(answer);
            assert_mates(search, position, found - 2);
            position.unmake(answer, undo);
        }
        position.unmake(mv, undo);
    }

    fn problems(name: &str) -> Vec<(Position, u16)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/mate");
        let text = fs::read_to_string(folder.join(name)).expect("the problems");
        (text.lines().filter(|line| !line.starts_with('#')))
            .map(|line| {
                let mut fields = line.split('\t');
                let position = Position::from_sfen(fields.next().unwrap_or_default()).expect(line);
                (
                    position,
                    fields.next().map_or(0, |plies| plies.parse().expect(line)),
                )
            })
            .collect()
    }

    #[test]
    fn mates_are_found() {
        let problems = problems("mates.tsv");
        let mut unsolved = 0;
        for (mut position, plies) in problems.clone() {
            let mut search = MateSearch::new(1 << 16);
            let (mate, _) = search.search(&mut position, 200_000, &mut |_| false);
            match mate {
                Mate::In { plies: found, .. } if plies <= 5 => {
                    assert_mates(&mut search, &mut position, found);
                }
                Mate::In { .. } => {}
                Mate::None => panic!("{position}: no mate, but one in {plies}"),
                Mate::Unknown => unsolved += 1,
            }
        }
        assert!(
            unsolved * 200 <= problems.len(),
            "{unsolved} are not solved"
        );
    }

    #[test]
    fn what_one_attacker_has_taught_says_nothing_about_the_other() {
        for (mut position, _) in problems("mates.tsv").into_iter().step_by(10) {
            let mut shared = MateSearch::new(1 << 14);
            shared.search(&mut position, 2_000, &mut |_| false);
            for &mv in checks(&position).as_slice() {
                let undo = position.make(mv);
                if let (Mate::In { .. }, _) = shared.search(&mut position, 2_000, &mut |_| false) {
                    let (alone, _) =
                        MateSearch::new(1 << 16).search(&mut position, 200_000, &mut |_| false);
                    assert!(matches!(alone, Mate::In { .. }), "{position}: {alone:?}");
                }
                position.unmake(mv, undo);
            }
        }
    }

    #[test]
    fn a_search_keeps_its_limit_and_leaves_the_position_as_it_was() {
        for (mut position, _) in problems("mates.tsv").into_iter().step_by(40) {
            let before = position.clone();
            let mut search = MateSearch::new(256);
            for limit in [0, 1, 7, 50, 3000] {
                let (_, visited) = search.search(&mut position, limit, &mut |_| false);
                assert!(visited <= limit, "{position}: {visited} of {limit}");
                assert_eq!(position, before);
            }
        }
    }

    #[test]
    fn where_no_check_leads_anywhere_there_is_no_mate() {
        let mut search = MateSearch::new(256);
        for sfen in [
            // No check at all.
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            // One check, which the king answers by a capture.
            "4k4/9/9/9/9/9/9/9/4K4 b G 1",
            // A rook alone chases the king for ever.
            "8k/9/9/9/9/9/9/7R1/K8 b - 1",
        ] {
            let mut position = Position::from_sfen(sfen).expect(sfen);
            let (mate, _) = search.search(&mut position, 100_000, &mut |_| false);
            assert_eq!(mate, Mate::None, "{sfen}");
        }
        let mut position = Position::startpos();
        assert_eq!(
            search.search(&mut position, 10, &mut |_| false),
            (Mate::None, 0)
        );
    }

    #[test]
    fn every_check_is_listed() {
        let mut found = 0;
        for position in random_positions(3, 30, 150) {
            let gives_check = |mv: &&Move| {
                let mut after = position.clone();
                after.make(**mv);
                after.in_check()
            };
            let legal = MoveList::legal(&position);
            let mut expected: Vec<_> = legal.iter().filter(gives_check).copied().collect();
            let mut listed = checks(&position).as_slice().to_vec();
            expected.sort_by_key(|mv| mv.bits());
            listed.sort_by_key(|mv| mv.bits());
            assert_eq!(listed, expected, "{position}");
            found += listed.len();
        }
        assert!(found > 1000, "{found}");
    }
}
