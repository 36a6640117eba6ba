//! Tests of workers that are farther away than most.

use super::*;

/// Consults players whose round trips take so many milliseconds; returns the ballot and when each was stopped.
async fn consult_at(round_trips: &[u64], time_ms: u64) -> (Ballot, Vec<Vec<u64>>) {
    consult_after(round_trips, round_trips, time_ms).await
}

/// As [`consult_at`], where the round trips measured last are others than those to set aside.
async fn consult_after(round_trips: &[u64], last: &[u64], time_ms: u64) -> (Ballot, Vec<Vec<u64>>) {
    let players = [1; 3];
    consult_hosted(&players[..round_trips.len()], round_trips, last, time_ms).await
}

/// As [`consult_after`], on workers that host so many players each.
async fn consult_hosted(
    players: &[usize],
    round_trips: &[u64],
    last: &[u64],
    time_ms: u64,
) -> (Ballot, Vec<Vec<u64>>) {
    let mut workers = Vec::new();
    let mut links = Vec::new();
    let mut servers = Vec::new();
    for (name, &players) in ["a", "b", "c"].into_iter().zip(players) {
        let worker = (0..players).fold(FakeWorker::named(name), |worker, number| {
            let script = [Stream("7g7f"), Listen, Answer("7g7f")];
            worker.player(&format!("{name}{number}"), &script)
        });
        workers.push(worker.requests.clone());
        let (link, server) = worker.link();
        links.push(link);
        servers.push(server);
    }
    let roster = Roster::new(links);
    roster.settle(Duration::from_secs(3)).await;
    let mut slots = roster.slots();
    for slot in &mut slots {
        slot.round_trip = Duration::from_millis(round_trips[slot.worker]);
        slot.last_round_trip = Duration::from_millis(last[slot.worker]);
    }
    let (_commands, receiver) = mpsc::channel(1);
    let (standings, _standings) = mpsc::channel(64);
    let begun = Instant::now();
    let setup = setup(time_limit(time_ms));
    let watching = async {
        let mut stopped = vec![Vec::new(); workers.len()];
        loop {
            time::sleep(Duration::from_millis(1)).await;
            let now = begun.elapsed().as_millis() as u64;
            for (worker, stopped) in workers.iter().zip(&mut stopped) {
                let requests = worker.lock().expect("requests");
                let stops = requests
                    .iter()
                    .filter(|request| matches!(request, Message::Stop(_)));
                if stops.count() > stopped.len() {
                    stopped.push(now);
                }
            }
            if now > time_ms * 2 {
                return stopped;
            }
        }
    };
    let (outcome, stopped) =
        tokio::join!(consult(setup, &slots, receiver, standings, None), watching);
    (outcome.ballot.expect("a ballot"), stopped)
}

#[tokio::test(start_paused = true)]
async fn one_slow_worker_takes_no_time_of_the_others() {
    let (ballot, stopped) = consult_at(&[1, 1_000, 1], 4_000).await;
    assert!(ballot.votes.iter().all(|vote| vote.counted));
    // The others think until shortly before the deadline, the slow one an eighth less.
    for near in [0, 2] {
        assert!(stopped[near][0] >= 3_970, "{stopped:?}");
    }
    assert!((3_490..3_520).contains(&stopped[1][0]), "{stopped:?}");
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_cannot_answer_in_time_is_benched_and_told() {
    let (ballot, _) = consult_at(&[1, 1_000, 1], 400).await;
    let counted: Vec<bool> = ballot.votes.iter().map(|vote| vote.counted).collect();
    assert_eq!(counted, [true, false, true]);
    assert_eq!(
        ballot.votes[1].failure,
        "benched: worker b answers within 1000 ms, and the move has 400 ms"
    );
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_storm_is_over_is_asked_although_its_estimate_is_still_high() {
    let (ballot, _) = consult_after(&[1, 1_000, 1], &[1, 5, 1], 400).await;
    assert!(ballot.votes.iter().all(|vote| vote.counted), "{ballot:?}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_worker_takes_no_time_of_the_others_although_it_hosts_most_players() {
    let round_trips = [1, 1_000, 1];
    let (ballot, stopped) = consult_hosted(&[1, 7, 1], &round_trips, &round_trips, 4_000).await;
    assert_eq!(ballot.votes.len(), 9);
    assert!(ballot.votes.iter().all(|vote| vote.counted));
    for near in [0, 2] {
        assert!(stopped[near][0] >= 3_970, "{stopped:?}");
    }
    assert!((3_490..3_520).contains(&stopped[1][0]), "{stopped:?}");
}

#[tokio::test(start_paused = true)]
async fn of_two_workers_each_is_stopped_at_its_own_time() {
    let (ballot, stopped) = consult_at(&[1, 1_000], 4_000).await;
    assert!(ballot.votes.iter().all(|vote| vote.counted));
    assert!(stopped[0][0] >= 3_970, "{stopped:?}");
    assert!((3_490..3_520).contains(&stopped[1][0]), "{stopped:?}");
}
