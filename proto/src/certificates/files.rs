//! Writing the files of certificates.

use super::error::CertificatesError;
use crate::tls::{CERTIFICATE_FILE, read_pem, role_and_serial};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Makes a folder, unless it is there.
pub fn make_folder(folder: &Path) -> Result<(), CertificatesError> {
    fs::create_dir_all(folder).map_err(|source| CertificatesError::Write {
        path: folder.to_owned(),
        source,
    })
}

/// Reads a file; an empty text where there is none.
pub fn read_if_there(path: PathBuf) -> Result<String, CertificatesError> {
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|source| CertificatesError::Read { path, source }),
    }
}

/// Returns the serial number of the certificate in a member's folder, as hexadecimal digits.
pub fn serial(folder: &Path) -> Result<String, CertificatesError> {
    let path = folder.join(CERTIFICATE_FILE);
    let text = fs::read_to_string(&path).map_err(|source| CertificatesError::Read {
        path: path.clone(),
        source,
    })?;
    let certificate = read_pem(&text).as_ref().and_then(role_and_serial);
    let (_, bytes) = certificate.ok_or(CertificatesError::Form(path))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
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
