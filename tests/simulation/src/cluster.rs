//! The processes of a simulated team, and the edges between them.

use crate::{
    draw::Draws,
    network::{Edge, Weather},
    plan::{Edges, Plan, Seat, Trouble, storm},
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
    client::coordinator_client,
    serve::{self, ServerTask},
    v1::{
        Ballot, WatchRequest, coordinator_server::CoordinatorServer, worker_server::WorkerServer,
    },
};
use std::{io, sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinHandle, time::Instant};
use tokio_stream::{StreamExt, wrappers::UnboundedReceiverStream};

/// Time that the coordinator sets aside of every clock.
const OVERHEAD: Duration = Duration::from_millis(100);

/// Time after a storm in which its last packets arrive, those that were sent again included; an answer waits
/// for them twice.
pub const AFTER_STORM: Duration = Duration::from_millis(2 * 1_200);

/// A simulated team.
pub struct Cluster {
    draws: Draws,
    /// The coordinators, in the order in which the proxy asks them.
    pub seats: Vec<CoordinatorSeat>,
    workers: Vec<SimulatedWorker>,
    /// For each worker, its services to the coordinators while it runs.
    running: Vec<Option<Vec<JoinHandle<()>>>>,
    ballots: mpsc::UnboundedSender<(Seat, Ballot)>,
    /// Number of troubles so far.
    troubles: u64,
}

/// A coordinator's place, with its edges; the process in it comes and goes.
pub struct CoordinatorSeat {
    edges: Edges<Edge>,
    calm: Edges<Weather>,
    /// The moments at which the last packets of storms have arrived.
    calm_from: Edges<Instant>,
    process: Option<RunningCoordinator>,
    frozen: u32,
}

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

/// Where the proxy finds a coordinator.
pub fn front_url(seat: Seat) -> String {
    format!("http://coordinator-{}:7410", seat + 1)
}

impl CoordinatorSeat {
    fn new(draws: Draws, calm: &Edges<Weather>) -> Self {
        let workers = (0..).zip(&calm.workers);
        Self {
            edges: Edges {
                front: Edge::new(draws.at(999), calm.front),
                workers: workers
                    .map(|(number, weather)| Edge::new(draws.at(number), *weather))
                    .collect(),
            },
            calm_from: Edges {
                front: Instant::now(),
                workers: calm.workers.iter().map(|_| Instant::now()).collect(),
            },
            calm: calm.clone(),
            process: None,
            frozen: 0,
        }
    }

    /// Returns the edge to the proxy.
    pub fn front(&self) -> &Edge {
        &self.edges.front
    }

    fn runs(&self) -> bool {
        self.process.is_some() && self.frozen == 0
    }

    /// Returns true while the coordinator runs and the proxy reaches it.
    pub fn is_well(&self) -> bool {
        self.runs() && is_calm(&self.edges.front, self.calm_from.front)
    }

