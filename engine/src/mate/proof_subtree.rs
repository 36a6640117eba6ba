//! Proof subtrees (Shimoyama, section 2: 詰み部分木): proved mates that are replayed in similar positions
//! (Kawano's simulation).
//!
//! A mate that is found after one defence is often the mate after the next one. Its proof holds one check for each
//! position of the attacker and every answer to it. In another position the replay makes the same checks; each legal
//! answer has to be one of the proof, or to allow a mate in one. Legality, checks and mates are those of the position
//! at hand, so a replay that succeeds is a proof of its own. Repetitions need no care: a finite proof that meets a
//! position twice proves the mate from the first time as well.

use super::{
    one_ply::mate_in_one,
    proof_number::{Mate, MateSearch},
};
use crate::rules::{CheckInfo, Move, MoveList, Position};
use std::collections::HashMap;

/// A check of a proof.
#[derive(Clone, Copy, Debug)]
struct ProofCheck {
    mv: Move,
    /// Range of its answers in `answers`.
    answers: (u32, u32),
}

/// An answer to a check of a proof, with the index of the check that follows.
#[derive(Clone, Copy, Debug)]
struct ProofAnswer {
    mv: Move,
    next: u32,
}

/// The proof of a mate: a tree whose equal positions are stored once.
#[derive(Clone, Debug)]
pub(crate) struct ProofSubtree {
    /// The last one is the first of the mate.
    checks: Vec<ProofCheck>,
    answers: Vec<ProofAnswer>,
}

impl ProofSubtree {
    /// Copies the proof of a mate from the table of the search that has found it. At most `limit` positions are
    /// looked at; a larger proof gives none. Answers after which the table has lost the mate are left out: a replay
    /// needs a mate in one there. Returns the number of positions as well.
    pub fn of(
        search: &MateSearch,
        position: &mut Position,
        plies: u16,
        limit: u64,
    ) -> (Option<Self>, u64) {
        let mut copy = ProofCopier {
            search,
            subtree: Self {
                checks: Vec::new(),
                answers: Vec::new(),
            },
            known: HashMap::new(),
            left: limit,
        };
        let first = copy.check(position, plies);
        let is_whole = first.is_some() && copy.left > 0;
        (is_whole.then_some(copy.subtree), limit - copy.left)
    }

    /// Replays the proof with the side to move as the attacker, in at most `limit` positions. Returns the mate, if
    /// the proof holds here, and the number of positions.
    pub fn replay(&self, position: &mut Position, limit: u64) -> (Option<(Move, u16)>, u64) {
        let mut left = limit;
        let first = self.checks.len() - 1;
        let plies = self.replay_check(position, first as u32, &mut left);
        let mate = plies.map(|plies| (self.checks[first].mv, plies));
        (mate, limit - left)
    }

    /// Returns the length of the mate by a check of the proof, if it mates.
    fn replay_check(&self, position: &mut Position, index: u32, left: &mut u64) -> Option<u16> {
        let check = self.checks[index as usize];
        if *left == 0 || !position.is_legal(check.mv) {
            return None;
        }
        *left -= 1;
        let undo = position.make(check.mv);
        let plies = match position.in_check() {
            true => self.replay_answers(position, check, left),
            false => None,
        };
        position.unmake(check.mv, undo);
        plies
    }

    /// Returns the length of the mate by a check that has been made, if every answer is followed by a mate. Answers
    /// that the proof lacks come first: they fail more often, and cost less.
    fn replay_answers(
        &self,
        position: &mut Position,
        check: ProofCheck,
        left: &mut u64,
    ) -> Option<u16> {
        let known = &self.answers[check.answers.0 as usize..check.answers.1 as usize];
        let legal = MoveList::legal(position);
        let mut plies = 1;
        for is_known in [false, true] {
            for &mv in legal.as_slice() {
                let same = known.iter().find(|answer| answer.mv == mv);
                if same.is_some() != is_known {
                    continue;
                }
                // A piece on the same square changes little: another kind interposed, another piece that captures.
                let like = same.or_else(|| known.iter().find(|answer| answer.mv.to() == mv.to()));
                let undo = position.make(mv);
                let found = self.replay_after(position, like.copied(), left);
                position.unmake(mv, undo);
                plies = plies.max(2 + found?);
            }
        }
        Some(plies)
    }

    /// Returns the length of the mate after an answer that has been made: a mate in one, or that of the proof.
    fn replay_after(
        &self,
        position: &mut Position,
        like: Option<ProofAnswer>,
        left: &mut u64,
    ) -> Option<u16> {
        *left = left.checked_sub(1)?;
        let info = CheckInfo::new(position);
        if info.checkers.is_empty() && mate_in_one(position, &info).is_some() {
            return Some(1);
        }
        self.replay_check(position, like?.next, left)
    }
}

