//! The one configuration file, `monju.toml`, of which every role reads its own part.
//!
//! `configs/monju.toml` documents every key.

mod checks;
mod error;
mod file;
mod settings;
mod source;
#[cfg(test)]
mod tests;

pub use checks::{NameError, WorkersError, check_coordinators, check_name, check_workers};
pub use error::ConfigError;
pub use file::{BookTable, RESIGN_AFTER};
pub use settings::{
    BookConfig, COORDINATOR_LISTEN, Config, CoordinatorConfig, DRAIN, EnsembleConfig, OVERHEAD,
    WORKER_LISTEN, WORKER_NAME, WorkerConfig,
};
pub use source::Source;

use monju_coordinator::choices::ConsultationSettings;
use monju_proto::{
    serve::Admission,
    tls::{Tls, TlsError},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

impl Config {
    /// Reads the named file; else `monju.toml` beside the executable, if there is one; else returns
    /// the defaults.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        match Self::path(named) {
            Some(path) => Self::read(&path),
            None => Ok(Self::default()),
        }
    }

    /// Returns the file that [`Config::load`] reads.
    pub fn path(named: Option<&Path>) -> Option<PathBuf> {
        named.map(Path::to_owned).or_else(beside_executable)
    }

    /// Reads one file.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text =
            fs::read_to_string(path).map_err(|error| ConfigError::unreadable(path, error))?;
        Self::parse(&text, path)
    }

    /// Checks a text. Errors name `path`, and relative paths in the text start from its folder.
    ///
    /// # Errors
    /// Something is wrong; the error names the line.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        file::parse(text, path)
    }

    /// Returns the settings that a consultation may override.
    pub fn consultation(&self) -> ConsultationSettings {
        ConsultationSettings {
            rule: self.ensemble.rule,
            time_policy: self.coordinator.time_policy,
            pondering: self.coordinator.pondering,
            without_book: false,
            book_plies: None,
        }
    }

    /// Reads the team's certificates from the named folder, or from the configured one; `None` without
    /// either.
    ///
    /// # Errors
    /// The folder holds no certificates.
    pub fn tls(&self, named: Option<&Path>) -> Result<Option<Tls>, TlsError> {
        named.or(self.tls.as_deref()).map(Tls::read).transpose()
    }

    /// Does without certificates, also beyond loopback.
    pub fn do_without_tls(&mut self) {
        (self.tls, self.without_tls) = (None, true);
    }

    /// Returns whom a service with these certificates lets in.
    pub fn admission<'a>(&self, tls: Option<&'a Tls>) -> Admission<'a> {
        match tls {
            Some(tls) => Admission::Members(tls),
            None if self.without_tls => Admission::Everybody,
            None => Admission::ThisMachine,
        }
    }
}

/// Returns `monju.toml` beside the executable: GUIs start engines in any folder and without
/// arguments.
fn beside_executable() -> Option<PathBuf> {
    let path = env::current_exe().ok()?.with_file_name("monju.toml");
    path.is_file().then_some(path)
}
