//! The one certificate of a team whose members share a folder.
//!
//! The authority stands beside that folder, which is copied as a whole. A renewed certificate is copied to all machines
//! before the old one is revoked, so no connection is refused on the way.

use super::{
    authority::{Authority, Days},
    error::CertificatesError,
    files::{REPLACED_FILE, make_folder, read_if_there, role_in, serial, write},
};
use crate::{role::Role, tls::REVOKED_FILE};
use std::path::{Path, PathBuf};

/// The name of all members that share a folder.
pub const SHARED: &str = "member";

/// Returns the whole path of the authority's folder: `team-authority` beside `team`.
pub fn authority_beside(folder: &Path) -> PathBuf {
    // A path may end in a dot, or in two.
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut name = whole.file_name().unwrap_or_default().to_owned();
    name.push("-authority");
    whole.with_file_name(name)
}

/// Tells whether a folder is that of a team whose members share it.
pub fn is_shared(folder: &Path) -> bool {
    authority_beside(folder).exists() || role_in(folder) == Some(Role::Member)
}

/// Creates the authority and the certificate.
pub fn create(folder: &Path, days: Days) -> Result<(), CertificatesError> {
    let home = authority_beside(folder);
    make_folder(&home)?;
    let authority = Authority::new(Role::Member)?;
    authority.write(&home)?;
    authority.sign(days)?.write(folder, &[&authority])
}

/// Makes a new certificate in place of the old one, which stays valid.
pub fn renew(folder: &Path, days: Days) -> Result<(), CertificatesError> {
    let home = authority_beside(folder);
    let authority = Authority::read(Role::Member, &home)?;
    let replaced = read_if_there(home.join(REPLACED_FILE))? + &serial(folder)? + "\n";
    write(home.join(REPLACED_FILE), &replaced)?;
    authority.sign(days)?.write(folder, &[&authority])
}

/// Revokes all certificates that were replaced.
pub fn revoke(folder: &Path) -> Result<(), CertificatesError> {
    let home = authority_beside(folder);
    Authority::read(Role::Member, &home)?;
    let replaced = read_if_there(home.join(REPLACED_FILE))?;
    if replaced.is_empty() {
        return Err(CertificatesError::NotReplaced);
    }
    write(folder.join(REVOKED_FILE), &replaced)
}
