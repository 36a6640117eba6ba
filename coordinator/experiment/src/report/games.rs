//! Games as files: CSA and KIF for GUIs, ballots as JSON lines.

use crate::{
    counted::CountedPairs,
    kifu::Kifu,
    specification::{Cell, Specification},
    store::{GameRow, Store, StoreError},
};
use monju_engine::GameError;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

/// Games that are held in memory at a time.
const AT_A_TIME: u32 = 200;

/// Error of writing games.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error("games cannot be written below {folder}: {source}")]
    File {
        /// The folder.
        folder: String,
        /// The system's error.
        source: io::Error,
    },
    /// A game of the store is not legal.
    #[error("game {name} of the store is broken: {source}")]
    Broken {
        /// Cell and number of the game.
        name: String,
        /// The rules' error.
        source: GameError,
    },
}

/// Longest name of a cell's folder, in bytes, without its number. File systems have room for 255.
const LONGEST_FOLDER: usize = 200;

/// Folder for games that do not count, within the folder of their cell.
const WITHOUT_SAY: &str = "without-say";

/// Numbers of written games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Games that reports count.
    pub counted: u64,
    /// Games that reports leave out.
    pub without_say: u64,
}

/// Folder of each cell: its label without characters that file systems refuse, cut where it is too long for them, and
/// with a number where another cell has the same name.
fn folders(specification: &Specification) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let folder = |cell: &Cell| {
        let plain = (cell.label.replace(' ', "_"))
            .replace(['/', '\\', ':', '*', '?', '"', '<', '>', '|'], "-");
        let plain = plain[..plain.floor_char_boundary(LONGEST_FOLDER)].to_owned();
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        // Some file systems ignore the case of letters.
        let free = names.find(|name| taken.insert(name.to_lowercase()));
        free.unwrap_or(plain)
    };
    specification.cells.iter().map(folder).collect()
}

/// Lines about the origin of a game: what is needed to play it again.
fn origin(row: &GameRow) -> Vec<String> {
    let mut lines = vec![format!("build: {}", row.build)];
    lines.extend(row.source.iter().map(|source| format!("commit: {source}")));
    if let Some(origin) = &row.origin {
        lines.push(format!("specification: {}", origin.specification));
        lines.push(format!("seed: {}", origin.seed));
    }
    lines
}

/// Removes the games that an earlier report has written into a folder: they may be of other settings, or may not count
/// any more.
fn remove_games(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if is_written_game(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Tells whether a file has a name that [`write_games`] gives.
fn is_written_game(name: &str) -> bool {
    let parts = name.split_once('.').and_then(|(game, ending)| {
        let (pair, number) = game.split_once('-')?;
        Some((pair, number, ending))
    });
    parts.is_some_and(|(pair, number, ending)| {
        let is_pair = pair.len() >= 5 && pair.bytes().all(|byte| byte.is_ascii_digit());
        is_pair && matches!(number, "0" | "1") && matches!(ending, "csa" | "kifu" | "jsonl")
    })
}

/// Writes every game as `CELL/PAIR-GAME.csa` and `.kifu` (KIF in UTF-8), and its ballots as `.jsonl` where
/// they were kept. Games that do not count go to a folder of their own within that of the cell. Games of an earlier
/// report in these folders are removed.
///
/// # Errors
/// The store cannot be read, or a file cannot be written.
pub async fn write_games(
    specification: &Specification,
    store: &dyn Store,
    folder: &Path,
) -> Result<Written, WriteError> {
    let mut written = Written::default();
    let folders = folders(specification);
    for (index, (cell, name)) in specification.cells.iter().zip(&folders).enumerate() {
        let folder = folder.join(name);
        let counted = CountedPairs::of(specification, store, index).await?;
        let failed = |source| WriteError::File {
            folder: folder.display().to_string(),
            source,
        };
        fs::create_dir_all(&folder).map_err(failed)?;
        for folder in [&folder, &folder.join(WITHOUT_SAY)] {
            remove_games(folder).map_err(failed)?;
        }
        let rows = store.games(index).await?;
        let rows = rows.iter().map(|row| ((row.pair, row.game), row));
        let rows: BTreeMap<(u32, u32), &GameRow> = rows.collect();
        let mut from = 0;
        loop {
            let records = store.records(index, from, AT_A_TIME).await?;
            let Some(last) = records.last() else { break };
            from = last.pair + 1;
            for record in &records {
                let Some(row) = rows.get(&(record.pair, record.game)) else {
                    continue;
                };
                let counts = counted.includes(record.pair);
                let folder = match counts {
                    true => folder.clone(),
                    false => folder.join(WITHOUT_SAY),
                };
                fs::create_dir_all(&folder).map_err(failed)?;
                let event = format!("{} {} pair {}", specification.name, cell.label, record.pair);
                let mut names = [cell.first.name.as_str(), cell.second.name.as_str()];
                if record.game == 1 {
                    names.reverse();
                }
                let kifu = Kifu {
                    event: &event,
                    comments: &origin(row),
                    names,
                    moves: &record.moves,
                    notes: &record.notes.0,
                    ending: &row.ending,
                    result: row.result,
                    first_is_black: record.game == 0,
                };
                let name = format!("{:05}-{}", record.pair, record.game);
                let broken = |source| WriteError::Broken {
                    name: format!("{} {name}", cell.label),
                    source,
                };
                let csa = kifu.csa().map_err(broken)?;
                let kif = kifu.kif().map_err(broken)?;
                fs::write(folder.join(format!("{name}.csa")), csa).map_err(failed)?;
                fs::write(folder.join(format!("{name}.kifu")), kif).map_err(failed)?;
                if !record.ballots.is_empty() {
                    let file = folder.join(format!("{name}.jsonl"));
                    fs::write(file, &record.ballots).map_err(failed)?;
                }
                match counts {
                    true => written.counted += 1,
                    false => written.without_say += 1,
                }
            }
        }
    }
    Ok(written)
}
