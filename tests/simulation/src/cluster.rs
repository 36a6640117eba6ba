//! The processes of a simulated team, and the edges between them.

use crate::{
    draw::Draws,
    network::{Edge, Weather},
    plan::{Plan, Trouble, storm},
    worker::SimulatedWorker,
};
use monju_coordinator::{
    calibration::Calibration,
    choices::ConsultationSettings,
    fallback::FirstLegalMove,
    roster::{Link, Roster, endpoint},
    service::{Ensemble, Service},
};
use monju_proto::{
    serve::{self, ServerTask},
    v1::{
        Ballot, WatchRequest, coordinator_client::CoordinatorClient,
        coordinator_server::CoordinatorServer, worker_server::WorkerServer,
    },
};
use std::{io, sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinHandle, time::Instant};
use tokio_stream::{StreamExt, wrappers::UnboundedReceiverStream};
use tonic::transport::{Endpoint, Server};

/// Time that the coordinator sets aside of every clock.
const OVERHEAD: Duration = Duration::from_millis(100);

/// Time after a storm in which its last packets arrive, those that were sent again included; an answer waits
/// for them twice.
pub const AFTER_STORM: Duration = Duration::from_millis(2 * 1_200);

/// A simulated team.
pub struct Cluster {
    draws: Draws,
    /// The edge between the proxy and the coordinator.
    pub front: Edge,
    /// The edges between the coordinator and the workers.
    pub edges: Vec<Edge>,
    calm: Vec<Weather>,
    calm_front: Weather,
    workers: Vec<SimulatedWorker>,
    running: Vec<Option<JoinHandle<()>>>,
    coordinator: Option<RunningCoordinator>,
    is_coordinator_frozen: u32,
    /// For each worker, the moment at which the last packet of a storm has arrived.
    calm_from: Vec<Instant>,
    ballots: mpsc::UnboundedSender<Ballot>,
    /// Number of troubles so far.
    troubles: u64,
}

/// The coordinator while it serves.
struct RunningCoordinator {
    serving: JoinHandle<()>,
    watching: JoinHandle<()>,
    _watched: ServerTask,
}

impl Drop for RunningCoordinator {
    fn drop(&mut self) {
        self.serving.abort();
        self.watching.abort();
    }
}

/// The way by which the proxy finds the coordinator.
pub fn front_endpoint() -> Endpoint {
    endpoint("http://coordinator:7410", None).expect("an address")
}

impl Cluster {
    /// Starts all processes. The decided ballots go to `ballots`.
    pub fn start(plan: &Plan, draws: Draws, ballots: mpsc::UnboundedSender<Ballot>) -> Self {
        let edges: Vec<Edge> = (0..)
            .zip(&plan.edges)
            .map(|(number, weather)| Edge::new(draws.at(number), *weather))
            .collect();
        let workers = (0..edges.len()).map(|number| {
            let name = format!("worker-{}", number + 1);
            let is_hostile = plan.hostile == Some(number);
            let draws = draws.at(1_000 + number as u64);
            SimulatedWorker::new(name, draws, is_hostile, plan.clocks[number])
        });
        let mut cluster = Self {
            draws,
            front: Edge::new(draws.at(999), plan.front),
            running: edges.iter().map(|_| None).collect(),
            edges,
            calm: plan.edges.clone(),
            calm_front: plan.front,
            workers: workers.collect(),
            coordinator: None,
            is_coordinator_frozen: 0,
            calm_from: plan.edges.iter().map(|_| Instant::now()).collect(),
            ballots,
            troubles: 0,
        };
        for worker in 0..cluster.workers.len() {
            cluster.start_worker(worker);
        }
        cluster.start_coordinator();
        cluster
    }

    fn start_worker(&mut self, worker: usize) {
        // A process that was started again has forgotten who held it.
        let SimulatedWorker {
            name,
            draws,
            is_hostile,
            clock_percent,
            ..
        } = self.workers[worker].clone();
        let service = SimulatedWorker::new(name, draws, is_hostile, clock_percent);
        let router = serve::network_server().add_service(WorkerServer::new(service));
        self.running[worker] = Some(serve_on(&self.edges[worker], router));
    }

