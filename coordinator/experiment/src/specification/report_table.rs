//! The table `[report]`.

use serde::Deserialize;

/// `[report]`: the tables and figures of a report.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportTable {
    /// Parameter that names the rows of the table.
    pub rows: Option<String>,
    /// Parameter that names its columns; one column without it.
    pub columns: Option<String>,
    /// Axes of the plot of win rates.
    pub plot: Option<Axes>,
    /// Source of the published numbers.
    pub source: Option<String>,
    /// Published numbers as printed, in the order of the cells; `—` for none.
    #[serde(default)]
    pub published: Vec<Vec<String>>,
    /// Published numbers of positions with 1, 2, 3, … different moves, a list for every cell.
    #[serde(default)]
    pub published_moves: Vec<Vec<u64>>,
    /// Group sizes n for which F(p) − p is plotted (Ito et al. (2011), figure 3).
    #[serde(default)]
    pub condorcet: Vec<u32>,
    /// The cells that the others are compared with, as [`Base`](super::Base) reads them.
    pub base: Option<String>,
    /// Remark for the reader.
    pub remark: Option<String>,
}

/// Axes of the plot of win rates.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axes {
    /// Parameter along the horizontal axis.
    pub x: String,
    /// Parameter with one line for each value.
    pub line: Option<String>,
}
