//! The store in an SQL database: what SQLite and PostgreSQL share, and the little in which they
//! differ.

use super::{
    ATTEMPTS, BLOCK, Effort, GameRow, IncidentRow, Lease, Opening, Plan, PlayedPair, Record,
    Standing, Store, StoreError,
    migrations::{Embedded, POSTGRES, SQLITE},
    sql,
};
use crate::experiment::{
    record::{Incident, PlayedGame, Side},
    statistics::Outcome,
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use sqlx::{
    AnyPool, Row,
    any::{AnyPoolOptions, AnyRow},
    migrate::Migrator,
};
use std::{
    collections::BTreeMap,
    fmt::Debug,
    io::{Read, Write},
    marker::PhantomData,
    path::Path,
    str::FromStr,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use tracing::warn;

/// A connection that cannot be had within this time is not there.
const ACQUIRE_PATIENCE: Duration = Duration::from_secs(10);

/// In what databases differ.
pub trait Dialect: Debug + Send + Sync + 'static {
    /// Its clock in milliseconds since 1970, as an expression.
    const NOW: &'static str;
    /// What keeps two runners from taking the same pair.
    const LOCK: &'static str;
    /// Said on every new connection.
    const SETUP: &'static [&'static str];
}

/// A file of this machine.
#[derive(Debug)]
pub struct SqliteDialect;

impl Dialect for SqliteDialect {
    const NOW: &'static str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    // One statement is one transaction, and only one may write at a time.
    const LOCK: &'static str = "";
    // A write-ahead log survives a killed process; only a power cut may lose the last results.
    const SETUP: &'static [&'static str] = &[
        "PRAGMA busy_timeout = 60000",
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = NORMAL",
    ];
}

/// A server for several machines.
#[derive(Debug)]
pub struct PostgresDialect;

impl Dialect for PostgresDialect {
    const NOW: &'static str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
    const LOCK: &'static str = "FOR UPDATE SKIP LOCKED";
    const SETUP: &'static [&'static str] = &[];
}

/// The results of one experiment in a database.
#[derive(Debug)]
pub struct Database<D> {
    pool: AnyPool,
    name: String,
    build: String,
    /// The rows of the plan's cells, in its order.
    cells: Vec<i64>,
    lease: String,
    extend: String,
    standings: String,
    /// Makes tokens unique within this process.
    tokens: AtomicU64,
    dialect: PhantomData<D>,
}

impl Database<SqliteDialect> {
    /// Opens a file, or makes it when it is to be played with.
    ///
    /// # Errors
    /// It cannot be used, or holds something else.
    pub async fn open(file: &Path, plan: &Plan, opening: Opening) -> Result<Self, StoreError> {
        if opening == Opening::Look && !file.exists() {
            return Err(StoreError::Unknown(plan.name.clone()));
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
        Self::connect(&format!("sqlite:{path}?mode=rwc"), SQLITE, plan, opening).await
    }
}

impl Database<PostgresDialect> {
    /// Connects to a server.
    ///
    /// # Errors
    /// It is not there, or holds something else.
    pub async fn open(url: &str, plan: &Plan, opening: Opening) -> Result<Self, StoreError> {
        Self::connect(url, POSTGRES, plan, opening).await
    }
}

impl<D: Dialect> Database<D> {
    async fn connect(
        url: &str,
        migrations: Embedded,
        plan: &Plan,
        opening: Opening,
    ) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let pool = AnyPoolOptions::new()
            .max_connections(4)
            .acquire_timeout(ACQUIRE_PATIENCE)
            .after_connect(|connection, _| {
                Box::pin(async move {
                    for statement in D::SETUP {
                        sqlx::query(statement).execute(&mut *connection).await?;
                    }
                    Ok(())
                })
            })
            .connect(url)
            .await?;
        if opening != Opening::Look {
            migrate(&pool, migrations).await?;
        }
        let experiment = enrol(&pool, plan, opening).await?;
        let cells = plan_cells(&pool, experiment, plan, opening).await?;
        let list: Vec<String> = cells.iter().map(i64::to_string).collect();
        let planned = format!("cell IN ({}) AND number < {}", list.join(", "), plan.pairs);
        let (now, lock) = (D::NOW, D::LOCK);
        Ok(Self {
            // The plus keeps SQLite from looking cells up and sorting all their pairs: the index by
            // dispatch has the next one in front.
            lease: format!(
                "UPDATE pairs SET state = 1, token = $1, runner = $2, expires = {now} + $3
                 WHERE (cell, number) = (
                    SELECT cell, number FROM pairs
                    WHERE state IN (0, 1) AND (state = 0 OR expires < {now}) AND +{planned}
                        AND cell NOT IN (SELECT id FROM cells WHERE closed = 1)
                    ORDER BY dispatch, cell, number LIMIT 1 {lock})
                 RETURNING cell, number, failures"
            ),
            extend: format!(
                "UPDATE pairs SET expires = {now} + $4
                 WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1"
            ),
            standings: format!(
                "SELECT cell, state, points, COUNT(*) FROM pairs WHERE {planned}
                 GROUP BY cell, state, points"
            ),
            name: plan.name.clone(),
            build: plan.build.clone(),
            pool,
            cells,
            tokens: AtomicU64::new(0),
            dialect: PhantomData,
        })
    }

