//! The table of the mate search: proof and disproof numbers by board and hand.
//!
//! A mate stays one when the attacker holds more, and none appears when the attacker holds less
//! (優越関係). So a result is stored with the hand that it needs: the proof pieces (証明駒), which are
//! enough for the mate, or the disproof pieces (反証駒), with which there is still none.

use super::{
    key::MateKey,
    pieces::Pieces,
    proof_numbers::{ProofNumbers, UNLIMITED},
};
use crate::{pages::large_array, rules::Move};
use std::collections::TryReserveError;

/// Number of entries in which a board can be stored.
const CLUSTER: usize = 4;

/// An entry of the table.
#[derive(Clone, Copy, Debug, Default)]
struct ProofEntry {
    board: u64,
    /// The attacker's hand; of a result the one that it needs.
    hand: Pieces,
    phi: u32,
    delta: u32,
    /// Number of positions visited for the entry.
    work: u32,
    plies: u16,
    /// The attacker's move that proves the mate.
    best: Option<Move>,
}

impl ProofEntry {
    const fn is_empty(&self) -> bool {
        self.phi == 0 && self.delta == 0
    }

    const fn numbers(&self) -> ProofNumbers {
        ProofNumbers {
            plies: self.plies,
            pieces: self.hand,
            ..ProofNumbers::new(self.phi, self.delta)
        }
    }

    /// Tells whether the entry says something about a hand within a number of plies.
    fn holds<const ATTACK: bool>(&self, hand: Pieces, plies: u16, dominance: bool) -> bool {
        let numbers = self.numbers();
        let fits = |more: Pieces, less| match dominance {
            true => more.contains(less),
            false => more == less,
        };
        if numbers.is_mate::<ATTACK>() {
            self.plies <= plies && fits(hand, self.hand)
        } else if numbers.is_no_mate::<ATTACK>() {
            self.plies >= plies && fits(self.hand, hand)
        } else {
            self.hand == hand
        }
    }
}

/// The table of a mate search.
#[derive(Clone, Debug)]
pub(super) struct ProofTable {
    entries: Box<[ProofEntry]>,
    /// Results hold for better or worse hands as well.
    pub dominance: bool,
}

impl ProofTable {
    /// Size of an entry, in bytes.
    pub const ENTRY_BYTES: usize = size_of::<ProofEntry>();

    /// Allocates a table of about `entries` entries.
    pub fn try_new(entries: usize, dominance: bool) -> Result<Self, TryReserveError> {
        let count = entries.div_ceil(CLUSTER).max(1) * CLUSTER;
        Ok(Self {
            entries: large_array(count)?,
            dominance,
        })
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.fill(ProofEntry::default());
    }

    fn cluster(&self, board: u64) -> usize {
        let clusters = self.entries.len() / CLUSTER;
        ((u128::from(board) * clusters as u128) >> 64) as usize * CLUSTER
    }

    /// Returns the numbers of a key with `plies` plies left, and the attacker's move of a mate: a
    /// result if there is one.
    pub fn get<const ATTACK: bool>(
        &self,
        key: MateKey,
        plies: u16,
    ) -> Option<(ProofNumbers, Option<Move>)> {
        let start = self.cluster(key.board);
        let mut found = None;
        for entry in &self.entries[start..start + CLUSTER] {
            if entry.board == key.board
                && !entry.is_empty()
                && entry.holds::<ATTACK>(key.hand, plies, self.dominance)
            {
                let numbers = entry.numbers();
                if numbers.is_decided() {
                    return Some((numbers, entry.best));
                }
                found = Some((numbers, None));
            }
        }
        found
    }

    /// Stores numbers, whose `pieces` are the attacker's hand or the one that a result needs, in place
    /// of older ones, or of those with the least work.
    pub fn put<const ATTACK: bool>(
        &mut self,
        board: u64,
        numbers: ProofNumbers,
        work: u32,
        best: Option<Move>,
    ) {
        let start = self.cluster(board);
        let cluster = &mut self.entries[start..start + CLUSTER];
        let index = (0..CLUSTER)
            .find(|&index| {
                let old = &cluster[index];
                old.board == board && replaces::<ATTACK>(&numbers, &old.numbers())
            })
            .or_else(|| (0..CLUSTER).min_by_key(|&index| cluster[index].work))
            .unwrap_or_default();
        // The other entries age, so that none stays forever.
        for other in &mut *cluster {
            other.work -= other.work / 8;
        }
        cluster[index] = ProofEntry {
            board,
            hand: numbers.pieces,
            phi: numbers.phi,
            delta: numbers.delta,
            work,
            plies: numbers.plies,
            best,
        };
    }
}

/// Tells whether new numbers of a board make old ones useless.
fn replaces<const ATTACK: bool>(new: &ProofNumbers, old: &ProofNumbers) -> bool {
    if old.is_mate::<ATTACK>() {
        new.is_mate::<ATTACK>() && new.plies <= old.plies && old.pieces.contains(new.pieces)
    } else if old.is_no_mate::<ATTACK>() {
        new.is_no_mate::<ATTACK>() && new.plies >= old.plies && new.pieces.contains(old.pieces)
    } else if new.is_mate::<ATTACK>() {
        old.pieces.contains(new.pieces)
    } else if new.is_no_mate::<ATTACK>() {
        new.plies == UNLIMITED && new.pieces.contains(old.pieces) || new.pieces == old.pieces
    } else {
        old.pieces == new.pieces
    }
}
