//! Rows of games, and apart from them their moves and ballots, which are large.

use super::{
    ballots::{pack, unpack},
    connection::statement,
    values::{milliseconds_since_1970, number, parse},
};
use crate::{
    record::{Effort, PlayedGame},
    store::{
        error::StoreError,
        rows::{GameMoves, GameRow, Occasion, Origin, StoredGame},
    },
    unix_time::moment,
};
use sqlx::{AnyConnection, Row, any::AnyRow};

/// Inserts one game; the clock of the database is the last value.
const INSERT_GAME: &str = "
    INSERT INTO games (cell, pair, game, result, ending, plies, first_nodes, second_nodes,
        first_ms, second_ms, first_moves, second_moves, first_variety, second_variety, runner, build,
        specification, seed, machine, source, finished)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,";

/// Inserts its moves, ballots and notes.
const INSERT_RECORD: &str = "
    INSERT INTO records (cell, pair, game, opening_plies, moves, ballots, notes)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Columns of a game in every version.
const COLUMNS: &str = "pair, game, result, ending, plies, first_nodes, second_nodes, first_ms, \
    second_ms, first_moves, second_moves, first_variety, second_variety, runner, build";

/// First version of the tables in which games have an origin.
const WITH_ORIGIN: i64 = 3;

/// First version of the tables with machines, times, and notes of moves.
const WITH_OCCASION: i64 = 4;

/// First version of the tables in which games have the commit of their program.
const WITH_SOURCE: i64 = 6;

/// The end of the year 9999, in milliseconds since 1970; calendars refuse later times.
const LAST_MOMENT: i64 = 253_402_300_799_999;

/// The player of a game: runner, build, machine and specification.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayedBy<'a> {
    /// Name of the runner.
    pub runner: &'a str,
    /// Version and hash of the program.
    pub build: &'a str,
    /// Its commit, and whether its code was changed.
    pub source: &'a str,
    /// The machine, in words.
    pub machine: &'a str,
    /// Specification and seed.
    pub origin: &'a Origin,
    /// SQL expression of the database's clock.
    pub now: &'static str,
}

/// Writes both games of a pair.
pub(super) async fn write(
    connection: &mut AnyConnection,
    (cell, pair): (i64, u32),
    games: &[PlayedGame; 2],
    by: PlayedBy<'_>,
) -> Result<(), StoreError> {
    for (number, game) in (0..).zip(games) {
        let row = GameRow {
            pair,
            game: number,
            result: game.result,
            ending: game.ending.name().to_owned(),
            plies: game.plies,
            effort: game.effort.clone(),
            origin: Some(by.origin.clone()),
            occasion: None,
            build: by.build.to_owned(),
            source: Some(by.source.to_owned()),
            runner: by.runner.to_owned(),
        };
        let record = StoredGame {
            pair,
            game: number,
            opening_plies: game.opening_plies,
            moves: game.moves.clone(),
            ballots: game.ballots.clone(),
            notes: game.notes.clone(),
        };
        insert(connection, cell, (&row, &record), (by.machine, by.now)).await?;
    }
    Ok(())
}

/// Writes a game of another store.
pub(super) async fn restore(
    connection: &mut AnyConnection,
    cell: i64,
    (row, record): (&GameRow, &StoredGame),
) -> Result<(), StoreError> {
    let (machine, finished) = match &row.occasion {
        Some(Occasion { machine, finished }) => {
            (machine.as_str(), milliseconds_since_1970(*finished))
        }
        None => ("", 0),
    };
    insert(
        connection,
        cell,
        (row, record),
        (machine, &finished.to_string()),
    )
    .await
}

