//! Workers that die in mid-search and come back, while the game goes on.

use monju_tests::{
    alone,
    cluster::{TestCluster, eventually},
    command::json_of,
    data::{assert_legal, opening},
    pulse::{Void, judge},
    usi::Usi,
};
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
    assert_eq!(arrived(&url), 2);

    cluster.restart_worker(1);
    eventually("three votes again", || (arrived(&url) == 3).then_some(()));
    // The game that went on through all this goes on with three votes.
    let next = format!("{next} {}", second.bestmove);
    let third = usi.think(&next, "go btime 0 wtime 0 byoyomi 1000");
    assert_legal(&next, &third.bestmove);
    let record = third.lines.join("\n");
    for player in ["one", "two", "three"] {
        assert!(record.contains(player), "{player} has no vote:\n{record}");
    }
    assert!(usi.quit().status.success());
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
