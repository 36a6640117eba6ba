//! The list of workers of a running coordinator, read again when its file changes.

use crate::config::Config;
use monju_coordinator::service::Service;
use std::{fs, path::PathBuf, time::Duration};
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
    /// Follows the list in the file at `path`, from which the configuration of the service was read.
    pub fn follow(path: PathBuf, service: Service) -> Self {
        let text = fs::read_to_string(&path).unwrap_or_default();
        Self(tokio::spawn(follow(path, text, service)))
    }
}

async fn follow(path: PathBuf, mut text: String, service: Service) {
    let mut config = Config::parse(&text, &path).unwrap_or_default();
    loop {
        sleep(INTERVAL).await;
        // A file that is not there for a moment is being replaced.
        let Ok(now) = tokio::fs::read_to_string(&path).await else {
            continue;
        };
        if text == now {
            continue;
        }
        let changed = Config::parse(&now, &path);
        text = now;
        let changed = match changed {
            Ok(changed) => changed,
            Err(error) => {
                warn!(%error, "the list of workers stays as it was");
                continue;
            }
        };
        let workers = changed.coordinator.workers.clone();
        if workers != config.coordinator.workers {
            match service.list_workers(&workers) {
                Ok(()) => info!(workers = workers.len(), "the list of workers has changed"),
                Err(error) => warn!(%error, "the list of workers stays as it was"),
            }
        }
        config.coordinator.workers = workers;
        if config != changed {
            warn!("other changes of the configuration hold when the coordinator is started again");
        }
        config = changed;
    }
}
