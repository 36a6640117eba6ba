//! A coordinator that follows a script.

use crate::proxy::{
    assembled_team::{AssembledTeam, Contact},
    coordinators::Coordinators,
    team_claim::TeamClaim,
};
use monju_coordinator::choices::ConsultationChoices;
use monju_proto::v1::{
    Arrival, Ballot, Begin, Bound, ConsultRequest, ConsultResponse, ConsultationPonderHit,
    Decision, EnrolRequest, EnrolResponse, FinishGameRequest, FinishGameResponse, GameOutcome,
    HoldRequest, HoldResponse, Line, PlayerInfo, PrepareGameRequest, PrepareGameResponse,
    ReleaseRequest, ReleaseResponse, RosterRequest, RosterResponse, Score, Tally, Vote,
    WatchRequest, WatchResponse, consult_request, consult_response,
    coordinator_server::{Coordinator, CoordinatorServer},
    score,
};
use monju_proto::{client::coordinator_client, reservation::Reservation, serve};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{sync::mpsc, time::sleep};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// One step of a consultation.
#[derive(Clone, Debug)]
pub enum ScriptStep {
    /// Sends a standing.
    Standing(Ballot),
    /// Lets time pass.
    Pause(Duration),
    /// Waits for `stop`.
    AwaitStop,
    /// Waits for `stop` or a ponder hit.
    AwaitRelease,
    /// Decides on a move and a move to ponder on; the second may be empty.
    Decide(&'static str, &'static str),
    /// Sends this decided ballot.
    Ballot(Ballot),
    /// Breaks the stream.
    Break,
    /// Neither sends nor reads anything from now on.
    Hang,
}

/// A message to the scripted coordinator.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    Prepare(String),
    Finish(String, GameOutcome),
    Begin(Box<Begin>),
    Stop,
    PonderHit(ConsultationPonderHit),
    Closed,
}

/// Returns a ballot with one vote for every move; players are numbered from 1.
pub fn ballot(moves: &[&str]) -> Ballot {
    let mut tally = BTreeMap::<&str, u32>::new();
    let votes = moves
        .iter()
        .enumerate()
        .map(|(index, mv)| {
            *tally.entry(mv).or_default() += 1;
            Vote {
                player: Some(PlayerInfo {
                    name: format!("monju-{}", index + 1),
                    ..PlayerInfo::default()
                }),
                line: Some(Line {
                    r#move: (*mv).to_owned(),
                    score: Some(Score {
                        kind: Some(score::Kind::Cp(10)),
                        bound: Bound::Exact.into(),
                    }),
                    depth: 5,
                    nodes: 100,
                    time_ms: 10,
                    pv: vec![(*mv).to_owned()],
                    ..Line::default()
                }),
                arrival: Arrival::Final.into(),
                legal: true,
                counted: true,
                ..Vote::default()
            }
        })
        .collect();
    let mut tally: Vec<Tally> = tally
        .into_iter()
        .map(|(mv, votes)| Tally {
            r#move: mv.to_owned(),
            votes,
        })
        .collect();
    tally.sort_by_key(|tally| std::cmp::Reverse(tally.votes));
    Ballot {
        votes,
        tally,
        ..Ballot::default()
    }
}

/// Returns the same with a decision: one vote for a move.
pub fn decided(mv: &str, ponder: &str) -> Ballot {
    Ballot {
        decision: Some(Decision {
            r#move: mv.to_owned(),
            ponder: ponder.to_owned(),
            rule: "majority".to_owned(),
            ..Decision::default()
        }),
        ..ballot(&[mv])
    }
}

/// Returns the steps of a consultation.
pub type Script = Arc<dyn Fn(&Begin) -> Vec<ScriptStep> + Send + Sync>;
type Responses<T> = UnboundedReceiverStream<Result<T, Status>>;

/// The service of the scripted coordinator.
#[derive(Clone)]
pub struct ScriptedCoordinator {
    /// The steps of each consultation.
    pub script: Script,
    /// Receives every message to the coordinator.
    pub received: mpsc::UnboundedSender<Received>,
    /// Time that the players take to prepare for a game.
    pub preparation: Duration,
    /// Number of preparations so far.
    pub preparations: Arc<AtomicUsize>,
    /// Problems that every preparation reports.
    pub problems: Vec<String>,
    /// Number of the preparation that fails, from 0.
    pub lost_at: Option<usize>,
    /// The session that holds the players.
    pub reservation: Reservation,
    /// Number of teams closed so far.
    pub closed: Arc<AtomicUsize>,
    /// Number of further coordinators that take over, by the same script.
    pub others: usize,
}

/// Counts a closed team when it is dropped.
struct TeamGuard(Arc<AtomicUsize>);

impl Drop for TeamGuard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl ScriptedCoordinator {
    /// Starts the service in memory and returns it as a team.
    pub fn connect(self, consultation: ConsultationChoices) -> AssembledTeam {
        let guard = TeamGuard(self.closed.clone());
        let mut servers = Vec::new();
        let mut start = |name: &str| {
            let router = serve::server().add_service(CoordinatorServer::new(self.clone()));
            let (channel, server) = serve::in_process(router);
            servers.push(server);
            (name.to_owned(), coordinator_client(channel))
        };
        let first = start("a script");
        let others = (0..self.others).map(|_| start("another script")).collect();
        let contact = Contact {
            coordinators: Coordinators::new(first, others),
            consultation,
            overhead: Duration::from_millis(100),
            claim: TeamClaim::new(),
        };
        AssembledTeam::new(contact, Vec::new(), async move { drop((servers, guard)) })
    }

