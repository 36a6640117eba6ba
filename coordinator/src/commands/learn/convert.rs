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

    #[test]
    fn formats_change_and_networks_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/weights/nn.bin");
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
        let dropped = ConvertRun {
            nn_bin: Some(file("dropped.bin")),
            drop_missing: true,
            ..back.clone()
        };
        dropped.run().unwrap();
        let again = read_network(&file("dropped.bin")).unwrap();
        assert_eq!(again, again.without_missing());

        let over = ConvertRun {
            nn_bin: Some(file("own")),
            ..back
        };
        let error = over.run().unwrap_err().to_string();
        assert!(error.contains("which is read"), "{error}");
    }
}
