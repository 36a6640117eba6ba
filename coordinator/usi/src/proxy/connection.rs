//! The connection to the team: assembled on request, prepared for every game, closed at the end.

use super::{
    assembled_team::AssembledTeam,
    connection_task::{ConnectionStatus, ConnectionTask, TeamRequest},
};
use monju_proto::v1::{FinishGameRequest, GameOutcome};
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
    task::JoinHandle,
    time::timeout,
};

/// Time that the coordinator gets to record the result of a game.
const RESULT_PATIENCE: Duration = Duration::from_secs(30);

/// Time that the end of a session waits for the result of its last game to be recorded.
const LAST_RESULT_PATIENCE: Duration = Duration::from_secs(1);

/// Time that the team gets to close in good order; GUIs kill an engine 5 s after `quit`.
const CLOSING_PATIENCE: Duration = Duration::from_secs(3);

/// The session's end of the connection. Dropping it closes the team.
#[derive(Debug)]
pub struct TeamConnection {
    requests: mpsc::UnboundedSender<TeamRequest>,
    status: watch::Receiver<ConnectionStatus>,
    /// Number of the last request.
    last: u64,
    /// Choices of the last request.
    requested: Option<Choices>,
    /// Number of the last request whose game is over.
    over: Arc<AtomicU64>,
    /// True once the task has failed: nothing will change any more.
    has_failed: bool,
    task: JoinHandle<()>,
    /// The result of the last game on its way to the coordinator.
    result: Option<JoinHandle<()>>,
}

impl TeamConnection {
    /// Starts without a team; `assemble` makes one on request.
    pub fn start<F, Fut>(assemble: F) -> Self
    where
        F: Fn(Choices) -> Fut + Send + 'static,
        Fut: Future<Output = Result<AssembledTeam, AssembleError>> + Send + 'static,
    {
        let (requests, receiver) = mpsc::unbounded_channel();
        let (sender, status) = watch::channel(ConnectionStatus::default());
        let over = Arc::<AtomicU64>::default();
        let task = ConnectionTask::new(assemble, sender, Arc::clone(&over));
        Self {
            requests,
            status,
            last: 0,
            requested: None,
            has_failed: false,
            over,
            task: tokio::spawn(task.run(receiver)),
            result: None,
        }
    }

    /// Requests a team of these choices that is prepared for this game.
    pub fn prepare(&mut self, choices: Choices, game_id: String) {
        self.last += 1;
        self.requested = Some(choices.clone());
        // Fails only if the task has failed, which `failure` reports.
        let _ = self.requests.send(TeamRequest {
            number: self.last,
            choices,
            game_id,
        });
    }

    /// Lets others have the players, and sends the result of the game to the coordinator, if there is one; in the
    /// background.
    pub fn finish_game(&mut self, game_id: String, outcome: Option<GameOutcome>) {
        self.over.store(self.last, Ordering::Relaxed);
        let Some(contact) = self.status.borrow().contact.clone() else {
            return;
        };
        let claim = contact.claim.number();
        let request = outcome.map(|outcome| FinishGameRequest {
            game_id,
            outcome: outcome.into(),
        });
        let earlier = self.result.take();
        self.result = Some(tokio::spawn(async move {
            if let Some(earlier) = earlier {
                // It fails only with this session.
                let _ = earlier.await;
            }
            let mut client = contact.coordinators.asked().client;
            if let Some(request) = request {
                match timeout(RESULT_PATIENCE, client.finish_game(request)).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(status)) => tracing::warn!(%status, "the result is not recorded"),
                    Err(_) => tracing::warn!("the coordinator does not take the result"),
                }
            }
            contact.claim.release(claim, &mut client).await;
        }));
    }

    /// Returns true if a `go` without a team should request one. Choices that have just failed are
    /// not tried again, for the game's clock is running.
    pub fn should_prepare(&self, choices: &Choices) -> bool {
        match &self.requested {
            None => true,
            Some(requested) => requested != choices && !self.has_team(),
        }
    }

    /// Returns true if there is a team, or one is being assembled.
    pub fn has_team(&self) -> bool {
        self.status.borrow().contact.is_some() || !self.is_settled()
    }

    /// Returns true if the game of the last request is over.
    pub fn is_after_its_game(&self) -> bool {
        self.last > 0 && self.over.load(Ordering::Relaxed) == self.last
    }

    /// Returns true once the last request is done.
    pub fn is_settled(&self) -> bool {
        self.has_failed || self.status.borrow().settled == self.last
    }

    /// Returns the reason why the last request failed.
    pub fn failure(&self) -> Option<String> {
        if self.has_failed {
            return Some("assembling the team failed inside monju; restart the engine".to_owned());
        }
        self.status.borrow().failure.clone()
    }

    /// Waits for the next change of the status.
    pub async fn changed(&mut self) {
        if self.has_failed {
            std::future::pending().await
        }
        self.has_failed = self.status.changed().await.is_err();
    }

    /// Returns a handle by which a search waits for the last request.
    pub fn handle(&self) -> ConnectionHandle {
        ConnectionHandle {
            status: self.status.clone(),
            number: self.last,
        }
    }

    /// Waits for the last result to be recorded, at most 1 s, then closes the team, in at most 3 s.
    pub async fn close(self) {
        let Self {
            requests,
            status,
            task,
            result,
            ..
        } = self;
        if let Some(result) = result
            && timeout(LAST_RESULT_PATIENCE, result).await.is_err()
        {
            tracing::warn!("the coordinator has not taken the result of the last game");
        }
        drop((requests, status));
        let abort = task.abort_handle();
        if timeout(CLOSING_PATIENCE, task).await.is_err() {
            tracing::warn!("the team does not end in good order");
            abort.abort();
        }
    }
}

/// A search's view of the connection.
#[derive(Debug)]
pub struct ConnectionHandle {
    status: watch::Receiver<ConnectionStatus>,
    number: u64,
}

impl ConnectionHandle {
    /// Returns the status once the request is done.
    pub async fn settled(&mut self) -> ConnectionStatus {
        let number = self.number;
        // Fails only if the team is being closed; the status does not change any more then.
        let _ = self
            .status
            .wait_for(|status| status.settled >= number)
            .await;
        self.now()
    }

    /// Returns the present status.
    pub fn now(&self) -> ConnectionStatus {
        self.status.borrow().clone()
    }
}