    async fn follow(
        self,
        mut upstream: Streaming<ConsultRequest>,
        responses: mpsc::UnboundedSender<Result<ConsultResponse, Status>>,
    ) {
        use consult_request::Message;
        let Ok(Some(first)) = upstream.message().await else {
            return;
        };
        let Some(Message::Begin(begin)) = first.message else {
            panic!("a consultation starts with begin");
        };
        let _pass = match self.reservation.enter(begin.claim.as_ref(), None) {
            Ok(pass) => pass,
            Err(held) => {
                let _ = responses.send(Err(held.into()));
                return;
            }
        };
        let steps = (self.script)(&begin);
        let _ = self.received.send(Received::Begin(Box::new(begin)));
        let (sender, mut controls) = mpsc::unbounded_channel();
        let received = self.received.clone();
        tokio::spawn(async move {
            while let Ok(Some(request)) = upstream.message().await {
                let event = match request.message {
                    Some(Message::Stop(_)) => Received::Stop,
                    Some(Message::PonderHit(hit)) => Received::PonderHit(hit),
                    other => panic!("{other:?} in mid-consultation"),
                };
                let _ = received.send(event.clone());
                let _ = sender.send(event);
            }
            let _ = received.send(Received::Closed);
        });
        for step in steps {
            use consult_response::Message;
            let message = match step {
                ScriptStep::Standing(ballot) => Message::Standing(ballot),
                ScriptStep::Ballot(ballot) => Message::Ballot(ballot),
                ScriptStep::Decide(mv, ponder) => Message::Ballot(decided(mv, ponder)),
                ScriptStep::Pause(time) => {
                    sleep(time).await;
                    continue;
                }
                ScriptStep::AwaitStop => {
                    while controls.recv().await.expect("a stop") != Received::Stop {}
                    continue;
                }
                ScriptStep::AwaitRelease => {
                    controls.recv().await.expect("a release");
                    continue;
                }
                ScriptStep::Break => {
                    let _ = responses.send(Err(Status::unavailable("the cable is out")));
                    return;
                }
                ScriptStep::Hang => {
                    responses.closed().await;
                    return;
                }
            };
            let _ = responses.send(Ok(ConsultResponse {
                message: Some(message),
            }));
        }
    }
}

#[tonic::async_trait]
impl Coordinator for ScriptedCoordinator {
    type ConsultStream = Responses<ConsultResponse>;
    type WatchStream = Responses<WatchResponse>;

    async fn consult(
        &self,
        request: Request<Streaming<ConsultRequest>>,
    ) -> Result<Response<Self::ConsultStream>, Status> {
        let (sender, receiver) = mpsc::unbounded_channel();
        tokio::spawn(self.clone().follow(request.into_inner(), sender));
        Ok(Response::new(UnboundedReceiverStream::new(receiver)))
    }

    async fn roster(&self, _: Request<RosterRequest>) -> Result<Response<RosterResponse>, Status> {
        Err(Status::unimplemented("not for these tests"))
    }

    async fn watch(&self, _: Request<WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        Err(Status::unimplemented("not for these tests"))
    }

    async fn prepare_game(
        &self,
        request: Request<PrepareGameRequest>,
    ) -> Result<Response<PrepareGameResponse>, Status> {
        sleep(self.preparation).await;
        if Some(self.preparations.fetch_add(1, Ordering::Relaxed)) == self.lost_at {
            return Err(Status::unavailable("the cable is out"));
        }
        let PrepareGameRequest { game_id, claim } = request.into_inner();
        let pass = self.reservation.enter(claim.as_ref(), None)?;
        let _ = self.received.send(Received::Prepare(game_id));
        drop(pass);
        let problems = self.problems.clone();
        Ok(Response::new(PrepareGameResponse { problems }))
    }

    async fn finish_game(
        &self,
        request: Request<FinishGameRequest>,
    ) -> Result<Response<FinishGameResponse>, Status> {
        let request = request.into_inner();
        let outcome = request.outcome();
        let _ = self
            .received
            .send(Received::Finish(request.game_id, outcome));
        Ok(Response::new(FinishGameResponse {}))
    }

    async fn hold(&self, request: Request<HoldRequest>) -> Result<Response<HoldResponse>, Status> {
        let pass = self
            .reservation
            .enter(request.into_inner().claim.as_ref(), None);
        drop(pass?);
        Ok(Response::new(HoldResponse {}))
    }

    async fn release(
        &self,
        request: Request<ReleaseRequest>,
    ) -> Result<Response<ReleaseResponse>, Status> {
        self.reservation.release(&request.into_inner().session);
        Ok(Response::new(ReleaseResponse {}))
    }

    async fn enrol(&self, _: Request<EnrolRequest>) -> Result<Response<EnrolResponse>, Status> {
        Err(Status::unimplemented("not for these tests"))
    }
}
