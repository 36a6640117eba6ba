//! The `Worker` service on top of the players.

use crate::drain::Drain;
use monju_engine::Limits;
use monju_host::players::{HostedPlayer, PlayerList};
use monju_host::{
    examine::examine,
    player::{Order, Steer, ThinkFailure, Thinking},
};
use monju_proto::build;
use monju_proto::convert::{QuestionError, read_question, read_search_moves, short_milliseconds};
use monju_proto::reservation::{Held, Pass, Reservation};
use monju_proto::text::brief;
use monju_proto::v1::{self, think_request, think_response, worker_server};
use std::{
    hash::{BuildHasher, Hasher, RandomState},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::{Instant, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status, Streaming};
use tracing::info;

/// Responses that may wait for a slow reader; progress beyond them is merged.
const QUEUED_RESPONSES: usize = 4;

/// The `monju.v1.Worker` service.
#[derive(Clone, Debug)]
pub struct PlayersService {
    list: Arc<PlayerList>,
    reservation: Reservation,
    drain: Drain,
    /// Random number by which it is known at whatever address.
    instance: u64,
    /// One examination at a time, each of which starts an engine several times.
    examinations: Arc<Semaphore>,
}

/// Reason why a call ended without an answer.
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
    Position(#[from] QuestionError),
    #[error("the worker takes no new questions (draining)")]
    Draining,
    #[error("the worker is about to end; start it again instead")]
    Ending,
    #[error(transparent)]
    Held(#[from] Held),
    #[error(transparent)]
    Think(#[from] ThinkFailure),
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
            CallError::Ending | CallError::Held(_) => Code::FailedPrecondition,
            CallError::Think(ThinkFailure::Native(_)) => Code::Internal,
            CallError::Draining | CallError::Think(_) => Code::Unavailable,
        };
        Self::new(code, brief(error))
    }
}

impl PlayersService {
    pub fn new(list: Arc<PlayerList>, drain: Drain) -> Self {
        Self {
            list,
            drain,
            reservation: Reservation::default(),
            // Every state has keys of its own from the system's random numbers.
            instance: RandomState::new().build_hasher().finish() | 1,
            examinations: Arc::new(Semaphore::new(1)),
        }
    }
}

#[tonic::async_trait]
impl worker_server::Worker for PlayersService {
    type ThinkStream = ReceiverStream<Result<v1::ThinkResponse, Status>>;

    async fn describe(
        &self,
        request: Request<v1::DescribeRequest>,
    ) -> Result<Response<v1::DescribeResponse>, Status> {
        let peer = request.remote_addr();
        let claim = request.into_inner().claim;
        // A refused caller sees below who holds the players.
        let holds = claim.is_some_and(|claim| self.reservation.enter(Some(&claim), peer).is_ok());
        let held = self.reservation.held();
        let loading = self.list.members.iter().filter(|player| !player.is_ready());
        Ok(Response::new(v1::DescribeResponse {
            held_by: held.map_or(String::new(), |held| held.holder),
            holds,
            name: self.list.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: build::name().to_owned(),
            draining: self.drain.is_draining(),
            instance: self.instance,
            loading: loading.map(|player| player.name().to_owned()).collect(),
            players: self.list.members.iter().map(HostedPlayer::info).collect(),
        }))
    }

    /// Answers when every player is prepared or has failed; engines that are still loading are waited for.
    /// The caller holds the players meanwhile.
    async fn new_game(
        &self,
        request: Request<v1::NewGameRequest>,
    ) -> Result<Response<v1::NewGameResponse>, Status> {
        let peer = request.remote_addr();
        let v1::NewGameRequest {
            game_id,
            patience_ms,
            claim,
        } = request.into_inner();
        let _pass = self.reservation.enter(claim.as_ref(), peer)?;
        let patience = patience_ms.map_or(Duration::MAX, Duration::from_millis);
        let mut preparations = JoinSet::new();
        for member in &self.list.members {
            let stub = member.stub.clone();
            let game_id = game_id.clone();
            let name = member.name().to_owned();
            preparations.spawn(async move {
                match timeout(patience, stub.new_game(game_id)).await {
                    Ok(Ok(errors)) => {
                        let errors = errors.iter();
                        errors.map(|words| format!("{name} reports: {words}")).collect()
                    }
                    Ok(Err(why)) => vec![format!("{name}: {why}")],
                    Err(_) => vec![format!(
                        "{name}: not ready yet, it is waited for in its first search; give its engine a start \
                         before the game"
                    )],
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

    /// Opens the stream at once, since a client may wait for that before it sends go. Errors are the status
    /// at the end of the stream.
    async fn think(
        &self,
        request: Request<Streaming<v1::ThinkRequest>>,
    ) -> Result<Response<Self::ThinkStream>, Status> {
        let (responses, stream) = mpsc::channel(QUEUED_RESPONSES);
        let mut call = ThinkCall {
            list: Arc::clone(&self.list),
            reservation: self.reservation.clone(),
            drain: self.drain.clone(),
            peer: request.remote_addr(),
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
        let peer = request.remote_addr();
        let member = find(&self.list, request.into_inner().player)?;
        // A look, which takes time and cores that a game needs.
        let mut pass = self.reservation.enter(None, peer)?;
        let Some(spec) = &member.usi else {
            return Ok(Response::new(v1::ExamineResponse::default()));
        };
        let in_turn = async {
            // A closed semaphore hands out no turns and needs none.
            let _turn = self.examinations.acquire().await.ok();
            examine(member.name(), spec).await
        };
        let examined = tokio::select! {
            examined = in_turn => examined,
            held = pass.taken() => return Err(held.into()),
        };
        let examined = examined.map_err(|error| Status::unavailable(error.to_string()))?;
        Ok(Response::new(examined))
    }

    async fn release(
        &self,
        request: Request<v1::ReleaseRequest>,
    ) -> Result<Response<v1::ReleaseResponse>, Status> {
        self.reservation.release(&request.into_inner().session);
        Ok(Response::new(v1::ReleaseResponse {}))
    }

    async fn drain(
        &self,
        request: Request<v1::DrainRequest>,
    ) -> Result<Response<v1::DrainResponse>, Status> {
        let notice = match request.into_inner().resume {
            false => {
                if !self.drain.is_draining() {
                    info!("told to take no new questions");
                }
                self.drain.rest()
            }
            true if self.drain.resume() => {
                info!("told to take questions again");
                Duration::ZERO
            }
            true => return Err(CallError::Ending.into()),
        };
        Ok(Response::new(v1::DrainResponse {
            name: self.list.name.clone(),
            questions: u32::try_from(self.drain.questions()).unwrap_or(u32::MAX),
            notice_ms: short_milliseconds(notice),
        }))
    }
}

/// The player of this name.
fn find(list: &PlayerList, player: String) -> Result<&HostedPlayer, CallError> {
    let mut members = list.members.iter();
    match members.find(|member| member.name() == player) {
        Some(member) => Ok(member),
        None => {
            let known: Vec<&str> = list.members.iter().map(HostedPlayer::name).collect();
            Err(CallError::UnknownPlayer {
                player,
                known: known.join(", "),
            })
        }
    }
}

/// One think call.
struct ThinkCall {
    list: Arc<PlayerList>,
    reservation: Reservation,
    drain: Drain,
    peer: Option<SocketAddr>,
    /// `None` once the client has closed its side; it still waits for the answer.
    requests: Option<Streaming<v1::ThinkRequest>>,
    responses: mpsc::Sender<Result<v1::ThinkResponse, Status>>,
}

/// Next message of a client.
enum FromClient {
    Message(Box<think_request::Message>),
    /// The client has closed its side.
    Closed,
    /// The client is gone.
    Gone,
}

impl ThinkCall {
    /// Conducts the call. Returns early, which drops the think, when the client is gone.
    async fn conduct(&mut self) -> Result<(), CallError> {
        let mut closing = self.list.closing.clone();
        let first = tokio::select! {
            heard = next_message(&mut self.requests) => heard?,
            () = self.responses.closed() => return Ok(()),
            _ = closing.wait_for(|closing| *closing) => return Err(ThinkFailure::Closing.into()),
        };
        let go = match first {
            FromClient::Message(message) => match *message {
                think_request::Message::Go(go) => go,
                _ => return Err(CallError::NoGo),
            },
            FromClient::Closed => return Err(CallError::NoGo),
            FromClient::Gone => return Ok(()),
        };
        let _question = self.drain.enter().ok_or(CallError::Draining)?;
        let mut pass = self.reservation.enter(go.claim.as_ref(), self.peer)?;
        let thinking = tokio::select! {
            thinking = self.start(go) => thinking?,
            held = pass.taken() => return Err(held.into()),
            // The player has not taken the question yet, and the client is gone.
            () = self.responses.closed() => return Ok(()),
        };
        self.follow(thinking, pass).await
    }

    async fn start(&self, go: v1::Go) -> Result<Thinking, CallError> {
        let since = Instant::now();
        let member = find(&self.list, go.player)?;
        let position = go.position.ok_or(CallError::NoPosition)?;
        let limits = go.limits.unwrap_or_default();
        let game = read_question(position).await?;
        let order = Order {
            game_id: go.game_id,
            limits: Limits {
                search_moves: read_search_moves(&game, &go.search_moves),
                ..Limits::from(&limits)
            },
            game,
            ponder: limits.ponder,
            opponents_turn: go.opponents_turn,
            noise_seed: go.noise_seed,
            since,
        };
        Ok(member.stub.think(order).await?)
    }

    /// Passes steering messages up and progress down until the answer.
    async fn follow(&mut self, thinking: Thinking, mut pass: Pass) -> Result<(), CallError> {
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
                held = pass.taken() => return Err(held.into()),
                heard = next_message(&mut self.requests) => match heard? {
                    FromClient::Message(message) => steer(&steers, *message)?,
                    FromClient::Closed => {}
                    FromClient::Gone => return Ok(()),
                },
                Some(permit) = next_progress(&mut progress, &self.responses) => {
                    let line = progress.borrow_and_update().clone();
                    permit.send(Ok(progress_response(line)));
                }
                answer = &mut answer => {
                    let answer = answer.unwrap_or(Err(ThinkFailure::Closing))?;
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

/// Waits for new progress and for room to send it; `None` when no more comes.
async fn next_progress<'a>(
    progress: &mut tokio::sync::watch::Receiver<v1::Line>,
    responses: &'a mpsc::Sender<Result<v1::ThinkResponse, Status>>,
) -> Option<Permit<'a>> {
    let permit = responses.reserve().await.ok()?;
    progress.changed().await.ok()?;
    Some(permit)
}

/// Waits for the client's next message; for ever once it has closed its side.
async fn next_message(
    requests: &mut Option<Streaming<v1::ThinkRequest>>,
) -> Result<FromClient, CallError> {
    let Some(open) = requests else {
        return std::future::pending().await;
    };
    match open.message().await {
        Ok(Some(request)) => {
            let message = request.message.ok_or(CallError::Empty)?;
            Ok(FromClient::Message(Box::new(message)))
        }
        Ok(None) => {
            *requests = None;
            Ok(FromClient::Closed)
        }
        Err(_) => Ok(FromClient::Gone),
    }
}

/// Passes a steering message on. A player heeds the first stop and the first ponder hit, so a message
/// without room in the queue is not needed.
fn steer(steers: &mpsc::Sender<Steer>, message: think_request::Message) -> Result<(), CallError> {
    let steer = match message {
        think_request::Message::Go(_) => return Err(CallError::SecondGo),
        think_request::Message::Stop(v1::Stop {}) => Steer::Stop,
        think_request::Message::PonderHit(hit) => Steer::PonderHit {
            limits: Limits::from(&hit.limits.unwrap_or_default()),
            at: Instant::now(),
        },
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
