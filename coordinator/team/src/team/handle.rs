//! An assembled team.

use super::error::IgnoredChoice;
use crate::reload::ListReader;
use monju_coordinator::{choices::ConsultationChoices, record::Recorder};
use monju_proto::{serve::ServerTask, v1::coordinator_client::CoordinatorClient};
use monju_worker::InProcessWorker;
use std::{path::Path, sync::Arc, time::Duration};
use tonic::transport::Channel;

/// A coordinator to talk to. Dropping it ends everything that was started for it, foreign engines
/// included.
#[derive(Debug)]
pub struct Team {
    /// The client; cheap to clone.
    pub client: CoordinatorClient<Channel>,
    /// The coordinator's URL, or a word for the one in this process.
    pub name: String,
    /// The coordinators that take over when it fails, in their order, with their URLs.
    pub others: Vec<(String, CoordinatorClient<Channel>)>,
    /// The choices that a consultation must name; none for an embedded coordinator, whose ensemble
    /// has them already.
    pub consultation: ConsultationChoices,
    /// Time that the coordinator sets aside of every clock.
    pub overhead: Duration,
    /// The choices that do not apply.
    pub ignored: Vec<IgnoredChoice>,
    pub(super) embedded: Option<Embedded>,
}

/// The parts of a team that run in this process.
#[derive(Debug)]
pub(super) struct Embedded {
    pub worker: Option<InProcessWorker>,
    pub recorder: Option<Arc<Recorder>>,
    pub _reader: Option<ListReader>,
    pub _server: ServerTask,
}

impl Team {
    /// Returns the ballot log, if this process writes one.
    pub fn log(&self) -> Option<&Path> {
        let recorder = self.embedded.as_ref()?.recorder.as_ref()?;
        Some(recorder.path())
    }

    /// Waits for the ballot log, if this process writes one, at most a second. Returns whether it has every line.
    pub fn is_logged(&self) -> bool {
        let embedded = self.embedded.as_ref();
        let recorder = embedded.and_then(|embedded| embedded.recorder.as_ref());
        recorder.is_none_or(|recorder| recorder.flush())
    }

    /// Ends everything that was started for the team, and waits for it, at most 5 s.
    pub async fn close(self) {
        // What the log has lost was told when it was.
        self.is_logged();
        let Some(embedded) = self.embedded else {
            return;
        };
        if let Some(worker) = embedded.worker {
            worker.close().await;
        }
    }
}
