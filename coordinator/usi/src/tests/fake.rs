//! For tests: a coordinator that follows a script.

use crate::keeper::{Connection, Contact};
use monju_coordinator::choices::ConsultationChoices;
use monju_proto::serve;
use monju_proto::v1::{
    Arrival, Ballot, Begin, Bound, Clock, ConsultRequest, ConsultResponse, Decision,
    FinishGameRequest, FinishGameResponse, GameOutcome, Line, PlayerInfo, PrepareGameRequest,
    PrepareGameResponse, RosterRequest, RosterResponse, Score, Tally, Vote, WatchRequest,
    WatchResponse, consult_request, consult_response,
    coordinator_client::CoordinatorClient,
    coordinator_server::{Coordinator, CoordinatorServer},
    score,
};
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

/// What the fake coordinator does next in a consultation.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends the votes as they stand.
    Standing(Ballot),
    /// Lets time pass.
    Pause(Duration),
    /// Waits for `stop`.
    AwaitStop,
    /// Waits for `stop` or a ponder hit.
    AwaitRelease,
    /// Decides, on a move and perhaps a move to ponder on.
    Decide(&'static str, &'static str),
    /// Sends this decided ballot.
    Ballot(Ballot),
    /// Breaks the stream.
    Break,
    /// Says nothing any more, and hears nothing.
    Hang,
}

/// What the fake coordinator was told.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Prepare(String),
    Finish(String, GameOutcome),
    Begin(Box<Begin>),
    Stop,
    PonderHit(Option<Clock>),
    Closed,
}

/// A vote for every move, by players named after their place.
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

fn decided(mv: &str, ponder: &str) -> Ballot {
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

/// From the request to what is done about it.
pub type Script = Arc<dyn Fn(&Begin) -> Vec<Step> + Send + Sync>;
type Responses<T> = UnboundedReceiverStream<Result<T, Status>>;

/// The service.
#[derive(Clone)]
pub struct Fake {
    /// What it does in each consultation.
    pub script: Script,
    /// Where it reports what it was told.
    pub seen: mpsc::UnboundedSender<Seen>,
    /// How long the players prepare for a game.
    pub preparation: Duration,
    /// How often they have been asked to.
    pub preparations: Arc<AtomicUsize>,
    /// What it says of every preparation.
    pub problems: Vec<String>,
    /// The number of the preparation that fails, from 0.
    pub lost_at: Option<usize>,
    /// How many teams have been let go.
    pub let_go: Arc<AtomicUsize>,
}

/// Counts its end.
struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Fake {
    /// Starts the service in memory and connects to it.
    pub fn connect(self, consultation: ConsultationChoices) -> Connection {
        let guard = Guard(self.let_go.clone());
        let router = tonic::transport::Server::builder().add_service(CoordinatorServer::new(self));
        let (channel, server) = serve::in_process(router);
        let contact = Contact {
            client: CoordinatorClient::new(channel),
            consultation,
            overhead: Duration::from_millis(100),
        };
        Connection::new(contact, Vec::new(), async move { drop((server, guard)) })
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
        let steps = (self.script)(&begin);
        let _ = self.seen.send(Seen::Begin(Box::new(begin)));
        let (sender, mut heard) = mpsc::unbounded_channel();
        let seen = self.seen.clone();
        tokio::spawn(async move {
            while let Ok(Some(request)) = upstream.message().await {
                let event = match request.message {
                    Some(Message::Stop(_)) => Seen::Stop,
                    Some(Message::PonderHit(hit)) => Seen::PonderHit(hit.clock),
                    other => panic!("{other:?} in mid-consultation"),
                };
                let _ = seen.send(event.clone());
                let _ = sender.send(event);
            }
            let _ = seen.send(Seen::Closed);
        });
        for step in steps {
            use consult_response::Message;
            let message = match step {
                Step::Standing(ballot) => Message::Standing(ballot),
                Step::Ballot(ballot) => Message::Ballot(ballot),
                Step::Decide(mv, ponder) => Message::Ballot(decided(mv, ponder)),
                Step::Pause(time) => {
                    sleep(time).await;
                    continue;
                }
                Step::AwaitStop => {
                    while heard.recv().await.expect("a stop") != Seen::Stop {}
                    continue;
                }
                Step::AwaitRelease => {
                    heard.recv().await.expect("a release");
                    continue;
                }
                Step::Break => {
                    let _ = responses.send(Err(Status::unavailable("the cable is out")));
                    return;
                }
                Step::Hang => {
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
impl Coordinator for Fake {
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
        let _ = self.seen.send(Seen::Prepare(request.into_inner().game_id));
        let problems = self.problems.clone();
        Ok(Response::new(PrepareGameResponse { problems }))
    }

    async fn finish_game(
        &self,
        request: Request<FinishGameRequest>,
    ) -> Result<Response<FinishGameResponse>, Status> {
        let request = request.into_inner();
        let outcome = request.outcome();
        let _ = self.seen.send(Seen::Finish(request.game_id, outcome));
        Ok(Response::new(FinishGameResponse {}))
    }
}
