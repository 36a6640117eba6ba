//! The configuration file as written, and its checks.

use super::{
    checks::{check_coordinators, check_name, check_workers, is_listen_address},
    error::ConfigError,
    settings::{
        BookConfig, Config, CoordinatorConfig, DRAIN, EnsembleConfig, WORKER_LISTEN, WorkerConfig,
    },
    source::Source,
};
use monju_coordinator::{record::Rotation, resignation::ResignationPolicy, voting::Rule};
use monju_engine::names::UnknownName;
use monju_host::{PlayerTable, validate_players};
use serde::Deserialize;
use std::{
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

/// Version of the configuration that this build reads.
const VERSION: u32 = 1;

/// Greatest overhead of a move that is accepted.
const LONGEST_OVERHEAD: Duration = Duration::from_secs(60);

/// Greatest time that the end of a service waits for questions under way.
const LONGEST_DRAIN: Duration = Duration::from_secs(3_600);

/// Default number of consecutive hopeless decisions that end a game.
pub const RESIGN_AFTER: u32 = 3;

/// Checks a text. Errors name `path`, and relative paths in the text start from its folder.
pub(super) fn parse(text: &str, path: &Path) -> Result<Config, ConfigError> {
    let source = Source::new(text, path);
    let file: ConfigFile = toml::from_str(text).map_err(|error| source.syntax(&error))?;
    if file.version != VERSION {
        let what = format!(
            "version {} is not known; use version = {VERSION}",
            file.version
        );
        return Err(source.error(&["version"], what));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let players = validate_players(&file.player, folder).map_err(|error| {
        let index = error.index;
        source.element_error("player", index, error)
    })?;
    let config = Config {
        worker: file.worker.validate(&source)?,
        coordinator: file.coordinator.validate(&source, folder)?,
        ensemble: file.ensemble.validate(&source, folder)?,
        book: (file.book.validate(folder))
            .map_err(|what| source.error(&["book", "plies"], what))?,
        players,
        tls: file.tls.map(|tls| folder.join(tls)),
        without_tls: file.without_tls,
    };
    if config.tls.is_some() && config.without_tls {
        let what = "without_tls = true contradicts tls; remove one of them";
        return Err(source.error(&["without_tls"], what.to_owned()));
    }
    check_primary(&config, &source)?;
    Ok(config)
}

/// Checks that the primary is one of the players, if all of these are known.
fn check_primary(config: &Config, source: &Source) -> Result<(), ConfigError> {
    let Some(primary) = &config.ensemble.primary else {
        return Ok(());
    };
    if primary.is_empty() {
        let what = "primary is the name of a player; remove it where there is none";
        return Err(source.error(&["ensemble", "primary"], what.to_owned()));
    }
    let known = !config.players.is_empty() && config.coordinator.workers.is_empty();
    if known && config.players.iter().all(|player| player.name != *primary) {
        let names: Vec<&str> = config.players.iter().map(|player| &*player.name).collect();
        let names = names.join(", ");
        let what = format!("primary '{primary}' is no player; expected one of: {names}");
        return Err(source.error(&["ensemble", "primary"], what));
    }
    Ok(())
}

/// The file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    #[serde(default = "current_version")]
    version: u32,
    tls: Option<PathBuf>,
    #[serde(default)]
    without_tls: bool,
    #[serde(default)]
    worker: WorkerTable,
    #[serde(default)]
    player: Vec<PlayerTable>,
    #[serde(default)]
    coordinator: CoordinatorTable,
    #[serde(default)]
    ensemble: EnsembleTable,
    #[serde(default)]
    book: BookTable,
}

fn current_version() -> u32 {
    VERSION
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkerTable {
    name: Option<String>,
    listen: Option<String>,
    hash_mib: Option<u32>,
    coordinators: Option<Vec<String>>,
    drain_ms: Option<u32>,
}

impl WorkerTable {
    fn validate(self, source: &Source) -> Result<WorkerConfig, ConfigError> {
        let defaults = Config::default().worker;
        let config = WorkerConfig {
            name: self.name.unwrap_or(defaults.name),
            listen: self.listen.unwrap_or(defaults.listen),
            hash_mib: self.hash_mib.unwrap_or(defaults.hash_mib),
            coordinators: self.coordinators.unwrap_or(defaults.coordinators),
            drain: drain(source, "worker", self.drain_ms)?,
        };
        check_name(&config.name).map_err(|what| source.error(&["worker", "name"], what))?;
        check_listen(source, "worker", &config.listen)?;
        check_coordinators(&config.coordinators)
            .map_err(|what| source.error(&["worker", "coordinators"], what))?;
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
    enrolment: Option<bool>,
    overhead_ms: Option<u32>,
    #[serde(alias = "tempo")]
    time_policy: Option<String>,
    pondering: Option<String>,
    log: Option<PathBuf>,
    log_max_mib: Option<u32>,
    log_keep_days: Option<u32>,
    drain_ms: Option<u32>,
}

impl CoordinatorTable {
    fn validate(self, source: &Source, folder: &Path) -> Result<CoordinatorConfig, ConfigError> {
        let defaults = Config::default().coordinator;
        let enrolment = self.enrolment.unwrap_or(defaults.enrolment);
        let config = CoordinatorConfig {
            listen: self.listen.unwrap_or(defaults.listen),
            awaits_workers: enrolment && self.workers.as_ref().is_some_and(Vec::is_empty),
            enrolment,
            workers: self.workers.unwrap_or(defaults.workers),
            overhead: self
                .overhead_ms
                .map_or(defaults.overhead, |ms| Duration::from_millis(ms.into())),
            time_policy: named(source, &["coordinator", "time_policy"], self.time_policy)?
                .unwrap_or(defaults.time_policy),
            pondering: named(source, &["coordinator", "pondering"], self.pondering)?
                .unwrap_or(defaults.pondering),
            rotation: rotation(source, self.log_max_mib, self.log_keep_days)?,
            log: self.log.map(|log| folder.join(log)),
            drain: drain(source, "coordinator", self.drain_ms)?,
        };
        check_listen(source, "coordinator", &config.listen)?;
        let keys = ["coordinator", "workers"];
        check_workers(&config.workers).map_err(|what| source.error(&keys, what))?;
        if config.overhead > LONGEST_OVERHEAD {
            let what = format!(
                "overhead_ms must be at most {}, the time that a move loses on its way",
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

impl EnsembleTable {
    fn validate(self, source: &Source, folder: &Path) -> Result<EnsembleConfig, ConfigError> {
        let error = |key: &str, what: String| source.error(&["ensemble", key], what);
        let rule: Rule =
            named(source, &["ensemble", "rule"], self.rule.as_deref())?.unwrap_or_default();
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
    ) -> Result<Option<ResignationPolicy>, ConfigError> {
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
        Ok(Some(ResignationPolicy { below, after }))
    }
}

/// Error of a book without moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("plies must be at least 1; without a book, remove file")]
pub struct NoPlies;

/// The opening book as written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookTable {
    file: Option<PathBuf>,
    plies: Option<u32>,
    #[serde(default)]
    voting: bool,
}

impl BookTable {
    /// Checks the table; a relative path starts from `folder`.
    ///
    /// # Errors
    /// `plies` is 0.
    pub fn validate(&self, folder: &Path) -> Result<BookConfig, NoPlies> {
        if self.plies == Some(0) {
            return Err(NoPlies);
        }
        Ok(BookConfig {
            file: self.file.as_ref().map(|file| folder.join(file)),
            plies: self.plies,
            voting: self.voting,
        })
    }
}

/// Reads the value of an enumeration under a key.
fn named<T: FromStr<Err = UnknownName>>(
    source: &Source,
    keys: &[&str],
    name: Option<impl AsRef<str>>,
) -> Result<Option<T>, ConfigError> {
    let value = name.map(|name| name.as_ref().parse()).transpose();
    value.map_err(|error| source.error(keys, error))
}

/// Greatest size of one file of a log, in MiB, and longest time for which files are kept, in days.
const LARGEST_LOG: u32 = 1 << 20;
const LONGEST_KEPT: u32 = 36_500;

/// Reads the limits of the files of a log.
fn rotation(
    source: &Source,
    max_mib: Option<u32>,
    keep_days: Option<u32>,
) -> Result<Rotation, ConfigError> {
    let error = |key: &str, what: String| Err(source.error(&["coordinator", key], what));
    if max_mib.is_some_and(|mib| !(1..=LARGEST_LOG).contains(&mib)) {
        return error(
            "log_max_mib",
            format!("log_max_mib must be from 1 to {LARGEST_LOG}"),
        );
    }
    if keep_days.is_some_and(|days| !(1..=LONGEST_KEPT).contains(&days)) {
        return error(
            "log_keep_days",
            format!("log_keep_days must be from 1 to {LONGEST_KEPT}"),
        );
    }
    if keep_days.is_some() && max_mib.is_none() {
        let what = "log_keep_days deletes files that were put aside; give log_max_mib, too";
        return error("log_keep_days", what.to_owned());
    }
    Ok(Rotation {
        bytes: max_mib.map(|mib| u64::from(mib) << 20),
        days: keep_days,
    })
}

/// Reads the time in which a service that is told to end finishes the questions under way.
fn drain(source: &Source, table: &str, ms: Option<u32>) -> Result<Duration, ConfigError> {
    let drain = ms.map_or(DRAIN, |ms| Duration::from_millis(ms.into()));
    if drain > LONGEST_DRAIN {
        let what = format!("drain_ms must be at most {}", LONGEST_DRAIN.as_millis());
        return Err(source.error(&[table, "drain_ms"], what));
    }
    Ok(drain)
}

/// Checks an address to listen on.
fn check_listen(source: &Source, table: &str, listen: &str) -> Result<(), ConfigError> {
    if is_listen_address(listen) {
        return Ok(());
    }
    let what = format!("listen '{listen}' is not an address; expected a form like {WORKER_LISTEN}");
    Err(source.error(&[table, "listen"], what))
}
