//! A fleet that changes while a game is played: workers come, go and are replaced.

#[cfg(unix)]
use monju_tests::binary::monju;
#[cfg(unix)]
use monju_tests::process::{PATIENCE, Process};
use monju_tests::{
    alone,
    cluster::{ServiceProcess, TestCluster, coordinator_over, eventually},
    command::{json_of, output_of, run},
    data::{assert_legal, opening},
    pulse::{Void, judge},
    skip::skipped,
    usi::{Usi, UsiAnswer},
};
#[cfg(unix)]
use rustix::process::Signal;
use serde_json::Value;
use std::{fs, path::Path};

/// A game that goes on move by move.
struct UsiGame {
    usi: Usi,
    position: String,
}

impl UsiGame {
    fn begin(url: &str) -> Self {
        Self::with_coordinators(&[url])
    }

    fn with_coordinators(urls: &[&str]) -> Self {
        let arguments: Vec<&str> = urls.iter().flat_map(|url| ["--coordinator", url]).collect();
        Self {
            usi: Usi::ready(&arguments),
            position: opening(11),
        }
    }

    fn note(&mut self, answer: &UsiAnswer) {
        assert_legal(&self.position, &answer.bestmove);
        self.position = format!("{} {}", self.position, answer.bestmove);
    }

    /// Asks for the next move until it is decided by so many votes, and plays it. The same position is asked
    /// again and again: a fast machine would end a game before a list is read again.
    fn until_votes(&mut self, votes: u32) {
        let answer = eventually(&format!("a move by {votes} votes"), || {
            let answer = self.usi.think(&self.position, "go nodes 2000");
            assert_legal(&self.position, &answer.bestmove);
            (answer.counted_votes() == votes).then_some(answer)
        });
        self.note(&answer);
    }
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("a writable folder");
}

fn workers(url: &str) -> Vec<Value> {
    let status = json_of(&["status", "--json", "--coordinator", url]);
    status["workers"].as_array().expect("workers").clone()
}

#[test]
fn a_changed_list_of_workers_holds_in_a_running_game() {
    let _alone = alone();
    let cluster = TestCluster::of_three_noise_players();
    let urls: Vec<String> = cluster.workers.iter().map(ServiceProcess::url).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let coordinator = coordinator_over(folder.path(), &urls[..1], "");
    let mut game = UsiGame::begin(&coordinator.url());
    game.until_votes(1);
    let file = folder.path().join("coordinator.toml");
    let list = |urls: &[String]| {
        write(
            &file,
            &format!("version = 1\n[coordinator]\nworkers = {urls:?}\n"),
        );
    };
    list(&urls);
    game.until_votes(3);
    // A file that is wrong changes nothing.
    write(&file, "version = 1\n[coordinator]\nworkers = [\"pc1\"]\n");
    eventually("a complaint", || {
        let told = coordinator.process.errors();
        (told.contains("coordinator.toml:3") && told.contains("stays as it was")).then_some(())
    });
    game.until_votes(3);
    list(&urls[1..]);
    game.until_votes(2);
    assert_eq!(workers(&coordinator.url()).len(), 2);
    assert!(game.usi.quit().status.success());
}

/// The descriptors were counted at the start alone.
#[cfg(unix)]
#[test]
fn a_list_that_outgrows_the_descriptors_is_told_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("coordinator.toml");
    let list = |workers: u32| {
        let urls = (1..=workers).map(|port| format!("http://127.0.0.1:{port}"));
        let urls = Vec::from_iter(urls);
        write(
            &file,
            &format!("version = 1\n[coordinator]\nlisten = \"127.0.0.1:0\"\nworkers = {urls:?}\n"),
        );
    };
    list(2);
    let arguments = [
        "-c",
        "ulimit -n 250 && exec \"$0\" coordinator --config \"$1\"",
        &monju().to_string_lossy(),
        &file.to_string_lossy(),
    ];
    let coordinator = Process::start(Path::new("/bin/sh"), &arguments);
    coordinator.expect_line("line 'listening on …'", |line| {
        line.starts_with("listening on ")
    });
    let told = |what: &str| coordinator.errors().matches(what).count();
    assert_eq!(
        (
            told("few file descriptors;"),
            told("too few file descriptors")
        ),
        (1, 0)
    );
    for workers in [54, 55] {
        list(workers);
        let heeded = format!("the list of workers has changed workers={workers}");
        eventually(&heeded, || (told(&heeded) == 1).then_some(()));
        assert_eq!(told("too few file descriptors for the team"), 1);
    }
}

