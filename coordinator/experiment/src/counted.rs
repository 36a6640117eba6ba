//! Which pairs of a cell have a say: those that the file plans, up to where its stopping rule ends
//! the cell. Pairs that were under way by then, or that an earlier file planned, are kept and left
//! out of every number.

use super::{
    specification::Specification,
    statistics::{Pentanomial, Verdict, Walk},
    store::{Store, StoreError},
};

/// What counts of a cell, and what its stopping rule says.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// Where the stopping rule stands; undecided without one.
    pub verdict: Verdict,
    /// Pairs that the rule has seen, those given up included.
    pub seen: u32,
    /// What the rule weighs; `None` without one.
    pub evidence: Option<Evidence>,
    /// Finished pairs that have a say, by half points.
    pub pairs: Pentanomial,
    /// Pairs that would have one, and were given up.
    pub given_up: u32,
    /// The number of the first pair that has no say.
    end: u32,
}

/// The log-likelihood ratio of a stopping rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Of the pairs it has seen.
    pub ratio: f64,
    /// At or below it the test ends: `elo0` is accepted.
    pub lower: f64,
    /// At or above it the test ends: `elo1` is accepted.
    pub upper: f64,
}

impl Counted {
    /// Looks a cell up.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn of(
        specification: &Specification,
        store: &dyn Store,
        cell: usize,
    ) -> Result<Self, StoreError> {
        let outcomes = store.outcomes(cell, 0).await?;
        let mut walk = Walk::default();
        let mut evidence = None;
        if let Some(sprt) = &specification.stop {
            walk.go_on(sprt, &outcomes);
            let (lower, upper) = sprt.bounds();
            evidence = Some(Evidence {
                ratio: sprt.ratio(walk.pairs()),
                lower,
                upper,
            });
        }
        let end = match walk.verdict() {
            Verdict::Undecided => specification.pairs,
            _ => walk.next().min(specification.pairs),
        };
        let mut pairs = Pentanomial::default();
        let mut given_up = 0;
        for (_, half_points) in outcomes.into_iter().filter(|&(number, _)| number < end) {
            match half_points {
                Some(half_points) => pairs.add(half_points),
                None => given_up += 1,
            }
        }
        Ok(Self {
            verdict: walk.verdict(),
            seen: walk.next(),
            evidence,
            pairs,
            given_up,
            end,
        })
    }

    /// Whether a pair counts.
    pub fn has_say(&self, pair: u32) -> bool {
        pair < self.end
    }
}
