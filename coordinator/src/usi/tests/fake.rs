//! For tests: a coordinator that follows a script, and a GUI to drive the session with.

use crate::usi::{
    command::Command,
    keeper::{Connection, Keeper},
    output::Output,
    session::Session,
};
use crate::{
    in_process,
    team::{AssembleError, Choices},
};
use monju_proto::v1::{
    Arrival, Ballot, Begin, Bound, Clock, ConsultRequest, ConsultResponse, Decision, Line,
    PlayerInfo, PrepareGameRequest, PrepareGameResponse, RosterRequest, RosterResponse, Score,
    Tally, Vote, WatchRequest, WatchResponse, consult_request, consult_response,
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
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{sleep, timeout},
};
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
    Begin(Begin),
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

type Script = Arc<dyn Fn(&Begin) -> Vec<Step> + Send + Sync>;
type Responses<T> = UnboundedReceiverStream<Result<T, Status>>;

/// The service.
#[derive(Clone)]
pub struct Fake {
    script: Script,
    seen: mpsc::UnboundedSender<Seen>,
    preparation: Duration,
    preparations: Arc<AtomicUsize>,
    lost_at: Option<usize>,
    let_go: Arc<AtomicUsize>,
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
    pub fn connect(self) -> Connection {
        let guard = Guard(self.let_go.clone());
        let router = tonic::transport::Server::builder().add_service(CoordinatorServer::new(self));
        let (channel, server) = in_process::serve(router);
        Connection::new(CoordinatorClient::new(channel), (server, guard))
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
        let _ = self.seen.send(Seen::Begin(begin));
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
        Ok(Response::new(PrepareGameResponse {}))
    }
}

/// How a team comes into being in a test.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// How long it takes.
    pub time: Duration,
    /// How long the players prepare for a game.
    pub preparation: Duration,
    /// The number of the preparation that fails, from 0.
    pub lost_at: Option<usize>,
    /// Whose choices fail.
    pub fails: Option<fn(&Choices) -> bool>,
    /// The choices of the command line.
    pub choices: Choices,
}

/// The GUI's side of a session with a fake coordinator.
pub struct Gui {
    commands: Option<mpsc::UnboundedSender<Command>>,
    lines: mpsc::UnboundedReceiver<String>,
    seen: mpsc::UnboundedReceiver<Seen>,
    assembled: mpsc::UnboundedReceiver<Choices>,
    let_go: Arc<AtomicUsize>,
    session: JoinHandle<()>,
}

impl Gui {
    /// A session whose coordinator follows the same steps in every consultation.
    pub fn new(steps: Vec<Step>) -> Self {
        Self::with(Assembly::default(), move |_| steps.clone())
    }

    /// A session whose coordinator follows `script`.
    pub fn with(
        assembly: Assembly,
        script: impl Fn(&Begin) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let (output, lines) = Output::channel();
        let (commands, receiver) = mpsc::unbounded_channel();
        let (seen_sender, seen) = mpsc::unbounded_channel();
        let (assembled_sender, assembled) = mpsc::unbounded_channel();
        let let_go = Arc::<AtomicUsize>::default();
        let fake = Fake {
            script: Arc::new(script),
            seen: seen_sender,
            preparation: assembly.preparation,
            preparations: Arc::default(),
            lost_at: assembly.lost_at,
            let_go: let_go.clone(),
        };
        let choices = assembly.choices.clone();
        let keeper = Keeper::start(move |choices| {
            let (fake, assembly) = (fake.clone(), assembly.clone());
            let _ = assembled_sender.send(choices.clone());
            async move {
                sleep(assembly.time).await;
                match assembly.fails {
                    Some(fails) if fails(&choices) => {
                        Err(AssembleError("no coordinator at example".to_owned()))
                    }
                    _ => Ok(fake.connect()),
                }
            }
        });
        Self {
            commands: Some(commands),
            lines,
            seen,
            assembled,
            let_go,
            session: tokio::spawn(Session::new(choices, output, keeper).run(receiver)),
        }
    }

    /// Says lines, one after the other.
    pub fn say(&self, lines: &str) {
        for line in lines.lines() {
            if let Some(commands) = &self.commands {
                commands
                    .send(Command::parse(line))
                    .expect("the session listens");
            }
        }
    }

    /// Ends the input.
    pub fn hang_up(&mut self) {
        self.commands = None;
    }

    /// The next line.
    pub async fn hear(&mut self) -> String {
        timeout(Duration::from_secs(3_600), self.lines.recv())
            .await
            .expect("the session says something")
            .expect("the session goes on")
    }

    /// Every line up to the first that starts with `prefix`, which is the last.
    pub async fn hear_until(&mut self, prefix: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.hear().await;
            lines.push(line);
            if lines[lines.len() - 1].starts_with(prefix) {
                return lines;
            }
        }
    }

    /// The next `bestmove`, after nothing but `info` lines.
    pub async fn best_move(&mut self) -> String {
        let mut lines = self.hear_until("bestmove").await;
        let last = lines.pop().expect("a line");
        assert!(
            lines.iter().all(|line| line.starts_with("info ")),
            "{lines:?}"
        );
        last
    }

    /// Lets time pass, and gives back what was said in it.
    pub async fn wait(&mut self, seconds: u64) -> Vec<String> {
        sleep(Duration::from_secs(seconds)).await;
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.try_recv() {
            lines.push(line);
        }
        lines
    }

    /// Gets the session ready for a game.
    pub async fn ready(&mut self) {
        self.say("usi\nisready");
        self.hear_until("readyok").await;
        self.say("usinewgame");
    }

    /// What the coordinator was told since the last call.
    pub fn seen(&mut self) -> Vec<Seen> {
        let mut all = Vec::new();
        while let Ok(seen) = self.seen.try_recv() {
            all.push(seen);
        }
        all
    }

    /// The next consultation that the coordinator was asked for.
    pub async fn next_begin(&mut self) -> Begin {
        loop {
            if let Seen::Begin(begin) = self.seen.recv().await.expect("a consultation") {
                return begin;
            }
        }
    }

    /// The choices that teams were assembled from since the last call.
    pub fn assembled(&mut self) -> Vec<Choices> {
        let mut all = Vec::new();
        while let Ok(choices) = self.assembled.try_recv() {
            all.push(choices);
        }
        all
    }

    /// How many teams have been let go so far.
    pub fn let_go(&self) -> usize {
        self.let_go.load(Ordering::Relaxed)
    }

    /// Waits for the session's end; gives back what it said until then.
    pub async fn end(mut self) -> Vec<String> {
        timeout(Duration::from_secs(5), &mut self.session)
            .await
            .expect("the session ends within five seconds")
            .expect("it does not fail");
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.try_recv() {
            lines.push(line);
        }
        lines
    }
}
