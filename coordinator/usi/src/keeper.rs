//! Keeps the team: assembles it, prepares it for the next game, and lets it go.

use monju_coordinator::choices::ConsultationChoices;
use monju_proto::v1::{
    FinishGameRequest, GameOutcome, PrepareGameRequest, coordinator_client::CoordinatorClient,
};
use monju_team::team::{AssembleError, Choices};
use std::{future::Future, pin::Pin, time::Duration};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
    time::{sleep, timeout},
};
use tonic::transport::Channel;

/// The client of a coordinator.
pub type Client = CoordinatorClient<Channel>;

/// How long the end of a session waits for the result of its last game to be told.
const TELLING: Duration = Duration::from_secs(1);

/// How long the players get to prepare for a game; without an answer the game is tried anyway.
const PREPARATION: Duration = Duration::from_secs(30);
/// How often a team that could not be assembled is tried again.
const RETRY: Duration = Duration::from_secs(5);
/// How long the team may take to end in good order; GUIs kill an engine 5 s after `quit`.
const CLOSING: Duration = Duration::from_secs(3);

/// How to talk to a coordinator.
#[derive(Clone, Debug)]
pub struct Contact {
    /// The client.
    pub client: Client,
    /// The choices to name in consultations.
    pub consultation: ConsultationChoices,
    /// What the coordinator sets aside of every clock.
    pub overhead: Duration,
}

/// A coordinator, and what ends it. Dropping it ends it, too, without waiting.
pub struct Connection {
    contact: Contact,
    /// What is not as it was chosen.
    notes: Vec<String>,
    close: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Connection {
    /// `notes` are told to the user; `close` owns the team, and ends it when it is run.
    pub fn new(
        contact: Contact,
        notes: Vec<String>,
        close: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        Self {
            contact,
            notes,
            close: Box::pin(close),
        }
    }
}

/// How the team stands.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The number of the last request that was dealt with.
    settled: u64,
    /// The coordinator, as soon as it can be asked.
    pub contact: Option<Contact>,
    /// What went wrong with the last request; there may be a contact all the same.
    pub failure: Option<String>,
}

#[derive(Clone)]
struct Request {
    number: u64,
    choices: Choices,
    game_id: String,
}

/// The session's end of the team. The team ends with it.
#[derive(Debug)]
pub struct Keeper {
    requests: mpsc::UnboundedSender<Request>,
    status: watch::Receiver<Status>,
    last: u64,
    wanted: Option<Choices>,
    /// The other end failed, and nothing will change any more.
    gone: bool,
    task: JoinHandle<()>,
    /// The result of the last game is on its way.
    telling: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts without a team; `assemble` makes one when it is asked for.
    pub fn start<F, Fut>(assemble: F) -> Self
    where
        F: Fn(Choices) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Connection, AssembleError>> + Send + 'static,
    {
        let (requests, receiver) = mpsc::unbounded_channel();
        let (sender, status) = watch::channel(Status::default());
        Self {
            requests,
            status,
            last: 0,
            wanted: None,
            gone: false,
            telling: None,
            task: tokio::spawn(
                Actor {
                    assemble,
                    status: sender,
                    team: None,
                }
                .run(receiver),
            ),
        }
    }

    /// Asks for a team of these choices that is prepared for this game.
    pub fn prepare(&mut self, choices: Choices, game_id: String) {
        self.last += 1;
        self.wanted = Some(choices.clone());
        // Fails only when the other end has failed, which `failure` tells.
        let _ = self.requests.send(Request {
            number: self.last,
            choices,
            game_id,
        });
    }

    /// Tells the coordinator how a game ended. Only the end of the session waits for that, and not for long.
    pub fn finish_game(&mut self, game_id: String, outcome: GameOutcome) {
        let Some(mut contact) = self.status.borrow().contact.clone() else {
            return;
        };
        let request = FinishGameRequest {
            game_id,
            outcome: outcome.into(),
        };
        self.telling = Some(tokio::spawn(async move {
            match timeout(PREPARATION, contact.client.finish_game(request)).await {
                Ok(Ok(_)) => {}
                Ok(Err(status)) => tracing::warn!(%status, "the result is not recorded"),
                Err(_) => tracing::warn!("the coordinator does not take the result"),
            }
        }));
    }

    /// Whether a `go` without a team should ask for one: not when these choices have just failed,
    /// for the game's clock is running.
    pub fn is_worth_asking(&self, choices: &Choices) -> bool {
        match &self.wanted {
            None => true,
            Some(wanted) => wanted != choices && !self.has_team(),
        }
    }

    /// Whether there is a team, or one is on its way.
    pub fn has_team(&self) -> bool {
        self.status.borrow().contact.is_some() || !self.is_settled()
    }

    /// Whether the last request is dealt with.
    pub fn is_settled(&self) -> bool {
        self.gone || self.status.borrow().settled == self.last
    }

    /// What went wrong with the last request that was dealt with.
    pub fn failure(&self) -> Option<String> {
        if self.gone {
            return Some("assembling the team failed inside monju; restart the engine".to_owned());
        }
        self.status.borrow().failure.clone()
    }

