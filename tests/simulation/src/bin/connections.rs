//! Measures a coordinator with many real connections: a worker on a port of its own for each, which streams
//! lines while it thinks, the default time policy, a recorder, and the proxy.
//!
//! ```text
//! cargo build --release -p monju
//! cargo run --release -p monju-simulation --bin connections -- --workers 1000 --questions 100
//! ```
//!
//! The workers are scripted and live in this process; coordinator and proxy are processes of `monju`. Every
//! connection takes two descriptors here and one in the coordinator: the limits are raised as far as the
//! system lets them be, and named.
#![forbid(unsafe_code)]

use clap::Parser;
use monju_proto::v1::worker_server::WorkerServer;
use monju_simulation::{draw::Draws, worker::SimulatedWorker};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
    time::{Duration, Instant},
};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;

/// Longest time after which a worker answers, in milliseconds.
const ANSWERS_AFTER_MS: u64 = 400;
/// Byoyomi of the questions, in milliseconds: more than the workers take.
const BYOYOMI_MS: u64 = 10_000;
/// Time for all workers to be connected.
const PATIENCE: Duration = Duration::from_secs(120);

/// Measures a coordinator with many real connections
#[derive(Debug, Parser)]
struct ConnectionsArguments {
    /// Number of workers
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    workers: u64,
    /// Number of questions that are measured
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    questions: u64,
    /// The program
    #[arg(long, default_value = "target/release/monju")]
    monju: PathBuf,
}

fn main() -> ExitCode {
    let arguments = ConnectionsArguments::parse();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    match runtime.block_on(measure(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("connections: {error}");
            ExitCode::FAILURE
        }
    }
}

type Failure = Box<dyn std::error::Error>;

