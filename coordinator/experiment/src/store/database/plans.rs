//! Rows of plans.

use super::{connection::statement, dialect::Dialect, values::milliseconds_since_1970};
use crate::{
    specification::{cells_of, labels_of},
    store::{
        error::StoreError,
        plan::{ExperimentPlan, PlannedGames, base_of_file},
        rows::PlanRow,
    },
    unix_time::moment,
};
use sqlx::{AnyConnection, Row, any::AnyRow};

/// First version of the tables with plans.
const WITH_PLANS: i64 = 6;

/// Selects the plans of an experiment, by date.
const SELECT: &str = "
    SELECT since, finished, planned, stop, specification, file FROM plans WHERE experiment = $1 ORDER BY id";

/// Returns whether a plan is the one that was noted last.
pub(super) async fn is_registered(
    connection: &mut AnyConnection,
    experiment: i64,
    plan: &ExperimentPlan,
) -> Result<bool, StoreError> {
    let registered = &plan.registered;
    let known = read(connection, experiment, WITH_PLANS).await?;
    Ok(known.last().is_some_and(|last| {
        last.planned == PlannedGames::of_file(&registered.file, registered.games)
            && last.stop == registered.stop
            && is_same_base(
                last.base.as_deref(),
                base_of_file(&registered.file).as_deref(),
            )
            && last.specification == plan.specification
    }))
}

/// Tells whether two plans need not be told apart by their bases. One that does not tell its base, from the bundle of
/// an older version, is like one that has none.
fn is_same_base(one: Option<&str>, other: Option<&str>) -> bool {
    one.unwrap_or_default() == other.unwrap_or_default()
}

/// Notes the plan with the present time, unless it is the one that was noted last.
pub(super) async fn register(
    connection: &mut AnyConnection,
    dialect: &Dialect,
    experiment: i64,
    plan: &ExperimentPlan,
) -> Result<(), StoreError> {
    let registered = &plan.registered;
    if is_registered(connection, experiment, plan).await? {
        return Ok(());
    }
    // Games of cells that this plan does not have were seen, too.
    let insert = format!(
        "INSERT INTO plans (experiment, since, finished, planned, stop, specification, file)
         SELECT $1, {}, 2 * COUNT(*)
                + (SELECT CAST(COALESCE(SUM(elsewhere), 0) AS BIGINT) FROM cells WHERE experiment = $1),
            $2, $3, $4, $5
         FROM pairs WHERE state = 2 AND cell IN (SELECT id FROM cells WHERE experiment = $1)",
        dialect.now
    );
    statement(&insert)
        .bind(experiment)
        .bind(i64::try_from(registered.games).unwrap_or(i64::MAX))
        .bind(&registered.stop)
        .bind(&plan.specification)
        .bind(&registered.file)
        .execute(connection)
        .await?;
    Ok(())
}

/// Writes the plans of another store in place of those of an experiment. `file` is the text of the present file.
pub(super) async fn restore(
    connection: &mut AnyConnection,
    experiment: i64,
    plans: &[PlanRow],
    file: &str,
) -> Result<(), StoreError> {
    statement("DELETE FROM plans WHERE experiment = $1")
        .bind(experiment)
        .execute(&mut *connection)
        .await?;
    for plan in plans {
        // Of older files, only what reports read of them is known.
        let is_present = PlannedGames::of_file(file, plan.planned.usual) == plan.planned
            && cells_of(file) == plan.cells
            && (plan.labels.is_none() || labels_of(file) == plan.labels)
            && base_of_file(file) == plan.base;
        let text = match is_present {
            true => file.to_owned(),
            false => {
                let PlanRow { labels, base, .. } = plan;
                (plan.planned).file(plan.cells, labels.as_deref(), base.as_deref())
            }
        };
        statement(
            "INSERT INTO plans (experiment, since, finished, planned, stop, specification, file)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(experiment)
        .bind(milliseconds_since_1970(plan.since))
        .bind(i64::try_from(plan.finished).unwrap_or(i64::MAX))
        .bind(i64::try_from(plan.planned.usual).unwrap_or(i64::MAX))
        .bind(&plan.stop)
        .bind(&plan.specification)
        .bind(text)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// The plans of an experiment in tables of a version, without repetitions, which runners that start at the
/// same moment may write.
pub(super) async fn read(
    connection: &mut AnyConnection,
    experiment: i64,
    version: i64,
) -> Result<Vec<PlanRow>, StoreError> {
    if version < WITH_PLANS {
        return Ok(Vec::new());
    }
    let rows = statement(SELECT)
        .bind(experiment)
        .fetch_all(connection)
        .await?;
    let mut plans = Vec::<PlanRow>::new();
    for row in &rows {
        let plan = plan(row)?;
        let is_known = plans.last().is_some_and(|last| {
            (&last.planned, &last.stop, &last.specification)
                == (&plan.planned, &plan.stop, &plan.specification)
                && is_same_base(last.base.as_deref(), plan.base.as_deref())
        });
        if !is_known {
            plans.push(plan);
        }
    }
    Ok(plans)
}

fn plan(row: &AnyRow) -> Result<PlanRow, sqlx::Error> {
    let number = |index: usize| Ok::<_, sqlx::Error>(row.try_get::<i64, _>(index)?.unsigned_abs());
    let file: &str = row.try_get(5)?;
    Ok(PlanRow {
        since: moment(number(0)?),
        finished: number(1)?,
        planned: PlannedGames::of_file(file, number(2)?),
        cells: cells_of(file),
        labels: labels_of(file),
        base: base_of_file(file),
        stop: row.try_get(3)?,
        specification: row.try_get(4)?,
    })
}
