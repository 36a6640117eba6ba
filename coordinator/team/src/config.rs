//! The one configuration file, `monju.toml`, that every role reads its own part of.
//!
//! `configs/monju.toml` documents every key.

mod place;

use monju_coordinator::{
    clock::{TimePolicy, UnknownTimePolicy},
    pondering::{Pondering, UnknownPondering},
    resignation::Policy,
    roster,
    voting::{Rule, UnknownRule},
};
use monju_host::{DEFAULT_HASH_MIB, PlayerSpec, PlayerTable, validate_players};
use monju_proto::tls::{Tls, TlsError};
pub use place::Source;
use serde::Deserialize;
use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

pub use place::ConfigError;

/// The version of the configuration that this build reads.
const VERSION: u32 = 1;

/// Where a worker listens unless told otherwise.
pub const WORKER_LISTEN: &str = "127.0.0.1:7411";
/// Where a coordinator listens unless told otherwise.
pub const COORDINATOR_LISTEN: &str = "127.0.0.1:7410";
/// What a worker is called unless told otherwise.
pub const WORKER_NAME: &str = "worker";
/// What is lost between a decision and the GUI's clock unless told otherwise.
pub const OVERHEAD: Duration = Duration::from_millis(100);
/// Nobody loses more of a move on its way.
const LONGEST_OVERHEAD: Duration = Duration::from_secs(60);

/// A checked configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `[worker]`.
    pub worker: WorkerConfig,
    /// `[[player]]`, expanded; empty when there is none.
    pub players: Vec<PlayerSpec>,
    /// `[coordinator]`.
    pub coordinator: CoordinatorConfig,
    /// `[ensemble]`.
    pub ensemble: EnsembleConfig,
    /// Folder of the team's certificates.
    pub tls: Option<PathBuf>,
}

/// What a worker is called, where it listens, how much memory it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerConfig {
    /// Its name on ballots.
    pub name: String,
    /// `host:port`.
    pub listen: String,
    /// Transposition tables of all its native players together, in MiB.
    pub hash_mib: u32,
}

/// Where a coordinator listens, and what it coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorConfig {
    /// `host:port`.
    pub listen: String,
    /// URLs of remote workers.
    pub workers: Vec<String>,
    /// What is lost between a decision and the GUI's clock.
    pub overhead: Duration,
    /// How the time on a clock is spent.
    pub time_policy: TimePolicy,
    /// What is pondered on.
    pub pondering: Pondering,
    /// Where ballots are recorded.
    pub log: Option<PathBuf>,
}

/// How votes become a move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnsembleConfig {
    /// The voting rule.
    pub rule: Rule,
    /// The player that some rules follow, and that decides ties.
    pub primary: Option<String>,
    /// The file that makes the scores of different engines comparable.
    pub calibration: Option<PathBuf>,
    /// When the team resigns; never, unless told.
    pub resignation: Option<Policy>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            worker: WorkerConfig {
                name: WORKER_NAME.to_owned(),
                listen: WORKER_LISTEN.to_owned(),
                hash_mib: DEFAULT_HASH_MIB,
            },
            players: Vec::new(),
            coordinator: CoordinatorConfig {
                listen: COORDINATOR_LISTEN.to_owned(),
                workers: Vec::new(),
                overhead: OVERHEAD,
                time_policy: TimePolicy::default(),
                pondering: Pondering::default(),
                log: None,
            },
            ensemble: EnsembleConfig::default(),
            tls: None,
        }
    }
}