    fn row(&self, cell: usize) -> Result<i64, StoreError> {
        let row = self.cells.get(cell).copied();
        row.ok_or_else(|| StoreError::Database(format!("'{}' has no cell {cell}", self.name)))
    }
}

/// Brings the tables up to date. Two processes that make the same new file at the same moment
/// stumble over each other once.
async fn migrate(pool: &AnyPool, migrations: Embedded) -> Result<(), StoreError> {
    let migrator = Migrator::new(migrations).await;
    let migrator = migrator.map_err(|error| StoreError::Database(error.to_string()))?;
    let mut tries = 0;
    loop {
        match migrator.run(pool).await {
            Ok(()) => return Ok(()),
            Err(_) if tries < 5 => {
                tries += 1;
                tokio::time::sleep(Duration::from_millis(100 * tries)).await;
            }
            Err(error) => return Err(StoreError::Database(error.to_string())),
        }
    }
}

/// Finds the experiment, or makes it. Returns its row.
async fn enrol(pool: &AnyPool, plan: &Plan, opening: Opening) -> Result<i64, StoreError> {
    let Plan {
        name,
        specification,
        build,
        ..
    } = plan;
    if opening != Opening::Look {
        sqlx::query(
            "INSERT INTO experiments (name, specification, build) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO NOTHING",
        )
        .bind(name)
        .bind(specification)
        .bind(build)
        .execute(pool)
        .await?;
    }
    let row = sqlx::query("SELECT id, specification, build FROM experiments WHERE name = $1")
        .bind(name)
        .fetch_optional(pool)
        .await?;
    let Some(row) = row else {
        return Err(StoreError::Unknown(name.clone()));
    };
    let id: i64 = row.try_get(0)?;
    let Opening::Play { accept_changes } = opening else {
        let theirs: String = row.try_get(1)?;
        if theirs != *specification {
            warn!(%theirs, ours = %specification, "the store holds results of another specification");
        }
        return Ok(id);
    };
    for (what, ours, theirs) in [
        ("specification", specification, row.try_get::<String, _>(1)?),
        ("build", build, row.try_get(2)?),
    ] {
        if *ours == theirs {
            continue;
        }
        if !accept_changes {
            return Err(StoreError::Mixed {
                what,
                name: name.clone(),
                theirs,
                ours: ours.clone(),
            });
        }
        sqlx::query("UPDATE experiments SET specification = $1, build = $2 WHERE id = $3")
            .bind(specification)
            .bind(build)
            .bind(id)
            .execute(pool)
            .await?;
    }
    Ok(id)
}

