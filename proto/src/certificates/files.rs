//! Writing the files of certificates.

use super::error::CertificatesError;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Makes a folder, unless it is there.
pub fn make_folder(folder: &Path) -> Result<(), CertificatesError> {
    fs::create_dir_all(folder).map_err(|source| CertificatesError::Write {
        path: folder.to_owned(),
        source,
    })
}

/// Writes a file whole or not at all. On systems with permissions, only its owner can read it.
pub fn write(path: PathBuf, text: &str) -> Result<(), CertificatesError> {
    let mut part = path.clone().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    let write = || {
        // One that was left behind may have other permissions.
        let _ = fs::remove_file(&part);
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&part)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        drop(file);
        fs::rename(&part, &path)
    };
    write().map_err(|source| CertificatesError::Write { path, source })
}