/// Inserts a game that was played on a machine and finished at a time, which is an SQL expression. The row's own
/// occasion is not read.
async fn insert(
    connection: &mut AnyConnection,
    cell: i64,
    (row, record): (&GameRow, &StoredGame),
    (machine, finished): (&str, &str),
) -> Result<(), StoreError> {
    let [first, second] = &row.effort;
    let (specification, seed) = match &row.origin {
        Some(origin) => (origin.specification.as_str(), origin.seed.to_string()),
        None => ("", String::new()),
    };
    statement(&format!("{INSERT_GAME} {finished})"))
        .bind(cell)
        .bind(i64::from(row.pair))
        .bind(i64::from(row.game))
        .bind(row.result.name())
        .bind(&row.ending)
        .bind(i64::from(row.plies))
        .bind(first.nodes as i64)
        .bind(second.nodes as i64)
        .bind(first.time_ms as i64)
        .bind(second.time_ms as i64)
        .bind(i64::from(first.moves))
        .bind(i64::from(second.moves))
        .bind(first.variety.to_string())
        .bind(second.variety.to_string())
        .bind(&row.runner)
        .bind(&row.build)
        .bind(specification)
        .bind(seed)
        .bind(machine)
        .bind(row.source.as_deref().unwrap_or_default())
        .execute(&mut *connection)
        .await?;
    statement(INSERT_RECORD)
        .bind(cell)
        .bind(i64::from(row.pair))
        .bind(i64::from(row.game))
        .bind(i64::from(record.opening_plies))
        .bind(&record.moves)
        .bind(pack(&record.ballots)?)
        .bind(record.notes.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Number of finished games of a cell.
pub(super) async fn count(connection: &mut AnyConnection, cell: i64) -> Result<u64, StoreError> {
    let row = statement("SELECT COUNT(*) FROM games WHERE cell = $1")
        .bind(cell)
        .fetch_one(connection)
        .await?;
    Ok(row.try_get::<i64, _>(0)? as u64)
}

/// The finished games of a cell, by pair and game. Opening a store to look leaves old tables as they
/// are, so the query depends on their `version`.
pub(super) async fn read(
    connection: &mut AnyConnection,
    cell: i64,
    version: i64,
) -> Result<Vec<GameRow>, StoreError> {
    let origin = match version >= WITH_ORIGIN {
        true => "specification, seed",
        false => "'', ''",
    };
    let occasion = match version >= WITH_OCCASION {
        true => "machine, finished",
        false => "'', CAST(0 AS BIGINT)",
    };
    let source = match version >= WITH_SOURCE {
        true => "source",
        false => "''",
    };
    let games = format!(
        "SELECT {COLUMNS}, {origin}, {occasion}, {source} FROM games WHERE cell = $1
         ORDER BY pair, game"
    );
    let rows = statement(&games).bind(cell).fetch_all(connection).await?;
    rows.iter().map(read_game).collect()
}

fn read_game(row: &AnyRow) -> Result<GameRow, StoreError> {
    let text = |index: usize| row.try_get::<String, _>(index);
    let specification = text(15)?;
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
        source: Some(text(19)?).filter(|source| !source.is_empty()),
        // Games of an older version have an empty seed.
        origin: (text(16)?.parse().ok()).map(|seed| Origin {
            specification,
            seed,
        }),
        occasion: match row.try_get::<i64, _>(18)? {
            finished @ 1..=LAST_MOMENT => Some(Occasion {
                machine: text(17)?,
                finished: moment(finished as u64),
            }),
            _ => None,
        },
    })
}

/// Rows of pair, game and `columns` of at most `count` games of a cell, by pair and game, starting with pair `from`.
async fn some_records(
    connection: &mut AnyConnection,
    columns: &str,
    cell: i64,
    from: u32,
    count: u32,
) -> Result<Vec<AnyRow>, StoreError> {
    let records = format!(
        "SELECT pair, game, {columns} FROM records WHERE cell = $1 AND pair >= $2 ORDER BY pair, game LIMIT $3"
    );
    Ok(statement(&records)
        .bind(cell)
        .bind(i64::from(from))
        .bind(i64::from(count))
        .fetch_all(connection)
        .await?)
}

/// The moves alone of at most `count` games of a cell, by pair and game, starting with pair `from`.
pub(super) async fn moves(
    connection: &mut AnyConnection,
    cell: i64,
    from: u32,
    count: u32,
) -> Result<Vec<GameMoves>, StoreError> {
    let rows = some_records(connection, "moves", cell, from, count).await?;
    rows.iter()
        .map(|row| {
            Ok(GameMoves {
                pair: number(row, 0)?,
                game: number(row, 1)?,
                moves: row.try_get(2)?,
            })
        })
        .collect()
}

/// The moves and ballots of at most `count` games of a cell, by pair and game, starting with pair
/// `from`.
pub(super) async fn records(
    connection: &mut AnyConnection,
    (cell, version): (i64, i64),
    from: u32,
    count: u32,
) -> Result<Vec<StoredGame>, StoreError> {
    let notes = match version >= WITH_OCCASION {
        true => "notes",
        false => "''",
    };
    let columns = format!("opening_plies, moves, ballots, {notes}");
    let rows = some_records(connection, &columns, cell, from, count).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredGame {
                pair: number(row, 0)?,
                game: number(row, 1)?,
                opening_plies: number(row, 2)?,
                moves: row.try_get(3)?,
                ballots: unpack(&row.try_get::<Vec<u8>, _>(4)?)?,
                notes: parse(row.try_get(5)?)?,
            })
        })
        .collect()
}
