//! The store in an SQL database. SQLite and PostgreSQL share everything except a [`Dialect`].

mod ballots;
mod cells;
mod connect;
mod dialect;
mod enrolment;
mod games;
mod incidents;
mod known_cells;
mod leases;
mod migrations;
mod plans;
mod standings;
mod values;

use super::{
    error::StoreError,
    fault::DatabaseFault,
    operations::Store,
    plan::{ExperimentPlan, Lease, OpenMode, PlayedPair},
    rows::{CellStanding, GameRow, IncidentRow, Origin, OtherForm, PlanRow, StoredGame},
};
use crate::{machine::machine, record::Incident, statistics::PairOutcome};
use cells::Cells;
use dialect::Dialect;
use games::PlayedBy;
use known_cells::KnownCells;
use leases::Leases;
use monju_proto::build;
use sqlx::AnyPool;
use std::{path::Path, time::Duration};

/// The results of one experiment in a database.
#[derive(Debug)]
pub struct Database {
    pool: AnyPool,
    /// Hash of the specification of cells whose own settings an older version did not write down.
    older: Option<String>,
    /// Cells with labels of the plan and other settings: cell of the plan, row, and hash of the settings.
    others: Vec<(usize, i64, String)>,
    /// Specification and seed of the next games.
    origin: Origin,
    build: String,
    machine: String,
    /// SQL expression of the database's clock.
    now: &'static str,
    /// Version of its tables.
    version: i64,
    cells: Cells,
    leases: Leases,
}

impl Database {
    /// Opens an SQLite file; makes it first in [`OpenMode::Play`].
    ///
    /// # Errors
    /// The file cannot be used, or holds another experiment.
    pub async fn sqlite(
        file: &Path,
        plan: &ExperimentPlan,
        mode: OpenMode,
    ) -> Result<Self, StoreError> {
        if mode == OpenMode::Look && !file.exists() {
            return Err(StoreError::Absent(file.to_owned()));
        }
        if let Some(folder) = file.parent()
            && mode != OpenMode::Look
        {
            std::fs::create_dir_all(folder).map_err(|source| DatabaseFault::Folder {
                folder: folder.to_owned(),
                source,
            })?;
        }
        let mut path = String::new();
        for letter in file.to_string_lossy().chars() {
            match letter {
                '%' | '?' | '#' => path.push_str(&format!("%{:02X}", u32::from(letter))),
                letter => path.push(letter),
            }
        }
        // Looking never creates the file, even if it disappears after the check above.
        let access = match mode {
            OpenMode::Look => "rw",
            OpenMode::Play(_) => "rwc",
        };
        let url = format!("sqlite:{path}?mode={access}");
        Self::connect(&url, &dialect::SQLITE, plan, mode).await
    }

    /// Connects to a PostgreSQL server.
    ///
    /// # Errors
    /// The server does not answer, or the database holds another experiment.
    pub async fn postgres(
        url: &str,
        plan: &ExperimentPlan,
        mode: OpenMode,
    ) -> Result<Self, StoreError> {
        Self::connect(url, &dialect::POSTGRES, plan, mode).await
    }

    async fn connect(
        url: &str,
        dialect: &'static Dialect,
        plan: &ExperimentPlan,
        mode: OpenMode,
    ) -> Result<Self, StoreError> {
        let pool = connect::connect(url, dialect, mode).await?;
        if mode != OpenMode::Look {
            enrolment::migrate(&pool, dialect.migrations).await?;
        }
        let enrolled = enrolment::enrol(&pool, plan, mode).await?;
        let version = enrolment::version(&pool).await?;
        let experiment = enrolled.experiment;
        let known = KnownCells::read(&pool, experiment, version).await?;
        let found = match mode {
            OpenMode::Look => known,
            OpenMode::Play(accepted) => {
                enrolment::plan_cells(&pool, dialect, (known, &enrolled), plan, accepted).await?
            }
        };
        let rows = found.planned(plan);
        let cells = Cells::new(experiment, &plan.name, rows, plan.pairs);
        if mode != OpenMode::Look {
            plans::register(&pool, dialect, &cells, plan).await?;
        }
        Ok(Self {
            leases: Leases::new(dialect, &cells),
            origin: Origin {
                specification: plan.specification.clone(),
                seed: plan.seed,
            },
            build: plan.build.clone(),
            machine: machine(),
            now: dialect.now,
            older: found
                .has_unknown_form(plan)
                .then_some(enrolled.specification),
            others: found.others(plan),
            version,
            pool,
            cells,
        })
    }
}

