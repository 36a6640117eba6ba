//! Reading a bundle: a store that only looks.

use super::{
    BundleError, GAMES, MANIFEST, OPENINGS, SPECIFICATION, checksums, consistency,
    format::{Manifest, SealedGame, VERSION},
};
use crate::{
    record::Incident,
    specification::{MOST_PAIRS, Specification},
    statistics::PairOutcome,
    store::{
        CellStanding, GameMoves, GameRow, GameUnderWay, IncidentRow, KeptCell, KeptResults, Lease,
        OtherCell, PairUnderWay, PlanRow, PlayedPair, Store, StoreError, StoredGame,
    },
    stored_text::StoredTextError,
};
use flate2::read::GzDecoder;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::Path,
    time::Duration,
};

/// Greatest length of the line of a game, whose ballots may be in it.
const LONGEST_LINE: u64 = 256 << 20;

/// A bundle, read whole, and checked against its checksums, the rules and its plans.
#[derive(Debug)]
pub struct Bundle {
    manifest: Manifest,
    /// Games of each cell by pair and game.
    games: Vec<Vec<SealedGame>>,
    /// Half points of the first side by pair, for each cell.
    half_points: Vec<BTreeMap<u32, u32>>,
    /// Number of pairs in the plan of each cell; those beyond it decide nothing.
    planned: Vec<u32>,
}

impl Bundle {
    /// Reads a bundle with its specification. The hashes are those of the sealed games, also where a later
    /// build would give others.
    ///
    /// # Errors
    /// A file is missing, was changed, or has another form, or what the files say cannot be.
    pub fn read(folder: &Path) -> Result<(Specification, Self), BundleError> {
        checksums::check(folder, &[SPECIFICATION, OPENINGS, MANIFEST, GAMES])?;
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|source| BundleError::file(&path, source))?;
        let manifest: Manifest =
            serde_json::from_str(&text).map_err(|error| BundleError::form(&path, error))?;
        if manifest.version != VERSION {
            let what = format!("version {} is not known", manifest.version);
            return Err(BundleError::form(&path, what));
        }
        let specification =
            Specification::read_sealed(&folder.join(SPECIFICATION), &folder.join(OPENINGS));
        let mut specification = specification.map_err(|source| BundleError::Specification {
            sealed_by: manifest.sealed_by.clone(),
            source,
        })?;
        BundleError::check(folder, consistency::of_cells(&specification, &manifest))?;
        let labels = specification.cells.iter().map(|cell| &cell.label);
        if !labels.eq(manifest.cells.iter().map(|cell| &cell.label)) {
            let what = "its cells are in another order than those of its specification";
            return Err(BundleError::form(&path, what));
        }
        specification.hash.clone_from(&manifest.specification);
        for (cell, sealed) in specification.cells.iter_mut().zip(&manifest.cells) {
            cell.hash.clone_from(&sealed.specification);
        }
        let planned = specification.cells.iter().map(|cell| cell.pairs).collect();
        let bundle = Self::with_games(manifest, planned, &folder.join(GAMES))?;
        let contradictions = consistency::of_games(&specification, &bundle.manifest, &bundle.games);
        BundleError::check(folder, contradictions)?;
        Ok((specification, bundle))
    }

    /// At most `count` games of a cell, by pair and game, starting with pair `from`.
    fn some_games(
        &self,
        cell: usize,
        from: u32,
        count: u32,
    ) -> Result<impl Iterator<Item = &SealedGame>, StoreError> {
        let games = self.of(&self.games, cell)?;
        let begin = games.partition_point(|game| game.pair < from);
        Ok(games[begin..].iter().take(count as usize))
    }

    fn with_games(manifest: Manifest, planned: Vec<u32>, path: &Path) -> Result<Self, BundleError> {
        let mut games = vec![Vec::new(); manifest.cells.len()];
        let mut half_points = vec![BTreeMap::new(); manifest.cells.len()];
        let file = File::open(path).map_err(|source| BundleError::file(path, source))?;
        let mut text = BufReader::new(GzDecoder::new(file));
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let read = (&mut text)
                .take(LONGEST_LINE + 1)
                .read_until(b'\n', &mut line);
            if read.map_err(|source| BundleError::file(path, source))? == 0 {
                break;
            }
            let wrong = |what: String| BundleError::form(path, format!("line {number}: {what}"));
            if line.len() as u64 > LONGEST_LINE {
                return Err(wrong(format!("it has more than {LONGEST_LINE} bytes")));
            }
            let game: SealedGame =
                serde_json::from_slice(&line).map_err(|error| wrong(error.to_string()))?;
            let cell = game.cell;
            let (Some(of_cell), Some(points)) = (games.get_mut(cell), half_points.get_mut(cell))
            else {
                return Err(wrong(format!("there is no cell {cell}")));
            };
            if game.pair >= MOST_PAIRS {
                return Err(wrong(format!("no cell has a pair {}", game.pair)));
            }
            // Read once, so that later reading cannot fail.
            (game.row().and(game.record())).map_err(|error| wrong(error.to_string()))?;
            let outcome = game.outcome().map_err(|error| wrong(error.to_string()))?;
            *points.entry(game.pair).or_default() += outcome.half_points();
            of_cell.push(game);
        }
        for of_cell in &mut games {
            of_cell.sort_by_key(|game| (game.pair, game.game));
        }
        Ok(Self {
            manifest,
            games,
            half_points,
            planned,
        })
    }

    /// Everything that was played, for a store in which it is played on.
    ///
    /// # Errors
    /// None after [`Bundle::read`], which has read every game.
    pub fn kept(&self) -> Result<KeptResults, StoreError> {
        let cells = self.manifest.cells.iter().zip(&self.games);
        let cells = cells.map(|(cell, games)| {
            let games = games.iter().map(|game| Ok((game.row()?, game.record()?)));
            Ok(KeptCell {
                games: games.collect::<Result<_, StoredTextError>>()?,
                given_up: cell.given_up.clone(),
                incidents: cell.incidents.iter().map(Into::into).collect(),
                closed: cell.closed,
            })
        });
        Ok(KeptResults {
            plans: self.manifest.plans.iter().map(Into::into).collect(),
            cells: cells.collect::<Result<_, StoreError>>()?,
            others: self.manifest.other_cells(),
        })
    }

    /// Version and commit of the program that sealed it.
    pub fn sealed_by(&self) -> &str {
        &self.manifest.sealed_by
    }

    fn of<'a, T>(&self, all: &'a [T], cell: usize) -> Result<&'a T, StoreError> {
        all.get(cell).ok_or_else(|| {
            StoreError::from(crate::store::DatabaseFault::UnknownCell {
                experiment: self.manifest.experiment.clone(),
                cell,
            })
        })
    }
}

