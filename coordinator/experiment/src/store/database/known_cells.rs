//! Cells of an experiment as its store knows them.

use super::{cells::ABSENT, connection::statement};
use crate::store::{error::StoreError, plan::ExperimentPlan};
use sqlx::{AnyConnection, Row, any::AnyRow};

/// First version of the tables in which cells have hashes of their settings.
const WITH_SETTINGS: i64 = 5;

/// First version of the tables in which cells count games that are elsewhere.
const WITH_ELSEWHERE: i64 = 9;

/// One row of the table of cells.
#[derive(Clone, Debug)]
pub(super) struct KnownCell {
    /// Its row.
    pub id: i64,
    /// Its parameters as text.
    pub label: String,
    /// Hash of its settings; empty for a cell of an older version.
    pub specification: String,
    /// Games that only the store has from which the experiment was imported.
    pub elsewhere: u64,
}

/// All cells of an experiment.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownCells(pub Vec<KnownCell>);

impl KnownCells {
    /// Reads them from tables of a version.
    pub async fn read(
        connection: &mut AnyConnection,
        experiment: i64,
        version: i64,
    ) -> Result<Self, StoreError> {
        let specification = match version >= WITH_SETTINGS {
            true => "specification",
            false => "''",
        };
        let elsewhere = match version >= WITH_ELSEWHERE {
            true => "elsewhere",
            false => "CAST(0 AS BIGINT)",
        };
        let cells = format!(
            "SELECT id, label, {specification}, {elsewhere} FROM cells WHERE experiment = $1 ORDER BY id"
        );
        let rows = statement(&cells)
            .bind(experiment)
            .fetch_all(connection)
            .await?;
        let cell = |row: &AnyRow| -> Result<KnownCell, sqlx::Error> {
            Ok(KnownCell {
                id: row.try_get(0)?,
                label: row.try_get(1)?,
                specification: row.try_get(2)?,
                elsewhere: row.try_get::<i64, _>(3)?.unsigned_abs(),
            })
        };
        Ok(Self(rows.iter().map(cell).collect::<Result<_, _>>()?))
    }

    /// The cell with a label and settings.
    pub fn find(&self, label: &str, specification: &str) -> Option<&KnownCell> {
        let mut cells = self.0.iter();
        cells.find(|cell| cell.label == label && cell.specification == specification)
    }

    /// The cells with a label and other settings.
    pub fn unlike<'a>(
        &'a self,
        label: &'a str,
        specification: &'a str,
    ) -> impl Iterator<Item = &'a KnownCell> {
        let cells = self.0.iter();
        cells.filter(move |cell| cell.label == label && cell.specification != specification)
    }

    /// The cells whose labels have the same parameters in another order.
    pub fn reordered<'a>(&'a self, label: &'a str) -> impl Iterator<Item = &'a KnownCell> {
        fn sorted(label: &str) -> Vec<&str> {
            let mut parameters: Vec<&str> = label.split(' ').collect();
            parameters.sort_unstable();
            parameters
        }
        let cells = self.0.iter();
        cells.filter(move |cell| cell.label != label && sorted(&cell.label) == sorted(label))
    }

    /// Rows of the planned cells in their order: those with their settings, or else those whose settings
    /// nobody knows. A cell that is not in the store is [`ABSENT`].
    pub fn planned(&self, plan: &ExperimentPlan) -> Vec<i64> {
        let row = |label: &str, specification: &str| {
            let known = self.find(label, specification);
            let known = known.or_else(|| self.find(label, ""));
            known.map_or(ABSENT, |cell| cell.id)
        };
        let cells = plan.cells.iter();
        cells
            .map(|cell| row(&cell.label, &cell.specification))
            .collect()
    }

    /// Returns whether the settings of a planned row are not known.
    pub fn has_unknown_form(&self, plan: &ExperimentPlan) -> bool {
        let planned = self.planned(plan);
        let mut unknown = (self.0.iter()).filter(|cell| cell.specification.is_empty());
        unknown.any(|cell| planned.contains(&cell.id))
    }

    /// Cells that are none of the plan's rows, each with the cell of the plan that has its label.
    pub fn others(&self, plan: &ExperimentPlan) -> Vec<(Option<usize>, KnownCell)> {
        let planned = self.planned(plan);
        let index = |label: &str| plan.cells.iter().position(|cell| cell.label == label);
        let others = self.0.iter().filter(|cell| !planned.contains(&cell.id));
        others
            .map(|cell| (index(&cell.label), cell.clone()))
            .collect()
    }
}
