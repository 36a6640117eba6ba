//! Proof and disproof numbers of a node, with what a result needs.

use super::pieces::Pieces;

/// Number of a goal that cannot be reached.
pub(super) const INFINITE: u32 = 1 << 28;

/// Value of `since` for a result that holds on every path.
pub(super) const EVERYWHERE: u16 = u16::MAX;

/// Number of plies of a disproof that holds for mates of any length.
pub(super) const UNLIMITED: u16 = u16::MAX;

/// Proof and disproof numbers of a node, seen from its side to move: `phi` estimates the work until that
/// side reaches its goal, and `delta` the work until the other side does.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProofNumbers {
    pub phi: u32,
    pub delta: u32,
    /// Plies until the mate, if one is proved; if one is disproved, the plies within which there is
    /// none.
    pub plies: u16,
    /// First position of the path, from 1, that a disproof depends on by a repetition; [`EVERYWHERE`]
    /// if it holds on every path.
    pub since: u16,
    /// The attacker's hand; of a result the one that it needs (proof and disproof pieces).
    pub pieces: Pieces,
}

impl ProofNumbers {
    pub const fn new(phi: u32, delta: u32) -> Self {
        Self {
            phi,
            delta,
            plies: 0,
            since: EVERYWHERE,
            pieces: Pieces::NONE,
        }
    }

    /// Returns the numbers of a node with a proved mate.
    pub const fn mate<const ATTACK: bool>(plies: u16, pieces: Pieces) -> Self {
        let (phi, delta) = if ATTACK { (0, INFINITE) } else { (INFINITE, 0) };
        Self {
            plies,
            pieces,
            ..Self::new(phi, delta)
        }
    }

    /// Returns the numbers of a node without a mate within a number of plies.
    pub const fn no_mate<const ATTACK: bool>(plies: u16, pieces: Pieces) -> Self {
        let (phi, delta) = if ATTACK { (INFINITE, 0) } else { (0, INFINITE) };
        Self {
            plies,
            pieces,
            ..Self::new(phi, delta)
        }
    }

    pub const fn is_mate<const ATTACK: bool>(self) -> bool {
        if ATTACK {
            self.phi == 0
        } else {
            self.delta == 0
        }
    }

    pub const fn is_no_mate<const ATTACK: bool>(self) -> bool {
        if ATTACK {
            self.delta == 0
        } else {
            self.phi == 0
        }
    }

    pub const fn is_decided(self) -> bool {
        self.phi == 0 || self.delta == 0
    }
}
