//! The error of making certificates.

use super::day::LastDay;
use std::{io, path::PathBuf};

/// Reason why a team's certificates cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum CertificatesError {
    /// The folder already holds certificates.
    #[error(
        "{} is there already; remove it to make new certificates, or name another folder",
        .0.display()
    )]
    Exists(PathBuf),
    /// The folder is that of a team with roles.
    #[error(
        "the team in {} has roles; change it with --add, --renew or --revoke, or name another folder",
        .0.display()
    )]
    HasRoles(PathBuf),
    /// The folder is that of a team whose members share it.
    #[error(
        "the team in {} has one folder for all members, which --renew member and --revoke member change; members of \
         their own (--add) need a team made with --by-role, in another folder",
        .0.display()
    )]
    OneFolder(PathBuf),
    /// The team has no such member.
    #[error("the team in {} has no member {name}, but {members}", folder.display())]
    Unknown {
        /// The folder of the team.
        folder: PathBuf,
        /// The name of the member.
        name: String,
        /// The members that there are.
        members: String,
    },
    /// The last day of the certificate is over.
    #[error("the certificate in {} ended with {day}; give a later day with --until", folder.display())]
    Over {
        /// The folder of the certificate.
        folder: PathBuf,
        /// The day.
        day: LastDay,
    },
    /// A key or certificate cannot be generated.
    #[error("cannot generate a certificate: {0}")]
    Generate(#[from] rcgen::Error),
    /// A file or the folder cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// File or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}; name a folder that 'monju certificates' made, with its authority", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file holds something else.
    #[error("{} was not written by 'monju certificates', or was changed; restore it from a copy", .0.display())]
    Form(PathBuf),
    /// The certificate that all members share is their only one.
    #[error(
        "the members share one certificate and have no other yet; renew it (--renew member) and copy the folder to \
         every machine first"
    )]
    NotReplaced,
    /// The name of a member does not begin with a role.
    #[error(
        "'{0}' is no member; expected a role, such as worker, a role with a name, such as worker-pc5, or member for \
         all that share one folder"
    )]
    Name(String),
}
