//! The list of workers of a running coordinator, read again when its file changes.

use crate::config::{Config, ReadFile};
use monju_coordinator::service::Service;
use std::{path::PathBuf, time::Duration};
use tokio::{task::JoinHandle, time::sleep};
use tracing::{info, warn};

/// Interval at which the file is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// A task that ends with this value.
#[derive(Debug)]
pub struct ListReader(JoinHandle<()>);

impl Drop for ListReader {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl ListReader {
    /// Follows the list in the file from whose text the configuration of the service was read: an edit since then is
    /// one, too.
    pub fn follow(file: ReadFile, service: Service) -> Self {
        Self(tokio::spawn(follow(ListFile::new(file), service)))
    }
}

async fn follow(mut file: ListFile, service: Service) {
    loop {
        sleep(INTERVAL).await;
        let now = tokio::fs::read_to_string(&file.path).await.ok();
        if let Some(workers) = file.read(now) {
            match service.list_workers(&workers) {
                Ok(()) => info!(workers = workers.len(), "the list of workers has changed"),
                Err(error) => warn!(%error, "the list of workers stays as it was"),
            }
        }
    }
}

/// The file as it was read, and what holds of it.
struct ListFile {
    path: PathBuf,
    /// The last text that was heeded.
    text: String,
    /// Another text that was read once: an editor may still be writing the file.
    seen: Option<String>,
    /// The last configuration without an error.
    config: Config,
}

impl ListFile {
    fn new(file: ReadFile) -> Self {
        let ReadFile { path, text } = file;
        Self {
            config: Config::parse(&text, &path).unwrap_or_default(),
            seen: None,
            path,
            text,
        }
    }

    /// Enters what was read now; a file that is not there for a moment is being replaced. Returns the list of workers
    /// if the file has another one, in the same text as at the last reading.
    fn read(&mut self, now: Option<String>) -> Option<Vec<String>> {
        let seen = self.seen.take();
        let now = now.filter(|now| *now != self.text)?;
        if seen.as_ref() != Some(&now) {
            self.seen = Some(now);
            return None;
        }
        self.text = now;
        let changed = match Config::parse(&self.text, &self.path) {
            Ok(changed) => changed,
            Err(error) => {
                warn!(%error, "the list of workers stays as it was");
                return None;
            }
        };
        let workers = changed.coordinator.workers.clone();
        let known = &self.config.coordinator.workers;
        if workers.is_empty() && !known.is_empty() && !names_workers(&self.text) {
            let error = "the file has no workers any more; write workers = [] if that is meant";
            warn!(error, "the list of workers stays as it was");
            return None;
        }
        let is_new = workers != *known;
        if self.has_other_changes(&changed) {
            warn!("other changes of the configuration hold when the coordinator is started again");
        }
        self.config = changed;
        is_new.then_some(workers)
    }

    /// Tells whether a configuration differs in more than its list of workers, and what follows from that.
    fn has_other_changes(&self, changed: &Config) -> bool {
        let mut config = self.config.clone();
        let coordinator = &mut config.coordinator;
        coordinator.workers.clone_from(&changed.coordinator.workers);
        if coordinator.enrolment == changed.coordinator.enrolment {
            coordinator.awaits_workers = changed.coordinator.awaits_workers;
        }
        config != *changed
    }
}

/// Tells whether the text of a configuration has a list of workers, and be it an empty one.
fn names_workers(text: &str) -> bool {
    let table: toml::Table = text.parse().unwrap_or_default();
    let coordinator = table.get("coordinator").and_then(toml::Value::as_table);
    coordinator.is_some_and(|coordinator| coordinator.contains_key("workers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn text(workers: &[&str]) -> String {
        format!("version = 1\n[coordinator]\nworkers = {workers:?}\n")
    }

    /// The file of a coordinator with one worker.
    fn file() -> ListFile {
        ListFile::new(ReadFile {
            path: PathBuf::from("monju.toml"),
            text: text(&["http://pc1:7411"]),
        })
    }

    fn read(file: &mut ListFile, text: &str) -> Option<Vec<String>> {
        file.read(Some(text.to_owned()))
    }

    #[test]
    fn a_list_holds_once_it_was_read_twice() {
        let (mut file, longer) = (file(), text(&["http://pc1:7411", "http://pc2:7411"]));
        assert_eq!(read(&mut file, &longer), None);
        let workers = read(&mut file, &longer).expect("a list");
        assert_eq!(workers, ["http://pc1:7411", "http://pc2:7411"]);
        assert_eq!(read(&mut file, &longer), None, "it is known");
        assert_eq!(read(&mut file, &text(&["http://pc3:7411"])), None);
        assert_eq!(
            file.read(None),
            None,
            "the readings do not follow each other"
        );
        assert_eq!(read(&mut file, &text(&["http://pc3:7411"])), None);
        let workers = read(&mut file, &text(&["http://pc3:7411"]));
        assert_eq!(workers.expect("a list"), ["http://pc3:7411"]);
    }

    #[test]
    fn an_empty_list_is_no_other_change() {
        let parsed = |text: &str| Config::parse(text, Path::new("monju.toml")).expect("good");
        let mut file = file();
        let (one, none) = (file.config.clone(), parsed(&text(&[])));
        assert!(!file.has_other_changes(&none));
        file.config = none;
        assert!(!file.has_other_changes(&one));
        let other = parsed("version = 1\n[coordinator]\nworkers = []\nenrolment = false\n");
        assert!(file.has_other_changes(&other));
    }

    /// A shell empties a file before it writes to it.
    #[test]
    fn a_file_that_is_being_written_takes_no_worker_away() {
        let (mut file, longer) = (file(), text(&["http://pc1:7411", "http://pc2:7411"]));
        for half in ["", &longer[..longer.len() / 2], &longer] {
            assert_eq!(read(&mut file, half), None);
        }
        assert_eq!(
            read(&mut file, &longer).map(|workers| workers.len()),
            Some(2)
        );
    }

    #[test]
    fn only_an_empty_list_takes_all_workers_away() {
        let mut file = file();
        for without in [
            "",
            "version = 1\n",
            "version = 1\n[coordinator]\n",
            "workers =",
        ] {
            assert_eq!(read(&mut file, without), None);
            assert_eq!(read(&mut file, without), None, "{without}");
        }
        let back = text(&["http://pc1:7411"]);
        assert_eq!(read(&mut file, &back), None);
        assert_eq!(read(&mut file, &back), None, "the list had stayed");
        assert_eq!(read(&mut file, &text(&[])), None);
        assert_eq!(read(&mut file, &text(&[])), Some(Vec::new()));
    }
}
