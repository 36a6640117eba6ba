//! Writing the files of certificates.

use super::{day::LastDay, error::CertificatesError};
use crate::{
    role::Role,
    tls::{CERTIFICATE_FILE, read_pem, role_and_serial, validity},
};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// The file of the serial numbers of certificates that others took the place of, beside the authority's key.
pub const REPLACED_FILE: &str = "replaced.txt";

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
    let (_, bytes) = certificate(folder)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the role of the certificate in a folder; `None` where there is none.
pub fn role_in(folder: &Path) -> Option<Role> {
    certificate(folder).ok().map(|(role, _)| role)
}

/// Returns the last day of the certificate in a member's folder; `None` for one that is valid for ever, or not there.
pub fn last_day(folder: &Path) -> Option<LastDay> {
    let text = fs::read_to_string(folder.join(CERTIFICATE_FILE)).ok()?;
    let [_, last] = validity(&read_pem(&text)?)?;
    LastDay::of(last)
}

/// Returns role and serial number of the certificate in a member's folder.
fn certificate(folder: &Path) -> Result<(Role, Vec<u8>), CertificatesError> {
    let path = folder.join(CERTIFICATE_FILE);
    let text = fs::read_to_string(&path).map_err(|source| CertificatesError::Read {
        path: path.clone(),
        source,
    })?;
    let certificate = read_pem(&text).as_ref().and_then(role_and_serial);
    certificate.ok_or(CertificatesError::Form(path))
}

/// Writes a file whole or not at all. On systems with permissions, only its owner can read it.
pub fn write(path: PathBuf, text: &str) -> Result<(), CertificatesError> {
    let write = || {
        // Temporary files are their owner's alone, and keep their permissions under the new name.
        let mut draft = NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        draft.write_all(text.as_bytes())?;
        draft.as_file().sync_all()?;
        draft.persist(&path)?;
        Ok::<_, io::Error>(())
    };
    write().map_err(|source| CertificatesError::Write { path, source })
}
