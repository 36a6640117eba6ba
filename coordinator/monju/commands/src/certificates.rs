//! `monju certificates`: the certificates by which the machines of a team know each other.

use monju_proto::certificates::{self, LastDay, SHARED};
use std::{
    io::{self, Write},
    path::PathBuf,
};

/// Target of the certificates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificates {
    /// A folder without certificates or, to change a team with roles, that of the team.
    pub folder: PathBuf,
    /// A folder for each role, in place of one for all members.
    pub by_role: bool,
    /// The last day of the certificates; `None` for ever.
    pub last_day: Option<LastDay>,
    /// Members whose certificates are revoked; before they are renewed.
    pub revoke: Vec<String>,
    /// Members that get new certificates.
    pub renew: Vec<String>,
    /// New members.
    pub add: Vec<String>,
}

impl Certificates {
    /// Creates or changes the certificates and says what to do with them.
    ///
    /// # Errors
    /// The folder already holds certificates, or does not hold those of a team, or cannot be written.
    pub fn run(&self) -> anyhow::Result<()> {
        let folder = self.folder.display();
        let mut advice = Vec::new();
        let is_shared = |names: &[String]| names.iter().any(|name| name == SHARED);
        for name in self.revoke.iter().filter(|name| *name != SHARED) {
            certificates::revoke(&self.folder, name)?;
        }
        if is_shared(&self.renew) {
            let last_day = certificates::renew(&self.folder, SHARED, self.last_day)?;
            advice.push(format!(
                "copy the files of {folder} over those on every machine: running processes use them from the next \
                 connection on, and take the old ones until these are revoked (--revoke {SHARED}); the new certificate \
                 is valid {}",
                until(last_day)
            ));
        }
        if is_shared(&self.revoke) {
            certificates::revoke(&self.folder, SHARED)?;
            advice.push(format!(
                "copy {folder}/revoked.txt into the folder of certificates on every machine, coordinators first: \
                 running processes read it within a second, and end the connections of who has an old certificate"
            ));
        }
        for name in self.renew.iter().filter(|name| *name != SHARED) {
            let last_day = certificates::renew(&self.folder, name, self.last_day)?;
            advice.push(format!(
                "copy the files of {folder}/{name} over those on its machine: running processes use them from the \
                 next connection on; the new certificate is valid {}",
                until(last_day)
            ));
        }
        if self.revoke.iter().any(|name| name != SHARED) {
            advice.push(format!(
                "copy {folder}/authority/revoked.txt into the folder of certificates on every machine, coordinators \
                 first: running processes read it within a second, and end the connections of {}",
                self.revoke.join(", ")
            ));
        }
        for name in &self.add {
            let last_day = certificates::add(&self.folder, name, self.last_day)?;
            advice.push(format!(
                "copy {folder}/{name} to its machine; its certificate is valid {}",
                until(last_day)
            ));
        }
        if advice.is_empty() {
            advice.push(self.create()?);
        }
        for line in advice {
            // The certificates exist even if standard output is closed.
            let _ = writeln!(io::stdout(), "{line}");
        }
        Ok(())
    }

    fn create(&self) -> anyhow::Result<String> {
        let folder = self.folder.display();
        if self.by_role {
            certificates::create_by_role(&self.folder, self.last_day)?;
            return Ok(format!(
                "copy {folder}/worker to the machines of workers, {folder}/coordinator to that of the coordinator, \
                 {folder}/gui to those of GUIs, {folder}/observer to those that look, in a way that no one else can \
                 read; then give each its own by --tls, or by tls = … in its configuration, and write https:// in every \
                 URL; keep {folder}/authority, by which members are added, renewed and revoked, off these \
                 machines"
            ));
        }
        certificates::create(&self.folder, self.last_day)?;
        let authority = certificates::authority_beside(&self.folder);
        Ok(format!(
            "copy {folder} to every machine of the team, in a way that no one else can read; then give it to \
             workers, coordinators and their clients by --tls, or by tls = … in their configuration, and write \
             https:// in every URL; keep {}, by which the certificate is renewed and revoked, off these machines",
            authority.display()
        ))
    }
}

/// The time for which a certificate is valid, in words.
fn until(last_day: Option<LastDay>) -> String {
    last_day.map_or("for ever".to_owned(), |day| format!("until {day}"))
}
