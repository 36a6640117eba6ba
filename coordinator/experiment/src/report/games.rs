//! The games as files: CSA and KIF for GUIs, ballots as JSON lines.

use crate::{
    counted::Counted,
    kifu::Kifu,
    record::GameResult,
    specification::{Cell, Specification},
    store::{Store, StoreError},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

/// Games that are held in memory at a time.
const AT_A_TIME: u32 = 200;

/// Why games could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// They cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// They cannot be written.
    #[error("games cannot be written below {folder}: {source}")]
    File {
        /// Where they should be.
        folder: String,
        /// What the system says.
        source: io::Error,
    },
    /// A record is broken.
    #[error("game {name} of the store is broken: {what}")]
    Broken {
        /// Which game.
        name: String,
        /// What is wrong with it.
        what: String,
    },
}

/// Where games go that have no say, within the folder of their cell.
const WITHOUT_SAY: &str = "without-say";

/// How many games there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Those that reports count.
    pub counted: u64,
    /// Those that they leave out.
    pub without_say: u64,
}

/// The folder of each cell: its label, without what a file system may not like, and with a number
/// where another cell has that name already.
fn folders(specification: &Specification) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let folder = |cell: &Cell| {
        let plain = (cell.label.replace(' ', "_"))
            .replace(['/', '\\', ':', '*', '?', '"', '<', '>', '|'], "-");
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        // Some file systems do not tell capitals from small letters.
        let free = names.find(|name| taken.insert(name.to_lowercase()));
        free.unwrap_or(plain)
    };
    specification.cells.iter().map(folder).collect()
}

/// Writes every game as `CELL/PAIR-GAME.csa` and `.kifu` (KIF in UTF-8), and its ballots as `.jsonl` where they
/// were kept. Games that have no say go to a folder of their own within that of the cell.
///
/// # Errors
/// The store or a file fails.
pub async fn write_games(
    specification: &Specification,
    store: &dyn Store,
    folder: &Path,
) -> Result<Written, WriteError> {
    let mut written = Written::default();
    let folders = folders(specification);
    for (index, (cell, name)) in specification.cells.iter().zip(&folders).enumerate() {
        let folder = folder.join(name);
        let counted = Counted::of(specification, store, index).await?;
        let failed = |source| WriteError::File {
            folder: folder.display().to_string(),
            source,
        };
        fs::create_dir_all(&folder).map_err(failed)?;
        let rows = store.games(index).await?;
        let ends: BTreeMap<(u32, u32), (GameResult, &str)> = rows
            .iter()
            .map(|row| ((row.pair, row.game), (row.result, row.ending.as_str())))
            .collect();
        let mut from = 0;
        loop {
            let records = store.records(index, from, AT_A_TIME).await?;
            let Some(last) = records.last() else { break };
            from = last.pair + 1;
            for record in &records {
                let Some(&(result, ending)) = ends.get(&(record.pair, record.game)) else {
                    continue;
                };
                let has_say = counted.has_say(record.pair);
                let apart = folder.join(WITHOUT_SAY);
                let (folder, other) = match has_say {
                    true => (folder.clone(), apart),
                    false => (apart, folder.clone()),
                };
                fs::create_dir_all(&folder).map_err(failed)?;
                let event = format!("{} {} pair {}", specification.name, cell.label, record.pair);
                let mut names = [cell.first.name.as_str(), cell.second.name.as_str()];
                if record.game == 1 {
                    names.reverse();
                }
                let kifu = Kifu {
                    event: &event,
                    names,
                    moves: &record.moves,
                    notes: &record.notes.0,
                    ending,
                    result,
                    first_is_black: record.game == 0,
                };
                let name = format!("{:05}-{}", record.pair, record.game);
                let broken = |error: monju_engine::GameError| WriteError::Broken {
                    name: format!("{} {name}", cell.label),
                    what: error.to_string(),
                };
                // It may have had a say, or none, when games were written here before.
                for ending in ["csa", "kifu", "jsonl"] {
                    match fs::remove_file(other.join(format!("{name}.{ending}"))) {
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                        removed => removed.map_err(failed)?,
                    }
                }
                let csa = kifu.csa().map_err(broken)?;
                let kif = kifu.kif().map_err(broken)?;
                fs::write(folder.join(format!("{name}.csa")), csa).map_err(failed)?;
                fs::write(folder.join(format!("{name}.kifu")), kif).map_err(failed)?;
                if !record.ballots.is_empty() {
                    let file = folder.join(format!("{name}.jsonl"));
                    fs::write(file, &record.ballots).map_err(failed)?;
                }
                match has_say {
                    true => written.counted += 1,
                    false => written.without_say += 1,
                }
            }
        }
    }
    Ok(written)
}
