//! The games as files: CSA and KIF for GUIs, ballots as JSON lines.

use crate::experiment::{
    kifu::Kifu,
    record::GameResult,
    specification::Specification,
    store::{Store, StoreError},
};
use std::{collections::BTreeMap, fs, io, path::Path};

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

/// Writes every game as `CELL/PAIR-GAME.csa` and `.kifu` (KIF in UTF-8), and its ballots as `.jsonl` where they
/// were kept. Returns how many games there are.
///
/// # Errors
/// The store or a file fails.
pub async fn write_games(
    specification: &Specification,
    store: &dyn Store,
    folder: &Path,
) -> Result<u64, WriteError> {
    let mut written = 0;
    for (index, cell) in specification.cells.iter().enumerate() {
        let folder = folder.join(cell.label.replace(' ', "_").replace(['/', '\\', ':'], "-"));
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
                let event = format!("{} {} pair {}", specification.name, cell.label, record.pair);
                let mut names = [cell.first.name.as_str(), cell.second.name.as_str()];
                if record.game == 1 {
                    names.reverse();
                }
                let kifu = Kifu {
                    event: &event,
                    names,
                    moves: &record.moves,
                    ending,
                    result,
                    first_is_black: record.game == 0,
                };
                let name = format!("{:05}-{}", record.pair, record.game);
                let broken = |error: monju_engine::GameError| WriteError::Broken {
                    name: format!("{} {name}", cell.label),
                    what: error.to_string(),
                };
                let csa = kifu.csa().map_err(broken)?;
                let kif = kifu.kif().map_err(broken)?;
                fs::write(folder.join(format!("{name}.csa")), csa).map_err(failed)?;
                fs::write(folder.join(format!("{name}.kifu")), kif).map_err(failed)?;
                if !record.ballots.is_empty() {
                    let file = folder.join(format!("{name}.jsonl"));
                    fs::write(file, &record.ballots).map_err(failed)?;
                }
                written += 1;
            }
        }
    }
    Ok(written)
}
