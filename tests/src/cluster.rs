//! The services as processes of their own, on loopback ports.

use crate::{
    binary::monju,
    process::{PATIENCE, Process, free_address},
    relay::Relay,
};
use std::{
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Part of every move's time that a coordinator keeps back: much, because several processes share the
/// few cores of a test machine with other work.
const OVERHEAD_MS: u32 = 250;

/// File of the coordinator's configuration, in the folder of the cluster.
const COORDINATOR_CONFIG: &str = "coordinator.toml";

/// Time between two attempts at something that has not happened yet.
const INTERVAL: Duration = Duration::from_millis(20);

/// A running process that serves something, such as `monju worker` or `monju coordinator`.
#[derive(Debug)]
pub struct ServiceProcess {
    /// Its process.
    pub process: Process,
    /// `127.0.0.1:PORT`, where it listens.
    pub address: String,
}

impl ServiceProcess {
    /// Starts `monju experiment run <file> --jobs <jobs>` with its page, and waits until the page is served.
    pub fn experiment(file: &str, jobs: &str) -> Self {
        let address = free_address();
        let arguments = [
            "experiment",
            "run",
            file,
            "--jobs",
            jobs,
            "--serve",
            &address,
        ];
        let process = Process::start(monju(), &arguments);
        eventually("the runner's page", || TcpStream::connect(&address).ok());
        Self { process, address }
    }

    /// Starts `monju <role> --config <config>`, with `--listen` where an address is given, and waits
    /// until it is ready.
    pub fn start(role: &str, listen: Option<&str>, config: &Path) -> Self {
        let config = config.to_str().expect("a path in UTF-8");
        let mut arguments = vec![role, "--config", config];
        arguments.extend(listen.iter().flat_map(|listen| ["--listen", listen]));
        let process = Process::start(monju(), &arguments);
        let read = process.expect_line("line 'listening on …'", |line| {
            line.starts_with("listening on ")
        });
        let (_, line) = read.last().expect("the line that was waited for");
        let address = line["listening on ".len()..].to_owned();
        Self { process, address }
    }

    /// Starts `monju <role>` on a free loopback port.
    pub fn on_free_port(role: &str, config: &Path) -> Self {
        Self::start(role, Some("127.0.0.1:0"), config)
    }

    /// The URL that others reach it at.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// A coordinator and its workers, each a process of its own.
#[derive(Debug)]
pub struct TestCluster {
    folder: TempDir,
    worker_configs: Vec<PathBuf>,
    /// The workers.
    pub workers: Vec<ServiceProcess>,
    /// The coordinator.
    pub coordinator: ServiceProcess,
    /// The edges between the coordinator and the workers, where they can be cut.
    pub edges: Vec<Relay>,
    /// The edge between the coordinator and its clients.
    front: Option<Relay>,
}

impl TestCluster {
    /// Starts one worker for each text of `[[player]]` tables, and a coordinator over them with
    /// further tables of its own (such as `[ensemble]`).
    pub fn start(players: &[&str], ensemble: &str) -> Self {
        Self::start_with_overhead(players, ensemble, OVERHEAD_MS)
    }

    /// Starts a cluster whose coordinator keeps back this many milliseconds of a move.
    pub fn start_with_overhead(players: &[&str], ensemble: &str, overhead_ms: u32) -> Self {
        Self::start_over(players, ensemble, overhead_ms, |_| None)
    }

    /// As [`TestCluster::start_with_overhead`], with edges that can be cut.
    pub fn start_with_edges(players: &[&str], ensemble: &str, overhead_ms: u32) -> Self {
        let edge = |worker: &ServiceProcess| Some(Relay::to(&worker.address));
        let mut cluster = Self::start_over(players, ensemble, overhead_ms, edge);
        cluster.front = Some(Relay::to(&cluster.coordinator.address));
        cluster
    }

    fn start_over(
        players: &[&str],
        ensemble: &str,
        overhead_ms: u32,
        edge: impl Fn(&ServiceProcess) -> Option<Relay>,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut worker_configs = Vec::new();
        for (index, tables) in players.iter().enumerate() {
            let path = folder.path().join(format!("worker-{}.toml", index + 1));
            write(&path, &worker_config(index, tables));
            worker_configs.push(path);
        }
        let workers: Vec<ServiceProcess> = worker_configs
            .iter()
            .map(|config| ServiceProcess::on_free_port("worker", config))
            .collect();
        let edges: Vec<Relay> = workers.iter().filter_map(edge).collect();
        let urls: Vec<String> = match edges.is_empty() {
            true => workers.iter().map(ServiceProcess::url).collect(),
            false => edges.iter().map(Relay::url).collect(),
        };
        let coordinator = coordinator_with_overhead(folder.path(), &urls, ensemble, overhead_ms);
        Self {
            folder,
            worker_configs,
            workers,
            coordinator,
            edges,
            front: None,
        }
    }

    /// Three workers with one native player of σ = 50 each.
    pub fn of_three_noise_players() -> Self {
        let players = ["one", "two", "three"]
            .map(|name| format!("[[player]]\nname = \"{name}\"\nsigma = 50\nhash_mib = 16\n"));
        Self::start(&[&players[0], &players[1], &players[2]], "")
    }

    /// Kills a worker as a power cut would.
    pub fn kill_worker(&mut self, index: usize) {
        self.workers[index].process.kill();
    }

    /// Starts a worker again on the port that it had.
    pub fn restart_worker(&mut self, index: usize) {
        let address = self.workers[index].address.clone();
        self.workers[index] =
            ServiceProcess::start("worker", Some(&address), &self.worker_configs[index]);
    }

    /// Starts the coordinator again on the port that it had.
    pub fn restart_coordinator(&mut self) {
        let address = self.coordinator.address.clone();
        let config = self.folder.path().join(COORDINATOR_CONFIG);
        self.coordinator = ServiceProcess::start("coordinator", Some(&address), &config);
    }

    /// The edge between the coordinator and its clients.
    ///
    /// # Panics
    /// The cluster was started without edges.
    pub fn front_edge(&self) -> &Relay {
        self.front.as_ref().expect("a cluster with edges")
    }

    /// A folder that lives as long as the cluster.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Starts a coordinator over workers at these URLs; its configuration is written into `folder`.
pub fn coordinator_over(folder: &Path, workers: &[String], ensemble: &str) -> ServiceProcess {
    coordinator_with_overhead(folder, workers, ensemble, OVERHEAD_MS)
}

fn coordinator_with_overhead(
    folder: &Path,
    workers: &[String],
    ensemble: &str,
    overhead_ms: u32,
) -> ServiceProcess {
    let config = folder.join(COORDINATOR_CONFIG);
    write(&config, &coordinator_config(workers, ensemble, overhead_ms));
    ServiceProcess::on_free_port("coordinator", &config)
}

/// Tries `attempt` until it gives something; panics when the patience is over.
pub fn eventually<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = attempt() {
            return found;
        }
        assert!(Instant::now() < deadline, "not within {PATIENCE:?}: {what}");
        thread::sleep(INTERVAL);
    }
}

fn worker_config(index: usize, players: &str) -> String {
    format!(
        "version = 1\n\n[worker]\nname = \"worker-{}\"\n\n{players}",
        index + 1
    )
}

fn coordinator_config(workers: &[String], ensemble: &str, overhead_ms: u32) -> String {
    format!(
        "version = 1\n\n[coordinator]\nworkers = {workers:?}\noverhead_ms = {overhead_ms}\n\n{ensemble}\n"
    )
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
