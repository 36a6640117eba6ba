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

pub(crate) use checks::host_of;
pub use checks::{
    NameError, WorkersError, check_coordinators, check_name, check_workers, is_listen_address,
};
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

/// A configuration file with the text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    /// Its path.
    pub path: PathBuf,
    /// Its text at that time.
    pub text: String,
}

impl ReadFile {
    fn read(path: PathBuf) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(&path);
        let text = text.map_err(|error| ConfigError::unreadable(&path, error))?;
        Ok(Self { path, text })
    }
}

impl Config {
    /// Reads the named file; else `monju.toml` beside the executable, if there is one; else returns
    /// the defaults.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        Self::load_with_file(named).map(|(config, _)| config)
    }

    /// Like [`Config::load`], and returns the file as well, if there is one.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong.
    pub fn load_with_file(named: Option<&Path>) -> Result<(Self, Option<ReadFile>), ConfigError> {
        let Some(path) = named.map(Path::to_owned).or_else(beside_executable) else {
            return Ok((Self::default(), None));
        };
        let file = ReadFile::read(path)?;
        Ok((Self::parse(&file.text, &file.path)?, Some(file)))
    }

    /// Reads one file.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let file = ReadFile::read(path.to_owned())?;
        Self::parse(&file.text, path)
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
