//! The overhead of the coordinator: `cargo bench -p monju-coordinator --bench overhead`.
//!
//! Simulated players behind real gRPC services on loopback TCP vote after a few milliseconds. The
//! overhead is the time between the departure of the last vote from its worker and the decision, so it
//! includes the way over TCP. The exit status is 0 if both figures meet their goals.

use monju_coordinator::{
    ballot::BallotHeader,
    clock::TimePolicy,
    consultation::{ConsultationSetup, PonderTargets, consult},
    fallback::FirstLegalMove,
    roster::{Link, Roster},
    voting::Rule,
};
use monju_engine::Game;
use monju_proto::v1::{
    DescribeRequest, DescribeResponse, DrainRequest, DrainResponse, ExamineRequest,
    ExamineResponse, Limits, Line, NewGameRequest, NewGameResponse, PlayerInfo, ReleaseRequest,
    ReleaseResponse, ThinkRequest, ThinkResponse, ThinkResult, think_request,
    think_response::Message,
    worker_server::{Worker, WorkerServer},
};
use std::{
    process::ExitCode,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    net::TcpListener,
    sync::mpsc,
    time::{Instant, sleep},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Response, Status, Streaming,
    transport::{Server, server::TcpIncoming},
};

/// Number of measured consultations of 16 players.
const CONSULTATIONS: usize = 1_000;
/// Number of measured consultations of 1,000 players.
const LARGE_CONSULTATIONS: usize = 50;
/// Number of consultations before the measured ones.
const WARM_UP: usize = 20;
/// Greatest overhead at the 99th percentile.
const OVERHEAD_GOAL: Duration = Duration::from_millis(1);
/// Greatest median time of a consultation of 1,000 players.
const LARGE_GOAL: Duration = Duration::from_millis(50);

/// A worker whose players vote for one of three moves after a few milliseconds.
#[derive(Clone)]
struct Simulated {
    name: String,
    players: usize,
    /// Greatest thinking time in milliseconds.
    spread_ms: u64,
    /// The moment at which the last vote left.
    last_vote: Arc<Mutex<Option<Instant>>>,
}

impl Simulated {
    fn think_time(&self, go: &monju_proto::v1::Go) -> Duration {
        // Different from player to player, and reproducible.
        let mixed = go.noise_seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        Duration::from_micros(mixed % (self.spread_ms * 1_000 + 1))
    }
}

#[tonic::async_trait]
impl Worker for Simulated {
    async fn describe(
        &self,
        _: Request<DescribeRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        let players = (1..=self.players).map(|number| PlayerInfo {
            name: format!("{}-{number}", self.name),
            ..PlayerInfo::default()
        });
        Ok(Response::new(DescribeResponse {
            name: self.name.clone(),
            version: "simulated".to_owned(),
            players: players.collect(),
            ..DescribeResponse::default()
        }))
    }

    async fn new_game(
        &self,
        _: Request<NewGameRequest>,
    ) -> Result<Response<NewGameResponse>, Status> {
        Ok(Response::new(NewGameResponse::default()))
    }

    async fn examine(
        &self,
        _: Request<ExamineRequest>,
    ) -> Result<Response<ExamineResponse>, Status> {
        Err(Status::unimplemented("not simulated"))
    }

    async fn drain(&self, _: Request<DrainRequest>) -> Result<Response<DrainResponse>, Status> {
        Err(Status::unimplemented("not simulated"))
    }

    async fn release(
        &self,
        _: Request<ReleaseRequest>,
    ) -> Result<Response<ReleaseResponse>, Status> {
        Ok(Response::new(ReleaseResponse {}))
    }

    type ThinkStream = ReceiverStream<Result<ThinkResponse, Status>>;

