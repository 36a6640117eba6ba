//! Sealing: writing a bundle from a store.

use super::{
    BundleError, CHECKSUMS, GAMES, MANIFEST, OPENINGS, SPECIFICATION, checksums,
    format::{Manifest, SealedCell, SealedGame, SealedPlan, VERSION},
};
use crate::{
    specification::Specification,
    store::{CellStanding, Store, StoreError},
    unix_time::milliseconds,
};
use flate2::{Compression, write::GzEncoder};
use monju_proto::build;
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
    time::SystemTime,
};

/// Games that are read from the store at a time.
const BATCH: u32 = 200;

/// A bundle that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// Finished games in it.
    pub games: u64,
    /// Those of them with their ballots.
    pub with_ballots: u64,
    /// Bytes of all its files.
    pub bytes: u64,
}

/// Writes a bundle of an experiment into a new or empty folder, with or without the ballots of its games.
/// Pairs that are under way meanwhile are left out.
///
/// # Errors
/// The folder is not empty or cannot be written, or the store cannot be read.
pub async fn seal(
    specification: &Specification,
    store: &dyn Store,
    folder: &Path,
    ballots: bool,
) -> Result<Sealed, BundleError> {
    let broken = |source| BundleError::file(folder, source);
    fs::create_dir_all(folder).map_err(broken)?;
    if fs::read_dir(folder).map_err(broken)?.next().is_some() {
        return Err(BundleError::Occupied(folder.to_owned()));
    }
    let (mut cells, mut games, mut with_ballots) = (Vec::new(), 0, 0);
    let path = folder.join(GAMES);
    let broken = |source| BundleError::file(&path, source);
    let file = BufWriter::new(File::create(&path).map_err(broken)?);
    let mut packed = GzEncoder::new(file, Compression::default());
    let other_cells = store.other_cells().await?;
    for (index, cell) in specification.cells.iter().enumerate() {
        // Before the games, so that no pair is missing in both: one that is finished meanwhile is at worst in both.
        let standing = standing_of(store, index).await?;
        let rows = store.games(index).await?;
        let sealed: BTreeSet<u32> = rows.iter().map(|row| row.pair).collect();
        let mut rows = rows.iter().peekable();
        while let Some(first) = rows.peek() {
            let records = store.records(index, first.pair, BATCH).await?;
            let before = games;
            // Records without a row belong to pairs that were finished meanwhile, or stand in the last batch.
            for record in &records {
                let same = |row: &&crate::store::GameRow| {
                    (row.pair, row.game) == (record.pair, record.game)
                };
                let Some(row) = rows.next_if(same) else {
                    continue;
                };
                let game = SealedGame::new(index, row, record, ballots);
                let line = serde_json::to_string(&game)
                    .map_err(|error| BundleError::form(&path, error))?;
                writeln!(packed, "{line}").map_err(broken)?;
                games += 1;
                with_ballots += u64::from(ballots && !record.ballots.is_empty());
            }
            if games == before {
                let what = format!("the store lacks games of '{}'", cell.label);
                return Err(BundleError::form(&path, what));
            }
        }
        // In this order, so that no incident is there whose pair was finished after the outcomes were read.
        let mut incidents = store.incidents(index).await?;
        let outcomes = store.outcomes(index, 0).await?;
        // Those of pairs that were finished meanwhile belong to games that are not here.
        let is_late = |pair: u32| {
            let over = outcomes.binary_search_by_key(&pair, |(number, _)| *number);
            over.is_ok_and(|place| outcomes[place].1.is_some()) && !sealed.contains(&pair)
        };
        incidents.retain(|incident| !is_late(incident.pair));
        let given_up: Vec<u32> = (outcomes.iter())
            .filter_map(|(pair, half_points)| half_points.is_none().then_some(*pair))
            .collect();
        // And after the pairs that were given up, of which somebody may have freed some.
        let later = standing_of(store, index).await?;
        let open = |standing: &CellStanding| standing.open + standing.leased;
        cells.push(SealedCell {
            label: cell.label.clone(),
            specification: cell.hash.clone(),
            open: open(&standing).max(open(&later)),
            given_up,
            closed: standing.closed,
            incidents: incidents.iter().map(Into::into).collect(),
            other_games: (other_cells.iter())
                .filter(|other| other.cell == Some(index))
                .map(|other| (other.specification.clone(), other.games))
                .collect(),
        });
    }
    let file = packed.finish().map_err(broken)?;
    file.into_inner()
        .map_err(|error| broken(error.into_error()))?
        .sync_all()
        .map_err(broken)?;
    let manifest = Manifest {
        version: VERSION,
        experiment: specification.name.clone(),
        sealed_by: build::name().to_owned(),
        sealed: milliseconds(SystemTime::now()),
        specification: specification.hash.clone(),
        ballots,
        games,
        plans: store.plans().await?.iter().map(SealedPlan::from).collect(),
        cells,
        other_cells: (other_cells.into_iter())
            .filter(|other| other.cell.is_none())
            .map(|other| (other.label, other.specification, other.games))
            .collect(),
    };
    let path = folder.join(MANIFEST);
    let json =
        serde_json::to_string_pretty(&manifest).map_err(|error| BundleError::form(&path, error))?;
    let openings: String = (specification.openings.lines().iter())
        .map(|line| format!("{line}\n"))
        .collect();
    let texts = [
        (SPECIFICATION, specification.text.clone()),
        (OPENINGS, openings),
        (MANIFEST, format!("{json}\n")),
    ];
    for (name, text) in texts {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|source| BundleError::file(&path, source))?;
    }
    let names = [SPECIFICATION, OPENINGS, MANIFEST, GAMES];
    checksums::write(folder, &names)?;
    let mut bytes = 0;
    for name in names.into_iter().chain([CHECKSUMS]) {
        let path = folder.join(name);
        let data = fs::metadata(&path).map_err(|source| BundleError::file(&path, source))?;
        bytes += data.len();
    }
    Ok(Sealed {
        games,
        with_ballots,
        bytes,
    })
}

/// The progress of a cell.
async fn standing_of(store: &dyn Store, cell: usize) -> Result<CellStanding, StoreError> {
    let standings = store.standings().await?;
    Ok(standings.into_iter().nth(cell).unwrap_or_default())
}
