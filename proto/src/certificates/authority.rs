//! Authorities, and the members that they sign.

use super::{
    day::LastDay,
    error::CertificatesError,
    files::{make_folder, write},
};
use crate::role::Role;
use crate::tls;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use std::{fs, path::Path, time::Duration};

/// The last second of a day, from its beginning.
const LAST_OF_DAY: Duration = Duration::from_secs(86_399);

/// The first and the last day of a certificate.
pub type Days = (Option<LastDay>, Option<LastDay>);

/// The authority of a role.
pub struct Authority {
    role: Role,
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
}

/// A certificate with its key.
pub struct CertifiedMember {
    certificate: String,
    key: String,
}

impl Authority {
    /// A new authority of a role.
    pub fn new(role: Role) -> Result<Self, CertificatesError> {
        let key = KeyPair::generate()?;
        let params = params(role);
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self {
            role,
            issuer: Issuer::new(params, key),
            certificate,
        })
    }

    /// Reads the authority of a role from the folder of the keys.
    pub fn read(role: Role, home: &Path) -> Result<Self, CertificatesError> {
        let read = |ending: &str| {
            let path = home.join(format!("{role}.{ending}"));
            fs::read_to_string(&path).map_err(|source| CertificatesError::Read { path, source })
        };
        let key = KeyPair::from_pem(&read("key")?)?;
        Ok(Self {
            role,
            certificate: read("pem")?,
            // An issuer is known by its name and its key.
            issuer: Issuer::new(params(role), key),
        })
    }

    /// Writes the authority into the folder of the keys.
    pub fn write(&self, home: &Path) -> Result<(), CertificatesError> {
        let role = self.role;
        let path = |ending: &str| home.join(format!("{role}.{ending}"));
        if path("key").exists() {
            return Err(CertificatesError::Exists(path("key")));
        }
        write(path("pem"), &self.certificate)?;
        write(path("key"), &self.issuer.key().serialize_pem())
    }

    /// Makes a member of its role, valid between two days or for ever.
    pub fn sign(&self, (first, last): Days) -> Result<CertifiedMember, CertificatesError> {
        const SERVER: ExtendedKeyUsagePurpose = ExtendedKeyUsagePurpose::ServerAuth;
        const CLIENT: ExtendedKeyUsagePurpose = ExtendedKeyUsagePurpose::ClientAuth;
        let key = KeyPair::generate()?;
        let mut names = vec![tls::MEMBER.to_owned()];
        if self.role != Role::Member {
            names.push(self.role.certificate_name());
        }
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name = common_name(&format!("Monju {}", self.role));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = match self.role {
            Role::Gui | Role::Observer => vec![CLIENT],
            Role::Member | Role::Worker | Role::Coordinator => vec![SERVER, CLIENT],
        };
        if let Some(LastDay(year, month, day)) = first {
            params.not_before = date_time_ymd(year, month, day);
        }
        if let Some(LastDay(year, month, day)) = last {
            params.not_after = date_time_ymd(year, month, day) + LAST_OF_DAY;
        }
        Ok(CertifiedMember {
            certificate: params.signed_by(&key, &self.issuer)?.pem(),
            key: key.serialize_pem(),
        })
    }
}

impl CertifiedMember {
    /// Writes the folder of a member that trusts these authorities.
    pub fn write(&self, folder: &Path, trusted: &[&Authority]) -> Result<(), CertificatesError> {
        make_folder(folder)?;
        let trusted: Vec<&str> = trusted.iter().map(|one| one.certificate.as_str()).collect();
        write(folder.join(tls::AUTHORITY_FILE), &trusted.concat())?;
        write(folder.join(tls::CERTIFICATE_FILE), &self.certificate)?;
        write(folder.join(tls::KEY_FILE), &self.key)
    }
}

fn params(role: Role) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = common_name(&format!("Monju {role} authority"));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params
}

fn common_name(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}