    fn start_coordinator(&mut self) {
        let links = self.edges.iter().enumerate().map(|(number, edge)| {
            let url = format!("http://worker-{}:7411", number + 1);
            let endpoint = endpoint(&url, None).expect("an address");
            Link::over(url, edge.channel(&endpoint))
        });
        let ensemble = Ensemble {
            settings: ConsultationSettings::default(),
            primary: None,
            overhead: OVERHEAD,
            calibration: Arc::new(Calibration::default()),
            resignation: None,
            book: None,
        };
        let roster = Roster::new(links.collect());
        let service = Service::new(ensemble, roster, None, Arc::new(FirstLegalMove));
        let server = || CoordinatorServer::new(service.clone());
        let (channel, watched) = serve::in_process(Server::builder().add_service(server()));
        let ballots = self.ballots.clone();
        let watching = tokio::spawn(async move {
            let mut client = CoordinatorClient::new(channel);
            let Ok(watched) = client.watch(WatchRequest { standings: false }).await else {
                return;
            };
            let mut watched = watched.into_inner();
            while let Ok(Some(seen)) = watched.message().await {
                if let Some(ballot) = seen.ballot {
                    // The receiver lives as long as the game.
                    let _ = ballots.send(ballot);
                }
            }
        });
        self.coordinator = Some(RunningCoordinator {
            serving: serve_on(&self.front, serve::network_server().add_service(server())),
            watching,
            _watched: watched,
        });
    }

    fn kill_worker(&mut self, worker: usize) {
        if let Some(serving) = self.running[worker].take() {
            serving.abort();
        }
        self.edges[worker].stop_listening();
    }

    fn kill_coordinator(&mut self) {
        self.coordinator = None;
        self.front.stop_listening();
    }

    /// Returns true while a worker can vote: all processes are running, and the edge is calm.
    pub fn is_well(&self, worker: usize) -> bool {
        let edge = &self.edges[worker];
        let weather = edge.weather();
        self.running[worker].is_some()
            && self.coordinator.is_some()
            && self.is_coordinator_frozen == 0
            && !edge.is_held()
            && self.calm_from[worker] <= Instant::now()
            && weather.latency_ms + weather.jitter_ms <= 10
            && weather.loss_per_mille == 0
    }

    /// Lets a trouble begin; one of the proxy itself is left to its caller. Returns false where it cannot.
    pub fn begin(&mut self, trouble: Trouble) -> bool {
        self.troubles += 1;
        let storm = storm(self.draws.at(50_000 + self.troubles));
        match trouble {
            Trouble::CutFront => self.front.hold(),
            Trouble::CutWorker(worker) | Trouble::FreezeWorker(worker) => self.edges[worker].hold(),
            Trouble::StormFront => self.front.set_weather(storm),
            Trouble::StormWorker(worker) => self.edges[worker].set_weather(storm),
            Trouble::KillWorker(worker) | Trouble::DarkWorker(worker) => {
                if self.running[worker].is_none() {
                    return false;
                }
                self.kill_worker(worker);
                match trouble {
                    Trouble::DarkWorker(_) => self.edges[worker].hold(),
                    _ => self.edges[worker].reset(),
                }
            }
            Trouble::KillCoordinator | Trouble::DarkCoordinator => {
                if self.coordinator.is_none() {
                    return false;
                }
                self.kill_coordinator();
                match trouble {
                    Trouble::DarkCoordinator => self.all(Edge::hold),
                    _ => self.all(Edge::reset),
                }
            }
            Trouble::FreezeCoordinator => {
                self.is_coordinator_frozen += 1;
                self.all(Edge::hold);
            }
            Trouble::KillProxy => self.front.reset(),
        }
        true
    }

    /// Ends a trouble that has begun.
    pub fn end(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::CutFront => self.front.mend(),
            Trouble::CutWorker(worker) | Trouble::FreezeWorker(worker) => self.edges[worker].mend(),
            Trouble::StormFront => self.front.set_weather(self.calm_front),
            Trouble::StormWorker(worker) => {
                self.edges[worker].set_weather(self.calm[worker]);
                self.calm_from[worker] = Instant::now() + AFTER_STORM;
            }
            Trouble::KillWorker(worker) => self.start_worker(worker),
            Trouble::DarkWorker(worker) => {
                // The machine does not know the old connections, and says so.
                self.edges[worker].reset();
                self.start_worker(worker);
                self.edges[worker].mend();
            }
            Trouble::KillCoordinator => self.start_coordinator(),
            Trouble::DarkCoordinator => {
                self.all(Edge::reset);
                self.start_coordinator();
                self.all(Edge::mend);
            }
            Trouble::FreezeCoordinator => {
                self.is_coordinator_frozen -= 1;
                self.all(Edge::mend);
            }
            Trouble::KillProxy => {}
        }
    }

    /// Does something to all edges of the coordinator.
    fn all(&self, happens: impl Fn(&Edge)) {
        happens(&self.front);
        self.edges.iter().for_each(happens);
    }
}

/// Serves what listens at the far end of an edge.
fn serve_on(edge: &Edge, router: tonic::transport::server::Router) -> JoinHandle<()> {
    let incoming = UnboundedReceiverStream::new(edge.listen()).map(Ok::<_, io::Error>);
    tokio::spawn(async move {
        if let Err(error) = router.serve_with_incoming(incoming).await {
            tracing::error!(%error, "a simulated server failed");
        }
    })
}
