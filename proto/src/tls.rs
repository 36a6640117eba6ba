//! Encrypted connections in which both ends prove that they belong to the team.
//!
//! One folder makes a team: every machine gets a copy, and whoever has it is a member. It holds the
//! team's authority, and one certificate with its key that all members show. Names and addresses of
//! machines do not matter, so that a PC can be replaced at the tournament.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    time::Duration,
};
use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

/// Longest time of a handshake. A peer that froze in it would otherwise be waited for without end.
const HANDSHAKE_PATIENCE: Duration = Duration::from_secs(2);

/// Name of every member in its certificate, independent of its address.
pub const MEMBER: &str = "member.monju";
/// The authority's certificate.
pub const AUTHORITY_FILE: &str = "authority.pem";
/// The members' certificate.
pub const CERTIFICATE_FILE: &str = "member.pem";
/// Its private key: whoever can read it is a member.
pub const KEY_FILE: &str = "member.key";

/// A team's certificates.
#[derive(Clone, PartialEq, Eq)]
pub struct Tls {
    authority: String,
    certificate: String,
    key: String,
}

/// Why a folder is no team's.
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
    #[error("{} is no PEM file with a {what}; copy the folder of 'monju certificates' anew", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// Expected content.
        what: &'static str,
    },
}

impl Tls {
    /// Reads the folder that `monju certificates` has made.
    ///
    /// # Errors
    /// A file is missing, or holds something else.
    pub fn read(folder: &Path) -> Result<Self, TlsError> {
        let read = |name: &str, what: &'static str, label: &str| {
            let path = folder.join(name);
            match fs::read_to_string(&path) {
                Ok(text) if text.contains("-----BEGIN ") && text.contains(label) => Ok(text),
                Ok(_) => Err(TlsError::Form { path, what }),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    Err(TlsError::Form { path, what })
                }
                Err(source) => Err(TlsError::Read { path, source }),
            }
        };
        Ok(Self {
            authority: read(AUTHORITY_FILE, "certificate", "CERTIFICATE-----")?,
            certificate: read(CERTIFICATE_FILE, "certificate", "CERTIFICATE-----")?,
            key: read(KEY_FILE, "private key", "PRIVATE KEY-----")?,
        })
    }

    fn identity(&self) -> Identity {
        Identity::from_pem(&self.certificate, &self.key)
    }

    /// For who listens: none but members are let in.
    pub fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new()
            .timeout(HANDSHAKE_PATIENCE)
            .identity(self.identity())
            .client_ca_root(Certificate::from_pem(&self.authority))
    }

    /// For who connects: none but a member is spoken to, whatever its address.
    pub fn client(&self) -> ClientTlsConfig {
        ClientTlsConfig::new()
            .timeout(HANDSHAKE_PATIENCE)
            .identity(self.identity())
            .ca_certificate(Certificate::from_pem(&self.authority))
            .domain_name(MEMBER)
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is a secret.
        formatter.debug_struct("Tls").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_none_is_told_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let missing = Tls::read(path).unwrap_err().to_string();
        assert!(missing.contains(AUTHORITY_FILE) && missing.contains("monju certificates"));
        for bytes in [&b"certificate"[..], &[0xff, 0xfe, 0x00]] {
            fs::write(path.join(AUTHORITY_FILE), bytes).unwrap();
            let wrong = Tls::read(path).unwrap_err().to_string();
            assert!(
                wrong.contains("no PEM file") && !wrong.contains('\n'),
                "{wrong}"
            );
        }
    }

    #[test]
    fn the_key_is_never_shown() {
        let tls = Tls {
            authority: "a".to_owned(),
            certificate: "b".to_owned(),
            key: "secret".to_owned(),
        };
        assert!(!format!("{tls:?}").contains("secret"));
    }
}
