//! The certificates by which the machines of a team know each other.
//!
//! A team with roles has a folder for each member and a folder `authority` with the keys by which members are made,
//! renewed and revoked. That folder stays at home: who has it can make members. A team whose members share one folder
//! has its authority beside it, so that they can get another certificate, and the old one can be revoked.

mod authority;
mod day;
mod error;
mod files;
mod shared;

pub use day::{LastDay, NotADay};
pub use error::CertificatesError;
pub use shared::{SHARED, authority_beside};

use crate::role::Role;
use crate::tls::{self, CERTIFICATE_FILE, REVOKED_FILE};
use authority::{Authority, Days};
use files::{REPLACED_FILE, make_folder, read_if_there, serial, write};
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Creates one certificate that all members share, as files in `folder`, and the authority that signs it beside
/// that folder.
///
/// # Errors
/// The folder already holds certificates, or cannot be written.
pub fn create(folder: &Path, last_day: Option<LastDay>) -> Result<(), CertificatesError> {
    create_between(folder, (None, last_day))
}

/// As [`create`]; the members' certificate is valid between two days, or for ever.
fn create_between(folder: &Path, days: Days) -> Result<(), CertificatesError> {
    refuse_old(folder)?;
    let home = folder.join(AUTHORITY);
    if home.exists() {
        return Err(CertificatesError::HasRoles(folder.to_owned()));
    }
    shared::create(folder, days)
}

/// Creates a folder for each role below `folder`, and one with the keys of their authorities.
///
/// Workers serve coordinators alone, and their certificate opens no connection but to coordinators, which let it
/// enrol a worker and nothing else: who has stolen it directs nobody. Coordinators serve all roles. GUIs and
/// observers serve nobody, and no worker serves them.
///
/// # Errors
/// A folder already holds certificates, or cannot be written.
pub fn create_by_role(folder: &Path, last_day: Option<LastDay>) -> Result<(), CertificatesError> {
    refuse_old(folder)?;
    for role in Role::ALL {
        refuse_old(&folder.join(role.to_string()))?;
    }
    let team = TeamFolder::create(folder)?;
    for role in Role::ALL {
        team.make(&role.to_string(), (None, last_day))?;
    }
    Ok(())
}

/// Checks the name of a member of a team with roles: a role, or a role, a dash and a word.
///
/// # Errors
/// The name is another one.
pub fn check_name(name: &str) -> Result<(), CertificatesError> {
    role_of(name).map(|_| ())
}

/// Makes the folder of one more member of a team with roles. `name` is a role, a dash and a name. Without a last day
/// its certificate has that of the role's own folder. Returns the last day, if there is one.
///
/// # Errors
/// There is such a member, or no such team; that day is over; a file cannot be written.
pub fn add(
    folder: &Path,
    name: &str,
    last_day: Option<LastDay>,
) -> Result<Option<LastDay>, CertificatesError> {
    let role = role_of(name)?;
    let team = TeamFolder::open(folder)?;
    refuse_old(&folder.join(name))?;
    let last_day = last_day_or_that_in(&folder.join(role.to_string()), last_day)?;
    team.make(name, (None, last_day))?;
    Ok(last_day)
}

/// Returns a last day, or that of the certificate in a folder, which must not be over.
fn last_day_or_that_in(
    folder: &Path,
    last_day: Option<LastDay>,
) -> Result<Option<LastDay>, CertificatesError> {
    let last_day = last_day.or_else(|| files::last_day(folder));
    match last_day.filter(|day| day.is_over(SystemTime::now())) {
        Some(day) => Err(CertificatesError::Over {
            folder: folder.to_owned(),
            day,
        }),
        None => Ok(last_day),
    }
}

/// Makes a new certificate and key for a member of a team with roles, or the one that all members share ([`SHARED`]);
/// the old one stays valid. Without a last day the new one has that of the old one. Returns the last day, if there is
/// one.
///
/// # Errors
/// There is no such member or team, that day is over, or a file cannot be written.
pub fn renew(
    folder: &Path,
    name: &str,
    last_day: Option<LastDay>,
) -> Result<Option<LastDay>, CertificatesError> {
    if name == SHARED {
        let team = shared_team(folder)?;
        let last_day = last_day_or_that_in(team, last_day)?;
        shared::renew(team, (None, last_day))?;
        return Ok(last_day);
    }
    role_of(name)?;
    let team = TeamFolder::open(folder)?;
    // Only members that are there are renewed.
    let digits = team.serial(name)?;
    let last_day = last_day_or_that_in(&folder.join(name), last_day)?;
    let replaced = team.replaced()? + &format!("{digits} # {name}\n");
    write(team.home().join(REPLACED_FILE), &replaced)?;
    team.make(name, (None, last_day))?;
    Ok(last_day)
}