#[test]
fn a_worker_enrols_itself_with_its_coordinators() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let coordinators = ["one.toml", "two.toml"].map(|name| {
        write(&path(name), "version = 1\n[coordinator]\nworkers = []\n");
        ServiceProcess::on_free_port("coordinator", &path(name))
    });
    let urls = coordinators.each_ref().map(ServiceProcess::url);
    assert!(workers(&urls[0]).is_empty());
    let table = format!(
        "version = 1\n[worker]\nname = \"pc1\"\ncoordinators = {urls:?}\n[[player]]\nname = \"a\"\nhash_mib = 8\n"
    );
    write(&path("worker.toml"), &table);
    let worker = ServiceProcess::on_free_port("worker", &path("worker.toml"));
    for url in &urls {
        let seen = eventually("an enrolled worker", || {
            let seen = workers(url);
            seen.iter()
                .any(|worker| worker["connected"] == true)
                .then_some(seen)
        });
        assert_eq!(seen.len(), 1, "{seen:?}");
        assert_eq!(seen[0]["enrolled"], true);
        assert_eq!(seen[0]["address"], worker.url());
        let ballot = json_of(&["consult", "--coordinator", url, "--nodes", "1000", "--json"]);
        assert_eq!(ballot["votes"][0]["arrival"], "final", "{ballot}");
    }
}

#[cfg(unix)]
#[test]
fn a_fleet_is_replaced_in_a_running_game_without_a_lost_vote() {
    let _alone = alone();
    judge("a rolling update", replace_everything);
}

