//! A scripted worker behind a connection that can be cut, for tests under paused time.

use crate::{
    fallback::{FallbackSearcher, RunningFallback},
    roster::{Link, Roster},
};
use hyper_util::rt::TokioIo;
use monju_engine::{Game, Move};
use monju_proto::reservation::Reservation;
use monju_proto::serve::{self, ServerTask};
use monju_proto::v1::{
    DescribeRequest, DescribeResponse, DrainRequest, DrainResponse, ExamineRequest,
    ExamineResponse, Line, NewGameRequest, NewGameResponse, PlayerInfo, ReleaseRequest,
    ReleaseResponse, ThinkRequest, ThinkResponse, ThinkResult,
    think_request::Message as Request,
    think_response::Message as Response,
    worker_server::{Worker, WorkerServer},
};
use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    sync::{Notify, mpsc},
    task::JoinHandle,
    time,
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Status, Streaming,
    transport::{Channel, Endpoint, Uri},
};

/// One step of a scripted player; the first one happens at once.
#[derive(Clone, Debug)]
pub enum PlayerStep {
    /// Waits this many milliseconds.
    Wait(u64),
    /// Streams a line of these moves, separated by spaces.
    Stream(&'static str),
    /// Ends with a line of these moves.
    Answer(&'static str),
    /// Waits for a stop or a ponder hit.
    Listen,
    /// Ends the stream with an error.
    Die(&'static str),
}

/// A worker whose players follow scripts, and which notes its requests.
#[derive(Clone, Debug, Default)]
pub struct FakeWorker {
    name: String,
    /// The number of its process; 0 for an older worker.
    instance: u64,
    players: Vec<(PlayerInfo, Vec<PlayerStep>)>,
    /// Every request, and every new game, in words.
    pub told: Arc<Mutex<Vec<String>>>,
    /// The session that holds the players. Searches do not obey it.
    pub reservation: Reservation,
    /// It says that it takes no more questions.
    draining: bool,
    /// Its reason to refuse every new game.
    refusal: Option<String>,
    /// Every go, ponder hit and stop.
    pub requests: Arc<Mutex<Vec<Request>>>,
}

impl FakeWorker {
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    pub fn player(mut self, name: &str, script: &[PlayerStep]) -> Self {
        let info = PlayerInfo {
            name: name.to_owned(),
            engine: "fake".to_owned(),
            sigma: 50.0,
            ..PlayerInfo::default()
        };
        self.players.push((info, script.to_vec()));
        self
    }

    /// Says that it takes no more questions.
    pub fn draining(self) -> Self {
        Self {
            draining: true,
            ..self
        }
    }

    /// Refuses every new game for this reason.
    pub fn refusing(self, reason: &str) -> Self {
        Self {
            refusal: Some(reason.to_owned()),
            ..self
        }
    }

    /// Gives the last player's search so many votes.
    pub fn with_lanes(mut self, lanes: u32) -> Self {
        if let Some((info, _)) = self.players.last_mut() {
            info.lanes = lanes;
        }
        self
    }

    pub fn with_instance(self, instance: u64) -> Self {
        Self { instance, ..self }
    }

    /// A link to this worker within this process.
    pub fn link(self) -> (Link, ServerTask) {
        let (channel, server) =
            serve::in_process(serve::server().add_service(WorkerServer::new(self)));
        (Link::in_process(channel), server)
    }

    /// A settled roster with this worker alone.
    pub async fn roster(self) -> (Roster, ServerTask) {
        let (link, server) = self.link();
        let roster = Roster::new(vec![link]);
        roster.settle(Duration::from_secs(3)).await;
        (roster, server)
    }

    fn note(&self, text: String) {
        self.told.lock().expect("no panic while noting").push(text);
    }
}

#[tonic::async_trait]
impl Worker for FakeWorker {
    async fn describe(
        &self,
        request: tonic::Request<DescribeRequest>,
    ) -> Result<tonic::Response<DescribeResponse>, Status> {
        let claim = request.into_inner().claim;
        let holds = claim.is_some_and(|claim| self.reservation.enter(Some(&claim), None).is_ok());
        Ok(tonic::Response::new(DescribeResponse {
            name: self.name.clone(),
            version: "test".to_owned(),
            draining: self.draining,
            instance: self.instance,
            holds,
            held_by: (self.reservation.held()).map_or(String::new(), |held| held.holder),
            players: self.players.iter().map(|(info, _)| info.clone()).collect(),
            ..DescribeResponse::default()
        }))
    }

    async fn new_game(
        &self,
        request: tonic::Request<NewGameRequest>,
    ) -> Result<tonic::Response<NewGameResponse>, Status> {
        let NewGameRequest { game_id, claim, .. } = request.into_inner();
        if let Some(reason) = &self.refusal {
            self.note("new game refused".to_owned());
            return Err(Status::failed_precondition(reason.as_str()));
        }
        self.reservation.enter(claim.as_ref(), None)?;
        self.note(format!("new game {game_id}"));
        Ok(tonic::Response::new(NewGameResponse::default()))
    }

    async fn examine(
        &self,
        _: tonic::Request<ExamineRequest>,
    ) -> Result<tonic::Response<ExamineResponse>, Status> {
        Ok(tonic::Response::new(ExamineResponse::default()))
    }

    async fn drain(
        &self,
        _: tonic::Request<DrainRequest>,
    ) -> Result<tonic::Response<DrainResponse>, Status> {
        Err(Status::unimplemented("not simulated"))
    }

    async fn release(
        &self,
        request: tonic::Request<ReleaseRequest>,
    ) -> Result<tonic::Response<ReleaseResponse>, Status> {
        self.reservation.release(&request.into_inner().session);
        Ok(tonic::Response::new(ReleaseResponse {}))
    }

    type ThinkStream = ReceiverStream<Result<ThinkResponse, Status>>;

    async fn think(
        &self,
        request: tonic::Request<Streaming<ThinkRequest>>,
    ) -> Result<tonic::Response<Self::ThinkStream>, Status> {
        let mut upstream = request.into_inner();
        let (sender, downstream) = mpsc::channel(8);
        let worker = self.clone();
        tokio::spawn(async move {
            if let Err(status) = worker.play(&mut upstream, &sender).await {
                let _ = sender.send(Err(status)).await;
            }
            // Later requests are noted until the caller ends the stream.
            while let Ok(Some(request)) = upstream.message().await {
                worker.hear(request);
            }
        });
        Ok(tonic::Response::new(ReceiverStream::new(downstream)))
    }
}

impl FakeWorker {
    fn hear(&self, request: ThinkRequest) -> Option<Request> {
        let request = request.message?;
        self.note(match &request {
            Request::Go(go) => format!("go {}", go.player),
            Request::Stop(_) => "stop".to_owned(),
            Request::PonderHit(_) => "ponder hit".to_owned(),
        });
        let mut requests = self.requests.lock().expect("no panic while noting");
        requests.push(request.clone());
        Some(request)
    }

    async fn play(
        &self,
        upstream: &mut Streaming<ThinkRequest>,
        downstream: &mpsc::Sender<Result<ThinkResponse, Status>>,
    ) -> Result<(), Status> {
        let first = upstream.message().await?.and_then(|first| self.hear(first));
        let Some(Request::Go(go)) = first else {
            return Err(Status::invalid_argument("no go"));
        };
        let script = self
            .players
            .iter()
            .find(|(info, _)| info.name == go.player)
            .map(|(_, script)| script.clone())
            .ok_or_else(|| Status::not_found(go.player))?;
        for step in script {
            let message = match step {
                PlayerStep::Wait(ms) => {
                    time::sleep(Duration::from_millis(ms)).await;
                    continue;
                }
                PlayerStep::Listen => {
                    if let Some(request) = upstream.message().await? {
                        self.hear(request);
                    }
                    continue;
                }
                PlayerStep::Die(reason) => return Err(Status::internal(reason)),
                PlayerStep::Stream(moves) => Response::Progress(line(moves)),
                PlayerStep::Answer(moves) => Response::Result(ThinkResult {
                    line: Some(line(moves)),
                    noise_seed: None,
                }),
            };
            let message = Some(message);
            let _ = downstream.send(Ok(ThinkResponse { message })).await;
        }
        Ok(())
    }
}

fn line(moves: &str) -> Line {
    let pv: Vec<String> = moves.split(' ').map(str::to_owned).collect();
    Line {
        r#move: pv[0].clone(),
        depth: pv.len() as u32,
        pv,
        ..Line::default()
    }
}

/// A fallback search that plays the first legal move, and uses up its time unless that is the only one.
#[derive(Debug)]
pub struct FakeFallback;

impl FallbackSearcher for FakeFallback {
    fn begin(&self, game: &Game, among: &[Move], time: Duration) -> RunningFallback {
        let moves = match among.is_empty() {
            true => game.legal_moves(),
            false => among.to_vec(),
        };
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let found = async move {
            if moves.len() > 1 {
                let _ = time::timeout(time, stopped.notified()).await;
            }
            moves.first().copied()
        };
        RunningFallback::new(found, move || stop.notify_one())
    }
}

/// A connection that can be cut and plugged into another worker.
#[derive(Clone, Debug, Default)]
pub struct Cable {
    plugged: Arc<Mutex<Option<FakeWorker>>>,
    wires: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Cable {
    /// Connects to a worker.
    pub fn plug(&self, worker: FakeWorker) {
        *self.plugged.lock().expect("no panic with the lock") = Some(worker);
    }

    /// Cuts every connection; new ones are refused.
    pub fn cut(&self) {
        *self.plugged.lock().expect("no panic with the lock") = None;
        for wire in self.wires.lock().expect("no panic with the lock").drain(..) {
            wire.abort();
        }
    }

    /// Returns the client's end.
    pub fn channel(&self) -> Channel {
        let cable = self.clone();
        let connect = tower::service_fn(move |_: Uri| {
            let cable = cable.clone();
            async move {
                let worker = cable
                    .plugged
                    .lock()
                    .expect("no panic with the lock")
                    .clone();
                let refused = || io::Error::new(io::ErrorKind::ConnectionRefused, "refused");
                let worker = worker.ok_or_else(refused)?;
                let (near, mut near_end) = tokio::io::duplex(1024);
                let (mut far_end, far) = tokio::io::duplex(1024);
                let wire = tokio::spawn(async move {
                    let _ = tokio::io::copy_bidirectional(&mut near_end, &mut far_end).await;
                });
                cable
                    .wires
                    .lock()
                    .expect("no panic with the lock")
                    .push(wire);
                let server = serve::server().add_service(WorkerServer::new(worker));
                let incoming = tokio_stream::once(Ok::<_, io::Error>(far));
                tokio::spawn(server.serve_with_incoming(incoming));
                Ok::<_, io::Error>(TokioIo::new(near))
            }
        });
        Endpoint::from_static("http://cable").connect_with_connector_lazy(connect)
    }
}
