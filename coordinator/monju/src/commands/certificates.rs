//! `monju certificates`: the certificates by which the machines of a team know each other.

use monju_proto::certificates::{self, LastDay};
use std::{
    io::{self, Write},
    path::PathBuf,
};

/// Target of the certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    /// A folder without certificates.
    pub folder: PathBuf,
    /// A folder for each role, in place of one for all members.
    pub by_role: bool,
    /// The last day of the certificates; `None` for ever.
    pub last_day: Option<LastDay>,
}

impl Certificates {
    /// Creates the certificates and says what to do with them.
    ///
    /// # Errors
    /// The folder already holds certificates, or cannot be written.
    pub fn run(&self) -> anyhow::Result<()> {
        if self.by_role {
            certificates::create_by_role(&self.folder, self.last_day)?;
            let folder = self.folder.display();
            // The certificates exist even if standard output is closed.
            let _ = writeln!(
                io::stdout(),
                "copy {folder}/worker to the machines of workers, {folder}/coordinator to that of the coordinator, \
                 {folder}/gui to those of GUIs, in a way that no one else can read; then give each its own by --tls, or \
                 by tls = … in its configuration, and write https:// in every URL"
            );
            return Ok(());
        }
        certificates::create(&self.folder, self.last_day)?;
        // The certificates exist even if standard output is closed.
        let _ = writeln!(
            io::stdout(),
            "copy {} to every machine of the team, in a way that no one else can read; then give it to \
             workers, coordinators and their clients by --tls, or by tls = … in their configuration, and write \
             https:// in every URL",
            self.folder.display()
        );
        Ok(())
    }
}
