//! Reading of network files.

use crate::files::{FileError, read};
use monju_engine::eval::{Network, nnue::NetworkError};
use std::path::{Path, PathBuf};

/// Error of reading a network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkFileError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is no network.
    #[error("in {}", path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: NetworkError,
    },
}

/// Reads a network of either format.
///
/// # Errors
/// The file cannot be read or is no network.
pub(super) fn read_network(path: &Path) -> Result<Network, NetworkFileError> {
    Network::from_bytes(&read(path)?).map_err(|source| NetworkFileError::Network {
        path: path.to_owned(),
        source,
    })
}
