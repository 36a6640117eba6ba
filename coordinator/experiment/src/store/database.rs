//! The store in an SQL database. SQLite and PostgreSQL share everything except a [`Dialect`].

mod ballots;
mod builds;
mod cells;
mod connection;
mod dialect;
mod enrolment;
mod games;
mod incidents;
mod known_cells;
mod leases;
mod migrations;
mod plans;
mod restoration;
mod standings;
mod upgrade;
mod values;

use super::{
    error::StoreError,
    operations::Store,
    plan::{ExperimentPlan, GameUnderWay, Lease, OpenMode, PlayedPair},
    rows::{
        CellStanding, GameMoves, GameRow, IncidentRow, KeptResults, Origin, OtherCell,
        PairUnderWay, PlanRow, StoredGame,
    },
    sqlite_file::SqliteFile,
};
use crate::{machine::machine, record::Incident, statistics::PairOutcome};
use builds::Unwelcome;
use cells::Cells;
use connection::DatabaseConnection;
use dialect::Dialect;
use games::PlayedBy;
use known_cells::{KnownCell, KnownCells};
use leases::Leases;
use monju_proto::build;
use sqlx::AnyConnection;
use standings::Mark;
use std::{path::Path, time::Duration};

/// The results of one experiment in a database.
#[derive(Debug)]
pub struct Database {
    connection: DatabaseConnection,
    /// Hash of the specification of cells whose own settings an older version did not write down.
    older: Option<String>,
    /// Cells that are not planned, each with the cell of the plan that has its label.
    others: Vec<(Option<usize>, KnownCell)>,
    /// Specification and seed of the next games.
    origin: Origin,
    /// Build of each cell.
    builds: Vec<String>,
    machine: String,
    dialect: &'static Dialect,
    /// Name of the experiment.
    name: String,
    /// A file that is read as it stood when it was opened.
    is_frozen: bool,
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
        let SqliteFile { url, is_frozen } = SqliteFile::of(file, mode)?;
        let database = Self::connect(&url, &dialect::SQLITE, plan, mode).await?;
        Ok(Self {
            is_frozen,
            ..database
        })
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
        let opened = DatabaseConnection::open(url, dialect, mode).await?;
        let mut version = upgrade::known_version(&opened, dialect.migrations).await?;
        let unknown = || StoreError::Unknown(plan.name.clone());
        let mut transaction = opened.begin().await?;
        let connection = &mut transaction.connection;
        let enrolled = enrolment::find(connection, &plan.name).await?;
        let mut known = KnownCells::default();
        let mut is_complete = false;
        if let Some(enrolled) = &enrolled {
            known = KnownCells::read(connection, enrolled.experiment, version).await?;
            is_complete = mode == OpenMode::Look
                || version == dialect.migrations.newest()
                    && enrolment::is_complete(connection, (&known, enrolled), plan).await?;
        }
        let (enrolled, found) = match mode {
            OpenMode::Play(accepted) if !is_complete => {
                transaction.undo().await?;
                transaction = opened.begin_alone().await?;
                let connection = &mut transaction.connection;
                // A plan that is refused leaves the tables to the version that made them.
                version = upgrade::migrate(connection, dialect, dialect.migrations).await?;
                let enrolled = enrolment::enrol(connection, plan).await?;
                let known = KnownCells::read(connection, enrolled.experiment, version).await?;
                let place = (dialect, version);
                let known = (known, &enrolled);
                let known = enrolment::plan_cells(connection, place, known, plan, accepted).await?;
                (enrolled, known)
            }
            _ => (enrolled.ok_or_else(unknown)?, known),
        };
        let rows = found.planned(plan);
        let cells = Cells::new(enrolled.experiment, &plan.name, rows, plan.pairs());
        if mode != OpenMode::Look && !is_complete {
            let experiment = cells.experiment();
            plans::register(&mut transaction.connection, dialect, experiment, plan).await?;
        }
        transaction.commit().await?;
        Ok(Self {
            leases: Leases::new(dialect, &cells),
            origin: Origin {
                specification: plan.specification.clone(),
                seed: plan.seed,
            },
            builds: plan.cells.iter().map(|cell| plan.build_of(cell)).collect(),
            machine: machine(),
            dialect,
            name: plan.name.clone(),
            older: found
                .has_unknown_form(plan)
                .then_some(enrolled.specification),
            others: found.others(plan),
            is_frozen: false,
            version,
            connection: opened,
            cells,
        })
    }

    /// Checks that the leased cell may hold games of this build.
    async fn check_build(
        &self,
        connection: &mut AnyConnection,
        lease: &Lease,
    ) -> Result<(), StoreError> {
        let cell = self.cells.row(lease.cell)?;
        let ours = &self.builds[lease.cell];
        match builds::unwelcome(connection, cell, ours).await? {
            None => Ok(()),
            Some(Unwelcome { cell, theirs }) => Err(StoreError::OtherBuild {
                name: self.name.clone(),
                cell,
                theirs,
                ours: ours.clone(),
            }),
        }
    }

    async fn mark(&self, cell: usize, mark: Mark) -> Result<(), StoreError> {
        let cell = self.cells.row(cell)?;
        let work = async {
            let mut transaction = self.connection.begin_alone().await?;
            standings::mark(&mut transaction.connection, cell, mark).await?;
            transaction.commit().await
        };
        self.connection.answered(work).await
    }
}

