//! Errors of a store.

use super::fault::DatabaseFault;
use std::path::PathBuf;

/// Error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be reached now, but perhaps later.
    #[error("the store is not reachable: {0}")]
    Unavailable(#[source] DatabaseFault),
    /// The store holds another experiment than the one to be played.
    #[error(
        "the store holds results of another {what} of '{name}' ({theirs}, this is {ours}); \
         use another store, or say --accept-changes to mix them"
    )]
    Mixed {
        /// `specification` or `build`.
        what: &'static str,
        /// The experiment.
        name: String,
        /// Value in the store.
        theirs: String,
        /// Value of the experiment to be played.
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
    /// The database refuses.
    #[error("the store: {0}")]
    Database(#[source] DatabaseFault),
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

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        DatabaseFault::Sql(error).into()
    }
}
