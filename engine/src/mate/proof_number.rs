//! Depth-first proof-number search for mates by checks alone (Nagai's df-pn), with weak proof numbers
//! (Ueda, Hashimoto, Hashimoto and Iida), which do not count one line several times.
//!
//! The attacker's goal is mate, the defender's goal is the end of the checks.

use super::{
    children::{BestChild, Child},
    key::MateKey,
    leaves::{checks, cost_of_check, estimate_defence, estimate_escapes, without_checks},
    one_ply::mate_in_one,
    parts::MateParts,
    pieces::Pieces,
    proof_numbers::{EVERYWHERE, INFINITE, ProofNumbers, UNLIMITED},
    proof_table::ProofTable,
    requirements,
};
use crate::rules::{CheckInfo, Move, MoveList, Position};
use std::collections::TryReserveError;

/// Largest length of a line in the searches of a player, in plies.
pub(crate) const MAX_PLIES: usize = 192;

/// Positions between two polls, a few milliseconds at most.
pub(super) const POLL_INTERVAL: u64 = 512;

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
    /// There is no mate by checks alone within the limit of plies.
    TooLong,
    /// The search ended before a result.
    Unknown,
}

/// Limits of a mate search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MateLimits {
    /// Largest length of the mate.
    pub plies: u16,
    /// Largest number of positions.
    pub positions: u64,
}

/// A mate search with its table.
#[derive(Clone, Debug)]
pub struct MateSearch {
    table: ProofTable,
    parts: MateParts,
    children: Vec<Child>,
    path: Vec<MateKey>,
    visited: u64,
    limit: u64,
    /// Number of visited positions at the next poll.
    next_poll: u64,
}

/// A mate search with the smallest table.
impl Default for MateSearch {
    fn default() -> Self {
        Self::new(1)
    }
}

impl MateSearch {
    /// Size of an entry of the table, in bytes.
    pub(super) const POSITION_BYTES: usize = ProofTable::ENTRY_BYTES;

    /// Creates a mate search with a table of about `positions` entries, and none of the further parts.
    ///
    /// # Panics
    /// The system lacks the memory, which a small table hardly needs.
    pub fn new(positions: usize) -> Self {
        Self::with(positions, MateParts::PLAIN)
    }

    /// Creates a mate search with a table of about `positions` entries and the given parts.
    ///
    /// # Panics
    /// The system lacks the memory, which a small table hardly needs.
    pub fn with(positions: usize, parts: MateParts) -> Self {
        Self::try_new(positions, parts).expect("memory for a small table")
    }

    /// Creates such a mate search if the system has the memory.
    pub(super) fn try_new(positions: usize, parts: MateParts) -> Result<Self, TryReserveError> {
        Ok(Self {
            table: ProofTable::try_new(positions, parts.dominance)?,
            parts,
            children: Vec::new(),
            path: Vec::new(),
            visited: 0,
            limit: 0,
            next_poll: 0,
        })
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.table.clear();
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
        let limits = MateLimits {
            plies: MAX_PLIES as u16,
            positions: limit,
        };
        self.search_within(position, limits, is_over)
    }

    /// Searches as [`MateSearch::search`] does, for mates of a limited length.
    pub(super) fn search_within(
        &mut self,
        position: &mut Position,
        limits: MateLimits,
        is_over: &mut dyn FnMut(u64) -> bool,
    ) -> (Mate, u64) {
        self.children.clear();
        self.path.clear();
        self.visited = 0;
        self.limit = limits.positions;
        self.next_poll = POLL_INTERVAL;
        if let Some(mate) = self.known_mate(position, limits.plies) {
            return (mate, 0);
        }
        let key = MateKey::of(position);
        let numbers = self.expand::<true>(
            position,
            key,
            limits.plies,
            (INFINITE - 1, INFINITE - 1),
            is_over,
        );
        let mate = if numbers.is_mate::<true>() {
            self.known_mate(position, numbers.plies)
                .unwrap_or(Mate::Unknown)
        } else if numbers.is_no_mate::<true>() && numbers.since == EVERYWHERE {
            match numbers.plies {
                UNLIMITED => Mate::None,
                _ => Mate::TooLong,
            }
        } else {
            Mate::Unknown
        };
        (mate, self.visited)
    }

    /// Returns a mate in at most `plies` that the table knows.
    pub(super) fn known_mate(&self, position: &Position, plies: u16) -> Option<Mate> {
        match self.table.get::<true>(MateKey::of(position), plies) {
            Some((ProofNumbers { phi: 0, plies, .. }, Some(mv))) => Some(Mate::In { mv, plies }),
            _ => None,
        }
    }

