//! The task that assembles the team, prepares it for games, and closes it.

use super::assembled_team::{AssembledTeam, Contact, PrepareError};
use monju_proto::text::brief;
use monju_team::team::{AssembleError, Choices};
use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{mpsc, watch},
    time::sleep,
};

/// Interval at which a team that could not be assembled is tried again.
const RETRY: Duration = Duration::from_secs(5);

/// The state of the connection.
#[derive(Clone, Debug, Default)]
pub struct ConnectionStatus {
    /// Number of the last request that is done.
    pub settled: u64,
    /// The coordinator, as soon as it can be consulted.
    pub contact: Option<Contact>,
    /// The reason why the last request failed; there may be a contact nevertheless.
    pub failure: Option<String>,
}

/// A request for a team that is prepared for a game.
#[derive(Clone, Debug)]
pub struct TeamRequest {
    /// The number of the request, from 1.
    pub number: u64,
    /// The team.
    pub choices: Choices,
    /// The game.
    pub game_id: String,
}

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
enum TeamRequestError {
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    #[error(transparent)]
    Prepare(#[from] PrepareError),
}

/// Owns the team and works on one request at a time.
pub struct ConnectionTask<F> {
    assemble: F,
    status: watch::Sender<ConnectionStatus>,
    /// Number of the last request whose game is over, and needs no team that is prepared for it.
    over: Arc<AtomicU64>,
    /// The team and the choices it was assembled for.
    team: Option<(AssembledTeam, Choices)>,
}

impl<F, Fut> ConnectionTask<F>
where
    F: Fn(Choices) -> Fut,
    Fut: Future<Output = Result<AssembledTeam, AssembleError>>,
{
    /// Creates the task without a team.
    pub fn new(assemble: F, status: watch::Sender<ConnectionStatus>, over: Arc<AtomicU64>) -> Self {
        Self {
            assemble,
            status,
            over,
            team: None,
        }
    }

    /// Works on requests until their sender or the last reader of the status is gone, then closes
    /// the team.
    pub async fn run(mut self, mut requests: mpsc::UnboundedReceiver<TeamRequest>) {
        let readers = self.status.clone();
        let mut failed: Option<TeamRequest> = None;
        loop {
            let next = tokio::select! {
                biased;
                request = requests.recv() => request,
                // A coordinator that was missing may have come back: no game is given up for it.
                () = sleep(RETRY), if failed.is_some() => failed.take(),
            };
            let Some(mut request) = next else { break };
            // Only the latest request counts.
            while let Ok(later) = requests.try_recv() {
                request = later;
            }
            let failure = tokio::select! {
                problems = self.settle(&request) => match problems {
                    Ok(problems) => (!problems.is_empty()).then(|| problems.join("; ")),
                    Err(error) => Some(error.to_string()),
                }
                .map(brief),
                () = readers.closed() => break,
            };
            if let Some(reason) = &failure {
                match self.team {
                    Some(_) => tracing::warn!(%reason, "the team plays in spite of a problem"),
                    None => tracing::warn!(%reason, "the team is not ready"),
                }
            }
            failed = self.team.is_none().then(|| request.clone());
            self.status.send_modify(|status| {
                status.settled = request.number;
                status.failure = failure;
            });
        }
        self.close_team().await;
    }

    /// Returns the problems that do not keep the game from being played.
    async fn settle(&mut self, request: &TeamRequest) -> Result<Vec<String>, TeamRequestError> {
        if let Some((team, choices)) = self.team.as_mut()
            && *choices == request.choices
        {
            match team.prepare(&request.game_id).await {
                Ok(problems) => return Ok(problems),
                Err(error @ PrepareError::Held(_)) => return Err(error.into()),
                // The coordinator may have been restarted: a new connection may succeed.
                Err(error) => tracing::warn!(%error, "assembling the team again"),
            }
        }
        // The old team's memory and processes are freed before the new ones are taken.
        self.close_team().await;
        let team = (self.assemble)(request.choices.clone()).await?;
        let contact = team.contact().clone();
        self.status
            .send_modify(|status| status.contact = Some(contact));
        let (team, _) = self.team.insert((team, request.choices.clone()));
        // Who prepares a team for a game claims it.
        if self.over.load(Ordering::Relaxed) >= request.number {
            return Ok(Vec::new());
        }
        Ok(team.prepare(&request.game_id).await?)
    }

    async fn close_team(&mut self) {
        self.status.send_modify(|status| status.contact = None);
        if let Some((team, _)) = self.team.take() {
            team.close().await;
        }
    }
}
