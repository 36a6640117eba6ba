//! `monju certificates`: the certificates by which the machines of a team know each other.

use monju_proto::certificates;
use std::{
    io::{self, Write},
    path::PathBuf,
};

/// Target of the certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    /// A folder without certificates.
    pub folder: PathBuf,
}

impl Certificates {
    /// Creates the certificates and says what to do with them.
    ///
    /// # Errors
    /// The folder already holds certificates, or cannot be written.
    pub fn run(&self) -> anyhow::Result<()> {
        certificates::create(&self.folder)?;
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