/// Finds or makes the cells and their pairs. Returns the cells' rows in the order of the plan.
async fn plan_cells(
    pool: &AnyPool,
    experiment: i64,
    plan: &Plan,
    opening: Opening,
) -> Result<Vec<i64>, StoreError> {
    if opening != Opening::Look {
        for label in &plan.cells {
            sqlx::query(
                "INSERT INTO cells (experiment, label) VALUES ($1, $2)
                 ON CONFLICT (experiment, label) DO NOTHING",
            )
            .bind(experiment)
            .bind(label)
            .execute(pool)
            .await?;
        }
    }
    let mut rows = BTreeMap::new();
    let known = sqlx::query("SELECT id, label FROM cells WHERE experiment = $1")
        .bind(experiment)
        .fetch_all(pool)
        .await?;
    for row in known {
        rows.insert(row.try_get::<String, _>(1)?, row.try_get::<i64, _>(0)?);
    }
    let mut cells = Vec::with_capacity(plan.cells.len());
    for label in &plan.cells {
        // Looking at a grid that has grown since: the new cell has no row, and 0 is none.
        cells.push(rows.get(label).copied().unwrap_or(0));
    }
    if opening != Opening::Look {
        for (position, cell) in cells.iter().enumerate() {
            let next =
                sqlx::query("SELECT COALESCE(MAX(number) + 1, 0) FROM pairs WHERE cell = $1")
                    .bind(*cell)
                    .fetch_one(pool)
                    .await?
                    .try_get::<i64, _>(0)?;
            if next >= i64::from(plan.pairs) {
                continue;
            }
            sqlx::query(sql::PLAN)
                .bind(*cell)
                .bind(i64::from(plan.pairs))
                .bind(position as i64)
                .bind(cells.len() as i64)
                .bind(i64::from(BLOCK))
                .bind(next)
                .execute(pool)
                .await?;
        }
    }
    Ok(cells)
}

#[tonic::async_trait]
impl<D: Dialect> Store for Database<D> {
    async fn lease(&self, runner: &str, term: Duration) -> Result<Option<Lease>, StoreError> {
        let token = format!("{runner}-{}", self.tokens.fetch_add(1, Ordering::Relaxed));
        let rows = sqlx::query(&self.lease)
            .bind(&token)
            .bind(runner)
            .bind(milliseconds(term))
            .fetch_all(&self.pool)
            .await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let id: i64 = row.try_get(0)?;
        let cell = self.cells.iter().position(|&cell| cell == id);
        Ok(Some(Lease {
            cell: cell.ok_or_else(|| StoreError::Database(format!("cell {id} is not planned")))?,
            pair: number(row, 1)?,
            failures: number(row, 2)?,
            token,
        }))
    }

    async fn extend(&self, lease: &Lease, term: Duration) -> Result<bool, StoreError> {
        let done = sqlx::query(&self.extend)
            .bind(self.row(lease.cell)?)
            .bind(i64::from(lease.pair))
            .bind(&lease.token)
            .bind(milliseconds(term))
            .execute(&self.pool)
            .await?;
        Ok(done.rows_affected() == 1)
    }