#[cfg(unix)]
fn replace_everything() -> Result<(), Void> {
    use std::{mem, time::Duration};
    let mut cluster = TestCluster::of_three_noise_players();
    let mut game = UsiGame::begin(&cluster.coordinator.url());
    game.until_votes(3);
    for index in 0..3 {
        let asked = game
            .usi
            .begin(&game.position, "go btime 0 wtime 0 byoyomi 2000");
        game.usi.wait_for_thinking()?;
        cluster.workers[index].process.signal(Signal::TERM);
        let answer = game.usi.answer(asked);
        game.note(&answer);
        answer.in_time(Duration::from_millis(2000))?;
        assert_eq!(answer.counted_votes(), 3, "{:?}", answer.lines);
        // The worker has ended by itself, and another one comes in its place.
        eventually("the end of a worker", || {
            (!cluster.workers[index].process.is_running()).then_some(())
        });
        cluster.restart_worker(index);
        game.until_votes(3);
    }
    let asked = game
        .usi
        .begin(&game.position, "go btime 0 wtime 0 byoyomi 2000");
    game.usi.wait_for_thinking()?;
    cluster.coordinator.process.signal(Signal::TERM);
    let answer = game.usi.answer(asked);
    game.note(&answer);
    answer.in_time(Duration::from_millis(2000))?;
    assert_eq!(answer.counted_votes(), 3, "{:?}", answer.lines);
    let address = cluster.coordinator.address.clone();
    let config = cluster.folder().join("coordinator.toml");
    eventually("the end of the coordinator", || {
        (!cluster.coordinator.process.is_running()).then_some(())
    });
    let next = ServiceProcess::start("coordinator", Some(&address), &config);
    let before = mem::replace(&mut cluster.coordinator, next);
    assert!(before.process.wait(PATIENCE).status.success());
    game.until_votes(3);
    assert!(game.usi.quit().status.success());
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_draining_worker_takes_no_questions_and_ends_at_once_when_told_again() {
    let _alone = alone();
    let cluster = TestCluster::of_three_noise_players();
    let url = cluster.coordinator.url();
    let mut game = UsiGame::begin(&url);
    game.until_votes(3);
    let asked = game.usi.begin(&game.position, "go infinite");
    game.usi.wait_for_thinking().expect("a search without end");
    cluster.workers[0].process.signal(Signal::TERM);
    eventually("a draining worker", || {
        let seen = workers(&url);
        (seen[0]["draining"] == true && seen[1]["draining"] == false).then_some(())
    });
    cluster.workers[0].process.signal(Signal::TERM);
    let mut workers = cluster.workers.into_iter();
    let told_twice = workers.next().expect("three workers");
    assert!(told_twice.process.wait(PATIENCE).status.success());
    game.usi.send("stop");
    let answer = game.usi.answer(asked);
    game.note(&answer);
    game.until_votes(2);
    assert!(game.usi.quit().status.success());
}

/// A worker that is told to take no new questions is asked no more, shows as draining, loses no vote on the way, and
/// comes back when it is told so.
#[test]
fn a_worker_drains_by_command_and_comes_back() {
    let _alone = alone();
    let cluster = TestCluster::of_three_noise_players();
    let url = cluster.coordinator.url();
    let worker = cluster.workers[1].url();
    let mut game = UsiGame::begin(&url);
    game.until_votes(3);
    let told = output_of(&["drain", "--worker", &worker]);
    assert!(told.contains("is told to take no new questions"), "{told}");
    assert!(told.contains("is idle"), "{told}");
    let seen = workers(&url);
    assert_eq!(seen[1]["draining"], true, "{seen:?}");
    assert_eq!(seen[1]["connected"], false, "{seen:?}");
    for _ in 0..3 {
        let answer = game.usi.think(&game.position, "go nodes 2000");
        game.note(&answer);
        assert_eq!(answer.counted_votes(), 2, "{:?}", answer.lines);
    }
    let table = output_of(&["status", "--coordinator", &url]);
    assert!(
        table.contains("2 workers connected") && table.contains("1 draining"),
        "{table}"
    );
    let told = output_of(&["drain", "--resume", "--worker", &worker]);
    assert!(told.contains("takes questions again"), "{told}");
    game.until_votes(3);
    let nobody = run(&["drain", "--worker", "http://127.0.0.1:1"]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(nobody.errors.contains("was not told"), "{}", nobody.errors);
    assert!(game.usi.quit().status.success());
}

#[cfg(unix)]
#[test]
fn a_second_coordinator_takes_over_within_a_move() {
    let _alone = alone();
    judge("a coordinator killed beside another", take_over);
}

#[cfg(unix)]
fn take_over() -> Result<(), Void> {
    use std::time::Duration;
    const GO: &str = "go btime 0 wtime 0 byoyomi 4000";
    let limit = Duration::from_millis(4000);
    let mut cluster = TestCluster::of_three_noise_players();
    let urls: Vec<String> = cluster.workers.iter().map(ServiceProcess::url).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let second = coordinator_over(folder.path(), &urls, "");
    let first = cluster.coordinator.address.clone();
    let mut game = UsiGame::with_coordinators(&[&cluster.coordinator.url(), &second.url()]);
    game.until_votes(3);
    let told = format!("the coordinator at {} takes over", second.url());
    let takes_over = |answer: &UsiAnswer| answer.lines.iter().any(|line| line.contains(&told));

    // Killed in mid-search: the second decides the same move, by all votes.
    let asked = game.usi.begin(&game.position, GO);
    game.usi.wait_for_thinking()?;
    cluster.coordinator.process.kill();
    let answer = game.usi.answer(asked);
    game.note(&answer);
    answer.in_time(limit)?;
    assert!(takes_over(&answer), "{:?}", answer.lines);
    assert_eq!(answer.counted_votes(), 3, "{:?}", answer.lines);
    // The next moves are the second's from the start.
    let answer = game.usi.think(&game.position, GO);
    game.note(&answer);
    answer.in_time(limit)?;
    assert_eq!(answer.counted_votes(), 3, "{:?}", answer.lines);
    assert!(!takes_over(&answer), "{:?}", answer.lines);

    // The first comes back, and the second freezes.
    let config = cluster.folder().join("coordinator.toml");
    cluster.coordinator = ServiceProcess::start("coordinator", Some(&first), &config);
    second.process.signal(Signal::STOP);
    let answer = game.usi.think(&game.position, GO);
    game.note(&answer);
    answer.in_time(limit)?;
    game.until_votes(3);
    second.process.signal(Signal::CONT);
    assert!(game.usi.quit().status.success());
    Ok(())
}

/// With more idle connections than a service takes, a game goes on, and others get in once the idle ones are closed.
#[cfg(unix)]
#[test]
fn eleven_hundred_idle_connections_lock_nobody_out() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    use std::{io::Read, net::TcpStream, time::Duration};
    const IDLE: usize = 1_100;
    let mut limit = getrlimit(Resource::Nofile);
    // Two for each connection to a service, and those of the test itself.
    if limit
        .maximum
        .is_some_and(|most| most < 2 * IDLE as u64 + 400)
    {
        skipped("idle connections: the system allows a process too few descriptors");
        return;
    }
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).expect("a raised limit of descriptors");
    let cluster = TestCluster::start(&["[[player]]\nname = \"a\"\nhash_mib = 16\n"], "");
    let mut game = UsiGame::begin(&cluster.coordinator.url());
    game.until_votes(1);
    let services = [&cluster.coordinator, &cluster.workers[0]];
    let mut idle = Vec::new();
    for service in services {
        for _ in 0..IDLE {
            idle.push(TcpStream::connect(&service.address).expect("accepted by the system"));
        }
    }
    game.until_votes(1);
    let ballot = eventually("a place for others", || {
        let url = cluster.coordinator.url();
        let status = monju_tests::command::run(&["status", "--json", "--coordinator", &url]);
        status.status.success().then_some(status.output)
    });
    assert!(ballot.contains("\"a\""), "{ballot}");
    for mut stream in idle {
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a time");
        // The first frame of HTTP/2 may come before the end.
        let closed = match stream.read_to_end(&mut Vec::new()) {
            Ok(_) => true,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        };
        assert!(closed, "an idle connection is still open");
    }
    game.until_votes(1);
    assert!(game.usi.quit().status.success());
}
