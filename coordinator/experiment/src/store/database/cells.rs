//! Database rows of the plan's cells.

use crate::store::fault::DatabaseFault;
use std::collections::BTreeMap;

/// Row of a planned cell that the store does not have.
pub(super) const ABSENT: i64 = 0;

/// Database rows of an experiment's cells, in the order of its plan.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    experiment: i64,
    name: String,
    rows: Vec<i64>,
    /// Pairs of each cell.
    pairs: Vec<u32>,
}

impl Cells {
    /// Cells with these rows.
    pub fn new(experiment: i64, name: &str, rows: Vec<i64>, pairs: Vec<u32>) -> Self {
        Self {
            experiment,
            name: name.to_owned(),
            rows,
            pairs,
        }
    }

    /// Row of the experiment.
    pub fn experiment(&self) -> i64 {
        self.experiment
    }

    /// Pairs of a cell of the plan.
    pub fn pairs(&self, cell: usize) -> u32 {
        self.pairs.get(cell).copied().unwrap_or(0)
    }

    /// Number of cells.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Row of a cell of the plan.
    pub fn row(&self, cell: usize) -> Result<i64, DatabaseFault> {
        let row = self.rows.get(cell).copied();
        row.ok_or_else(|| DatabaseFault::UnknownCell {
            experiment: self.name.clone(),
            cell,
        })
    }

    /// Returns whether the store lacks a cell of the plan.
    pub fn are_missing(&self) -> bool {
        self.rows.contains(&ABSENT)
    }

    /// Cell of the plan with this row.
    pub fn index(&self, row: i64) -> Option<usize> {
        self.rows.iter().position(|&known| known == row)
    }

    /// SQL list of the rows of these cells, in parentheses.
    pub fn rows(&self) -> String {
        let list: Vec<String> = self.rows.iter().map(i64::to_string).collect();
        format!("({})", list.join(", "))
    }

    /// SQL condition that selects the planned rows of `pairs`. A plus before the column keeps SQLite from using
    /// its index.
    pub fn planned(&self, plus: &str) -> String {
        let mut by_pairs = BTreeMap::<u32, Vec<String>>::new();
        for (row, pairs) in self.rows.iter().zip(&self.pairs) {
            by_pairs.entry(*pairs).or_default().push(row.to_string());
        }
        let groups = by_pairs.iter().map(|(pairs, rows)| {
            format!("{plus}cell IN ({}) AND number < {pairs}", rows.join(", "))
        });
        format!("({})", groups.collect::<Vec<_>>().join(" OR "))
    }
}