#[tonic::async_trait]
impl Store for Database {
    fn older_specification(&self) -> Option<&str> {
        self.older.as_deref()
    }

    async fn other_forms(&self) -> Result<Vec<OtherForm>, StoreError> {
        let mut forms = Vec::new();
        for (cell, row, specification) in &self.others {
            let games = games::count(&self.pool, *row).await?;
            if games > 0 {
                forms.push(OtherForm {
                    cell: *cell,
                    specification: Some(specification.clone()).filter(|hash| !hash.is_empty()),
                    games,
                });
            }
        }
        Ok(forms)
    }

    async fn plans(&self) -> Result<Vec<PlanRow>, StoreError> {
        plans::read(&self.pool, self.cells.experiment(), self.version).await
    }

    async fn lease(&self, runner: &str, term: Duration) -> Result<Option<Lease>, StoreError> {
        let Self { pool, cells, .. } = self;
        self.leases.take(pool, cells, runner, term).await
    }

    async fn extend(&self, lease: &Lease, term: Duration) -> Result<bool, StoreError> {
        let cell = self.cells.row(lease.cell)?;
        self.leases.extend(&self.pool, cell, lease, term).await
    }

    async fn finish(
        &self,
        lease: &Lease,
        runner: &str,
        played: &PlayedPair,
    ) -> Result<bool, StoreError> {
        let cell = self.cells.row(lease.cell)?;
        let half_points = played.games.iter().map(|game| game.result.half_points());
        let mut transaction = self.pool.begin().await?;
        if !leases::finish(&mut *transaction, cell, lease, half_points.sum()).await? {
            transaction.rollback().await?;
            return Ok(false);
        }
        let pair = (cell, lease.pair);
        let by = PlayedBy {
            runner,
            build: &self.build,
            source: build::name(),
            machine: &self.machine,
            origin: &self.origin,
            now: self.now,
        };
        games::write(&mut transaction, pair, &played.games, by).await?;
        for incident in &played.incidents {
            incidents::write(&mut transaction, pair, incident, runner).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    async fn fail(
        &self,
        lease: &Lease,
        runner: &str,
        incident: &Incident,
    ) -> Result<(), StoreError> {
        let cell = self.cells.row(lease.cell)?;
        let mut transaction = self.pool.begin().await?;
        if leases::fail(&mut *transaction, cell, lease).await? {
            incidents::write(&mut transaction, (cell, lease.pair), incident, runner).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn give_back(&self, lease: &Lease) -> Result<(), StoreError> {
        leases::give_back(&self.pool, self.cells.row(lease.cell)?, lease).await
    }

    async fn retry_given_up(&self) -> Result<u64, StoreError> {
        leases::retry(&self.pool, &self.cells).await
    }

    async fn close_cell(&self, cell: usize) -> Result<(), StoreError> {
        standings::close(&self.pool, self.cells.row(cell)?).await
    }

    async fn reopen_cell(&self, cell: usize) -> Result<(), StoreError> {
        standings::reopen(&self.pool, self.cells.row(cell)?).await
    }

    async fn standings(&self) -> Result<Vec<CellStanding>, StoreError> {
        standings::standings(&self.pool, &self.cells).await
    }

    async fn outcomes(&self, cell: usize, from: u32) -> Result<Vec<PairOutcome>, StoreError> {
        let planned = self.cells.pairs();
        standings::outcomes(&self.pool, self.cells.row(cell)?, from..planned).await
    }

    async fn games(&self, cell: usize) -> Result<Vec<GameRow>, StoreError> {
        games::read(&self.pool, self.cells.row(cell)?, self.version).await
    }

    async fn records(
        &self,
        cell: usize,
        from: u32,
        count: u32,
    ) -> Result<Vec<StoredGame>, StoreError> {
        let cell = (self.cells.row(cell)?, self.version);
        games::records(&self.pool, cell, from, count).await
    }

    async fn incidents(&self, cell: usize) -> Result<Vec<IncidentRow>, StoreError> {
        incidents::read(&self.pool, self.cells.row(cell)?).await
    }
}