impl Config {
    /// Reads the file that was named; else `monju.toml` beside the executable, where there is one;
    /// else there are only defaults.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        match named.map(Path::to_owned).or_else(beside_executable) {
            Some(path) => Self::read(&path),
            None => Ok(Self::default()),
        }
    }

    /// Reads one file.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text =
            fs::read_to_string(path).map_err(|error| ConfigError::unreadable(path, &error))?;
        Self::parse(&text, path)
    }

    /// Checks a text; `path` is what errors call it, and where its relative paths start from.
    ///
    /// # Errors
    /// Something is wrong; the error says in which line.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let source = Source::new(text, path);
        let file: File = toml::from_str(text).map_err(|error| source.syntax(&error))?;
        if file.version != VERSION {
            let what = format!(
                "version {} is not known; use version = {VERSION}",
                file.version
            );
            return Err(source.error(&["version"], what));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let players = validate_players(&file.player, folder)
            .map_err(|error| source.element_error("player", error.index, error.to_string()))?;
        let config = Self {
            worker: file.worker.validate(&source)?,
            coordinator: file.coordinator.validate(&source, folder)?,
            ensemble: file.ensemble.validate(&source, folder)?,
            players,
            tls: file.tls.map(|tls| folder.join(tls)),
        };
        config.check_primary(&source)?;
        Ok(config)
    }

    /// The team's certificates, if there are any: those of the folder that was `named`, or of the
    /// configured one.
    ///
    /// # Errors
    /// The folder holds no certificates.
    pub fn tls(&self, named: Option<&Path>) -> Result<Option<Tls>, TlsError> {
        named.or(self.tls.as_deref()).map(Tls::read).transpose()
    }

    /// Where every player is known, the primary must be one of them.
    fn check_primary(&self, source: &Source) -> Result<(), ConfigError> {
        let Some(primary) = &self.ensemble.primary else {
            return Ok(());
        };
        let known = !self.players.is_empty() && self.coordinator.workers.is_empty();
        if known && self.players.iter().all(|player| player.name != *primary) {
            let names: Vec<&str> = self.players.iter().map(|player| &*player.name).collect();
            let names = names.join(", ");
            let what = format!("primary '{primary}' is no player; expected one of: {names}");
            return Err(source.error(&["ensemble", "primary"], what));
        }
        Ok(())
    }
}

/// `monju.toml` beside the executable: GUIs start engines in any folder and without arguments.
fn beside_executable() -> Option<PathBuf> {
    let path = env::current_exe().ok()?.with_file_name("monju.toml");
    path.is_file().then_some(path)
}

/// The file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default = "current_version")]
    version: u32,
    tls: Option<PathBuf>,
    #[serde(default)]
    worker: WorkerTable,
    #[serde(default)]
    player: Vec<PlayerTable>,
    #[serde(default)]
    coordinator: CoordinatorTable,
    #[serde(default)]
    ensemble: EnsembleTable,
}

fn current_version() -> u32 {
    VERSION
}

/// Whether a worker may be called so.
///
/// # Errors
/// Why not, in one line.
pub fn check_name(name: &str) -> Result<(), String> {
    match name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        true => Err(format!("name {name:?} must be one word")),
        false => Ok(()),
    }
}