#[tonic::async_trait]
impl Store for Bundle {
    fn older_specification(&self) -> Option<&str> {
        None
    }

    async fn other_cells(&self) -> Result<Vec<OtherCell>, StoreError> {
        Ok(self.manifest.other_cells())
    }

    async fn plans(&self) -> Result<Vec<PlanRow>, StoreError> {
        Ok(self.manifest.plans.iter().map(Into::into).collect())
    }

    async fn restore(&self, _: &KeptResults, _: &str) -> Result<(), StoreError> {
        Err(StoreError::Sealed)
    }

    async fn lease(&self, _: &str, _: Duration) -> Result<Option<Lease>, StoreError> {
        Err(StoreError::Sealed)
    }

    async fn extend(&self, _: &Lease, _: Duration, _: &GameUnderWay) -> Result<bool, StoreError> {
        Err(StoreError::Sealed)
    }

    async fn finish(&self, _: &Lease, _: &str, _: &PlayedPair) -> Result<bool, StoreError> {
        Err(StoreError::Sealed)
    }

    async fn fail(&self, _: &Lease, _: &str, _: &Incident) -> Result<(), StoreError> {
        Err(StoreError::Sealed)
    }

    async fn give_back(&self, _: &Lease) -> Result<(), StoreError> {
        Err(StoreError::Sealed)
    }

    async fn retry_given_up(&self) -> Result<u64, StoreError> {
        Err(StoreError::Sealed)
    }

    async fn close_cell(&self, _: usize) -> Result<(), StoreError> {
        Err(StoreError::Sealed)
    }

    async fn reopen_cell(&self, _: usize) -> Result<(), StoreError> {
        Err(StoreError::Sealed)
    }

    async fn standings(&self) -> Result<Vec<CellStanding>, StoreError> {
        let standings = self.manifest.cells.iter().zip(&self.half_points);
        Ok(standings
            .map(|(cell, points)| {
                let mut pairs = [0; 5];
                for points in points.values() {
                    pairs[(*points).min(4) as usize] += 1;
                }
                cell.standing(pairs)
            })
            .collect())
    }

    async fn under_way(&self) -> Result<Vec<PairUnderWay>, StoreError> {
        Ok(Vec::new())
    }

    async fn outcomes(&self, cell: usize, from: u32) -> Result<Vec<PairOutcome>, StoreError> {
        let finished = self.of(&self.half_points, cell)?;
        let given_up = &self.of(&self.manifest.cells, cell)?.given_up;
        let planned = *self.of(&self.planned, cell)?;
        let mut outcomes: BTreeMap<u32, Option<u32>> =
            given_up.iter().map(|pair| (*pair, None)).collect();
        outcomes.extend(finished.iter().map(|(pair, points)| (*pair, Some(*points))));
        Ok(outcomes
            .range(from..planned.max(from))
            .map(|(pair, points)| (*pair, *points))
            .collect())
    }

    async fn games(&self, cell: usize) -> Result<Vec<GameRow>, StoreError> {
        let games = self.of(&self.games, cell)?;
        Ok(games
            .iter()
            .map(SealedGame::row)
            .collect::<Result<_, _>>()?)
    }

    async fn records(
        &self,
        cell: usize,
        from: u32,
        count: u32,
    ) -> Result<Vec<StoredGame>, StoreError> {
        let records = self.some_games(cell, from, count)?;
        Ok(records.map(SealedGame::record).collect::<Result<_, _>>()?)
    }

    async fn moves(
        &self,
        cell: usize,
        from: u32,
        count: u32,
    ) -> Result<Vec<GameMoves>, StoreError> {
        let moves = self.some_games(cell, from, count)?;
        Ok(moves.map(SealedGame::moves).collect())
    }

    /// A bundle does not keep the order of incidents of different cells: those of the last cells come last.
    async fn last_incidents(&self, count: u32) -> Result<Vec<(usize, IncidentRow)>, StoreError> {
        let mut all: Vec<(usize, IncidentRow)> = (self.manifest.cells.iter().enumerate())
            .flat_map(|(index, cell)| cell.incidents.iter().map(move |it| (index, it.into())))
            .collect();
        Ok(all.split_off(all.len().saturating_sub(count as usize)))
    }

    async fn incidents(&self, cell: usize) -> Result<Vec<IncidentRow>, StoreError> {
        let cell = self.of(&self.manifest.cells, cell)?;
        Ok(cell.incidents.iter().map(Into::into).collect())
    }
}
