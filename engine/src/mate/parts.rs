//! The parts of the mate search that can be left out.

/// The parts of a mate search besides depth-first proof-number search itself (df-pn+).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MateParts {
    /// Results hold for better or worse hands as well (優越関係; Nagai's proof and disproof pieces).
    pub dominance: bool,
    /// New positions begin with numbers by the king's escapes and by the answers to the check, and a check that
    /// loses its piece has a cost (Nagai's heuristic start and edge costs).
    pub estimates: bool,
}

impl MateParts {
    /// None of them: the search of players.
    pub const PLAIN: Self = Self {
        dominance: false,
        estimates: false,
    };

    /// The parts that save positions: the search of the solver.
    pub const BEST: Self = Self {
        dominance: true,
        estimates: true,
    };

    /// The searches from plain to best, with their names.
    pub const STEPS: [(&str, Self); 3] = [
        ("df-pn", Self::PLAIN),
        (
            "df-pn, dominance",
            Self {
                dominance: true,
                ..Self::PLAIN
            },
        ),
        ("df-pn+", Self::BEST),
    ];
}
