//! `monju certificates`: what makes a team of machines one that nobody else can join.

use anyhow::{Context, bail};
use monju_worker::tls;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Where the certificates go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    /// A folder that holds none yet.
    pub folder: PathBuf,
}

impl Certificates {
    /// Makes an authority, and one certificate that all members share. The authority's own key is
    /// not kept: nobody can make further members.
    ///
    /// # Errors
    /// The folder holds certificates already, or cannot be written.
    pub fn run(&self) -> anyhow::Result<()> {
        let folder = &self.folder;
        for name in [tls::AUTHORITY_FILE, tls::CERTIFICATE_FILE, tls::KEY_FILE] {
            let path = folder.join(name);
            if path.exists() {
                bail!(
                    "{} is there already; remove it to make new certificates, or name another folder",
                    path.display()
                );
            }
        }
        let authority_key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.distinguished_name = named("Monju team");
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority = params.self_signed(&authority_key)?;
        let issuer = Issuer::new(params, authority_key);

        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(vec![tls::MEMBER.to_owned()])?;
        params.distinguished_name = named("Monju member");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        ];
        let member = params.signed_by(&key, &issuer)?;

        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        write(&folder.join(tls::AUTHORITY_FILE), &authority.pem())?;
        write(&folder.join(tls::CERTIFICATE_FILE), &member.pem())?;
        write(&folder.join(tls::KEY_FILE), &key.serialize_pem())?;
        // The certificates are there, whoever reads this.
        let _ = writeln!(
            io::stdout(),
            "copy {} to every machine of the team, by a way that nobody else reads; then give it to \
             workers, coordinators and those who ask them by --tls, or tls = … in their \
             configuration, and write https:// in every URL",
            folder.display()
        );
        Ok(())
    }
}

fn named(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}

/// Writes a file that is not there yet and that, where the system knows of such things, only its
/// owner can read.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tls::Tls;

    #[test]
    fn certificates_are_made_once_and_are_what_members_read() {
        let folder = tempfile::tempdir().unwrap();
        let command = Certificates {
            folder: folder.path().join("team/tls"),
        };
        command.run().unwrap();
        Tls::read(&command.folder).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let key = fs::metadata(command.folder.join(tls::KEY_FILE)).unwrap();
            assert_eq!(key.permissions().mode() & 0o777, 0o600);
        }
        let before = fs::read(command.folder.join(tls::KEY_FILE)).unwrap();
        let again = command.run().unwrap_err().to_string();
        assert!(again.contains("is there already"), "{again}");
        assert_eq!(
            before,
            fs::read(command.folder.join(tls::KEY_FILE)).unwrap()
        );
    }
}
