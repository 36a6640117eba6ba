//! Cores for games whose effort is measured in time.
//!
//! Each board gets cores of its own, on which its players are kept, so that games at the same time do not take time
//! from each other. Several runners on one machine share its cores: each holds a lock on a file for every core that it
//! uses, which ends with its process. A container has a folder of its own for these files: where it may use a share of
//! the machine's time and not a set of its cores, no core is claimed, since other containers would claim the same ones.

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
    /// Claims cores for the boards of an experiment in which time measures effort; `usable` is the number of cores
    /// whose time the runner may use. Claims none elsewhere, and where too few are free or they are not its own; then
    /// the games are played wherever the system puts them.
    pub fn claim(specification: &Specification, boards: usize, usable: usize) -> Self {
        let threads = specification.cells.iter().flat_map(Cell::timed_threads);
        let share = threads.max().unwrap_or(0);
        Self::claim_in(
            &env::temp_dir(),
            CoreSet::available(),
            usable,
            [share, boards],
        )
    }

    fn claim_in(
        folder: &Path,
        available: CoreSet,
        usable: usize,
        [share, boards]: [usize; 2],
    ) -> Self {
        let needed = share * boards;
        let seen = available.numbers().len();
        if share == 0 || seen < needed {
            // `crowded` has warned.
            return Self::default();
        }
        if seen > usable {
            warn!(
                "this process may use the time of {usable} cores and sees {seen}, so that its players are not kept on \
                 cores of their own, and others may take time from them; give its container a set of cores, such as \
                 by --cpuset-cpus, or limit nodes"
            );
            return Self::default();
        }
        match free_in(folder, &available, needed) {
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
fn free_in(
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
        let claim = |needed| free_in(folder.path(), &available, needed).expect("a writable folder");
        let (first, locks) = claim(2).expect("free cores");
        assert_eq!(first.numbers(), [0, 1]);
        assert!(claim(2).is_none(), "one is left");
        let (second, _held) = claim(1).expect("a free core");
        assert_eq!(second.numbers(), [5]);
        drop(locks);
        let (third, _) = claim(2).expect("free again");
        assert_eq!(third.numbers(), [0, 1]);
    }

    #[test]
    fn a_share_of_all_cores_is_no_set_of_cores() {
        let folder = tempfile::tempdir().expect("a folder");
        let boards = |usable| {
            let available = CoreSet::new(vec![2, 3, 6, 7]);
            let mut claimed = ClaimedCores::claim_in(folder.path(), available, usable, [1, 2]);
            [claimed.next(), claimed.next()].map(|cores| cores.numbers().to_vec())
        };
        let none = boards(2).iter().all(Vec::is_empty);
        assert!(none, "a quota of two cores, all four seen");
        assert_eq!(boards(4), [[2], [3]]);
    }
}
