//! The certificates by which the machines of a team know each other.

use crate::tls;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    str::FromStr,
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

/// The last day of certificates: year, month and day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastDay(i32, u8, u8);

/// Text that is no day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no day; expected a form like 2027-05-31")]
pub struct NotADay(String);

impl FromStr for LastDay {
    type Err = NotADay;

    fn from_str(text: &str) -> Result<Self, NotADay> {
        let number = |part: Option<&str>| part.and_then(|part| part.parse::<u16>().ok());
        let mut parts = text.split('-');
        let day = (
            number(parts.next()),
            number(parts.next()),
            number(parts.next()),
        );
        match (day, parts.next()) {
            // Every month has these days.
            ((Some(year @ 2000..=4000), Some(month @ 1..=12), Some(day @ 1..=28)), None)
            | ((Some(year @ 2000..=4000), Some(month @ (1 | 3..=12)), Some(day @ 29..=30)), None)
            | (
                (
                    Some(year @ 2000..=4000),
                    Some(month @ (1 | 3 | 5 | 7 | 8 | 10 | 12)),
                    Some(day @ 31),
                ),
                None,
            ) => Ok(Self(year.into(), month as u8, day as u8)),
            _ => Err(NotADay(text.to_owned())),
        }
    }
}

/// The folders that [`create_by_role`] makes.
pub const ROLES: [&str; 3] = ["worker", "coordinator", "gui"];

/// Creates an authority, and one certificate that all members share, as files in `folder`. The
/// authority's own key is not kept: no further members can be made.
///
/// # Errors
/// The folder already holds certificates, or cannot be written.
pub fn create(folder: &Path, last_day: Option<LastDay>) -> Result<(), CertificatesError> {
    create_between(folder, (None, last_day))
}

/// As [`create`]; the members' certificate is valid between two days, or for ever.
fn create_between(
    folder: &Path,
    days: (Option<LastDay>, Option<LastDay>),
) -> Result<(), CertificatesError> {
    refuse_old(folder)?;
    let authority = Authority::new("Monju team")?;
    let member = authority.sign("Monju member", &[SERVER, CLIENT], days)?;
    member.write(folder, &[&authority])
}

/// Creates a folder for each role of [`ROLES`] below `folder`. Each role has an authority of its own, whose key is not
/// kept. Workers serve coordinators alone, and their certificate opens no connection: who has stolen it directs
/// nobody. Coordinators serve GUIs and coordinators. GUIs serve nobody, and no worker serves them.
///
/// # Errors
/// A folder already holds certificates, or cannot be written.
pub fn create_by_role(folder: &Path, last_day: Option<LastDay>) -> Result<(), CertificatesError> {
    let [worker, coordinator, gui] = ROLES.map(|role| folder.join(role));
    for folder in [&worker, &coordinator, &gui] {
        refuse_old(folder)?;
    }
    let days = (None, last_day);
    let workers = Authority::new("Monju workers")?;
    let coordinators = Authority::new("Monju coordinators")?;
    let guis = Authority::new("Monju GUIs")?;
    (workers.sign("Monju worker", &[SERVER], days)?).write(&worker, &[&coordinators])?;
    (coordinators.sign("Monju coordinator", &[SERVER, CLIENT], days)?)
        .write(&coordinator, &[&coordinators, &workers, &guis])?;
    guis.sign("Monju GUI", &[CLIENT], days)?
        .write(&gui, &[&coordinators])
}

const SERVER: ExtendedKeyUsagePurpose = ExtendedKeyUsagePurpose::ServerAuth;
const CLIENT: ExtendedKeyUsagePurpose = ExtendedKeyUsagePurpose::ClientAuth;

/// An authority, whose key lasts as long as this value.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
}

/// A certificate with its key.
struct Member {
    certificate: String,
    key: String,
}

