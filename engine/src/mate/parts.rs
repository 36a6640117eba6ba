//! The parts of the mate search that can be left out.

/// The parts of a mate search besides depth-first proof-number search itself (df-pn+).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MateParts {
    /// Results hold for better or worse hands as well (優越関係, Nagai's proof and disproof pieces).
    pub dominance: bool,
}

impl MateParts {
    /// None of them.
    pub const PLAIN: Self = Self { dominance: false };

    /// The parts that save positions.
    pub const BEST: Self = Self { dominance: true };
}
