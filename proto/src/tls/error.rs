//! Errors of folders and members, and the names of the files.

use crate::role::Role;
use std::{io, path::PathBuf};

/// Name of every member in its certificate, independent of its address.
pub const MEMBER: &str = "member.monju";
/// The certificates of the authorities that the member trusts.
pub const AUTHORITY_FILE: &str = "authority.pem";
/// The member's certificate.
pub const CERTIFICATE_FILE: &str = "member.pem";
/// Its private key: whoever can read it is the member.
pub const KEY_FILE: &str = "member.key";
/// The serial numbers of revoked certificates, one a line; need not be there.
pub const REVOKED_FILE: &str = "revoked.txt";

/// Reason why a folder cannot be used as that of a team.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is not there, or cannot be read.
    #[error(
        "cannot read {}: {source}; 'monju certificates FOLDER' makes a team's certificates, \
         and every machine needs a copy of that folder",
        path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file holds something else.
    #[error("{} is not a PEM file with a {what}; copy again the folder that 'monju certificates' made", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// Expected content.
        what: &'static str,
    },
    /// A certificate is too old.
    #[error("{} expired on {end}; make a new one with 'monju certificates'", path.display())]
    Expired {
        /// The file.
        path: PathBuf,
        /// The end of its time.
        end: String,
    },
    /// A certificate is too new.
    #[error("{} is valid from {begin} on; is the clock of this machine right?", path.display())]
    Early {
        /// The file.
        path: PathBuf,
        /// The beginning of its time.
        begin: String,
    },
    /// The key belongs to another certificate.
    #[error(
        "{} is not the key of {CERTIFICATE_FILE}; copy the folder of 'monju certificates' anew",
        .0.display()
    )]
    Key(PathBuf),
    /// Others than the owner can read the key.
    #[error("{} can be read by others than its owner; run: chmod 600 {}", .0.display(), .0.display())]
    Loose(PathBuf),
    /// The list of revoked certificates has a wrong line.
    #[error("{}:{line}: no serial number; copy the file that 'monju certificates --revoke' wrote", path.display())]
    Revoked {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
    /// The role of the certificate is not for this.
    #[error(
        "{} has the certificate of role {role}, which may not {what}; use that of role {wanted}, {}",
        path.display(),
        path.with_file_name(wanted.to_string()).display()
    )]
    Role {
        /// The folder.
        path: PathBuf,
        /// Its role.
        role: Role,
        /// The purpose that it was to be used for.
        what: &'static str,
        /// The role that may do it.
        wanted: Role,
    },
    /// The certificates cannot be used.
    #[error("the certificates in {} cannot be used: {source}; make new ones with 'monju certificates'", path.display())]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// Error of the library.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A peer that no longer belongs to the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its certificate is revoked")]
pub struct Revoked;
