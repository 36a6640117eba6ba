//! The `Worker` service on top of the players.

use monju_engine::{Game, GameError};
use monju_host::players::{Member, Roster};
use monju_host::{
    examine::examine,
    limits::from_wire,
    player::{Failure, Order, PonderHit, Steer, Thinking},
};
use monju_proto::v1::{self, think_request, think_response, worker_server};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status, Streaming};

/// Responses that may wait for a slow reader; progress beyond them is merged.
const QUEUED_RESPONSES: usize = 4;

/// The `monju.v1.Worker` service.
#[derive(Clone, Debug)]
pub struct Service {
    roster: Arc<Roster>,
}

/// Why a call ended without an answer.
#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error("no player {player:?} here, the players are: {known}")]
    UnknownPlayer { player: String, known: String },
    #[error("the first message of a think must be go")]
    NoGo,
    #[error("go came a second time, open another stream for another think")]
    SecondGo,
    #[error("a message without content")]
    Empty,
    #[error("go has no position, send its start and moves")]
    NoPosition,
    #[error("position refused: {0}")]
    Position(#[from] GameError),
    #[error(transparent)]
    Failure(#[from] Failure),
}

impl From<CallError> for Status {
    fn from(error: CallError) -> Self {
        let code = match &error {
            CallError::UnknownPlayer { .. } => Code::NotFound,
            CallError::NoGo
            | CallError::SecondGo
            | CallError::Empty
            | CallError::NoPosition
            | CallError::Position(_) => Code::InvalidArgument,
            CallError::Failure(Failure::Native(_)) => Code::Internal,
            CallError::Failure(_) => Code::Unavailable,
        };
        Self::new(code, error.to_string())
    }
}

impl Service {
    pub fn new(roster: Arc<Roster>) -> Self {
        Self { roster }
    }
}

#[tonic::async_trait]
impl worker_server::Worker for Service {
    type ThinkStream = ReceiverStream<Result<v1::ThinkResponse, Status>>;

    async fn describe(
        &self,
        _: Request<v1::DescribeRequest>,
    ) -> Result<Response<v1::DescribeResponse>, Status> {
        Ok(Response::new(v1::DescribeResponse {
            name: self.roster.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            players: self.roster.members.iter().map(Member::info).collect(),
        }))
    }

    /// Answers when every player is prepared, or has failed: an engine that is still loading is
    /// waited for.
    async fn new_game(
        &self,
        request: Request<v1::NewGameRequest>,
    ) -> Result<Response<v1::NewGameResponse>, Status> {
        let v1::NewGameRequest {
            game_id,
            patience_ms,
        } = request.into_inner();
        let patience = patience_ms.map_or(Duration::MAX, Duration::from_millis);
        let mut preparations = JoinSet::new();
        for member in &self.roster.members {
            let stub = member.stub.clone();
            let game_id = game_id.clone();
            let name = member.name().to_owned();
            preparations.spawn(async move {
                match timeout(patience, stub.new_game(game_id)).await {
                    Ok(prepared) => prepared.err().map(|why| format!("{name}: {why}")),
                    Err(_) => Some(format!(
                        "{name}: not ready yet, it is waited for in its first search; give its engine a start \
                         before the game"
                    )),
                }
            });
        }
        let mut problems: Vec<String> = preparations
            .join_all()
            .await
            .into_iter()
            .flatten()
            .collect();
        problems.sort();
        Ok(Response::new(v1::NewGameResponse { problems }))
    }

    /// Opens the stream at once: a client may wait for that before it sends go. Whatever goes
    /// wrong is the status at the end of the stream.
    async fn think(
        &self,
        request: Request<Streaming<v1::ThinkRequest>>,
    ) -> Result<Response<Self::ThinkStream>, Status> {
        let (responses, stream) = mpsc::channel(QUEUED_RESPONSES);
        let mut call = Call {
            roster: Arc::clone(&self.roster),
            requests: Some(request.into_inner()),
            responses,
        };
        tokio::spawn(async move {
            if let Err(error) = call.conduct().await {
                let _ = call.responses.send(Err(error.into())).await;
            }
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn examine(
        &self,
        request: Request<v1::ExamineRequest>,
    ) -> Result<Response<v1::ExamineResponse>, Status> {
        let member = find(&self.roster, request.into_inner().player)?;
        let examined = match &member.usi {
            Some(spec) => examine(member.name(), spec).await,
            None => Ok(v1::ExamineResponse::default()),
        };
        let examined = examined.map_err(|error| Status::unavailable(error.to_string()))?;
        Ok(Response::new(examined))
    }
}

/// The player of this name.
fn find(roster: &Roster, player: String) -> Result<&Member, CallError> {
    let mut members = roster.members.iter();
    match members.find(|member| member.name() == player) {
        Some(member) => Ok(member),
        None => {
            let known: Vec<&str> = roster.members.iter().map(Member::name).collect();
            Err(CallError::UnknownPlayer {
                player,
                known: known.join(", "),
            })
        }
    }
}

/// One think call.
struct Call {
    roster: Arc<Roster>,
    /// `None` when the client has said all it will say; it still waits for the answer.
    requests: Option<Streaming<v1::ThinkRequest>>,
    responses: mpsc::Sender<Result<v1::ThinkResponse, Status>>,
}

/// What a client says next.
enum Heard {
    Message(Box<think_request::Message>),
    /// No more will come.
    Silence,
    /// The client is gone.
    Gone,
}

impl Call {
    /// Returns early, which drops the think, when nobody wants the answer any more.
    async fn conduct(&mut self) -> Result<(), CallError> {
        let mut closing = self.roster.closing.clone();
        let first = tokio::select! {
            heard = hear(&mut self.requests) => heard?,
            () = self.responses.closed() => return Ok(()),
            _ = closing.wait_for(|closing| *closing) => return Err(Failure::Closing.into()),
        };
        let go = match first {
            Heard::Message(message) => match *message {
                think_request::Message::Go(go) => go,
                _ => return Err(CallError::NoGo),
            },
            Heard::Silence => return Err(CallError::NoGo),
            Heard::Gone => return Ok(()),
        };
        let thinking = tokio::select! {
            thinking = self.start(go) => thinking?,
            // The player has not even taken the question, and nobody waits for an answer.
            () = self.responses.closed() => return Ok(()),
        };
        self.follow(thinking).await
    }

    async fn start(&self, go: v1::Go) -> Result<Thinking, CallError> {
        let since = Instant::now();
        let member = find(&self.roster, go.player)?;
        let position = go.position.ok_or(CallError::NoPosition)?;
        let limits = go.limits.unwrap_or_default();
        let order = Order {
            game_id: go.game_id,
            game: Game::from_parts(&position.start, &position.moves)?,
            limits: from_wire(&limits),
            ponder: limits.ponder,
            noise_seed: go.noise_seed,
            since,
        };
        Ok(member.stub.think(order).await?)
    }

    /// Carries words up and thoughts down until the answer.
    async fn follow(&mut self, thinking: Thinking) -> Result<(), CallError> {
        let Thinking {
            steers,
            mut progress,
            mut answer,
        } = thinking;
        loop {
            tokio::select! {
                // Progress before the answer, and only the latest when the reader is slow.
                biased;
                () = self.responses.closed() => return Ok(()),
                heard = hear(&mut self.requests) => match heard? {
                    Heard::Message(message) => steer(&steers, *message)?,
                    Heard::Silence => {}
                    Heard::Gone => return Ok(()),
                },
                Some(permit) = news(&mut progress, &self.responses) => {
                    let line = progress.borrow_and_update().clone();
                    permit.send(Ok(progress_response(line)));
                }
                answer = &mut answer => {
                    let answer = answer.unwrap_or(Err(Failure::Closing))?;
                    let result = v1::ThinkResult {
                        line: Some(answer.line),
                        noise_seed: answer.noise_seed,
                    };
                    let _ = self.responses.send(Ok(result_response(result))).await;
                    return Ok(());
                }
            }
        }
    }
}

type Permit<'a> = mpsc::Permit<'a, Result<v1::ThinkResponse, Status>>;

/// Waits for a new thought, and for room to send it. `None` when there will be none.
async fn news<'a>(
    progress: &mut tokio::sync::watch::Receiver<v1::Line>,
    responses: &'a mpsc::Sender<Result<v1::ThinkResponse, Status>>,
) -> Option<Permit<'a>> {
    let permit = responses.reserve().await.ok()?;
    progress.changed().await.ok()?;
    Some(permit)
}

/// Waits for the client's next word; for ever once it has said all.
async fn hear(requests: &mut Option<Streaming<v1::ThinkRequest>>) -> Result<Heard, CallError> {
    let Some(open) = requests else {
        return std::future::pending().await;
    };
    match open.message().await {
        Ok(Some(request)) => {
            let message = request.message.ok_or(CallError::Empty)?;
            Ok(Heard::Message(Box::new(message)))
        }
        Ok(None) => {
            *requests = None;
            Ok(Heard::Silence)
        }
        Err(_) => Ok(Heard::Gone),
    }
}

/// Passes a word on. A player heeds the first stop and the first ponder hit, so a word that finds
/// no room is one too many.
fn steer(steers: &mpsc::Sender<Steer>, message: think_request::Message) -> Result<(), CallError> {
    let steer = match message {
        think_request::Message::Go(_) => return Err(CallError::SecondGo),
        think_request::Message::Stop(v1::Stop {}) => Steer::Stop,
        think_request::Message::PonderHit(hit) => Steer::PonderHit(PonderHit {
            limits: from_wire(&hit.limits.unwrap_or_default()),
            at: Instant::now(),
        }),
    };
    let _ = steers.try_send(steer);
    Ok(())
}

fn progress_response(line: v1::Line) -> v1::ThinkResponse {
    v1::ThinkResponse {
        message: Some(think_response::Message::Progress(line)),
    }
}

fn result_response(result: v1::ThinkResult) -> v1::ThinkResponse {
    v1::ThinkResponse {
        message: Some(think_response::Message::Result(result)),
    }
}
