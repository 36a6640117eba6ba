//! The store in an SQL database. SQLite and PostgreSQL share all but a [`Dialect`].

mod ballots;
mod cells;
mod connect;
mod dialect;
mod enrolment;
mod games;
mod incidents;
mod leases;
mod migrations;
mod standings;
mod values;

use super::{
    GameRow, IncidentRow, Lease, Opening, Origin, Plan, PlayedPair, Record, Standing, Store,
    StoreError,
};
use crate::{machine::machine, record::Incident, statistics::Outcome};
use cells::Cells;
use dialect::Dialect;
use games::By;
use leases::Leases;
use sqlx::AnyPool;
use std::{path::Path, time::Duration};

/// The results of one experiment in a database.
#[derive(Debug)]
pub struct Database {
    pool: AnyPool,
    /// The hash of the specification that it was played by last.
    specification: String,
    /// By what its next games are played.
    origin: Origin,
    build: String,
    machine: String,
    /// The clock of the database, as an expression.
    now: &'static str,
    /// The version of its tables.
    version: i64,
    cells: Cells,
    leases: Leases,
}

impl Database {
    /// Opens an SQLite file, or makes it when it is to be played with.
    ///
    /// # Errors
    /// It cannot be used, or holds something else.
    pub async fn sqlite(file: &Path, plan: &Plan, opening: Opening) -> Result<Self, StoreError> {
        if opening == Opening::Look && !file.exists() {
            return Err(StoreError::Absent(file.to_owned()));
        }
        if let Some(folder) = file.parent()
            && opening != Opening::Look
        {
            std::fs::create_dir_all(folder).map_err(|error| {
                StoreError::Database(format!(
                    "cannot make the folder {}: {error}",
                    folder.display()
                ))
            })?;
        }
        let mut path = String::new();
        for letter in file.to_string_lossy().chars() {
            match letter {
                '%' | '?' | '#' => path.push_str(&format!("%{:02X}", u32::from(letter))),
                letter => path.push(letter),
            }
        }
        // Whoever looks makes nothing, even if the file goes away at this moment.
        let mode = match opening {
            Opening::Look => "rw",
            Opening::Play { .. } => "rwc",
        };
        let url = format!("sqlite:{path}?mode={mode}");
        Self::connect(&url, &dialect::SQLITE, plan, opening).await
    }

    /// Connects to a PostgreSQL server.
    ///
    /// # Errors
    /// It is not there, or holds something else.
    pub async fn postgres(url: &str, plan: &Plan, opening: Opening) -> Result<Self, StoreError> {
        Self::connect(url, &dialect::POSTGRES, plan, opening).await
    }

    async fn connect(
        url: &str,
        dialect: &'static Dialect,
        plan: &Plan,
        opening: Opening,
    ) -> Result<Self, StoreError> {
        let pool = connect::connect(url, dialect, opening).await?;
        if opening != Opening::Look {
            enrolment::migrate(&pool, dialect.migrations).await?;
        }
        let (experiment, specification) = enrolment::enrol(&pool, plan, opening).await?;
        let version = enrolment::version(&pool).await?;
        let rows = enrolment::plan_cells(&pool, experiment, plan, opening).await?;
        let cells = Cells::new(experiment, &plan.name, rows, plan.pairs);
        Ok(Self {
            leases: Leases::new(dialect, &cells),
            origin: Origin {
                specification: plan.specification.clone(),
                seed: plan.seed,
            },
            build: plan.build.clone(),
            machine: machine(),
            now: dialect.now,
            specification,
            version,
            pool,
            cells,
        })
    }
}

#[tonic::async_trait]
impl Store for Database {
    fn specification(&self) -> &str {
        &self.specification
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
        let by = By {
            runner,
            build: &self.build,
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

    async fn standings(&self) -> Result<Vec<Standing>, StoreError> {
        standings::standings(&self.pool, &self.cells).await
    }

    async fn outcomes(&self, cell: usize, from: u32) -> Result<Vec<Outcome>, StoreError> {
        let planned = self.cells.pairs();
        standings::outcomes(&self.pool, self.cells.row(cell)?, from..planned).await
    }

    async fn games(&self, cell: usize) -> Result<Vec<GameRow>, StoreError> {
        games::read(&self.pool, self.cells.row(cell)?, self.version).await
    }

    async fn records(&self, cell: usize, from: u32, count: u32) -> Result<Vec<Record>, StoreError> {
        let cell = (self.cells.row(cell)?, self.version);
        games::records(&self.pool, cell, from, count).await
    }

    async fn incidents(&self, cell: usize) -> Result<Vec<IncidentRow>, StoreError> {
        incidents::read(&self.pool, self.cells.row(cell)?).await
    }
}