    fn start(&mut self, seat: Seat, ballots: &mpsc::UnboundedSender<(Seat, Ballot)>) {
        let links = self.edges.workers.iter().enumerate().map(|(number, edge)| {
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
        let (channel, watched) = serve::in_process(serve::server().add_service(server()));
        let ballots = ballots.clone();
        let watching = tokio::spawn(async move {
            let mut client = coordinator_client(channel);
            let Ok(watched) = client.watch(WatchRequest { standings: false }).await else {
                return;
            };
            let mut watched = watched.into_inner();
            while let Ok(Some(seen)) = watched.message().await {
                if let Some(ballot) = seen.ballot {
                    // The receiver lives as long as the game.
                    let _ = ballots.send((seat, ballot));
                }
            }
        });
        let router = serve::network_server().add_service(server());
        self.process = Some(RunningCoordinator {
            serving: serve_on(&self.edges.front, router),
            watching,
            _watched: watched,
        });
    }

    fn kill(&mut self) {
        self.process = None;
        self.edges.front.stop_listening();
    }
}

/// Returns true while packets pass an edge as ever.
fn is_calm(edge: &Edge, calm_from: Instant) -> bool {
    let weather = edge.weather();
    !edge.is_held()
        && calm_from <= Instant::now()
        && weather.latency_ms + weather.jitter_ms <= 10
        && weather.loss_per_mille == 0
}

impl Cluster {
    /// Starts all processes. The decided ballots go to `ballots`.
    pub fn start(
        plan: &Plan,
        draws: Draws,
        ballots: mpsc::UnboundedSender<(Seat, Ballot)>,
    ) -> Self {
        let workers = plan.clocks.iter().enumerate().map(|(number, clock)| {
            let name = format!("worker-{}", number + 1);
            let is_hostile = plan.hostile == Some(number);
            let draws = draws.at(1_000 + number as u64);
            SimulatedWorker::new(name, draws, is_hostile, *clock)
        });
        let workers = Vec::from_iter(workers);
        let seats = (0..).zip(&plan.seats);
        let mut cluster = Self {
            draws,
            seats: seats
                .map(|(seat, calm)| CoordinatorSeat::new(draws.at(2_000 + seat), calm))
                .collect(),
            running: workers.iter().map(|_| None).collect(),
            workers,
            ballots,
            troubles: 0,
        };
        for worker in 0..cluster.workers.len() {
            cluster.start_worker(worker);
        }
        for seat in 0..cluster.seats.len() {
            cluster.start_coordinator(seat);
        }
        cluster
    }

    /// Returns the edges between the proxy and the coordinators.
    pub fn fronts(&self) -> Vec<Edge> {
        let fronts = self.seats.iter().map(|seat| seat.front().clone());
        fronts.collect()
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
        let services = self.edges_of(worker).map(|edge| {
            let router = serve::network_server().add_service(WorkerServer::new(service.clone()));
            serve_on(edge, router)
        });
        self.running[worker] = Some(services.collect());
    }

    fn start_coordinator(&mut self, seat: Seat) {
        self.seats[seat].start(seat, &self.ballots);
    }

    fn kill_worker(&mut self, worker: usize) {
        for serving in self.running[worker].take().into_iter().flatten() {
            serving.abort();
        }
        self.edges_of(worker).for_each(Edge::stop_listening);
    }

    /// Returns the edges of a worker to all coordinators.
    fn edges_of(&self, worker: usize) -> impl Iterator<Item = &Edge> {
        let edges = self.seats.iter();
        edges.map(move |seat| &seat.edges.workers[worker])
    }

    /// Returns true while a worker can vote at a coordinator: both processes are running, and the edge is calm.
    pub fn is_well(&self, seat: Seat, worker: usize) -> bool {
        let seat = &self.seats[seat];
        self.running[worker].is_some()
            && seat.runs()
            && is_calm(&seat.edges.workers[worker], seat.calm_from.workers[worker])
    }

    /// Lets a trouble begin; the lines of the proxy are left to its caller. Returns false where it cannot.
    pub fn begin(&mut self, trouble: Trouble) -> bool {
        self.troubles += 1;
        let storm = storm(self.draws.at(50_000 + self.troubles));
        match trouble {
            Trouble::CutFront(seat) => self.seats[seat].front().hold(),
            Trouble::CutWorker(seat, worker) => self.seats[seat].edges.workers[worker].hold(),
            Trouble::StormFront(seat) => self.seats[seat].front().set_weather(storm),
            Trouble::StormWorker(seat, worker) => {
                self.seats[seat].edges.workers[worker].set_weather(storm);
            }
            Trouble::FreezeWorker(worker) => self.edges_of(worker).for_each(Edge::hold),
            Trouble::KillWorker(worker) | Trouble::DarkWorker(worker) => {
                if self.running[worker].is_none() {
                    return false;
                }
                self.kill_worker(worker);
                match trouble {
                    Trouble::DarkWorker(_) => self.edges_of(worker).for_each(Edge::hold),
                    _ => self.edges_of(worker).for_each(Edge::reset),
                }
            }
            Trouble::KillCoordinator(seat) | Trouble::DarkCoordinator(seat) => {
                return self.end_coordinator(seat, matches!(trouble, Trouble::DarkCoordinator(_)));
            }
            Trouble::LoseCoordinator => return self.end_coordinator(0, false),
            Trouble::FreezeCoordinator(seat) => {
                self.seats[seat].frozen += 1;
                self.seats[seat].edges.all().for_each(Edge::hold);
            }
            Trouble::KillProxy => self.seats.iter().for_each(|seat| seat.front().reset()),
            Trouble::FreezeProxy => self.seats.iter().for_each(|seat| seat.front().hold()),
        }
        true
    }

    /// Ends the process of a coordinator; a dark one tells nobody. Returns false if there is none.
    fn end_coordinator(&mut self, seat: Seat, is_dark: bool) -> bool {
        let seat = &mut self.seats[seat];
        if seat.process.is_none() {
            return false;
        }
        seat.kill();
        let edges = seat.edges.all();
        edges.for_each(if is_dark { Edge::hold } else { Edge::reset });
        true
    }

    /// Ends a trouble that has begun.
    pub fn end(&mut self, trouble: Trouble) {
        let calm_again = Instant::now() + AFTER_STORM;
        match trouble {
            Trouble::CutFront(seat) => self.seats[seat].front().mend(),
            Trouble::CutWorker(seat, worker) => self.seats[seat].edges.workers[worker].mend(),
            Trouble::FreezeWorker(worker) => self.edges_of(worker).for_each(Edge::mend),
            Trouble::StormFront(seat) => {
                let seat = &mut self.seats[seat];
                seat.front().set_weather(seat.calm.front);
                seat.calm_from.front = calm_again;
            }
            Trouble::StormWorker(seat, worker) => {
                let seat = &mut self.seats[seat];
                seat.edges.workers[worker].set_weather(seat.calm.workers[worker]);
                seat.calm_from.workers[worker] = calm_again;
            }
            Trouble::KillWorker(worker) => self.start_worker(worker),
            Trouble::DarkWorker(worker) => {
                // The machine does not know the old connections, and says so.
                self.edges_of(worker).for_each(Edge::reset);
                self.start_worker(worker);
                self.edges_of(worker).for_each(Edge::mend);
            }
            Trouble::KillCoordinator(seat) => self.start_coordinator(seat),
            Trouble::LoseCoordinator => self.start_coordinator(0),
            Trouble::DarkCoordinator(seat) => {
                self.seats[seat].edges.all().for_each(Edge::reset);
                self.start_coordinator(seat);
                self.seats[seat].edges.all().for_each(Edge::mend);
            }
            Trouble::FreezeCoordinator(seat) => {
                self.seats[seat].frozen -= 1;
                self.seats[seat].edges.all().for_each(Edge::mend);
            }
            Trouble::KillProxy => {}
            Trouble::FreezeProxy => self.seats.iter().for_each(|seat| seat.front().mend()),
        }
    }
}

/// Serves what listens at the far end of an edge.
fn serve_on(edge: &Edge, router: monju_proto::serve::Router) -> JoinHandle<()> {
    let incoming = UnboundedReceiverStream::new(edge.listen()).map(Ok::<_, io::Error>);
    tokio::spawn(async move {
        if let Err(error) = router.serve_with_incoming(incoming).await {
            tracing::error!(%error, "a simulated server failed");
        }
    })
}