/// Puts all certificates of a member, the one that is in its folder now and those that it replaced, on the lists of
/// revoked certificates of all members; of members that share one ([`SHARED`]), those that were replaced.
///
/// # Errors
/// There is no such member or team, or a file cannot be written.
pub fn revoke(folder: &Path, name: &str) -> Result<(), CertificatesError> {
    if name == SHARED {
        return shared::revoke(shared_team(folder)?);
    }
    role_of(name)?;
    let team = TeamFolder::open(folder)?;
    let own = format!("{} # {name}", team.serial(name)?);
    let replaced = team.replaced()?;
    let is_its = |line: &&str| line.split_once(" # ").is_some_and(|(_, of)| of == name);
    let before = team.revoked()?;
    let mut list = before.clone();
    for line in replaced.lines().filter(is_its).chain([own.as_str()]) {
        if !list.lines().any(|known| known == line) {
            list += line;
            list.push('\n');
        }
    }
    match list == before {
        true => Ok(()),
        false => team.write_revoked(&list),
    }
}

/// Returns a folder that is not that of a team with roles, where no members share one.
fn shared_team(folder: &Path) -> Result<&Path, CertificatesError> {
    match folder.join(AUTHORITY).exists() {
        true => Err(unknown(folder, SHARED)),
        false => Ok(folder),
    }
}

/// The error of a member that a team with roles does not have.
fn unknown(folder: &Path, name: &str) -> CertificatesError {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut members: Vec<String> = entries
        .filter(|entry| entry.path().join(CERTIFICATE_FILE).exists())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    members.sort();
    CertificatesError::Unknown {
        folder: folder.to_owned(),
        name: name.to_owned(),
        members: members.join(", "),
    }
}

/// The folder of a team with roles.
struct TeamFolder<'a> {
    folder: &'a Path,
    authorities: Vec<(Role, Authority)>,
}

/// The folder of the authorities' keys.
const AUTHORITY: &str = "authority";

impl<'a> TeamFolder<'a> {
    fn create(folder: &'a Path) -> Result<Self, CertificatesError> {
        let home = folder.join(AUTHORITY);
        make_folder(&home)?;
        let mut authorities = Vec::new();
        for role in Role::ALL {
            let authority = Authority::new(role)?;
            authority.write(&home)?;
            authorities.push((role, authority));
        }
        Ok(Self {
            folder,
            authorities,
        })
    }

    fn open(folder: &'a Path) -> Result<Self, CertificatesError> {
        let home = folder.join(AUTHORITY);
        if !home.exists() && shared::is_shared(folder) {
            return Err(CertificatesError::OneFolder(folder.to_owned()));
        }
        let read = |role| Ok((role, Authority::read(role, &home)?));
        Ok(Self {
            folder,
            authorities: Role::ALL
                .into_iter()
                .map(read)
                .collect::<Result<_, CertificatesError>>()?,
        })
    }

    /// Returns the authority of a role; a team has one for each.
    fn authority(&self, role: Role) -> Option<&Authority> {
        let mut authorities = self.authorities.iter();
        let found = authorities.find(|(known, _)| *known == role);
        found.map(|(_, authority)| authority)
    }

    /// Returns the serial number of a member's certificate.
    fn serial(&self, name: &str) -> Result<String, CertificatesError> {
        let folder = self.folder.join(name);
        match folder.join(CERTIFICATE_FILE).exists() {
            true => serial(&folder),
            false => Err(unknown(self.folder, name)),
        }
    }

    /// Writes the folder of a member, in place of the certificate that it has.
    fn make(&self, name: &str, days: Days) -> Result<(), CertificatesError> {
        let role = role_of(name)?;
        let trusted: &[Role] = match role {
            Role::Coordinator => &Role::ALL,
            Role::Worker | Role::Gui | Role::Observer | Role::Member => &[Role::Coordinator],
        };
        let trusted = trusted.iter().filter_map(|role| self.authority(*role));
        let trusted: Vec<&Authority> = trusted.collect();
        if let Some(authority) = self.authority(role) {
            let folder = self.folder.join(name);
            authority.sign(days)?.write(&folder, &trusted)?;
            write(folder.join(REVOKED_FILE), &self.revoked()?)?;
        }
        Ok(())
    }

    /// Returns the folder of the authorities.
    fn home(&self) -> PathBuf {
        self.folder.join(AUTHORITY)
    }

    /// Returns the list of revoked certificates.
    fn revoked(&self) -> Result<String, CertificatesError> {
        read_if_there(self.home().join(REVOKED_FILE))
    }

    /// Returns the list of certificates that others took the place of.
    fn replaced(&self) -> Result<String, CertificatesError> {
        read_if_there(self.home().join(REPLACED_FILE))
    }

    /// Writes the list of revoked certificates into the folders of all members.
    fn write_revoked(&self, list: &str) -> Result<(), CertificatesError> {
        write(self.home().join(REVOKED_FILE), list)?;
        let unread = |source| CertificatesError::Read {
            path: self.folder.to_owned(),
            source,
        };
        for entry in fs::read_dir(self.folder).map_err(unread)? {
            let folder = entry.map_err(unread)?.path();
            if folder.join(CERTIFICATE_FILE).exists() {
                write(folder.join(REVOKED_FILE), list)?;
            }
        }
        Ok(())
    }
}

/// Returns the role of a member by its name: a role, or a role, a dash and a word.
fn role_of(name: &str) -> Result<Role, CertificatesError> {
    let (role, rest) = name.split_once('-').unwrap_or((name, "-"));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    match role.parse() {
        Ok(role) if !rest.is_empty() && rest.chars().all(is_plain) => Ok(role),
        _ => Err(CertificatesError::Name(name.to_owned())),
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

#[cfg(test)]
mod tests;
