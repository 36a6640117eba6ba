//! The run behind `monju learn convert`: a network in another format.

use super::network_file::{NetworkFileError, read_network};
use crate::files::{FileError, check_outputs, write_atomically};
use monju_engine::eval::nnue::NetworkError;
use std::path::PathBuf;

/// Conversion of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkConversionRun {
    /// The network, in either format.
    pub network: PathBuf,
    /// The file to write in Monju's own format.
    pub output: Option<PathBuf>,
    /// The `nn.bin` to write for other engines.
    pub nn_bin: Option<PathBuf>,
    /// Removes the weights of missing pieces.
    pub drop_missing: bool,
}

/// Error of a conversion.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The network cannot be read.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// Other engines have no networks of its architecture.
    #[error(transparent)]
    Architecture(NetworkError),
}

impl NetworkConversionRun {
    /// Reads the network and writes it in the formats asked for, if all of them are possible. Returns
    /// its hash.
    ///
    /// # Errors
    /// A file cannot be read or written, or is no network; other engines have none of its architecture.
    pub fn run(&self) -> Result<u64, ConvertError> {
        let outputs: Vec<PathBuf> = self.output.iter().chain(&self.nn_bin).cloned().collect();
        check_outputs([self.network.as_path()], &outputs)?;
        let mut network = read_network(&self.network)?;
        if self.drop_missing {
            network = network.without_missing();
        }
        let nn_bin = match &self.nn_bin {
            Some(path) => Some((
                path,
                network.to_nn_bin().map_err(ConvertError::Architecture)?,
            )),
            None => None,
        };
        if let Some(path) = &self.output {
            write_atomically(path, &network.to_bytes())?;
        }
        if let Some((path, bytes)) = nn_bin {
            write_atomically(path, &bytes)?;
        }
        Ok(network.hash())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    /// Features of a K-P network.
    const ROWS: usize = 1710;

    /// Size of a feature's row in bytes.
    const ROW_BYTES: usize = 512;

    /// Size of the rest of the file: a hash, and the layers of 512, 32 and 32 inputs with their biases.
    const HIDDEN_BYTES: usize = 4 + 32 * (4 + 512) + 32 * (4 + 32) + 4 + 32;

    #[test]
    fn conversion_keeps_the_network() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../weights/nn.bin");
        let run = NetworkConversionRun {
            network: embedded.clone(),
            output: Some(file("own")),
            nn_bin: None,
            drop_missing: false,
        };
        run.run().unwrap();
        let back = NetworkConversionRun {
            network: file("own"),
            output: None,
            nn_bin: Some(file("nn.bin")),
            drop_missing: false,
        };
        back.run().unwrap();
        assert!(fs::read(file("nn.bin")).unwrap() == fs::read(&embedded).unwrap());

        // The embedded network with other weights for missing pieces, which come first.
        let mut bytes = fs::read(&embedded).unwrap();
        let rows = bytes.len() - (HIDDEN_BYTES + ROWS * ROW_BYTES);
        bytes[rows..][..ROW_BYTES].fill(1);
        fs::write(file("missing.bin"), &bytes).unwrap();
        let drop = |drop_missing| {
            let run = NetworkConversionRun {
                network: file("missing.bin"),
                nn_bin: Some(file("written.bin")),
                drop_missing,
                ..back.clone()
            };
            run.run().unwrap();
            fs::read(file("written.bin")).unwrap()
        };
        assert!(drop(false) == bytes);
        assert!(drop(true) == fs::read(&embedded).unwrap());

        let over = NetworkConversionRun {
            nn_bin: Some(file("own")),
            ..back
        };
        let error = over.run().unwrap_err().to_string();
        assert!(error.contains("which is read"), "{error}");
    }
}