/// A child process that ends with this.
struct ChildProcess(Child);

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn measure(arguments: &ConnectionsArguments) -> Result<(), Failure> {
    println!("descriptors of this process: {}", raise_descriptors());
    let (answered, mut answers) = mpsc::unbounded_channel();
    let mut urls = Vec::new();
    for number in 0..arguments.workers {
        let mut worker = SimulatedWorker::new(format!("w{number}"), Draws::new(number), false, 100);
        worker.answers_after_ms = Some(ANSWERS_AFTER_MS);
        worker.answered = Some(answered.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        urls.push(format!("http://{}", listener.local_addr()?));
        let router = Server::builder()
            .tcp_nodelay(true)
            .add_service(WorkerServer::new(worker));
        tokio::spawn(router.serve_with_incoming(TcpListenerStream::new(listener)));
    }
    let folder = std::env::temp_dir().join(format!("monju-connections-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let measured = ask(arguments, &urls, &folder, &mut answers).await;
    fs::remove_dir_all(&folder)?;
    measured
}

async fn ask(
    arguments: &ConnectionsArguments,
    urls: &[String],
    folder: &Path,
    answers: &mut mpsc::UnboundedReceiver<tokio::time::Instant>,
) -> Result<(), Failure> {
    let config = folder.join("coordinator.toml");
    let log = folder.join("ballots.jsonl");
    let text = format!(
        "version = 1\n\n[coordinator]\nworkers = {urls:?}\nlog = {:?}\n",
        log.display().to_string()
    );
    fs::write(&config, text)?;
    let mut coordinator = Command::new(&arguments.monju)
        .args(["coordinator", "--listen", "127.0.0.1:0", "--config"])
        .arg(&config)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map(ChildProcess)?;
    let mut lines = BufReader::new(coordinator.0.stdout.take().ok_or("no output")?).lines();
    let address = loop {
        let line = lines.next().ok_or("the coordinator has ended")??;
        if let Some(address) = line.strip_prefix("listening on ") {
            break address.to_owned();
        }
    };
    let mut proxy = Command::new(&arguments.monju)
        .args(["usi", "--coordinator", &format!("http://{address}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map(ChildProcess)?;
    let mut input = proxy.0.stdin.take().ok_or("no input")?;
    let mut heard = read_lines(proxy.0.stdout.take().ok_or("no output")?);
    say(&mut input, "usi\nisready")?;
    until(&mut heard, "readyok").await?;
    say(&mut input, "usinewgame")?;
    // Workers are found one after the other.
    let begun = Instant::now();
    let mut voters = 0;
    while voters < arguments.workers && begun.elapsed() < PATIENCE {
        voters = question(&mut input, &mut heard, answers, 0).await?.voters;
    }
    println!(
        "{voters} of {} workers vote after {:.1} s",
        arguments.workers,
        begun.elapsed().as_secs_f64()
    );
    let before = [usage(&coordinator)?, usage(&proxy)?];
    let begun = Instant::now();
    let mut delays = Vec::new();
    let mut fewest = u64::MAX;
    for number in 1..=arguments.questions {
        let answer = question(&mut input, &mut heard, answers, number).await?;
        delays.push(answer.delay);
        fewest = fewest.min(answer.voters);
    }
    let took = begun.elapsed().as_secs_f64();
    delays.sort_unstable();
    let share = |percent: usize| {
        let rank = (delays.len() * percent).div_ceil(100).max(1) - 1;
        delays[rank].as_secs_f64() * 1_000.0
    };
    println!(
        "{} questions, at least {fewest} votes each: from the last vote to bestmove median {:.1} ms, 99 % within \
         {:.1} ms, all within {:.1} ms",
        arguments.questions,
        share(50),
        share(99),
        share(100)
    );
    for (name, process, before) in [
        ("coordinator", &coordinator, before[0]),
        ("proxy", &proxy, before[1]),
    ] {
        let now = usage(process)?;
        println!(
            "{name}: {:.1} ms of CPU a question, {:.0} % of a core, {} MiB, {} descriptors",
            (now.cpu_ms - before.cpu_ms) as f64 / arguments.questions as f64,
            (now.cpu_ms - before.cpu_ms) as f64 / took / 10.0,
            now.memory_kib / 1_024,
            now.descriptors
        );
    }
    println!(
        "ballot log: {} KiB a question",
        fs::metadata(&log)?.len() / 1_024 / (arguments.questions + 1)
    );
    say(&mut input, "quit")?;
    Ok(())
}

/// An answered question.
struct Answered {
    /// Time from the last vote to `bestmove`.
    delay: Duration,
    /// Votes that were counted.
    voters: u64,
}

async fn question(
    input: &mut ChildStdin,
    heard: &mut mpsc::UnboundedReceiver<(Instant, String)>,
    answers: &mut mpsc::UnboundedReceiver<tokio::time::Instant>,
    number: u64,
) -> Result<Answered, Failure> {
    while answers.try_recv().is_ok() {}
    // Every question is about another position.
    let mut moves = String::new();
    for ply in 0..number % 100 {
        moves.push_str([" 5i5h", " 5a5b", " 5h5i", " 5b5a"][(ply % 4) as usize]);
    }
    say(
        input,
        &format!("position startpos moves{moves}\ngo btime 0 wtime 0 byoyomi {BYOYOMI_MS}"),
    )?;
    let (at, lines) = until(heard, "bestmove").await?;
    let mut last = None;
    while let Ok(answered) = answers.try_recv() {
        let answered = answered.into_std();
        if answered <= at {
            last = last.max(Some(answered));
        }
    }
    let verdict = lines
        .iter()
        .rev()
        .find_map(|line| line.strip_prefix("info string votes "));
    let counts = verdict
        .unwrap_or_default()
        .split(' ')
        .filter_map(|word| word.split_once('='));
    Ok(Answered {
        delay: last.map_or(Duration::ZERO, |last| at.saturating_duration_since(last)),
        voters: counts
            .filter_map(|(_, votes)| votes.parse::<u64>().ok())
            .sum(),
    })
}

fn say(input: &mut ChildStdin, lines: &str) -> Result<(), Failure> {
    writeln!(input, "{lines}")?;
    Ok(input.flush()?)
}

fn read_lines(output: std::process::ChildStdout) -> mpsc::UnboundedReceiver<(Instant, String)> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send((Instant::now(), line)).is_err() {
                return;
            }
        }
    });
    receiver
}

async fn until(
    heard: &mut mpsc::UnboundedReceiver<(Instant, String)>,
    word: &str,
) -> Result<(Instant, Vec<String>), Failure> {
    let mut lines = Vec::new();
    loop {
        let (at, line) = heard.recv().await.ok_or("the proxy has ended")?;
        if line.starts_with(word) {
            return Ok((at, lines));
        }
        lines.push(line);
    }
}

#[derive(Clone, Copy)]
struct Usage {
    cpu_ms: u64,
    memory_kib: u64,
    descriptors: usize,
}

/// Reads the use of a process from `/proc`, where times are in hundredths of a second.
fn usage(process: &ChildProcess) -> Result<Usage, Failure> {
    let folder = PathBuf::from(format!("/proc/{}", process.0.id()));
    let stat = fs::read_to_string(folder.join("stat"))?;
    let (_, fields) = stat.rsplit_once(") ").ok_or("no times in /proc")?;
    let times = fields.split(' ').skip(11).take(2);
    let ticks: u64 = times.filter_map(|field| field.parse::<u64>().ok()).sum();
    let status = fs::read_to_string(folder.join("status"))?;
    let memory = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let memory = memory.and_then(|text| text.split_whitespace().next()?.parse().ok());
    Ok(Usage {
        cpu_ms: ticks * 10,
        memory_kib: memory.unwrap_or(0),
        descriptors: fs::read_dir(folder.join("fd"))?.count(),
    })
}

/// Raises the limit of open files to the hard one, and names it.
#[cfg(unix)]
fn raise_descriptors() -> String {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let raised = setrlimit(Resource::Nofile, limit);
    let mut text = limit
        .maximum
        .map_or("no limit".to_owned(), |most| most.to_string());
    if let Err(error) = raised {
        text = format!("{text} (not raised: {error})");
    }
    text
}

#[cfg(not(unix))]
fn raise_descriptors() -> String {
    "unknown".to_owned()
}
