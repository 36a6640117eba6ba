//! The files of a member, as they were read last.

use super::{
    certificate::{public_key, read_pem, role_and_serial, shown, validity},
    error::{AUTHORITY_FILE, CERTIFICATE_FILE, KEY_FILE, REVOKED_FILE, TlsError},
};
use crate::role::Role;
use rcgen::{KeyPair, PublicKeyData};
use std::{
    collections::HashSet,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};
use time::OffsetDateTime;
use tokio_rustls::rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    client::Resumption,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{NoServerSessionStorage, WebPkiClientVerifier},
};

/// The application protocol of both ends.
const HTTP2: &[u8] = b"h2";

/// Greatest size of a file; a list of revoked certificates has 50 bytes a line.
const LARGEST_FILE: u64 = 1 << 20;

/// A member's folder.
pub struct MemberFolder {
    texts: Texts,
    /// For who listens: none but members are let in.
    pub server: Arc<ServerConfig>,
    /// For who connects: none but a member is spoken to.
    pub client: Arc<ClientConfig>,
    /// Serial numbers.
    pub revoked: HashSet<Vec<u8>>,
    /// The member's own role.
    pub role: Role,
}

#[derive(Clone, PartialEq, Eq)]
struct Texts {
    authority: String,
    certificate: String,
    key: String,
    revoked: String,
}

impl MemberFolder {
    /// Reads and checks the files.
    pub fn read(path: &Path) -> Result<Self, TlsError> {
        Self::of(Texts::read(path)?, path)
    }

    /// As [`MemberFolder::read`]; `None` if nothing has changed.
    pub fn read_again(&self, path: &Path) -> Result<Option<Self>, TlsError> {
        let texts = Texts::read(path)?;
        match texts == self.texts {
            true => Ok(None),
            false => Self::of(texts, path).map(Some),
        }
    }

    /// Returns the same member with the present list of revoked certificates; `None` if that is the same, or is not
    /// there, as where the whole folder is being replaced.
    pub fn with_revoked(&self, path: &Path) -> Option<Self> {
        let path = path.join(REVOKED_FILE);
        let text = read_text(&path).ok()?;
        let revoked = read_revoked(path, &text).ok()?;
        (revoked != self.revoked).then(|| Self {
            // The files that come back are compared with what is in force.
            texts: Texts {
                revoked: text,
                ..self.texts.clone()
            },
            server: Arc::clone(&self.server),
            client: Arc::clone(&self.client),
            revoked,
            role: self.role,
        })
    }

    fn of(texts: Texts, path: &Path) -> Result<Self, TlsError> {
        check_certificate(path.join(AUTHORITY_FILE), &texts.authority)?;
        let certificate = check_certificate(path.join(CERTIFICATE_FILE), &texts.certificate)?;
        check_key(path.join(KEY_FILE), &texts.key, &certificate)?;
        let revoked = read_revoked(path.join(REVOKED_FILE), &texts.revoked)?;
        let unusable = |source: Box<dyn Error + Send + Sync>| TlsError::Unusable {
            path: path.to_owned(),
            source,
        };
        let (server, client, role) = configure(&texts).map_err(unusable)?;
        Ok(Self {
            texts,
            server: Arc::new(server),
            client: Arc::new(client),
            revoked,
            role,
        })
    }
}

impl Texts {
    fn read(folder: &Path) -> Result<Self, TlsError> {
        let pem = |name: &str, what: &'static str, label: &str| {
            let path = folder.join(name);
            match read_text(&path) {
                Ok(text) if text.contains("-----BEGIN ") && text.contains(label) => Ok(text),
                Ok(_) => Err(TlsError::Form { path, what }),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    Err(TlsError::Form { path, what })
                }
                Err(source) => Err(TlsError::Read { path, source }),
            }
        };
        let revoked = || {
            let path = folder.join(REVOKED_FILE);
            match read_text(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
                read => read.map_err(|source| TlsError::Read { path, source }),
            }
        };
        // A folder that is there before and after the list, and has none, has revoked nobody: one that is being
        // replaced may be away meanwhile.
        Ok(Self {
            authority: pem(AUTHORITY_FILE, "certificate", "CERTIFICATE-----")?,
            certificate: pem(CERTIFICATE_FILE, "certificate", "CERTIFICATE-----")?,
            revoked: revoked()?,
            key: pem(KEY_FILE, "private key", "PRIVATE KEY-----")?,
        })
    }
}

