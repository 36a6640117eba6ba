//! A member's folder that is read again while the process runs.

use super::{
    error::{Revoked, TlsError},
    folder::MemberFolder,
};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError, RwLock, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};
use tracing::{info, warn};

/// Interval at which the folder is looked at.
pub const INTERVAL: Duration = Duration::from_secs(1);

/// A folder as it was read last.
pub struct LiveFolder {
    path: PathBuf,
    folder: RwLock<Arc<MemberFolder>>,
    /// Number of times that the folder has changed.
    changes: AtomicU64,
}

impl LiveFolder {
    /// Reads a folder, and follows its changes as long as somebody uses it.
    ///
    /// # Errors
    /// Those of [`MemberFolder::read`].
    pub fn read(path: &Path) -> Result<Arc<Self>, TlsError> {
        let live = Arc::new(Self {
            path: path.to_owned(),
            folder: RwLock::new(Arc::new(MemberFolder::read(path)?)),
            changes: AtomicU64::new(0),
        });
        let followed = Arc::downgrade(&live);
        let thread = thread::Builder::new().name("certificates".to_owned());
        if let Err(error) = thread.spawn(move || follow(&followed)) {
            warn!(%error, "changes of the certificates are not followed");
        }
        Ok(live)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder as it was read last.
    pub fn now(&self) -> Arc<MemberFolder> {
        Arc::clone(&self.folder.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of times that the folder has changed.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Checks that a certificate still belongs to the team.
    ///
    /// # Errors
    /// Its serial number is on the list of revoked ones.
    pub fn check(&self, serial: &[u8]) -> Result<(), Revoked> {
        match self.now().revoked.contains(serial) {
            true => Err(Revoked),
            false => Ok(()),
        }
    }

    fn replace(&self, changed: MemberFolder) {
        let revoked = changed.revoked.len();
        info!(folder = %self.path.display(), revoked, "certificates read again");
        let mut folder = self.folder.write().unwrap_or_else(PoisonError::into_inner);
        *folder = Arc::new(changed);
        self.changes.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads the folder again whenever its files change, in a thread of its own.
#[expect(
    clippy::disallowed_methods,
    reason = "the thread has no runtime, and certificates follow the real clock"
)]
fn follow(followed: &Weak<LiveFolder>) {
    let mut complaint = String::new();
    loop {
        thread::sleep(INTERVAL);
        let Some(live) = followed.upgrade() else {
            return;
        };
        match live.now().read_again(&live.path) {
            Ok(None) => complaint.clear(),
            Ok(Some(changed)) => {
                live.replace(changed);
                complaint.clear();
            }
            // Half of a copy may be there.
            Err(error) => {
                // A certificate that is revoked is refused at once, whatever is wrong with our own files.
                if let Some(changed) = live.now().with_revoked(&live.path) {
                    live.replace(changed);
                }
                let error = error.to_string();
                if complaint != error {
                    warn!(error, "the certificates stay as they were");
                    complaint = error;
                }
            }
        }
    }
}
