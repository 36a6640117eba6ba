//! Depth-first proof-number search for mates by checks alone (Nagai's df-pn), with weak proof numbers
//! (Ueda, Hashimoto, Hashimoto and Iida), which do not count one line several times.
//!
//! The numbers of a node are seen from its side to move: `phi` estimates the work until that side
//! reaches its goal, and `delta` the work until the other side does. The attacker's goal is mate, the
//! defender's goal is the end of the checks.

use super::one_ply::mate_in_one;
use crate::{
    pages::large_array,
    rules::{CheckInfo, CheckTargets, Color, Move, MoveList, Position, Scope, generate},
};
use std::collections::TryReserveError;

/// Number of a goal that cannot be reached.
const INFINITE: u32 = 1 << 28;

/// Largest length of a line, in plies.
pub(crate) const MAX_PLIES: usize = 192;

/// Combined with the keys of positions in which White is the attacker.
const WHITE_ATTACKS: u64 = 0x5bd1_e995_9d1b_58a7;

/// Positions between two polls, a few milliseconds at most.
const POLL_INTERVAL: u64 = 1024;

/// Number of entries in which a position can be stored.
const CLUSTER: usize = 4;

/// Proof and disproof numbers of a node.
#[derive(Clone, Copy, Debug)]
struct ProofNumbers {
    phi: u32,
    delta: u32,
    /// Plies until the mate, if one is proved.
    plies: u16,
    /// First position of the path, from 1, that a disproof depends on by a repetition; [`TOO_LONG`] if
    /// it depends on the length of the path, and [`EVERYWHERE`] if it holds on every path.
    since: u16,
}

/// Value of `since` for a result that holds on every path.
const EVERYWHERE: u16 = u16::MAX;

/// Value of `since` for a node given up because the path was too long.
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

    /// Returns the numbers of a node whose side to move has reached its goal, or cannot reach it.
    const fn decided(reached: bool) -> Self {
        if reached {
            Self::new(0, INFINITE)
        } else {
            Self::new(INFINITE, 0)
        }
    }

    /// Returns the numbers of a node that the attacker cannot win on this path, because of the
    /// position at `since`.
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

/// An entry of the table.
#[derive(Clone, Copy, Debug, Default)]
struct ProofEntry {
    key: u64,
    phi: u32,
    delta: u32,
    /// Number of positions visited for the entry.
    work: u32,
    plies: u16,
    /// The attacker's move that proves the mate.
    best: Option<Move>,
}

/// A move of a node, with the numbers after it.
#[derive(Clone, Copy, Debug)]
struct Child {
    mv: Move,
    numbers: ProofNumbers,
}

/// Result of a mate search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mate {
    /// The side to move mates.
    In {
        /// The first move.
        mv: Move,
        /// Length of the line found, in plies; it need not be the shortest.
        plies: u16,
    },
    /// There is no mate by checks alone.
    None,
    /// The search ended before a result.
    Unknown,
}

/// A mate search with its table.
#[derive(Clone, Debug)]
pub struct MateSearch {
    table: Box<[ProofEntry]>,
    children: Vec<Child>,
    path: Vec<u64>,
    visited: u64,
    limit: u64,
    /// Number of visited positions at the next poll.
    next_poll: u64,
    /// Distinguishes the keys of a White attacker from those of a Black one.
    attacker: u64,
}

/// A mate search with the smallest table.
impl Default for MateSearch {
    fn default() -> Self {
        Self::new(1)
    }
}

impl MateSearch {
    /// Size of an entry of the table, in bytes.
    pub(super) const POSITION_BYTES: usize = size_of::<ProofEntry>();

    /// Creates a mate search with a table of about `positions` entries.
    ///
    /// # Panics
    /// The system lacks the memory, which a small table hardly needs.
    pub fn new(positions: usize) -> Self {
        Self::try_new(positions).expect("memory for a small table")
    }

