//! Encrypted connections in which both ends prove that they belong to the team.
//!
//! One folder makes a team: every machine gets a copy, and whoever has it is a member. It holds the
//! team's authority, and one certificate with its key that all members show. Names and addresses of
//! machines do not matter, so that a PC can be replaced at the tournament.

use rcgen::{KeyPair, PublicKeyData};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    time::Duration,
};
use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};
use x509_parser::{pem::parse_x509_pem, time::ASN1Time};

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
    /// A certificate is too old.
    #[error("{} has expired on {end}; make new ones with 'monju certificates'", path.display())]
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
}

impl Tls {
    /// Reads the folder that `monju certificates` has made.
    ///
    /// # Errors
    /// A file is missing, or holds something else; a certificate is out of its time; the key belongs to another
    /// one, or can be read by others.
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
        let tls = Self {
            authority: read(AUTHORITY_FILE, "certificate", "CERTIFICATE-----")?,
            certificate: read(CERTIFICATE_FILE, "certificate", "CERTIFICATE-----")?,
            key: read(KEY_FILE, "private key", "PRIVATE KEY-----")?,
        };
        check_certificate(folder.join(AUTHORITY_FILE), &tls.authority)?;
        let member = check_certificate(folder.join(CERTIFICATE_FILE), &tls.certificate)?;
        check_key(folder.join(KEY_FILE), &tls.key, &member)?;
        Ok(tls)
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

/// Checks that a certificate can be read and is in its time; returns its public key.
fn check_certificate(path: PathBuf, text: &str) -> Result<Vec<u8>, TlsError> {
    let form = |path| TlsError::Form {
        path,
        what: "certificate",
    };
    let Ok((_, pem)) = parse_x509_pem(text.as_bytes()) else {
        return Err(form(path));
    };
    let Ok(certificate) = pem.parse_x509() else {
        return Err(form(path));
    };
    let (validity, now) = (certificate.validity(), ASN1Time::now());
    if now > validity.not_after {
        let end = validity.not_after.to_string();
        return Err(TlsError::Expired { path, end });
    }
    if now < validity.not_before {
        let begin = validity.not_before.to_string();
        return Err(TlsError::Early { path, begin });
    }
    Ok(certificate.public_key().raw.to_vec())
}

/// Checks that a key is the one of a certificate, and its owner's alone.
fn check_key(path: PathBuf, text: &str, public: &[u8]) -> Result<(), TlsError> {
    let Ok(key) = KeyPair::from_pem(text) else {
        return Err(TlsError::Form {
            path,
            what: "private key",
        });
    };
    if key.subject_public_key_info() != public {
        return Err(TlsError::Key(path));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let is_loose = |metadata: fs::Metadata| metadata.permissions().mode() & 0o077 != 0;
        if fs::metadata(&path).is_ok_and(is_loose) {
            return Err(TlsError::Loose(path));
        }
    }
    Ok(())
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