    async fn think(
        &self,
        request: Request<Streaming<ThinkRequest>>,
    ) -> Result<Response<Self::ThinkStream>, Status> {
        let mut upstream = request.into_inner();
        let (responses, stream) = mpsc::channel(4);
        let worker = self.clone();
        tokio::spawn(async move {
            let Ok(Some(ThinkRequest {
                message: Some(think_request::Message::Go(go)),
            })) = upstream.message().await
            else {
                return;
            };
            let time = worker.think_time(&go);
            if !time.is_zero() {
                sleep(time).await;
            }
            let mv = ["7g7f", "2g2f", "5g5f"][go.noise_seed as usize % 3];
            let result = ThinkResult {
                line: Some(Line {
                    r#move: mv.to_owned(),
                    pv: vec![mv.to_owned()],
                    depth: 9,
                    ..Line::default()
                }),
                ..ThinkResult::default()
            };
            let message = Some(Message::Result(result));
            *worker.last_vote.lock().expect("no panic with the lock") = Some(Instant::now());
            // The coordinator may have decided already.
            let _ = responses.send(Ok(ThinkResponse { message })).await;
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

/// Times of one consultation.
struct ConsultationTimes {
    /// From the request to the decision.
    whole: Duration,
    /// From the departure of the last vote to the decision.
    overhead: Duration,
}

/// Workers on loopback TCP, and the roster that connects to them.
struct LoopbackTeam {
    roster: Roster,
    last_vote: Arc<Mutex<Option<Instant>>>,
    players: usize,
}

impl LoopbackTeam {
    async fn start(workers: usize, players_each: usize, spread_ms: u64) -> Self {
        let last_vote = Arc::<Mutex<Option<Instant>>>::default();
        let mut links = Vec::new();
        for number in 1..=workers {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("its address");
            let simulated = Simulated {
                name: format!("w{number}"),
                players: players_each,
                spread_ms,
                last_vote: Arc::clone(&last_vote),
            };
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            let server = Server::builder()
                .add_service(WorkerServer::new(simulated))
                .serve_with_incoming(incoming);
            tokio::spawn(server);
            links.push(Link::remote(&format!("http://{address}"), None).expect("an address"));
        }
        let roster = Roster::new(links);
        roster.settle(Duration::from_secs(10)).await;
        Self {
            roster,
            last_vote,
            players: workers * players_each,
        }
    }

    async fn consult(&self, number: u64) -> ConsultationTimes {
        let setup = ConsultationSetup {
            header: BallotHeader {
                id: number,
                game_id: "bench".to_owned(),
                seed: number,
                rule: Rule::Majority,
                primary: None,
                lead: None,
                calibration: Arc::default(),
            },
            search_moves: Vec::new(),
            claim: None,
            game: Game::startpos(),
            limits: Limits {
                time_ms: Some(10_000),
                ..Limits::default()
            },
            waited: Duration::ZERO,
            clock_rules: Duration::ZERO.into(),
            time_policy: TimePolicy::Fixed,
            margin: Duration::ZERO,
            ponder_targets: PonderTargets::default(),
            book: None,
            fallback: Arc::new(FirstLegalMove),
        };
        let (_commands, receiver) = mpsc::channel(1);
        let (standings, _reader) = mpsc::channel(64);
        let begun = Instant::now();
        let slots = self.roster.slots();
        let outcome = consult(setup, &slots, receiver, standings, None).await;
        let decided = Instant::now();
        let ballot = outcome.ballot.expect("a ballot");
        let counted = ballot.votes.iter().filter(|vote| vote.counted).count();
        assert_eq!(counted, self.players, "every player votes");
        let last_vote = self.last_vote.lock().expect("no panic with the lock");
        ConsultationTimes {
            whole: decided - begun,
            overhead: decided - last_vote.expect("a vote"),
        }
    }

    async fn measure(&self, count: usize) -> Vec<ConsultationTimes> {
        for number in 0..WARM_UP {
            self.consult(number as u64).await;
        }
        let mut measured = Vec::new();
        for number in 0..count {
            measured.push(self.consult(number as u64).await);
        }
        measured
    }
}

/// Returns the percentile of the values.
fn percentile(values: impl Iterator<Item = Duration>, percent: usize) -> Duration {
    let mut values: Vec<Duration> = values.collect();
    values.sort_unstable();
    values[(values.len() * percent / 100).min(values.len() - 1)]
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

#[tokio::main]
async fn main() -> ExitCode {
    let small = LoopbackTeam::start(4, 4, 8).await;
    let measured = small.measure(CONSULTATIONS).await;
    let overhead = |percent| percentile(measured.iter().map(|one| one.overhead), percent);
    println!(
        "16 players, {CONSULTATIONS} consultations: last vote to decision \
         p50 {:.3} ms, p99 {:.3} ms, max {:.3} ms (goal: p99 < {} ms)",
        milliseconds(overhead(50)),
        milliseconds(overhead(99)),
        milliseconds(overhead(100)),
        milliseconds(OVERHEAD_GOAL),
    );
    let large = LoopbackTeam::start(10, 100, 0).await;
    let measured_large = large.measure(LARGE_CONSULTATIONS).await;
    let whole = |percent| percentile(measured_large.iter().map(|one| one.whole), percent);
    println!(
        "1000 players, {LARGE_CONSULTATIONS} consultations: request to decision \
         p50 {:.1} ms, p99 {:.1} ms (goal: p50 < {} ms)",
        milliseconds(whole(50)),
        milliseconds(whole(99)),
        milliseconds(LARGE_GOAL),
    );
    if overhead(99) < OVERHEAD_GOAL && whole(50) < LARGE_GOAL {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