    async fn finish(
        &self,
        lease: &Lease,
        runner: &str,
        played: &PlayedPair,
    ) -> Result<bool, StoreError> {
        let cell = self.row(lease.cell)?;
        let half_points = played.games.iter().map(|game| game.result.half_points());
        let mut transaction = self.pool.begin().await?;
        let done = sqlx::query(sql::FINISH)
            .bind(cell)
            .bind(i64::from(lease.pair))
            .bind(&lease.token)
            .bind(i64::from(half_points.sum::<u32>()))
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() != 1 {
            transaction.rollback().await?;
            return Ok(false);
        }
        for (index, game) in played.games.iter().enumerate() {
            insert_game(
                &mut transaction,
                cell,
                lease.pair,
                index as i64,
                game,
                runner,
                &self.build,
            )
            .await?;
        }
        for incident in &played.incidents {
            insert_incident(&mut transaction, cell, lease.pair, incident, runner).await?;
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
        let cell = self.row(lease.cell)?;
        let mut transaction = self.pool.begin().await?;
        let done = sqlx::query(sql::FAIL)
            .bind(cell)
            .bind(i64::from(lease.pair))
            .bind(&lease.token)
            .bind(i64::from(ATTEMPTS))
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 1 {
            insert_incident(&mut transaction, cell, lease.pair, incident, runner).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn give_back(&self, lease: &Lease) -> Result<(), StoreError> {
        sqlx::query(sql::GIVE_BACK)
            .bind(self.row(lease.cell)?)
            .bind(i64::from(lease.pair))
            .bind(&lease.token)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn close_cell(&self, cell: usize) -> Result<(), StoreError> {
        sqlx::query("UPDATE cells SET closed = 1 WHERE id = $1")
            .bind(self.row(cell)?)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn standings(&self) -> Result<Vec<Standing>, StoreError> {
        let mut standings = vec![Standing::default(); self.cells.len()];
        let index = |id: i64| self.cells.iter().position(|&cell| cell == id);
        for row in sqlx::query(&self.standings).fetch_all(&self.pool).await? {
            let Some(cell) = index(row.try_get(0)?) else {
                continue;
            };
            let standing = &mut standings[cell];
            let count = row.try_get::<i64, _>(3)? as u64;
            match row.try_get::<i64, _>(1)? {
                0 => standing.open += count,
                1 => standing.leased += count,
                2 => {
                    standing.finished += count;
                    let points = row.try_get::<i64, _>(2)?.clamp(0, 4) as usize;
                    standing.pairs[points] += count;
                }
                _ => standing.given_up += count,
            }
        }
        let closed = sqlx::query("SELECT id FROM cells WHERE closed = 1");
        for row in closed.fetch_all(&self.pool).await? {
            if let Some(cell) = index(row.try_get(0)?) {
                standings[cell].closed = true;
            }
        }
        Ok(standings)
    }

    async fn outcomes(&self, cell: usize, from: u32) -> Result<Vec<Outcome>, StoreError> {
        let rows = sqlx::query(sql::OUTCOMES)
            .bind(self.row(cell)?)
            .bind(i64::from(from))
            .fetch_all(&self.pool)
            .await?;
        rows.iter()
            .map(|row| {
                let finished = row.try_get::<i64, _>(1)? == 2;
                let half_points = finished.then(|| number(row, 2)).transpose()?;
                Ok((number(row, 0)?, half_points))
            })
            .collect()
    }

    async fn games(&self, cell: usize) -> Result<Vec<GameRow>, StoreError> {
        let rows = sqlx::query(sql::GAMES)
            .bind(self.row(cell)?)
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(read_game).collect()
    }

    async fn records(&self, cell: usize, from: u32, count: u32) -> Result<Vec<Record>, StoreError> {
        let rows = sqlx::query(sql::RECORDS)
            .bind(self.row(cell)?)
            .bind(i64::from(from))
            .bind(i64::from(count))
            .fetch_all(&self.pool)
            .await?;
        rows.iter()
            .map(|row| {
                Ok(Record {
                    pair: number(row, 0)?,
                    game: number(row, 1)?,
                    opening_plies: number(row, 2)?,
                    moves: row.try_get(3)?,
                    ballots: unpack(&row.try_get::<Vec<u8>, _>(4)?)?,
                })
            })
            .collect()
    }

    async fn incidents(&self, cell: usize) -> Result<Vec<IncidentRow>, StoreError> {
        let rows = sqlx::query(sql::INCIDENTS)
            .bind(self.row(cell)?)
            .fetch_all(&self.pool)
            .await?;
        rows.iter()
            .map(|row| {
                Ok(IncidentRow {
                    pair: number(row, 0)?,
                    game: number(row, 1)?,
                    cause: row.try_get(2)?,
                    side: match row.try_get::<String, _>(3)?.as_str() {
                        "first" => Some(Side::First),
                        "second" => Some(Side::Second),
                        _ => None,
                    },
                    detail: row.try_get(4)?,
                })
            })
            .collect()
    }
}

type Transaction = sqlx::Transaction<'static, sqlx::Any>;

async fn insert_game(
    transaction: &mut Transaction,
    cell: i64,
    pair: u32,
    index: i64,
    game: &PlayedGame,
    runner: &str,
    build: &str,
) -> Result<(), StoreError> {
    let [first, second] = &game.effort;
    sqlx::query(sql::INSERT_GAME)
        .bind(cell)
        .bind(i64::from(pair))
        .bind(index)
        .bind(game.result.name())
        .bind(game.ending.name())
        .bind(i64::from(game.plies))
        .bind(first.nodes as i64)
        .bind(second.nodes as i64)
        .bind(first.time_ms as i64)
        .bind(second.time_ms as i64)
        .bind(i64::from(first.moves))
        .bind(i64::from(second.moves))
        .bind(first.variety.to_string())
        .bind(second.variety.to_string())
        .bind(runner)
        .bind(build)
        .execute(&mut **transaction)
        .await?;
    sqlx::query(sql::INSERT_RECORD)
        .bind(cell)
        .bind(i64::from(pair))
        .bind(index)
        .bind(i64::from(game.opening_plies))
        .bind(&game.moves)
        .bind(pack(&game.ballots)?)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

async fn insert_incident(
    transaction: &mut Transaction,
    cell: i64,
    pair: u32,
    incident: &Incident,
    runner: &str,
) -> Result<(), StoreError> {
    sqlx::query(sql::INSERT_INCIDENT)
        .bind(cell)
        .bind(i64::from(pair))
        .bind(i64::from(incident.game))
        .bind(incident.cause.name())
        .bind(incident.side.name())
        .bind(&incident.detail)
        .bind(runner)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

fn read_game(row: &AnyRow) -> Result<GameRow, StoreError> {
    let text = |index: usize| row.try_get::<String, _>(index);
    let effort = |nodes, time, moves, variety| {
        Ok::<_, StoreError>(Effort {
            nodes: row.try_get::<i64, _>(nodes)? as u64,
            time_ms: row.try_get::<i64, _>(time)? as u64,
            moves: number(row, moves)?,
            variety: parse(&text(variety)?)?,
        })
    };
    Ok(GameRow {
        pair: number(row, 0)?,
        game: number(row, 1)?,
        result: parse(&text(2)?)?,
        ending: text(3)?,
        plies: number(row, 4)?,
        effort: [effort(5, 7, 9, 11)?, effort(6, 8, 10, 12)?],
        runner: text(13)?,
        build: text(14)?,
    })
}

fn parse<T: FromStr<Err = String>>(text: &str) -> Result<T, StoreError> {
    text.parse().map_err(StoreError::Database)
}

fn number(row: &AnyRow, index: usize) -> Result<u32, StoreError> {
    let value: i64 = row.try_get(index)?;
    u32::try_from(value).map_err(|_| StoreError::Database(format!("{value} is out of range")))
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 2)
}

fn pack(text: &str) -> Result<Vec<u8>, StoreError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish())
        .map_err(|error| StoreError::Database(format!("ballots cannot be packed: {error}")))
}

fn unpack(bytes: &[u8]) -> Result<String, StoreError> {
    let mut text = String::new();
    if !bytes.is_empty() {
        GzDecoder::new(bytes)
            .read_to_string(&mut text)
            .map_err(|error| StoreError::Database(format!("ballots cannot be read: {error}")))?;
    }
    Ok(text)
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let text = error.to_string().replace('\n', " ");
        let passes = match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::WorkerCrashed => true,
            // PostgreSQL: connection exceptions, a server that stops or starts. SQLite: busy.
            sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                code.starts_with("08") || code.starts_with("57P") || code == "5" || code == "517"
            }),
            _ => false,
        };
        if passes {
            Self::Unavailable(text)
        } else {
            Self::Database(text)
        }
    }
}
