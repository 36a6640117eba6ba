//! The pairs of a cell that count: those that the file plans, up to the end that its stopping rule
//! sets. Pairs that were under way by then, or that an earlier file planned, stay in the store and are
//! left out of every number.

use super::{
    specification::Specification,
    statistics::{PairOutcome, Pentanomial, SprtVerdict, SprtWalk},
    store::{CellStanding, Store, StoreError},
};

/// The pairs of a cell that count, and the verdict of its stopping rule.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedPairs {
    /// Verdict of the stopping rule; undecided without one.
    pub verdict: SprtVerdict,
    /// Pairs that the rule has seen, including those given up.
    pub seen: u32,
    /// Log-likelihood ratio of the rule; `None` without one.
    pub ratio: Option<LikelihoodRatio>,
    /// Finished pairs that count, by half points.
    pub pairs: Pentanomial,
    /// Pairs that would count, and were given up.
    pub given_up: u32,
    /// Numbers of the pairs before the last of these that are neither finished nor given up.
    pub missing: Vec<u32>,
    /// Number of the first pair that does not count.
    end: u32,
}

/// Progress of every cell by the rule of this file: a cell that the rule of another file has closed is open, if this
/// one has not decided, and one that this rule has decided is closed, if no runner has noticed yet.
///
/// # Errors
/// The store cannot be read.
pub async fn judged_standings(
    specification: &Specification,
    store: &dyn Store,
) -> Result<Vec<CellStanding>, StoreError> {
    let judged = judged_cells(specification, store).await?;
    Ok(judged.into_iter().map(|(standing, _)| standing).collect())
}

/// As [`judged_standings`], with the pairs of each cell that count; `None` where no rule had to be asked.
///
/// # Errors
/// The store cannot be read.
pub async fn judged_cells(
    specification: &Specification,
    store: &dyn Store,
) -> Result<Vec<(CellStanding, Option<CountedPairs>)>, StoreError> {
    let mut judged = Vec::new();
    for (cell, mut standing) in store.standings().await?.into_iter().enumerate() {
        let mut found = None;
        if standing.closed || specification.stop.is_some() {
            let counted = CountedPairs::of(specification, store, cell).await?;
            // A shorter plan may end before the pairs that have decided.
            let has_more = counted.seen < specification.cells[cell].pairs;
            let is_decided = counted.verdict != SprtVerdict::Undecided;
            standing.closed = is_decided || standing.closed && !has_more;
            found = Some(counted);
        }
        judged.push((standing, found));
    }
    Ok(judged)
}

/// Log-likelihood ratio of a stopping rule, with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LikelihoodRatio {
    /// Log-likelihood ratio of the pairs seen.
    pub value: f64,
    /// Ratio at or below which the test accepts `elo0`.
    pub lower: f64,
    /// Ratio at or above which the test accepts `elo1`.
    pub upper: f64,
}

impl CountedPairs {
    /// Counts the pairs of a cell.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn of(
        specification: &Specification,
        store: &dyn Store,
        cell: usize,
    ) -> Result<Self, StoreError> {
        let outcomes = store.outcomes(cell, 0).await?;
        Ok(Self::among(specification, cell, &outcomes))
    }

    /// Counts those of a cell among its pairs that are over, by number.
    pub(crate) fn among(
        specification: &Specification,
        cell: usize,
        outcomes: &[PairOutcome],
    ) -> Self {
        let mut walk = SprtWalk::default();
        let mut ratio = None;
        if let Some(sprt) = &specification.stop {
            walk.advance(sprt, outcomes);
            let (lower, upper) = sprt.bounds();
            ratio = Some(LikelihoodRatio {
                value: sprt.ratio(walk.pairs()),
                lower,
                upper,
            });
        }
        let planned = specification.cells.get(cell).map_or(0, |cell| cell.pairs);
        let end = match walk.verdict() {
            SprtVerdict::Undecided => planned,
            _ => walk.next().min(planned),
        };
        let mut pairs = Pentanomial::default();
        let mut given_up = 0;
        let mut missing = Vec::new();
        let mut next = 0;
        for (number, half_points) in outcomes.iter().filter(|(number, _)| *number < end) {
            missing.extend(next..*number);
            next = number + 1;
            match half_points {
                Some(half_points) => pairs.add(*half_points),
                None => given_up += 1,
            }
        }
        Self {
            verdict: walk.verdict(),
            seen: walk.next(),
            ratio,
            pairs,
            given_up,
            missing,
            end,
        }
    }

    /// Returns whether a pair counts.
    pub fn includes(&self, pair: u32) -> bool {
        pair < self.end
    }
}
