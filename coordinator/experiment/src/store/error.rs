//! Errors of a store.

use super::fault::DatabaseFault;
use crate::stored_text::StoredTextError;
use std::path::PathBuf;

/// Error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be reached now, but perhaps later.
    #[error("the store is not reachable: {0}")]
    Unavailable(#[source] DatabaseFault),
    /// The store holds games of a cell with other settings.
    #[error(
        "the store holds games of '{cell}' of '{name}' with other settings ({theirs}, these are {ours}); \
         restore the settings, or give --accept-changes to begin the cell anew and keep the old games apart"
    )]
    Changed {
        /// The experiment.
        name: String,
        /// The cell.
        cell: String,
        /// Hash of the settings in the store.
        theirs: String,
        /// Hash of the settings to be played.
        ours: String,
    },
    /// The store holds games of a cell with the same parameters in another order, which begins anew in this one.
    #[error(
        "the store holds games of '{theirs}' of '{name}', which this file calls '{cell}'; put the parameters back into \
         their order, or give --accept-changes to play new cells beside the old ones"
    )]
    Reordered {
        /// The experiment.
        name: String,
        /// The cell of the file.
        cell: String,
        /// The cell of the store.
        theirs: String,
    },
    /// The store holds games of another build.
    #[error(
        "the store holds games of '{cell}' of '{name}' by another build ({theirs}, this is {ours}); \
         use that build or another store, or give --accept-build if both play the same games"
    )]
    OtherBuild {
        /// The experiment.
        name: String,
        /// The cell.
        cell: String,
        /// Builds that the store knows.
        theirs: String,
        /// Build that is to play.
        ours: String,
    },
    /// The file does not exist.
    #[error(
        "there is no store {}; correct --store, or start the experiment with 'monju experiment run'",
        .0.display()
    )]
    Absent(PathBuf),
    /// The store cannot be opened.
    #[error("cannot use the store {address}: {source}")]
    Open {
        /// Its address, without a password.
        address: String,
        /// The database's fault.
        source: DatabaseFault,
    },
    /// The store does not hold this experiment.
    #[error("the store has no experiment '{0}'; start it with 'monju experiment run'")]
    Unknown(String),
    /// The text is not the address of a store.
    #[error("'{0}' is no store; expected a file, sqlite:FILE, or postgres://user@host/database")]
    Address(String),
    /// The store holds games of the experiment that is to be imported.
    #[error("the store has games of '{0}' already; name a new store")]
    Begun(String),
    /// A bundle is read only.
    #[error("a sealed bundle cannot be played; name the file of the experiment")]
    Sealed,
    /// The database refuses.
    #[error("the store: {0}")]
    Database(#[source] DatabaseFault),
}

impl StoreError {
    /// Returns true if the server has no connection to spare.
    pub fn is_full(&self) -> bool {
        self.fault_on_the_way().is_some_and(DatabaseFault::is_full)
    }

    /// Returns true if the server is starting.
    pub fn is_starting(&self) -> bool {
        self.fault_on_the_way()
            .is_some_and(DatabaseFault::is_starting)
    }

    /// The fault by which the store was not reached.
    fn fault_on_the_way(&self) -> Option<&DatabaseFault> {
        match self {
            Self::Unavailable(fault) | Self::Open { source: fault, .. } => Some(fault),
            _ => None,
        }
    }
}

impl From<DatabaseFault> for StoreError {
    fn from(fault: DatabaseFault) -> Self {
        if fault.is_temporary() {
            Self::Unavailable(fault)
        } else {
            Self::Database(fault)
        }
    }
}

impl From<StoredTextError> for StoreError {
    fn from(error: StoredTextError) -> Self {
        DatabaseFault::Text(error).into()
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        DatabaseFault::Sql(error).into()
    }
}