    /// Searches below a node, with `plies` left, until one of its numbers reaches its limit.
    fn expand<const ATTACK: bool>(
        &mut self,
        position: &mut Position,
        key: MateKey,
        plies: u16,
        (phi_limit, delta_limit): (u32, u32),
        is_over: &mut dyn FnMut(u64) -> bool,
    ) -> ProofNumbers {
        let started = self.visited;
        let first = self.children.len();
        self.path.push(key);
        self.list::<ATTACK>(position, key, plies, first);
        let mut best = None;
        let mut numbers;
        if self.children.len() == first {
            // Without a move the side to move has lost: it has no check left, or no answer to one.
            numbers = match ATTACK {
                true => ProofNumbers::no_mate::<ATTACK>(UNLIMITED, without_checks(position)),
                false => ProofNumbers::mate::<ATTACK>(0, requirements::of_answers(position)),
            };
        } else {
            loop {
                let choice = BestChild::of::<ATTACK>(&self.children[first..]);
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
                // The number of this child with its cost is below both, so what is left exceeds its own.
                let child_delta = phi_limit.min(choice.second + choice.second / 4 + 1) - child.cost;
                let limits = (child_phi, child_delta);
                let next = key.after::<ATTACK>(position, child.mv);
                let undo = position.make(child.mv);
                self.visited += 1;
                let found = if ATTACK {
                    self.expand::<false>(position, next, plies - 1, limits, is_over)
                } else {
                    self.expand::<true>(position, next, plies - 1, limits, is_over)
                };
                position.unmake(child.mv, undo);
                self.children[first + choice.index].numbers = found;
            }
            if numbers.is_decided() && self.table.dominance {
                numbers.pieces = self.needed::<ATTACK>(position, numbers, first);
            }
        }
        self.children.truncate(first);
        if usize::from(numbers.since) >= self.path.len() {
            // The result does not depend on a position before this node.
            numbers.since = EVERYWHERE;
        }
        self.path.pop();
        if !numbers.is_decided() || !self.table.dominance {
            numbers.pieces = key.hand;
        }
        if !numbers.is_decided() || numbers.since == EVERYWHERE {
            let work = u32::try_from(self.visited - started).unwrap_or(u32::MAX);
            self.table.put::<ATTACK>(key.board, numbers, work, best);
        }
        numbers
    }

    /// Returns the pieces that the result of a node needs, given its children from `first` on.
    fn needed<const ATTACK: bool>(
        &self,
        position: &Position,
        numbers: ProofNumbers,
        first: usize,
    ) -> Pieces {
        let children = &self.children[first..];
        let of_children = |reached: bool| {
            (children.iter())
                .filter(move |child| !reached || child.numbers.delta == 0)
                .map(|child| (child.mv, child.numbers.pieces))
        };
        match (ATTACK, numbers.phi == 0) {
            (true, true) => requirements::of_mating_move(position, of_children(true)),
            (true, false) => requirements::of_checks(position, of_children(false)),
            (false, true) => requirements::of_escape(position, of_children(true)),
            (false, false) => {
                let answers = of_children(false).map(|(_, pieces)| pieces);
                answers.fold(requirements::of_answers(position), Pieces::most)
            }
        }
    }

    /// Lists the moves of a node from index `first` on with their numbers. A move that decides the
    /// node is listed alone.
    fn list<const ATTACK: bool>(
        &mut self,
        position: &mut Position,
        key: MateKey,
        plies: u16,
        first: usize,
    ) {
        let moves = if ATTACK {
            checks(position)
        } else {
            MoveList::legal(position)
        };
        let left = plies - 1;
        for &mv in moves.as_slice() {
            let next = key.after::<ATTACK>(position, mv);
            let numbers = self.numbers_after::<ATTACK>(position, mv, next, left);
            let cost = match ATTACK && self.parts.estimates {
                true => cost_of_check(position, mv),
                false => 0,
            };
            let child = Child { mv, numbers, cost };
            if numbers.delta == 0 {
                // This move decides the node.
                self.children.truncate(first);
                self.children.push(child);
                break;
            }
            self.children.push(child);
        }
    }

    /// Returns the numbers of the position with key `next` after a move, with `left` plies left.
    fn numbers_after<const ATTACK: bool>(
        &mut self,
        position: &mut Position,
        mv: Move,
        next: MateKey,
        left: u16,
    ) -> ProofNumbers {
        if let Some(since) = self.number_on_path(next) {
            // Perpetual check loses, and a mate after a repetition exists without it as well.
            return ProofNumbers {
                since,
                ..no_mate_after::<ATTACK>(UNLIMITED, next.hand)
            };
        }
        if !ATTACK && left == 0 {
            return no_mate_after::<ATTACK>(0, next.hand);
        }
        let known = match ATTACK {
            true => self.table.get::<false>(next, left),
            false => self.table.get::<true>(next, left),
        };
        if let Some((numbers, _)) = known
            && (left > 0 || numbers.is_decided())
        {
            return numbers;
        }
        if self.visited >= self.limit {
            return ProofNumbers {
                pieces: next.hand,
                ..ProofNumbers::new(1, 1)
            };
        }
        self.visited += 1;
        let undo = position.make(mv);
        let numbers = if ATTACK {
            estimate_defence(position, next.hand, left, self.parts)
        } else {
            self.estimate_attack(position, next)
        };
        position.unmake(mv, undo);
        numbers
    }

