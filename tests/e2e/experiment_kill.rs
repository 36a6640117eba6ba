//! An experiment survives the end of its runners and of its store: the games are those of an undisturbed
//! run, each once.

use monju_experiment::{
    specification::Specification,
    store::{self, Address, CellStanding, OpenMode, StoredGame},
};
use monju_tests::{
    binary::monju,
    postgres::Postgres,
    process::{PATIENCE, Process},
};
use std::{fs, path::PathBuf, time::Duration};
use tokio::{
    sync::OnceCell,
    time::{Instant, sleep},
};

/// Number of runners that are killed.
const KILLS: usize = 50;

/// Pairs of the experiment: two cells of 30 games.
const PAIRS: u64 = 30;

/// Time between two looks at a store or a runner.
const INTERVAL: Duration = Duration::from_millis(5);

/// The progress after which a runner is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// Its process has just been started.
    Start,
    /// It has opened the store and begun to play.
    Play,
    /// The store holds another pair, and others are being played.
    Finish,
}

/// The moments of successive runners.
const MOMENTS: [Moment; 5] = [
    Moment::Play,
    Moment::Finish,
    Moment::Start,
    Moment::Finish,
    Moment::Play,
];

const EXPERIMENT: &str = r#"
version = 1
name = "kill"
games = 30
openings = "openings.sfen"
first = "council"
second = "single"
[grid]
sigma = [50, 200]
[ensemble.council]
hash_mib = 1
nodes = 100
player = [{ name = "n", count = 3, sigma = "$sigma" }]
[ensemble.single]
hash_mib = 1
nodes = 100
player = [{ name = "s", sigma = 20 }]
[adjudication]
maximum_plies = 20
"#;

/// The experiment in a folder of its own.
struct KillBench {
    folder: tempfile::TempDir,
    specification: Specification,
}

impl KillBench {
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

    /// Returns every game that a store holds.
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

    /// Returns the number of pairs that a store holds, and of those being played: 0 without a store.
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

    /// Waits until a store holds more than this many pairs.
    async fn wait_for_more_than(&self, pairs: u64, store: &str) {
        let begun = Instant::now();
        while self.pairs(store).await.0 <= pairs {
            assert!(begun.elapsed() < PATIENCE, "no pair was finished");
            sleep(INTERVAL).await;
        }
    }

    /// Lets two runners play, of which one is killed: the other one plays all that is left.
    async fn one_of_two_runners_dies(&self, store: &str) {
        let mortal = self.runner(store);
        let survivor = self.runner(store);
        self.wait_for_more_than(1, store).await;
        drop(mortal);
        ended_well(survivor);
        assert_eq!(&self.games(store).await, self.undisturbed().await);
    }

    /// Returns the games of an undisturbed run, which is made once for all tests.
    async fn undisturbed(&self) -> &'static Vec<Vec<StoredGame>> {
        static GAMES: OnceCell<Vec<Vec<StoredGame>>> = OnceCell::const_new();
        let play = async || {
            let store = self.sqlite("undisturbed.db");
            self.finish(&store);
            let games = self.games(&store).await;
            assert_eq!(games.iter().map(Vec::len).sum::<usize>() as u64, 2 * PAIRS);
            games
        };
        GAMES.get_or_init(play).await
    }
}

fn ended_well(mut runner: Process) {
    runner.close_input();
    let ended = runner.wait(10 * PATIENCE);
    assert!(ended.status.success(), "{}\n{}", ended.status, ended.errors);
}

/// Waits until a runner has written these words to standard error.
async fn wait_for_words(runner: &Process, words: &str) {
    let begun = Instant::now();
    while !runner.errors().contains(words) {
        assert!(
            begun.elapsed() < PATIENCE,
            "no '{words}': {}",
            runner.errors()
        );
        sleep(INTERVAL).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_killed_at_fifty_moments_loses_and_repeats_nothing() {
    let bench = KillBench::new();
    let store = bench.sqlite("killed.db");
    for moment in MOMENTS.iter().cycle().take(KILLS) {
        let (finished, _) = bench.pairs(&store).await;
        let runner = bench.runner(&store);
        match moment {
            Moment::Start => {}
            // Enough has been finished: the last run shall have games left to play.
            Moment::Finish if finished < PAIRS * 2 / 3 => {
                bench.wait_for_more_than(finished, &store).await;
            }
            Moment::Play | Moment::Finish => wait_for_words(&runner, "games").await,
        }
        // Dropping a process kills it.
        drop(runner);
    }
    let (finished, _) = bench.pairs(&store).await;
    assert!(
        (1..PAIRS).contains(&finished),
        "{finished} of {PAIRS} pairs finished between kills: all fell before or after the games"
    );
    bench.finish(&store);
    assert_eq!(&bench.games(&store).await, bench.undisturbed().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_runners_on_one_postgresql_one_may_die() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let bench = KillBench::new();
    bench.one_of_two_runners_dies(&postgres.url()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_runners_on_one_sqlite_file_one_may_die() {
    let bench = KillBench::new();
    let store = bench.sqlite("two.db");
    bench.one_of_two_runners_dies(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_may_be_restarted_in_mid_run() {
    let Some(mut postgres) = Postgres::start() else {
        return;
    };
    let bench = KillBench::new();
    let store = postgres.url();
    let runner = bench.runner(&store);
    bench.wait_for_more_than(1, &store).await;
    postgres.kill();
    wait_for_words(&runner, "waiting for the store").await;
    postgres.resume();
    ended_well(runner);
    assert_eq!(&bench.games(&store).await, bench.undisturbed().await);
}

/// The first request to end, by an interrupt or SIGTERM, lets a runner finish the pairs under way.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_runner_that_is_interrupted_finishes_its_pairs_and_says_how_to_go_on() {
    use rustix::process::Signal;
    let bench = KillBench::new();
    let store = bench.sqlite("interrupted.db");
    let mut finished = 0;
    for signal in [Signal::INT, Signal::TERM, Signal::INT] {
        let mut runner = bench.runner(&store);
        runner.close_input();
        bench.wait_for_more_than(finished, &store).await;
        runner.signal(signal);
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
        assert!(pairs < PAIRS && under_way == 0, "{pairs}, {under_way}");
        finished = pairs;
    }
    bench.finish(&store);
    assert_eq!(&bench.games(&store).await, bench.undisturbed().await);
}
