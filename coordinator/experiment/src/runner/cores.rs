//! Cores for games whose effort is measured in time.
//!
//! Each board gets cores of its own, on which its players are kept, so that games at the same time do not take time
//! from each other. Several runners on one machine share its cores: each holds a lock on a file for every core that it
//! uses, which ends with its process.

use crate::specification::{Cell, Specification};
use monju_host::CoreSet;
use std::{
    env,
    fs::{File, OpenOptions},
    io,
    path::Path,
};
use tracing::warn;

/// Cores that no other runner of this machine uses.
#[derive(Debug, Default)]
pub struct ClaimedCores {
    cores: CoreSet,
    /// For each board.
    share: usize,
    _locks: Vec<File>,
}

impl ClaimedCores {
    /// Claims cores for the boards of an experiment in which time measures effort. Claims none elsewhere, and where
    /// too few are free; then the games are played wherever the system puts them.
    pub fn claim(specification: &Specification, boards: usize) -> Self {
        let threads = specification.cells.iter().flat_map(Cell::timed_threads);
        let share = threads.max().unwrap_or(0);
        if share == 0 {
            return Self::default();
        }
        let needed = share * boards;
        let available = CoreSet::available();
        if available.numbers().len() < needed {
            // `crowded` has warned.
            return Self::default();
        }
        let claimed = claim_in(&env::temp_dir(), &available, needed);
        match claimed {
            Ok(Some((cores, locks))) => Self {
                cores,
                share,
                _locks: locks,
            },
            Ok(None) => {
                warn!(
                    "other runners use the cores of this machine, so that games for limited time may take time from \
                     each other; play one experiment at a time, or limit nodes"
                );
                Self::default()
            }
            Err(error) => {
                warn!(%error, "cores cannot be claimed; games are played wherever the system puts them");
                Self::default()
            }
        }
    }

    /// Takes the cores of the next board.
    pub fn next(&mut self) -> CoreSet {
        self.cores.take(self.share)
    }
}

/// Claims `needed` of the available cores by files in a folder; returns nothing if too few are free.
fn claim_in(
    folder: &Path,
    available: &CoreSet,
    needed: usize,
) -> io::Result<Option<(CoreSet, Vec<File>)>> {
    let mut cores = Vec::with_capacity(needed);
    let mut locks = Vec::with_capacity(needed);
    for &core in available.numbers() {
        if cores.len() == needed {
            break;
        }
        let path = folder.join(format!("monju-core-{core}.lock"));
        // Another user's file can be read, which is enough to lock it.
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut options = OpenOptions::new();
                options.read(true).write(true).create(true).truncate(false);
                options.open(&path)
            }
            opened => opened,
        };
        let file = file?;
        if file.try_lock().is_ok() {
            cores.push(core);
            locks.push(file);
        }
    }
    Ok((cores.len() == needed).then(|| (CoreSet::new(cores), locks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runners_of_one_machine_get_different_cores() {
        let folder = tempfile::tempdir().expect("a folder");
        let available = CoreSet::new(vec![0, 1, 5]);
        let claim =
            |needed| claim_in(folder.path(), &available, needed).expect("a writable folder");
        let (first, locks) = claim(2).expect("free cores");
        assert_eq!(first.numbers(), [0, 1]);
        assert!(claim(2).is_none(), "one is left");
        let (second, _held) = claim(1).expect("a free core");
        assert_eq!(second.numbers(), [5]);
        drop(locks);
        let (third, _) = claim(2).expect("free again");
        assert_eq!(third.numbers(), [0, 1]);
    }
}