    /// Waits for the next change of the status.
    pub async fn changed(&mut self) {
        if self.gone {
            std::future::pending().await
        }
        self.gone = self.status.changed().await.is_err();
    }

    /// Ends the team, and waits for it, at most 3 s; before that for a result that is being told, at most a second.
    pub async fn close(self) {
        let Self {
            requests,
            status,
            task,
            telling,
            ..
        } = self;
        if let Some(telling) = telling
            && timeout(TELLING, telling).await.is_err()
        {
            tracing::warn!("the coordinator has not taken the result of the last game");
        }
        drop((requests, status));
        let abort = task.abort_handle();
        if timeout(CLOSING, task).await.is_err() {
            tracing::warn!("the team does not end in good order");
            abort.abort();
        }
    }

    /// What a search needs to wait for the last request.
    pub fn waiter(&self) -> Waiter {
        Waiter {
            status: self.status.clone(),
            number: self.last,
        }
    }
}

/// Waits for the team.
#[derive(Debug)]
pub struct Waiter {
    status: watch::Receiver<Status>,
    number: u64,
}

impl Waiter {
    /// The status once the request is dealt with.
    pub async fn settled(&mut self) -> Status {
        let number = self.number;
        // Fails only when the team is being let go; then the status stays as it is.
        let _ = self
            .status
            .wait_for(|status| status.settled >= number)
            .await;
        self.now()
    }

    /// The status as it is.
    pub fn now(&self) -> Status {
        self.status.borrow().clone()
    }
}

/// The other end: holds the team and does one thing at a time.
struct Actor<F> {
    assemble: F,
    status: watch::Sender<Status>,
    team: Option<Team>,
}

/// The team that stands, and what it was made for.
struct Team {
    connection: Connection,
    choices: Choices,
    game_id: Option<String>,
}

impl<F, Fut> Actor<F>
where
    F: Fn(Choices) -> Fut,
    Fut: Future<Output = Result<Connection, AssembleError>>,
{
    async fn run(mut self, mut requests: mpsc::UnboundedReceiver<Request>) {
        let hung_up = self.status.clone();
        let mut failed: Option<Request> = None;
        loop {
            let next = tokio::select! {
                biased;
                request = requests.recv() => request,
                // Whoever was not there may have come back: a whole game must not be lost for it.
                () = sleep(RETRY), if failed.is_some() => failed.take(),
            };
            let Some(mut request) = next else { break };
            // Only the last wish matters.
            while let Ok(later) = requests.try_recv() {
                request = later;
            }
            let failure = tokio::select! {
                settled = self.settle(&request) => match settled {
                    Ok(problems) => (!problems.is_empty()).then(|| problems.join("; ")),
                    Err(reason) => Some(reason),
                },
                // Nobody waits any more.
                () = hung_up.closed() => break,
            };
            if let Some(reason) = &failure {
                tracing::warn!(%reason, "the team is not ready");
            }
            failed = self.team.is_none().then(|| request.clone());
            self.status.send_modify(|status| {
                status.settled = request.number;
                status.failure = failure;
            });
        }
        self.let_go().await;
    }

    /// Gives back what is not as it should be, though the game can be played.
    async fn settle(&mut self, request: &Request) -> Result<Vec<String>, String> {
        if let Some(team) = self.team.as_mut()
            && team.choices == request.choices
        {
            match team.prepare(&request.game_id).await {
                Ok(problems) => return Ok(problems),
                // Its coordinator may have been restarted: a fresh connection may do.
                Err(reason) => tracing::warn!(%reason, "assembling the team again"),
            }
        }
        // The old team's memory and processes go before the new ones come.
        self.let_go().await;
        let connection = (self.assemble)(request.choices.clone())
            .await
            .map_err(|error| error.to_string())?;
        let contact = connection.contact.clone();
        self.status
            .send_modify(|status| status.contact = Some(contact));
        let team = self.team.insert(Team {
            connection,
            choices: request.choices.clone(),
            game_id: None,
        });
        team.prepare(&request.game_id).await
    }

    async fn let_go(&mut self) {
        self.status.send_modify(|status| status.contact = None);
        if let Some(team) = self.team.take() {
            team.connection.close.await;
        }
    }
}

impl Team {
    async fn prepare(&mut self, game_id: &str) -> Result<Vec<String>, String> {
        if self.game_id.as_deref() == Some(game_id) {
            return Ok(Vec::new());
        }
        let request = PrepareGameRequest {
            game_id: game_id.to_owned(),
        };
        match timeout(
            PREPARATION,
            self.connection.contact.client.prepare_game(request),
        )
        .await
        {
            Ok(Ok(response)) => {
                self.game_id = Some(game_id.to_owned());
                let notes = self.connection.notes.iter().cloned();
                Ok(notes.chain(response.into_inner().problems).collect())
            }
            Ok(Err(status)) => Err(format!(
                "the players could not prepare for the game: {}",
                status.message()
            )),
            Err(_) => Err(format!(
                "the players took more than {} s to prepare for the game",
                PREPARATION.as_secs()
            )),
        }
    }
}
