//! Tests of searches without a deadline.

use super::*;
use crate::{roster::Link, testing::Cable};

/// Returns the time limits of the questions to a player.
fn times(requests: &[Message], name: &str) -> Vec<Option<u64>> {
    let times = requests.iter().filter_map(|request| match request {
        Message::Go(go) if go.player == name => Some(go.limits?.time_ms),
        _ => None,
    });
    times.collect()
}

#[tokio::test(start_paused = true)]
async fn a_player_that_is_lost_comes_back_before_the_stop() {
    const PATIENCE: Duration = Duration::from_secs(3);
    // Alone, and beside a player that thinks on.
    for beside in [false, true] {
        let cable = Cable::default();
        cable.plug(FakeWorker::named("far").player("a", &[Stream("7g7f"), Wait(60_000)]));
        let far = Link::watch("http://cable".to_owned(), cable.channel(), PATIENCE);
        let near = FakeWorker::named("near").player("b", &[Listen, Answer("2g2f")]);
        let (near, _server) = near.link();
        let links = [far].into_iter().chain(beside.then_some(near));
        let roster = Roster::new(links.collect());
        roster.settle(PATIENCE).await;
        let back = FakeWorker::named("far").player("a", &[Stream("9g9f"), Listen, Answer("9g9f")]);
        let requests = back.requests.clone();
        let outage = async {
            time::sleep(Duration::from_millis(200)).await;
            cable.cut();
            time::sleep(Duration::from_millis(2_500)).await;
            cable.plug(back);
            future::pending().await
        };
        let stop = vec![(10_000, ConsultationCommand::Stop)];
        let ballot = tokio::select! {
            ballot = run(&roster, setup(Limits::default()), stop) => ballot,
            () = outage => unreachable!("never ends"),
        };
        let (_, _, elapsed_ms) = decision(&ballot);
        assert!(elapsed_ms >= 10_000, "{elapsed_ms}");
        let vote = &ballot.votes[0];
        let mv = vote.line.as_ref().map(|line| line.r#move.as_str());
        assert_eq!((vote.arrival(), mv), (Arrival::Final, Some("9g9f")));
        let requests = requests.lock().expect("requests");
        assert_eq!(times(&requests, "a"), [None], "one question without an end");
    }
}

#[tokio::test(start_paused = true)]
async fn a_search_without_any_player_ends_with_the_stop() {
    let worker = FakeWorker::named("desk").player("a", &[Die("gone")]);
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let stop = vec![(4_500, ConsultationCommand::Stop)];
    let ballot = run(&roster, setup(Limits::default()), stop).await;
    let (_, tie_break, elapsed_ms) = decision(&ballot);
    assert_eq!((tie_break, elapsed_ms), (TieBreak::Fallback, 4_500));
    let requests = requests.lock().expect("requests");
    assert_eq!(times(&requests, "a").len(), 5, "once a second");
}

#[tokio::test(start_paused = true)]
async fn a_search_of_nodes_waits_for_no_lost_player() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Die("gone")])
        .player("b", &[Wait(50), Answer("7g7f")]);
    let (roster, _server) = worker.roster().await;
    let limits = Limits {
        nodes: Some(1_000),
        ..Limits::default()
    };
    let ballot = run(&roster, setup(limits), vec![]).await;
    assert_eq!(decision(&ballot), ("7g7f", TieBreak::None, 50));
    assert_eq!(arrivals(&ballot), [Arrival::Failed, Arrival::Final]);
}

#[tokio::test(start_paused = true)]
async fn a_player_lost_in_a_search_of_nodes_is_asked_again_while_the_others_think() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Die("gone")])
        .player("b", &[Wait(2_500), Answer("7g7f")]);
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let limits = Limits {
        nodes: Some(1_000),
        ..Limits::default()
    };
    let ballot = run(&roster, setup(limits), vec![]).await;
    assert_eq!(decision(&ballot), ("7g7f", TieBreak::None, 2_500));
    let requests = requests.lock().expect("requests");
    assert_eq!(times(&requests, "a"), [None; 3]);
}
