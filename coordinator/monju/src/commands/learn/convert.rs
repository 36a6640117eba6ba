//! `monju learn convert`: a network in another format.

use super::{keep_apart, nnue::read_network, write_whole};
use std::path::PathBuf;

/// What to read and to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertRun {
    /// The network, in either format.
    pub network: PathBuf,
    /// The file to write in Monju's own format.
    pub output: Option<PathBuf>,
    /// The `nn.bin` to write for other engines.
    pub nn_bin: Option<PathBuf>,
    /// Leaves out the weights of missing pieces.
    pub drop_missing: bool,
}

impl ConvertRun {
    /// Reads, and writes; nothing is written of what cannot be.
    ///
    /// # Errors
    /// A file cannot be read or written, or is no network; other engines have none of its architecture.
    pub fn run(&self) -> anyhow::Result<()> {
        let outputs: Vec<PathBuf> = self.output.iter().chain(&self.nn_bin).cloned().collect();
        keep_apart([self.network.as_path()], &outputs)?;
        let mut network = read_network(&self.network)?;
        if self.drop_missing {
            network = network.without_missing();
        }
        let nn_bin = match &self.nn_bin {
            Some(path) => Some((path, network.to_nn_bin()?)),
            None => None,
        };
        if let Some(path) = &self.output {
            write_whole(path, &network.to_bytes())?;
            println!("{} {:016x}", path.display(), network.hash());
        }
        if let Some((path, bytes)) = nn_bin {
            write_whole(path, &bytes)?;
            println!("{} {:016x}", path.display(), network.hash());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    /// Features of a K-P network, and the bytes of what one of them adds to the first layer.
    const ROWS: usize = 1710;
    const ROW_BYTES: usize = 512;

    /// What follows them: a hash, and the layers of 512, 32 and 32 inputs with their biases.
    const HIDDEN_BYTES: usize = 4 + 32 * (4 + 512) + 32 * (4 + 32) + 4 + 32;

    #[test]
    fn formats_change_and_networks_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../engine/weights/nn.bin");
        let run = ConvertRun {
            network: embedded.clone(),
            output: Some(file("own")),
            nn_bin: None,
            drop_missing: false,
        };
        run.run().unwrap();
        let back = ConvertRun {
            network: file("own"),
            output: None,
            nn_bin: Some(file("nn.bin")),
            drop_missing: false,
        };
        back.run().unwrap();
        assert!(fs::read(file("nn.bin")).unwrap() == fs::read(&embedded).unwrap());

        // The embedded network with other weights for missing pieces, which stand before those of all others.
        let mut bytes = fs::read(&embedded).unwrap();
        let rows = bytes.len() - (HIDDEN_BYTES + ROWS * ROW_BYTES);
        bytes[rows..][..ROW_BYTES].fill(1);
        fs::write(file("missing.bin"), &bytes).unwrap();
        let drop = |drop_missing| {
            let run = ConvertRun {
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

        let over = ConvertRun {
            nn_bin: Some(file("own")),
            ..back
        };
        let error = over.run().unwrap_err().to_string();
        assert!(error.contains("which is read"), "{error}");
    }
}
