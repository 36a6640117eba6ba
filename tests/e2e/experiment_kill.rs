//! An experiment survives whatever ends its runners or its store: the games are those of an
//! undisturbed run, each once.

use monju_experiment::{
    specification::Specification,
    store::{self, Address, CellStanding, OpenMode, StoredGame},
};
use monju_tests::{
    alone,
    binary::monju,
    postgres::Postgres,
    process::{PATIENCE, Process},
};
use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

/// Runners are killed so often.
const KILLS: u64 = 50;

const EXPERIMENT: &str = r#"
version = 1
name = "kill"
games = 60
openings = "openings.sfen"
first = "council"
second = "single"
[grid]
sigma = [50, 200]
[ensemble.council]
hash_mib = 1
nodes = 300
player = [{ name = "n", count = 3, sigma = "$sigma" }]
[ensemble.single]
hash_mib = 1
nodes = 300
player = [{ name = "s", sigma = 20 }]
[adjudication]
maximum_plies = 60
"#;

/// The experiment in a folder of its own.
struct Bench {
    folder: tempfile::TempDir,
    specification: Specification,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let openings = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n";
        fs::write(folder.path().join("openings.sfen"), openings).expect("a writable folder");
        let file = folder.path().join("kill.toml");
        fs::write(&file, EXPERIMENT).expect("a writable folder");
        let specification = Specification::read(&file).expect("a good file");
        Self {
            folder,
            specification,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("kill.toml")
    }

    fn sqlite(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// A runner whose pairs are free again a second after it died.
    fn runner(&self, store: &str) -> Process {
        let file = self.file().display().to_string();
        let arguments = [
            "experiment",
            "run",
            &file,
            "--store",
            store,
            "--jobs",
            "2",
            "--lease",
            "1",
        ];
        Process::start(monju(), &arguments)
    }

    /// Runs to the end.
    fn finish(&self, store: &str) {
        ended_well(self.runner(store));
    }

    /// Every game that a store holds.
    async fn games(&self, store: &str) -> Vec<Vec<StoredGame>> {
        let address: Address = store.parse().expect("an address");
        let plan = self.specification.plan("");
        let store = store::open(&address, &plan, OpenMode::Look)
            .await
            .expect("a store");
        let mut games = Vec::new();
        for cell in 0..self.specification.cells.len() {
            let records = store.records(cell, 0, 10_000).await.expect("records");
            // Ballots and notes hold times.
            let timeless = records.into_iter().map(|mut record| {
                record.ballots.clear();
                for note in &mut record.notes.0 {
                    note.time_ms = 0;
                }
                record
            });
            games.push(timeless.collect());
        }
        games
    }

    /// How many pairs a store holds, and how many are being played; none where there is no store yet.
    async fn pairs(&self, store: &str) -> (u64, u64) {
        let address: Address = store.parse().expect("an address");
        let plan = self.specification.plan("");
        match store::open(&address, &plan, OpenMode::Look).await {
            Ok(store) => {
                let standings = store.standings().await.unwrap_or_default();
                let sum = |count: fn(&CellStanding) -> u64| standings.iter().map(count).sum();
                (sum(|cell| cell.finished), sum(|cell| cell.leased))
            }
            Err(_) => (0, 0),
        }
    }

    /// What an undisturbed run gives.
    async fn undisturbed(&self) -> Vec<Vec<StoredGame>> {
        let store = self.sqlite("undisturbed.db");
        self.finish(&store);
        let games = self.games(&store).await;
        assert!(games.iter().all(|cell| cell.len() == 60));
        games
    }
}

fn ended_well(mut runner: Process) {
    runner.close_input();
    let ended = runner.wait(10 * PATIENCE);
    assert!(ended.status.success(), "{}\n{}", ended.status, ended.errors);
}

/// A moment, drawn the same way in every run of the test.
fn moment(number: u64, longest_ms: u64) -> Duration {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Duration::from_millis((mixed >> 33) % longest_ms)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_killed_at_fifty_moments_loses_and_repeats_nothing() {
    let _alone = alone();
    let bench = Bench::new();
    let store = bench.sqlite("killed.db");
    for number in 0..KILLS {
        let runner = bench.runner(&store);
        thread::sleep(moment(number, 600));
        // Dropping a process kills it.
        drop(runner);
    }
    let finished = bench
        .games(&store)
        .await
        .iter()
        .map(Vec::len)
        .sum::<usize>();
    assert!(
        (1..120).contains(&finished),
        "{finished} of 120 games finished between kills: all fell before or after the games"
    );
    bench.finish(&store);
    assert_eq!(bench.games(&store).await, bench.undisturbed().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_runners_on_one_postgresql_one_may_die() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let _alone = alone();
    let bench = Bench::new();
    let store = postgres.url();
    let mortal = bench.runner(&store);
    let survivor = bench.runner(&store);
    wait_for_games(&bench, &store).await;
    drop(mortal);
    ended_well(survivor);
    assert_eq!(bench.games(&store).await, bench.undisturbed().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_may_be_restarted_in_mid_run() {
    let Some(mut postgres) = Postgres::start() else {
        return;
    };
    let _alone = alone();
    let bench = Bench::new();
    let store = postgres.url();
    let runner = bench.runner(&store);
    wait_for_games(&bench, &store).await;
    postgres.kill();
    thread::sleep(Duration::from_millis(300));
    postgres.resume();
    ended_well(runner);
    assert_eq!(bench.games(&store).await, bench.undisturbed().await);
}

/// By whom ever it is asked to end: the first time, it finishes what is under way.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_runner_that_is_interrupted_finishes_its_pairs_and_says_how_to_go_on() {
    use rustix::process::{Pid, Signal, kill_process};
    let _alone = alone();
    let bench = Bench::new();
    let store = bench.sqlite("interrupted.db");
    let mut finished = 0;
    for signal in [Signal::INT, Signal::TERM, Signal::INT] {
        let mut runner = bench.runner(&store);
        runner.close_input();
        let deadline = Instant::now() + PATIENCE;
        while bench.pairs(&store).await.0 <= finished {
            assert!(Instant::now() < deadline, "no game was finished");
            thread::sleep(Duration::from_millis(20));
        }
        let id = Pid::from_raw(runner.id() as i32).expect("a process id");
        kill_process(id, signal).expect("the runner is there");
        let ended = runner.wait(PATIENCE);
        assert!(
            ended.status.code().is_some_and(|code| code != 0),
            "{ended:?}"
        );
        for words in [
            "finishing the pairs under way",
            "resume with: monju experiment run",
        ] {
            assert!(ended.errors.contains(words), "{words}: {}", ended.errors);
        }
        let (pairs, under_way) = bench.pairs(&store).await;
        assert!(pairs < 60 && under_way == 0, "{pairs}, {under_way}");
        finished = pairs;
    }
    bench.finish(&store);
    assert_eq!(bench.games(&store).await, bench.undisturbed().await);
}

/// Waits until something, but not everything, has been played.
async fn wait_for_games(bench: &Bench, store: &str) {
    let address: Address = store.parse().expect("an address");
    let plan = bench.specification.plan("");
    for _ in 0..1200 {
        if let Ok(store) = store::open(&address, &plan, OpenMode::Look).await
            && let Ok(standings) = store.standings().await
            && standings.iter().any(|cell| cell.finished > 1)
        {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("no game was finished");
}