impl Authority {
    fn new(name: &str) -> Result<Self, CertificatesError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.distinguished_name = common_name(name);
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self {
            issuer: Issuer::new(params, key),
            certificate,
        })
    }

    fn sign(
        &self,
        name: &str,
        usages: &[ExtendedKeyUsagePurpose],
        (first, last): (Option<LastDay>, Option<LastDay>),
    ) -> Result<Member, CertificatesError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(vec![tls::MEMBER.to_owned()])?;
        params.distinguished_name = common_name(name);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = usages.to_vec();
        if let Some(LastDay(year, month, day)) = first {
            params.not_before = date_time_ymd(year, month, day);
        }
        if let Some(LastDay(year, month, day)) = last {
            params.not_after = date_time_ymd(year, month, day);
        }
        Ok(Member {
            certificate: params.signed_by(&key, &self.issuer)?.pem(),
            key: key.serialize_pem(),
        })
    }
}

impl Member {
    /// Writes the folder of a member that trusts these authorities.
    fn write(&self, folder: &Path, trusted: &[&Authority]) -> Result<(), CertificatesError> {
        fs::create_dir_all(folder).map_err(|source| CertificatesError::Write {
            path: folder.to_owned(),
            source,
        })?;
        let trusted: Vec<&str> = trusted.iter().map(|one| one.certificate.as_str()).collect();
        write(folder.join(tls::AUTHORITY_FILE), &trusted.concat())?;
        write(folder.join(tls::CERTIFICATE_FILE), &self.certificate)?;
        write(folder.join(tls::KEY_FILE), &self.key)
    }
}

fn refuse_old(folder: &Path) -> Result<(), CertificatesError> {
    let files = [tls::AUTHORITY_FILE, tls::CERTIFICATE_FILE, tls::KEY_FILE];
    let old = files
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.exists());
    old.map_or(Ok(()), |path| Err(CertificatesError::Exists(path)))
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
        create(&folder, None).unwrap();
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
        let again = create(&folder, None).unwrap_err().to_string();
        assert!(again.contains("is there already"), "{again}");
        assert_eq!(before, fs::read(folder.join(tls::KEY_FILE)).unwrap());
    }

    #[test]
    fn every_role_has_a_folder_and_days_are_days() {
        let parent = tempfile::tempdir().unwrap();
        let day = "2999-12-31".parse().expect("a day");
        create_by_role(parent.path(), Some(day)).unwrap();
        for role in ROLES {
            Tls::read(&parent.path().join(role)).unwrap();
        }
        let again = create_by_role(parent.path(), None).unwrap_err().to_string();
        assert!(again.contains("is there already"), "{again}");
        create_by_role(&parent.path().join("old"), "2020-02-28".parse().ok()).unwrap();
        let old = Tls::read(&parent.path().join("old/gui"))
            .unwrap_err()
            .to_string();
        assert!(old.contains("has expired on Feb 28"), "{old}");
        for text in [
            "",
            "2027",
            "2027-13-01",
            "2027-02-30",
            "2027-04-31",
            "31.12.2027",
            "2027-1-1-1",
        ] {
            assert_eq!(text.parse::<LastDay>(), Err(NotADay(text.to_owned())));
        }
        assert_eq!("2027-03-31".parse(), Ok(LastDay(2027, 3, 31)));
    }

    #[test]
    fn certificates_out_of_their_time_and_keys_of_others_are_called_so() {
        let parent = tempfile::tempdir().unwrap();
        let folder = |name: &str| parent.path().join(name);
        for (name, years, words) in [
            (
                "old",
                ("2000-01-01", "2001-01-01"),
                "member.pem has expired on Jan  1 00:00:00 2001",
            ),
            (
                "new",
                ("3000-01-01", "3001-01-01"),
                "member.pem is valid from Jan  1 00:00:00 3000",
            ),
        ] {
            let day = |text: &str| Some(text.parse().expect("a day"));
            create_between(&folder(name), (day(years.0), day(years.1))).unwrap();
            let told = Tls::read(&folder(name)).unwrap_err().to_string();
            assert!(told.contains(words) && !told.contains('\n'), "{told}");
        }
        for name in ["ours", "theirs"] {
            create(&folder(name), None).unwrap();
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
