//! Workers that die in mid-search and come back, while the game goes on.

use monju_tests::{
    alone,
    cluster::{TestCluster, coordinator_over, eventually},
    command::{complaint_of, json_of},
    data::{assert_legal, opening},
    pulse::{Void, judge},
    usi::Usi,
};
#[cfg(unix)]
use rustix::process::Signal;
use serde_json::Value;
use std::time::Duration;

#[test]
fn a_worker_killed_in_mid_search_costs_no_move_and_comes_back() {
    let _alone = alone();
    judge("a worker killed in mid-search", kill_and_restart_a_worker);
}

fn kill_and_restart_a_worker() -> Result<(), Void> {
    let mut cluster = TestCluster::of_three_noise_players();
    let url = cluster.coordinator.url();
    eventually("three votes", || (arrived(&url) == 3).then_some(()));
    let mut usi = Usi::ready(&["--coordinator", &url]);

    let position = opening(11);
    let asked = usi.begin(&position, "go btime 0 wtime 0 byoyomi 3000");
    usi.wait_for_thinking()?;
    cluster.kill_worker(1);
    let answer = usi.answer(asked);
    assert_legal(&position, &answer.bestmove);
    answer.in_time(Duration::from_millis(3000))?;

    // The next move is decided by the two that are left, still in time.
    let next = format!("{position} {}", answer.bestmove);
    let second = usi.think(&next, "go btime 0 wtime 0 byoyomi 1000");
    assert_legal(&next, &second.bestmove);
    second.in_time(Duration::from_millis(1000))?;
    assert_eq!(second.counted_votes(), 2, "{:?}", second.lines);

    cluster.restart_worker(1);
    // The game that went on through all this goes on with three votes.
    let mut next = format!("{next} {}", second.bestmove);
    eventually("three votes again", || {
        let answer = usi.think(&next, "go btime 0 wtime 0 byoyomi 1000");
        assert_legal(&next, &answer.bestmove);
        next = format!("{next} {}", answer.bestmove);
        (answer.counted_votes() == 3).then_some(())
    });
    assert!(usi.quit().status.success());
    Ok(())
}

#[test]
fn a_running_game_keeps_its_players_whoever_asks() {
    let _alone = alone();
    judge("a game beside other questions", play_beside_others);
}

fn play_beside_others() -> Result<(), Void> {
    let cluster = TestCluster::of_three_noise_players();
    let url = cluster.coordinator.url();
    eventually("three votes", || (arrived(&url) == 3).then_some(()));
    let mut usi = Usi::ready(&["--coordinator", &url]);
    let position = opening(14);
    let asked = usi.begin(&position, "go btime 0 wtime 0 byoyomi 3000");
    usi.wait_for_thinking()?;
    let look = complaint_of(&["consult", "--coordinator", &url, "--time", "100"]);
    assert!(look.contains("held by monju usi"), "{look}");
    // Another coordinator of the same workers.
    let workers: Vec<String> = cluster.workers.iter().map(|worker| worker.url()).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let other = coordinator_over(folder.path(), &workers, "");
    let look = complaint_of(&["consult", "--coordinator", &other.url(), "--nodes", "1000"]);
    assert!(look.contains("held by monju usi"), "{look}");
    let answer = usi.answer(asked);
    assert_legal(&position, &answer.bestmove);
    answer.in_time(Duration::from_millis(3000))?;
    assert_eq!(answer.counted_votes(), 3, "{:?}", answer.lines);
    // Other GUIs are told, and answer alone.
    for (url, go) in [(&url, "go infinite"), (&other.url(), "go movetime 300")] {
        let mut gui = Usi::ready(&["--coordinator", url]);
        let asked = gui.begin(&position, go);
        if go == "go infinite" {
            gui.expect("info");
            gui.send("stop");
        }
        let alone = gui.answer(asked);
        assert_legal(&position, &alone.bestmove);
        let next = format!("{position} {}", answer.bestmove);
        let answer = usi.think(&next, "go btime 0 wtime 0 byoyomi 1000");
        assert_eq!(answer.counted_votes(), 3, "{:?}", answer.lines);
        assert!(gui.quit().status.success());
    }
    assert!(usi.quit().status.success());
    // The players are free at once.
    assert_eq!(arrived(&url), 3);
    Ok(())
}

#[test]
fn with_every_worker_dead_there_is_still_a_legal_move_in_time() {
    let _alone = alone();
    judge("all workers killed in mid-search", kill_all_workers);
}

fn kill_all_workers() -> Result<(), Void> {
    let mut cluster = TestCluster::of_three_noise_players();
    let mut usi = Usi::ready(&["--coordinator", &cluster.coordinator.url()]);
    let position = opening(12);
    let asked = usi.begin(&position, "go btime 0 wtime 0 byoyomi 2000");
    usi.wait_for_thinking()?;
    for index in 0..3 {
        cluster.kill_worker(index);
    }
    let answer = usi.answer(asked);
    assert_legal(&position, &answer.bestmove);
    answer.in_time(Duration::from_millis(2000))?;
    let next = format!("{position} {}", answer.bestmove);
    let second = usi.think(&next, "go btime 0 wtime 0 byoyomi 1000");
    assert_legal(&next, &second.bestmove);
    second.in_time(Duration::from_millis(1000))?;
    assert!(usi.quit().status.success());
    Ok(())
}

#[test]
fn a_dead_coordinator_does_not_silence_the_proxy() {
    let _alone = alone();
    judge("a coordinator killed in mid-search", kill_the_coordinator);
}

fn kill_the_coordinator() -> Result<(), Void> {
    let mut cluster = TestCluster::of_three_noise_players();
    let mut usi = Usi::ready(&["--coordinator", &cluster.coordinator.url()]);
    let position = opening(13);
    let asked = usi.begin(&position, "go btime 0 wtime 0 byoyomi 2000");
    usi.wait_for_thinking()?;
    cluster.coordinator.process.kill();
    let answer = usi.answer(asked);
    assert_legal(&position, &answer.bestmove);
    answer.in_time(Duration::from_millis(2000))?;
    assert!(usi.quit().status.success());
    Ok(())
}

/// Returns the number of votes that arrive in a short consultation.
fn arrived(url: &str) -> usize {
    let ballot = json_of(&["consult", "--coordinator", url, "--nodes", "1000", "--json"]);
    let votes = ballot["votes"].as_array().expect("votes");
    let counted = |vote: &&Value| vote["counted"] == true;
    votes.iter().filter(counted).count()
}

#[cfg(unix)]
#[test]
fn a_frozen_coordinator_does_not_cost_the_flag() {
    let _alone = alone();
    let cluster = TestCluster::start_with_overhead(&["[[player]]\nname = \"a\"\n"], "", 100);
    let mut usi = Usi::ready(&["--coordinator", &cluster.coordinator.url()]);
    let position = opening(15);
    assert_legal(&position, &usi.think(&position, "go byoyomi 1000").bestmove);
    cluster.coordinator.process.signal(Signal::STOP);
    for byoyomi in [300, 100] {
        judge("a frozen coordinator", || {
            let go = format!("go btime 0 wtime 0 byoyomi {byoyomi}");
            let answer = usi.think(&position, &go);
            assert_legal(&position, &answer.bestmove);
            let is_late = |line: &String| line.contains("the coordinator is late");
            assert!(answer.lines.iter().any(is_late), "{:?}", answer.lines);
            answer.in_time(Duration::from_millis(byoyomi))
        });
    }
    cluster.coordinator.process.signal(Signal::CONT);
    assert!(usi.quit().status.success());
}