/// Runs one operation in a transaction of its own.
macro_rules! in_transaction {
    ($database:expr, $module:ident::$operation:ident($($argument:expr),*)) => {{
        let mut transaction = $database.connection.begin().await?;
        let result = $module::$operation(&mut transaction.connection, $($argument),*).await?;
        transaction.commit().await?;
        Ok(result)
    }};
}

/// The same for an operation of runners, which takes no time to speak of: a server that has fallen silent is given up.
macro_rules! in_short_transaction {
    ($database:expr, $($operation:tt)*) => {
        $database
            .connection
            .answered(async { in_transaction!($database, $($operation)*) })
            .await
    };
}

#[tonic::async_trait]
impl Store for Database {
    async fn close(&self) {
        self.connection.close().await;
    }

    fn older_specification(&self) -> Option<&str> {
        self.older.as_deref()
    }

    fn lacks_cells(&self) -> bool {
        self.is_frozen || self.cells.are_missing()
    }

    async fn other_cells(&self) -> Result<Vec<OtherCell>, StoreError> {
        let mut others = Vec::new();
        let mut transaction = self.connection.begin().await?;
        for (cell, known) in &self.others {
            let here = games::count(&mut transaction.connection, known.id).await?;
            let games = here + known.elsewhere;
            if games > 0 {
                others.push(OtherCell {
                    label: known.label.clone(),
                    cell: *cell,
                    specification: Some(known.specification.clone())
                        .filter(|hash| !hash.is_empty()),
                    games,
                });
            }
        }
        transaction.commit().await?;
        Ok(others)
    }

    async fn plans(&self) -> Result<Vec<PlanRow>, StoreError> {
        let experiment = self.cells.experiment();
        in_transaction!(self, plans::read(experiment, self.version))
    }

    async fn restore(&self, kept: &KeptResults, file: &str) -> Result<(), StoreError> {
        let place = (self.dialect, &self.cells, &*self.name);
        in_transaction!(self, restoration::restore(place, kept, file))
    }

    async fn lease(&self, runner: &str, term: Duration) -> Result<Option<Lease>, StoreError> {
        let work = async {
            let mut transaction = self.connection.begin().await?;
            let connection = &mut transaction.connection;
            let lease = self
                .leases
                .take(connection, &self.cells, runner, term)
                .await?;
            if let Some(lease) = &lease {
                let unwelcome = self.check_build(connection, lease).await;
                if unwelcome.is_err() {
                    transaction.undo().await?;
                    return unwelcome.map(|()| None);
                }
            }
            transaction.commit().await?;
            Ok(lease)
        };
        self.connection.answered(work).await
    }

    async fn extend(
        &self,
        lease: &Lease,
        term: Duration,
        game: &GameUnderWay,
    ) -> Result<bool, StoreError> {
        let work = async {
            let cell = self.cells.row(lease.cell)?;
            let mut transaction = self.connection.begin().await?;
            let connection = &mut transaction.connection;
            let is_held = self
                .leases
                .extend(connection, cell, lease, (term, game))
                .await?;
            transaction.commit().await?;
            Ok(is_held)
        };
        self.connection.answered(work).await
    }

