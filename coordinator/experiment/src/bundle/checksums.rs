//! Checksums of the files of a bundle.

use super::{BundleError, CHECKSUMS};
use sha2::{Digest, Sha256};
use std::{fs, io, path::Path};

/// Writes the checksums of some files of a folder.
pub(super) fn write(folder: &Path, names: &[&str]) -> Result<(), BundleError> {
    let mut lines = String::new();
    for name in names {
        lines.push_str(&format!("{}  {name}\n", checksum(&folder.join(name))?));
    }
    let path = folder.join(CHECKSUMS);
    fs::write(&path, lines).map_err(|source| BundleError::file(&path, source))
}

/// Checks that each of these files of a folder is the one that was sealed.
pub(super) fn check(folder: &Path, names: &[&str]) -> Result<(), BundleError> {
    let path = folder.join(CHECKSUMS);
    let lines = fs::read_to_string(&path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound if folder.is_dir() => BundleError::NoBundle(folder.to_owned()),
        _ => BundleError::file(&path, source),
    })?;
    for name in names {
        let sealed = lines
            .lines()
            .filter_map(|line| line.split_once("  "))
            .find_map(|(sum, sealed)| (sealed == *name).then_some(sum))
            .ok_or_else(|| BundleError::form(&path, format!("no checksum of {name}")))?;
        let file = folder.join(name);
        if checksum(&file)? != sealed {
            return Err(BundleError::Changed(file));
        }
    }
    Ok(())
}

fn checksum(path: &Path) -> Result<String, BundleError> {
    let broken = |source| BundleError::file(path, source);
    let mut hash = Sha256::new();
    let mut file = fs::File::open(path).map_err(broken)?;
    io::copy(&mut file, &mut hash).map_err(broken)?;
    let bytes = hash.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
