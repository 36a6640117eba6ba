//! The certificates by which the machines of a team know each other.

use crate::tls;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    ops::Range,
    path::{Path, PathBuf},
};

/// Reason why a team's certificates cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum CertificatesError {
    /// The folder already holds certificates.
    #[error(
        "{} is there already; remove it to make new certificates, or name another folder",
        .0.display()
    )]
    Exists(PathBuf),
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
}

/// Creates an authority, and one certificate that all members share, as files in `folder`. The
/// authority's own key is not kept: no further members can be made.
///
/// # Errors
/// The folder already holds certificates, or cannot be written.
pub fn create(folder: &Path) -> Result<(), CertificatesError> {
    create_between(folder, None)
}

/// As [`create`]; the members' certificate is valid in the years `years`, or for ever.
fn create_between(folder: &Path, years: Option<Range<i32>>) -> Result<(), CertificatesError> {
    for name in [tls::AUTHORITY_FILE, tls::CERTIFICATE_FILE, tls::KEY_FILE] {
        let path = folder.join(name);
        if path.exists() {
            return Err(CertificatesError::Exists(path));
        }
    }
    let authority_key = KeyPair::generate()?;
    let mut params = CertificateParams::default();
    params.distinguished_name = common_name("Monju team");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let authority = params.self_signed(&authority_key)?;
    let issuer = Issuer::new(params, authority_key);

    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(vec![tls::MEMBER.to_owned()])?;
    params.distinguished_name = common_name("Monju member");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    if let Some(years) = years {
        params.not_before = date_time_ymd(years.start, 1, 1);
        params.not_after = date_time_ymd(years.end, 1, 1);
    }
    let member = params.signed_by(&key, &issuer)?;

    fs::create_dir_all(folder).map_err(|source| CertificatesError::Write {
        path: folder.to_owned(),
        source,
    })?;
    write(folder.join(tls::AUTHORITY_FILE), &authority.pem())?;
    write(folder.join(tls::CERTIFICATE_FILE), &member.pem())?;
    write(folder.join(tls::KEY_FILE), &key.serialize_pem())
}

fn common_name(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}

/// Writes a new file that, on systems with permissions, only its owner can read.
fn write(path: PathBuf, text: &str) -> Result<(), CertificatesError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|source| CertificatesError::Write { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tls::Tls;

    #[test]
    fn certificates_are_made_once_and_can_be_read() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("team/tls");
        create(&folder).unwrap();
        Tls::read(&folder).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let key = fs::metadata(folder.join(tls::KEY_FILE)).unwrap();
            assert_eq!(key.permissions().mode() & 0o777, 0o600);
        }
        let before = fs::read(folder.join(tls::KEY_FILE)).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let key = folder.join(tls::KEY_FILE);
            fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
            let loose = Tls::read(&folder).unwrap_err().to_string();
            assert!(loose.contains("chmod 600"), "{loose}");
            fs::set_permissions(&key, fs::Permissions::from_mode(0o400)).unwrap();
            Tls::read(&folder).unwrap();
        }
        let again = create(&folder).unwrap_err().to_string();
        assert!(again.contains("is there already"), "{again}");
        assert_eq!(before, fs::read(folder.join(tls::KEY_FILE)).unwrap());
    }

    #[test]
    fn certificates_out_of_their_time_and_keys_of_others_are_called_so() {
        let parent = tempfile::tempdir().unwrap();
        let folder = |name: &str| parent.path().join(name);
        for (name, years, words) in [
            (
                "old",
                2000..2001,
                "member.pem has expired on Jan  1 00:00:00 2001",
            ),
            (
                "new",
                3000..3001,
                "member.pem is valid from Jan  1 00:00:00 3000",
            ),
        ] {
            create_between(&folder(name), Some(years)).unwrap();
            let told = Tls::read(&folder(name)).unwrap_err().to_string();
            assert!(told.contains(words) && !told.contains('\n'), "{told}");
        }
        for name in ["ours", "theirs"] {
            create(&folder(name)).unwrap();
        }
        let [from, to] = ["theirs", "ours"].map(|name| folder(name).join(tls::KEY_FILE));
        fs::copy(from, to).unwrap();
        let told = Tls::read(&folder("ours")).unwrap_err().to_string();
        assert!(
            told.contains("member.key is not the key of member.pem"),
            "{told}"
        );
        fs::write(
            folder("theirs").join(tls::KEY_FILE),
            "-----BEGIN PRIVATE KEY-----",
        )
        .unwrap();
        let told = Tls::read(&folder("theirs")).unwrap_err().to_string();
        assert!(told.contains("no PEM file with a private key"), "{told}");
    }
}