fn read_text(path: &Path) -> io::Result<String> {
    if fs::metadata(path)?.len() > LARGEST_FILE {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "too large"));
    }
    fs::read_to_string(path)
}

/// Makes what the library needs of checked files.
fn configure(
    texts: &Texts,
) -> Result<(ServerConfig, ClientConfig, Role), Box<dyn Error + Send + Sync>> {
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_slice_iter(texts.authority.as_bytes()) {
        roots.add(authority?)?;
    }
    let roots = Arc::new(roots);
    let chain = CertificateDer::pem_slice_iter(texts.certificate.as_bytes());
    let chain: Vec<CertificateDer<'static>> = chain.collect::<Result<_, _>>()?;
    let key = || PrivateKeyDer::from_pem_slice(texts.key.as_bytes());
    let own = chain.first().and_then(role_and_serial);
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider));
    let mut server = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(verifier.build()?)
        .with_single_cert(chain.clone(), key()?)?;
    let mut client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key()?)?;
    // A session that is taken up again is not asked for its certificate, whose last day may have passed.
    server.session_storage = Arc::new(NoServerSessionStorage {});
    server.send_tls13_tickets = 0;
    client.resumption = Resumption::disabled();
    server.alpn_protocols.push(HTTP2.to_vec());
    client.alpn_protocols.push(HTTP2.to_vec());
    Ok((server, client, own.map_or(Role::Member, |(role, _)| role)))
}

/// Reads the serial numbers of a list of revoked certificates; the rest of a line after `#` is for people.
fn read_revoked(path: PathBuf, text: &str) -> Result<HashSet<Vec<u8>>, TlsError> {
    let mut revoked = HashSet::new();
    for (index, line) in text.lines().enumerate() {
        let serial = line.split('#').next().unwrap_or_default().trim();
        if serial.is_empty() {
            continue;
        }
        let Some(serial) = bytes(serial) else {
            let line = index + 1;
            return Err(TlsError::Revoked { path, line });
        };
        revoked.insert(serial);
    }
    Ok(revoked)
}

/// Reads hexadecimal digits, two for each byte.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) || digits.len() > 40 {
        return None;
    }
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok())
        .collect()
}

/// Checks that a certificate can be read and is in its time.
fn check_certificate(path: PathBuf, text: &str) -> Result<CertificateDer<'static>, TlsError> {
    let form = |path| TlsError::Form {
        path,
        what: "certificate",
    };
    let Some(certificate) = read_pem(text) else {
        return Err(form(path));
    };
    let Some([begin, end]) = validity(&certificate) else {
        return Err(form(path));
    };
    let now = OffsetDateTime::now_utc();
    if now > end {
        let end = shown(end);
        return Err(TlsError::Expired { path, end });
    }
    if now < begin {
        let begin = shown(begin);
        return Err(TlsError::Early { path, begin });
    }
    Ok(certificate)
}

/// Checks that a key is the one of a certificate, and its owner's alone.
fn check_key(path: PathBuf, text: &str, certificate: &CertificateDer<'_>) -> Result<(), TlsError> {
    let Ok(key) = KeyPair::from_pem(text) else {
        return Err(TlsError::Form {
            path,
            what: "private key",
        });
    };
    if public_key(certificate) != Some(key.subject_public_key_info()) {
        return Err(TlsError::Key(path));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // A key of root may be lent to the group of a service, as service managers and Kubernetes do.
        let is_loose = |metadata: fs::Metadata| match metadata.uid() {
            0 => metadata.mode() & 0o037 != 0,
            _ => metadata.mode() & 0o077 != 0,
        };
        if fs::metadata(&path).is_ok_and(is_loose) {
            return Err(TlsError::Loose(path));
        }
    }
    Ok(())
}