    /// Returns the first position of the path, from 1, that has this key.
    fn number_on_path(&self, next: MateKey) -> Option<u16> {
        let index = self.path.iter().position(|&key| key == next)?;
        Some(index as u16 + 1)
    }

    /// Estimates the numbers of a new position with the attacker to move.
    fn estimate_attack(&mut self, position: &Position, key: MateKey) -> ProofNumbers {
        let info = CheckInfo::new(position);
        if info.checkers.is_empty()
            && let Some(mv) = mate_in_one(position, &info)
        {
            // The check comes from beside the king or by a knight: nothing can be interposed.
            let pieces = match self.table.dominance {
                true => mv
                    .dropped()
                    .map_or(Pieces::NONE, |kind| Pieces::NONE.with(kind)),
                false => key.hand,
            };
            let numbers = ProofNumbers::mate::<true>(1, pieces);
            self.table.put::<true>(key.board, numbers, 1, Some(mv));
            return numbers;
        }
        let phi = match self.parts.estimates {
            true => estimate_escapes(position),
            false => 1,
        };
        ProofNumbers {
            pieces: key.hand,
            ..ProofNumbers::new(phi, 1)
        }
    }
}

/// Returns the numbers of the node after a move from which there is no mate.
const fn no_mate_after<const ATTACK: bool>(plies: u16, pieces: Pieces) -> ProofNumbers {
    match ATTACK {
        true => ProofNumbers::no_mate::<false>(plies, pieces),
        false => ProofNumbers::no_mate::<true>(plies, pieces),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Color, PieceKind};
    use std::{fs, iter, path::Path};

    const PARTS: [MateParts; 2] = [MateParts::PLAIN, MateParts::BEST];

    /// Plays the attacker's moves of the table against every defence.
    fn assert_mates(search: &mut MateSearch, position: &mut Position, plies: u16) {
        let limits = MateLimits {
            plies,
            positions: 1_000_000,
        };
        let (Mate::In { mv, plies: found }, _) =
            search.search_within(position, limits, &mut |_| false)
        else {
            panic!("{position}: no mate in {plies} plies any more");
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
        for ((mut position, plies), parts) in
            problems.iter().cloned().zip(PARTS.into_iter().cycle())
        {
            let mut search = MateSearch::with(1 << 16, parts);
            let (mate, _) = search.search(&mut position, 200_000, &mut |_| false);
            match mate {
                Mate::In { plies: found, .. } if plies <= 5 => {
                    assert_mates(&mut search, &mut position, found);
                }
                Mate::In { .. } => {}
                Mate::None => panic!("{position}: no mate, but one in {plies}"),
                Mate::TooLong | Mate::Unknown => unsolved += 1,
            }
        }
        assert!(
            unsolved * 200 <= problems.len(),
            "{unsolved} are not solved"
        );
    }

    /// Returns a position with a piece of a kind moved from one hand to the other, if there is one.
    fn with_piece_moved(position: &Position, kind: PieceKind, from: Color) -> Option<Position> {
        let mut hands = String::new();
        for color in Color::ALL {
            for one in PieceKind::HAND {
                let mut count = position.hand(color).count(one);
                if one == kind {
                    count = match color == from {
                        true => count.checked_sub(1)?,
                        false => count + 1,
                    };
                }
                let letter = match color {
                    Color::Black => one.letter().to_ascii_uppercase(),
                    Color::White => one.letter().to_ascii_lowercase(),
                };
                hands.extend(iter::repeat_n(letter, count));
            }
        }
        let sfen = position.to_string();
        let mut fields: Vec<&str> = sfen.split(' ').collect();
        fields[2] = if hands.is_empty() { "-" } else { &hands };
        Position::from_sfen(&fields.join(" ")).ok()
    }

    #[test]
    fn results_hold_for_other_hands_as_far_as_they_say() {
        let mut compared = 0;
        for (position, _) in problems("mates.tsv").into_iter().step_by(29) {
            let mut shared = MateSearch::with(1 << 16, MateParts::BEST);
            shared.search(&mut position.clone(), 50_000, &mut |_| false);
            for (kind, from) in PieceKind::HAND
                .into_iter()
                .flat_map(|kind| Color::ALL.map(|color| (kind, color)))
            {
                let Some(mut other) = with_piece_moved(&position, kind, from) else {
                    continue;
                };
                let (claim, _) = shared.search(&mut other, 50_000, &mut |_| false);
                let mut alone = MateSearch::new(1 << 16);
                let (truth, _) = alone.search(&mut other, 50_000, &mut |_| false);
                if claim != Mate::Unknown && truth != Mate::Unknown {
                    let is_mate = |mate| matches!(mate, Mate::In { .. });
                    assert_eq!(is_mate(claim), is_mate(truth), "{other}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 250, "{compared}");
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
}