    /// Creates a mate search with a table of about `positions` entries, if the system has the memory.
    pub(super) fn try_new(positions: usize) -> Result<Self, TryReserveError> {
        let count = positions.div_ceil(CLUSTER).max(1) * CLUSTER;
        Ok(Self {
            table: large_array(count)?,
            children: Vec::new(),
            path: Vec::new(),
            visited: 0,
            limit: 0,
            next_poll: 0,
            attacker: 0,
        })
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.table.fill(ProofEntry::default());
    }

    /// Looks for a mate by the side to move in at most `limit` positions. Calls `is_over` every few
    /// milliseconds with the number of positions so far, and ends when it returns true. Returns the
    /// result and the number of positions. Unless `is_over` ends it, the result is a function of the
    /// position, the limit and the searches since the table was empty.
    ///
    /// ```
    /// use monju_engine::{Position, mate::{Mate, MateSearch}};
    /// let mut position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
    /// let mut search = MateSearch::new(1 << 10);
    /// let (mate, _) = search.search(&mut position, 1_000, &mut |_| false);
    /// assert!(matches!(mate, Mate::In { plies: 1, .. }));
    /// # Ok::<(), monju_engine::SfenError>(())
    /// ```
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
        self.next_poll = POLL_INTERVAL;
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

    /// Searches below a node until one of its numbers reaches its limit.
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
        // Without a move the side to move has lost: it has no check left, or no answer to one.
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
                if self.visited >= self.next_poll {
                    self.next_poll = self.visited + POLL_INTERVAL;
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
                // The threshold is a quarter above the second child's number, so that the search does
                // not alternate between two children.
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
            // The result does not depend on a position before this node.
            numbers.since = EVERYWHERE;
        }
        self.path.pop();
        if !numbers.is_decided() || numbers.since == EVERYWHERE {
            let work = u32::try_from(self.visited - started).unwrap_or(u32::MAX);
            self.put(key, numbers, work, best);
        }
        numbers
    }

    /// Lists the moves of a node from index `first` on with their numbers. A move that decides the
    /// node is listed alone.
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
                // Perpetual check loses, and a mate after a repetition exists without it as well.
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
                    estimate_defence(position)
                } else {
                    self.estimate_attack(position)
                };
                position.unmake(mv, undo);
                numbers
            };
            let child = Child { mv, numbers };
            if numbers.delta == 0 {
                // This move decides the node.
                self.children.truncate(first);
                self.children.push(child);
                break;
            }
            self.children.push(child);
        }
    }

    /// Estimates the numbers of a new position with the attacker to move.
    fn estimate_attack(&mut self, position: &Position) -> ProofNumbers {
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

    /// Stores an entry in place of an older one of the position, or of the one with the least work.
    fn put(&mut self, key: u64, numbers: ProofNumbers, work: u32, best: Option<Move>) {
        let key = key ^ self.attacker;
        let start = self.cluster(key);
        let cluster = &mut self.table[start..start + CLUSTER];
        let index = (0..CLUSTER)
            .find(|&index| cluster[index].key == key)
            .or_else(|| (0..CLUSTER).min_by_key(|&index| cluster[index].work))
            .unwrap_or_default();
        // The other entries age, so that none stays forever.
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

/// The numbers of a node by those of its children, with its best child.
struct BestChild {
    numbers: ProofNumbers,
    /// Index of the child with the least `delta`.
    index: usize,
    /// The second least `delta`.
    second: u32,
    /// Number of children that the other side has not won.
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
    let zone = targets.zone();
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

/// Estimates the numbers of a new position with the defender in check: each answer makes the mate
/// harder.
fn estimate_defence(position: &Position) -> ProofNumbers {
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

    /// Plays the attacker's moves of the table against every defence.
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
    fn entries_of_one_attacker_are_not_used_for_the_other() {
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
    fn a_search_keeps_its_limit_and_restores_the_position() {
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
    fn positions_without_a_mate_are_disproved() {
        let mut search = MateSearch::new(256);
        for sfen in [
            // No check at all.
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            // One check, which the king answers by a capture.
            "4k4/9/9/9/9/9/9/9/4K4 b G 1",
            // A lone rook can only give perpetual check.
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