/// A proof that is being copied from the table of a search.
struct ProofCopier<'a> {
    search: &'a MateSearch,
    subtree: ProofSubtree,
    /// Indices of checks by the keys of the positions before them.
    known: HashMap<u64, u32>,
    /// Positions that may still be looked at.
    left: u64,
}

impl ProofCopier<'_> {
    /// Copies the proof below a position with a mate in at most `plies`; returns the index of its first check.
    fn check(&mut self, position: &mut Position, plies: u16) -> Option<u32> {
        let key = position.key();
        if let Some(&index) = self.known.get(&key) {
            return Some(index);
        }
        let Some(Mate::In { mv, plies }) = self.search.known_mate(position, plies) else {
            return None;
        };
        // Two positions with one key would give a move of the other.
        if self.left == 0 || !position.is_legal(mv) {
            return None;
        }
        self.left -= 1;
        let undo = position.make(mv);
        let mut answers = Vec::new();
        if plies > 1 {
            for &answer in MoveList::legal(position).as_slice() {
                self.left = self.left.saturating_sub(1);
                let undo = position.make(answer);
                let next = self.check(position, plies - 2);
                position.unmake(answer, undo);
                answers.extend(next.map(|next| ProofAnswer { mv: answer, next }));
            }
        }
        position.unmake(mv, undo);
        let start = self.subtree.answers.len();
        self.subtree.answers.extend(answers);
        let end = self.subtree.answers.len();
        let index = self.subtree.checks.len() as u32;
        self.subtree.checks.push(ProofCheck {
            mv,
            answers: (start as u32, end as u32),
        });
        self.known.insert(key, index);
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        mate::MateParts,
        rules::testing::{exchanged, random_positions},
    };
    use std::{fs, path::Path};

    const LIMIT: u64 = 1_000;

    /// Positions of a search that checks a claim.
    const CHECKING: u64 = 500_000;

    /// Replays in positions like one with a mate.
    #[derive(Debug, Default)]
    struct ReplayTally {
        proofs: usize,
        /// Proofs that hold where they come from.
        held: usize,
        replays: usize,
        claims: usize,
        positions: u64,
    }

    fn problems() -> Vec<Position> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/mate/mates.tsv");
        let text = fs::read_to_string(file).unwrap();
        let problems = text.lines().filter(|line| !line.starts_with('#'));
        problems
            .map(|line| Position::from_sfen(line.split('\t').next().unwrap()).unwrap())
            .collect()
    }

    fn proof(position: &mut Position) -> Option<ProofSubtree> {
        let mut search = MateSearch::new(1 << 14);
        let (Mate::In { plies, .. }, _) = search.search(position, 20_000, &mut |_| false) else {
            return None;
        };
        let (proof, looked_at) = ProofSubtree::of(&search, position, plies, LIMIT);
        assert!(looked_at <= LIMIT);
        proof
    }

    /// Returns positions like one with a mate, each with another move of the defender made before it, and with the
    /// hands swapped.
    fn brothers(position: &Position) -> Vec<Position> {
        let mut before = position.clone();
        if before.in_check() {
            return Vec::new();
        }
        before.make_pass();
        let mut brothers = Vec::new();
        for &mv in MoveList::legal(&before).as_slice() {
            let mut after = before.clone();
            after.make(mv);
            brothers.push(after);
        }
        let text = position.to_string();
        let mut fields: Vec<&str> = text.split(' ').collect();
        let hands = exchanged(fields[2]);
        fields[2] = &hands;
        brothers.extend(Position::from_sfen(&fields.join(" ")));
        brothers
    }

    /// Replays a proof in a position, and has a claim checked by a search.
    fn replay_checked(proof: &ProofSubtree, position: &mut Position, tally: &mut ReplayTally) {
        let unchanged = position.clone();
        let (claim, looked_at) = proof.replay(position, LIMIT);
        assert_eq!(*position, unchanged);
        assert!(looked_at <= LIMIT);
        tally.replays += 1;
        tally.positions += looked_at;
        let Some((mv, plies)) = claim else { return };
        tally.claims += 1;
        assert!(MoveList::legal(position).contains(&mv), "{position}: {mv}");
        let mut search = MateSearch::with(1 << 14, MateParts::BEST);
        let (truth, _) = search.search(position, CHECKING, &mut |_| false);
        assert!(
            matches!(truth, Mate::In { .. }),
            "{position}: {mv} in {plies}: {truth:?}"
        );
    }

    /// Replays the proofs of positions in all their brothers, until there are `enough` replays.
    fn replay_in_brothers(
        positions: impl IntoIterator<Item = Position>,
        enough: usize,
    ) -> ReplayTally {
        let mut tally = ReplayTally::default();
        for mut position in positions {
            let Some(proof) = proof(&mut position) else {
                continue;
            };
            let (mate, _) = proof.replay(&mut position, LIMIT);
            tally.proofs += 1;
            tally.held += usize::from(mate.is_some());
            for mut brother in brothers(&position) {
                replay_checked(&proof, &mut brother, &mut tally);
            }
            if tally.replays >= enough {
                break;
            }
        }
        // The others lack an entry that the table has lost, and have no mate in one there.
        assert!(tally.held * 4 >= tally.proofs * 3, "{tally:?}");
        tally
    }

    #[test]
    fn replays_never_claim_a_mate_that_is_none() {
        let enough = 10_000;
        let tally = replay_in_brothers(problems().into_iter().rev().step_by(7), enough);
        println!("problems: {tally:?}");
        assert!(tally.replays >= enough, "{tally:?}");
        // Most moves of the defender do not parry.
        assert!(tally.claims * 2 > tally.replays, "{tally:?}");
        assert!(tally.claims < tally.replays, "{tally:?}");

        let tally = replay_in_brothers(random_positions(12, 400, 250), enough);
        println!("random positions: {tally:?}");
        assert!(tally.replays >= enough, "{tally:?}");
        assert!(tally.claims > 100, "{tally:?}");
    }

    /// Returns a proof by its checks, each with its answers and the indices of the checks after them.
    fn proof_by_hand(checks: &[(&str, &[(&str, u32)])]) -> ProofSubtree {
        let mut proof = ProofSubtree {
            checks: Vec::new(),
            answers: Vec::new(),
        };
        for (mv, answers) in checks {
            let start = proof.answers.len() as u32;
            proof
                .answers
                .extend(answers.iter().map(|(answer, next)| ProofAnswer {
                    mv: answer.parse().unwrap(),
                    next: *next,
                }));
            proof.checks.push(ProofCheck {
                mv: mv.parse().unwrap(),
                answers: (start, proof.answers.len() as u32),
            });
        }
        proof
    }

    fn replayed(proof: &ProofSubtree, sfen: &str) -> Option<u16> {
        let mut position = Position::from_sfen(sfen).unwrap();
        let (mate, _) = proof.replay(&mut position, LIMIT);
        mate.map(|(_, plies)| plies)
    }

    #[test]
    fn a_replay_obeys_the_rules_of_its_own_position() {
        let proof = proof_by_hand(&[("G*2b", &[]), ("P*1b", &[("1a2a", 0)])]);
        assert_eq!(replayed(&proof, "8k/9/7G1/9/9/9/9/9/K8 b GP 1"), Some(3));
        // A piece elsewhere changes nothing, and the hand may hold more.
        assert_eq!(replayed(&proof, "8k/9/7G1/9/4p4/9/9/9/K8 b G2P 1"), Some(3));
        // The pawn must not mate.
        assert_eq!(replayed(&proof, "7nk/9/7G1/9/9/9/9/9/K8 b GP 1"), None);
        // Two pawns on a file.
        assert_eq!(replayed(&proof, "8k/9/7G1/9/8P/9/9/9/K8 b GP 1"), None);
        // No gold or pawn in hand.
        assert_eq!(replayed(&proof, "8k/9/7G1/9/9/9/9/9/K8 b P 1"), None);
        assert_eq!(replayed(&proof, "8k/9/7G1/9/9/9/9/9/K8 b G 1"), None);
        // The attacker is in check.
        assert_eq!(replayed(&proof, "8k/9/7G1/9/9/9/9/9/K7r b GP 1"), None);
        // The king takes the pawn, or another piece takes the second gold.
        assert_eq!(replayed(&proof, "8k/9/9/9/9/9/9/9/K8 b GP 1"), None);
        assert_eq!(replayed(&proof, "8k/6g2/7G1/9/9/9/9/9/K8 b GP 1"), None);
    }

    #[test]
    fn a_replay_is_limited() {
        let proof = proof_by_hand(&[("G*2b", &[]), ("P*1b", &[("1a2a", 0)])]);
        let mut position = Position::from_sfen("8k/9/7G1/9/9/9/9/9/K8 b GP 1").unwrap();
        for limit in 0..4 {
            let (mate, looked_at) = proof.replay(&mut position, limit);
            assert!(looked_at <= limit);
            assert_eq!(mate.is_some(), limit >= 2, "{limit}");
        }
    }

    #[test]
    fn a_large_proof_is_not_kept() {
        let mut position = problems().pop().unwrap();
        let mut search = MateSearch::new(1 << 14);
        let (Mate::In { plies, .. }, _) = search.search(&mut position, 20_000, &mut |_| false)
        else {
            panic!("{position}: no mate");
        };
        let (proof, looked_at) = ProofSubtree::of(&search, &mut position, plies, 10);
        assert!(proof.is_none() && looked_at == 10);
    }
}