/// Whether these are addresses of different workers.
///
/// # Errors
/// Why not, in one line.
pub fn check_workers(urls: &[String]) -> Result<(), String> {
    let mut known = Vec::new();
    for url in urls {
        let address = roster::address(url).map_err(|error| error.to_string())?;
        let place = address
            .authority()
            .map(|place| place.as_str().to_lowercase());
        if known.contains(&place) {
            return Err(format!("worker {url} is listed twice; remove one of them"));
        }
        known.push(place);
    }
    Ok(())
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkerTable {
    name: Option<String>,
    listen: Option<String>,
    hash_mib: Option<u32>,
}

impl WorkerTable {
    fn validate(self, source: &Source) -> Result<WorkerConfig, ConfigError> {
        let defaults = Config::default().worker;
        let config = WorkerConfig {
            name: self.name.unwrap_or(defaults.name),
            listen: self.listen.unwrap_or(defaults.listen),
            hash_mib: self.hash_mib.unwrap_or(defaults.hash_mib),
        };
        check_name(&config.name).map_err(|what| source.error(&["worker", "name"], what))?;
        check_listen(source, "worker", &config.listen)?;
        if config.hash_mib == 0 {
            let what = "hash_mib must be at least 1".to_owned();
            return Err(source.error(&["worker", "hash_mib"], what));
        }
        Ok(config)
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CoordinatorTable {
    listen: Option<String>,
    workers: Option<Vec<String>>,
    overhead_ms: Option<u32>,
    #[serde(alias = "tempo")]
    time_policy: Option<String>,
    pondering: Option<String>,
    log: Option<PathBuf>,
}

impl CoordinatorTable {
    fn validate(self, source: &Source, folder: &Path) -> Result<CoordinatorConfig, ConfigError> {
        let defaults = Config::default().coordinator;
        let config = CoordinatorConfig {
            listen: self.listen.unwrap_or(defaults.listen),
            workers: self.workers.unwrap_or(defaults.workers),
            overhead: self
                .overhead_ms
                .map_or(defaults.overhead, |ms| Duration::from_millis(ms.into())),
            time_policy: match self.time_policy {
                Some(time_policy) => time_policy.parse().map_err(|error: UnknownTimePolicy| {
                    source.error(&["coordinator", "time_policy"], error.to_string())
                })?,
                None => defaults.time_policy,
            },
            pondering: match self.pondering {
                Some(pondering) => pondering.parse().map_err(|error: UnknownPondering| {
                    source.error(&["coordinator", "pondering"], error.to_string())
                })?,
                None => defaults.pondering,
            },
            log: self.log.map(|log| folder.join(log)),
        };
        check_listen(source, "coordinator", &config.listen)?;
        let keys = ["coordinator", "workers"];
        check_workers(&config.workers).map_err(|what| source.error(&keys, what))?;
        if config.overhead > LONGEST_OVERHEAD {
            let what = format!(
                "overhead_ms must be at most {}, what a move loses on its way",
                LONGEST_OVERHEAD.as_millis()
            );
            return Err(source.error(&["coordinator", "overhead_ms"], what));
        }
        Ok(config)
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnsembleTable {
    rule: Option<String>,
    primary: Option<String>,
    calibration: Option<PathBuf>,
    resign_below: Option<f64>,
    resign_after: Option<u32>,
}

/// So many hopeless decisions in a row end a game unless told otherwise.
const RESIGN_AFTER: u32 = 3;

impl EnsembleTable {
    fn validate(self, source: &Source, folder: &Path) -> Result<EnsembleConfig, ConfigError> {
        let error = |key: &str, what: String| source.error(&["ensemble", key], what);
        let rule = match &self.rule {
            Some(rule) => rule
                .parse()
                .map_err(|unknown: UnknownRule| error("rule", unknown.to_string()))?,
            None => Rule::default(),
        };
        if rule.needs_primary() && self.primary.is_none() {
            let what = format!("rule '{rule}' needs a primary player; name one by primary = …");
            return Err(error("rule", what));
        }
        Ok(EnsembleConfig {
            rule,
            resignation: self.resignation(&error)?,
            primary: self.primary,
            calibration: self.calibration.map(|path| folder.join(path)),
        })
    }

    fn resignation(
        &self,
        error: &dyn Fn(&str, String) -> ConfigError,
    ) -> Result<Option<Policy>, ConfigError> {
        let after = self.resign_after.unwrap_or(RESIGN_AFTER);
        if after == 0 {
            let what = "resign_after must be at least 1".to_owned();
            return Err(error("resign_after", what));
        }
        let Some(below) = self.resign_below else {
            return Ok(None);
        };
        if !(0.0..0.5).contains(&below) {
            let what = format!("resign_below must be a win rate from 0 to below 0.5, not {below}");
            return Err(error("resign_below", what));
        }
        if self.calibration.is_none() {
            let what = "resign_below needs win rates; name a calibration, which \
                        'monju calibrate' makes"
                .to_owned();
            return Err(error("resign_below", what));
        }
        Ok(Some(Policy { below, after }))
    }
}

fn check_listen(source: &Source, table: &str, listen: &str) -> Result<(), ConfigError> {
    let is_address = listen
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if is_address {
        return Ok(());
    }
    let what = format!("listen '{listen}' is no address; expected a form like {WORKER_LISTEN}");
    Err(source.error(&[table, "listen"], what))
}

#[cfg(test)]
mod tests;