    async fn finish(
        &self,
        lease: &Lease,
        runner: &str,
        played: &PlayedPair,
    ) -> Result<bool, StoreError> {
        let work = async {
            let cell = self.cells.row(lease.cell)?;
            let half_points = played.games.iter().map(|game| game.result.half_points());
            let mut transaction = self.connection.begin().await?;
            let connection = &mut transaction.connection;
            if !leases::finish(connection, cell, lease, half_points.sum()).await? {
                let is_there = leases::has_finished(connection, cell, lease).await?;
                transaction.undo().await?;
                return Ok(is_there);
            }
            let unwelcome = self.check_build(connection, lease).await;
            if unwelcome.is_err() {
                transaction.undo().await?;
                return unwelcome.map(|()| false);
            }
            let pair = (cell, lease.pair);
            let by = PlayedBy {
                runner,
                build: &self.builds[lease.cell],
                source: build::name(),
                machine: &self.machine,
                origin: &self.origin,
                now: self.dialect.now,
            };
            games::write(connection, pair, &played.games, by).await?;
            for incident in &played.incidents {
                incidents::write(connection, pair, incident, runner).await?;
            }
            transaction.commit().await?;
            Ok(true)
        };
        self.connection.answered(work).await
    }

    async fn fail(
        &self,
        lease: &Lease,
        runner: &str,
        incident: &Incident,
    ) -> Result<(), StoreError> {
        let work = async {
            let cell = self.cells.row(lease.cell)?;
            let mut transaction = self.connection.begin().await?;
            let connection = &mut transaction.connection;
            if leases::fail(connection, cell, lease).await? {
                incidents::write(connection, (cell, lease.pair), incident, runner).await?;
            }
            transaction.commit().await
        };
        self.connection.answered(work).await
    }

    async fn give_back(&self, lease: &Lease) -> Result<(), StoreError> {
        let cell = self.cells.row(lease.cell)?;
        in_short_transaction!(self, leases::give_back(cell, lease))
    }

    async fn retry_given_up(&self) -> Result<u64, StoreError> {
        in_short_transaction!(self, leases::retry(&self.cells))
    }

    async fn close_cell(&self, cell: usize) -> Result<(), StoreError> {
        self.mark(cell, Mark::Closed).await
    }

    async fn reopen_cell(&self, cell: usize) -> Result<(), StoreError> {
        self.mark(cell, Mark::Open).await
    }

    async fn standings(&self) -> Result<Vec<CellStanding>, StoreError> {
        let tables = (self.version, self.dialect.now);
        in_short_transaction!(self, standings::standings(&self.cells, tables))
    }

    async fn under_way(&self) -> Result<Vec<PairUnderWay>, StoreError> {
        let tables = (self.version, self.dialect.now);
        in_short_transaction!(self, standings::under_way(&self.cells, tables))
    }

    async fn outcomes(&self, cell: usize, from: u32) -> Result<Vec<PairOutcome>, StoreError> {
        let numbers = from..self.cells.pairs(cell);
        let cell = self.cells.row(cell)?;
        in_short_transaction!(self, standings::outcomes(cell, numbers))
    }

    async fn games(&self, cell: usize) -> Result<Vec<GameRow>, StoreError> {
        let cell = self.cells.row(cell)?;
        in_transaction!(self, games::read(cell, self.version))
    }

    async fn records(
        &self,
        cell: usize,
        from: u32,
        count: u32,
    ) -> Result<Vec<StoredGame>, StoreError> {
        let cell = (self.cells.row(cell)?, self.version);
        in_transaction!(self, games::records(cell, from, count))
    }

    async fn moves(
        &self,
        cell: usize,
        from: u32,
        count: u32,
    ) -> Result<Vec<GameMoves>, StoreError> {
        let cell = self.cells.row(cell)?;
        in_transaction!(self, games::moves(cell, from, count))
    }

    async fn last_incidents(&self, count: u32) -> Result<Vec<(usize, IncidentRow)>, StoreError> {
        in_short_transaction!(self, incidents::last(&self.cells, count, self.version))
    }

    async fn incidents(&self, cell: usize) -> Result<Vec<IncidentRow>, StoreError> {
        let cell = self.cells.row(cell)?;
        in_transaction!(self, incidents::read(cell, self.version))
    }
}
