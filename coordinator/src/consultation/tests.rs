//! Tests of deadlines, failures and ponders, under paused time.

mod analysis;
mod laggards;
mod pondering;
mod time_policy;

use super::{running::STOP_PATIENCE, *};
use crate::{
    ballot::BallotHeader,
    clock::TimePolicy,
    roster::Roster,
    testing::{FakeFallback, FakeWorker, PlayerStep::*},
    voting::Rule,
};
use monju_engine::Game;
use monju_proto::v1::{Arrival, Clock, Limits, TieBreak, think_request::Message};
use std::{collections::HashMap, future, sync::Arc, time::Duration};
use tokio::time::{self, Instant};

fn setup(limits: Limits) -> ConsultationSetup {
    setup_on("startpos", limits)
}

fn setup_on(position: &str, limits: Limits) -> ConsultationSetup {
    ConsultationSetup {
        header: BallotHeader {
            id: 1,
            game_id: "game".to_owned(),
            seed: 1,
            rule: Rule::Majority,
            primary: None,
            lead: None,
            calibration: Default::default(),
        },
        claim: None,
        game: Game::from_usi(position).expect("a position"),
        search_moves: Vec::new(),
        limits,
        waited: Duration::ZERO,
        clock_rules: Duration::from_millis(100).into(),
        time_policy: TimePolicy::Fixed,
        margin: Duration::ZERO,
        ponder_targets: PonderTargets::default(),
        book: None,
        fallback: Arc::new(FakeFallback),
    }
}

fn time_limit(ms: u64) -> Limits {
    Limits {
        time_ms: Some(ms),
        ..Limits::default()
    }
}

fn ponder() -> Limits {
    Limits {
        ponder: true,
        clock: Some(Clock {
            byoyomi_ms: 1_000,
            ..Clock::default()
        }),
        ..Limits::default()
    }
}

/// Runs a consultation with commands at the given times, in milliseconds.
async fn run(
    roster: &Roster,
    setup: ConsultationSetup,
    commands: Vec<(u64, ConsultationCommand)>,
) -> Ballot {
    let (sender, receiver) = mpsc::channel(1);
    let (standings, _standings) = mpsc::channel(64);
    let slots = roster.slots();
    let commander = tokio::spawn(async move {
        let begun = Instant::now();
        for (ms, command) in commands {
            time::sleep_until(begun + Duration::from_millis(ms)).await;
            let _ = sender.send(command).await;
        }
        // The channel stays open: its end would mean that the caller has hung up.
        sender.closed().await;
    });
    let outcome = consult(setup, &slots, receiver, standings, None).await;
    commander.abort();
    outcome.ballot.expect("a ballot")
}

fn decision(ballot: &Ballot) -> (&str, TieBreak, u64) {
    let decision = ballot.decision.as_ref().expect("decided");
    (&decision.r#move, decision.tie_break(), decision.elapsed_ms)
}

fn arrivals(ballot: &Ballot) -> Vec<Arrival> {
    ballot.votes.iter().map(|vote| vote.arrival()).collect()
}

#[tokio::test(start_paused = true)]
async fn votes_for_moves_that_nobody_asked_for_do_not_count() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Wait(50), Answer("7g7f")])
        .player("b", &[Wait(70), Answer("9g9f")])
        .player("c", &[Wait(90), Answer("7g7f")]);
    let (roster, _server) = worker.roster().await;
    let among = |moves: &[&str]| {
        let moves = moves.iter().map(|mv| mv.parse().expect("a move"));
        ConsultationSetup {
            search_moves: moves.collect(),
            ..setup(time_limit(10_000))
        }
    };
    let ballot = run(&roster, among(&["9g9f", "1g1f"]), vec![]).await;
    assert_eq!(decision(&ballot).0, "9g9f");
    let counted = [Arrival::Illegal, Arrival::Final, Arrival::Illegal];
    assert_eq!(arrivals(&ballot), counted);
    let why = &ballot.votes[0].failure;
    assert_eq!(why, "7g7f is none of the moves to choose from");

    // Nobody names one of them: the fallback search does.
    let ballot = run(&roster, among(&["1g1f", "2g2f"]), vec![]).await;
    let (mv, tie_break, _) = decision(&ballot);
    assert_eq!((mv, tie_break), ("1g1f", TieBreak::Fallback));
}

#[tokio::test(start_paused = true)]
async fn decides_at_once_when_all_players_have_voted() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Wait(50), Answer("7g7f 3c3d")])
        .player("b", &[Wait(70), Answer("2g2f")])
        .player("c", &[Wait(90), Answer("7g7f")]);
    let (roster, _server) = worker.roster().await;
    let ballot = run(&roster, setup(time_limit(10_000)), vec![]).await;
    let (mv, tie_break, elapsed_ms) = decision(&ballot);
    assert_eq!((mv, tie_break), ("7g7f", TieBreak::None));
    assert!((90..100).contains(&elapsed_ms), "{elapsed_ms}");
    assert_eq!(ballot.decision.expect("decided").ponder, "3c3d");
}

#[tokio::test(start_paused = true)]
async fn decides_at_the_deadline_from_streamed_lines() {
    // All players receive the stop, and none obeys it.
    let worker = FakeWorker::named("desk")
        .player("a", &[Stream("2g2f"), Wait(200), Stream("7g7f")])
        .player("b", &[Stream("7g7f"), Listen, Listen])
        .player("c", &[Listen, Listen]);
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let ballot = run(&roster, setup(time_limit(1_000)), vec![]).await;
    assert_eq!(decision(&ballot), ("7g7f", TieBreak::None, 1_000));
    assert_eq!(
        arrivals(&ballot),
        [Arrival::Provisional, Arrival::Provisional, Arrival::Late]
    );
    let requests = requests.lock().expect("requests");
    let told_to_stop = requests
        .iter()
        .filter(|request| matches!(request, Message::Stop(_)));
    assert_eq!(told_to_stop.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_promotion_and_a_non_promotion_are_two_moves() {
    // Some engines always promote.
    let worker = FakeWorker::named("desk")
        .player("a", &[Answer("8h2b+")])
        .player("b", &[Answer("8h2b+")])
        .player("c", &[Answer("8h2b")]);
    let (roster, _server) = worker.roster().await;
    let exchange = setup_on("startpos moves 7g7f 3c3d", time_limit(1_000));
    let ballot = run(&roster, exchange, vec![]).await;
    let tally: Vec<_> = ballot
        .tally
        .iter()
        .map(|count| (count.r#move.as_str(), count.votes))
        .collect();
    assert_eq!(tally, [("8h2b+", 2), ("8h2b", 1)]);
}

#[tokio::test(start_paused = true)]
async fn workers_get_their_time_and_no_clock() {
    let worker = FakeWorker::named("desk").player("a", &[Answer("7g7f")]);
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let mut limits = time_limit(1_000);
    limits.clock = Some(Clock {
        black_ms: 1_000_000,
        ..Clock::default()
    });
    run(&roster, setup(limits), vec![]).await;
    let requests = requests.lock().expect("requests");
    let Message::Go(go) = &requests[0] else {
        panic!("no go")
    };
    let limits = go.limits.as_ref().expect("limits");
    assert_eq!(limits.clock, None);
    assert!((900..1_000).contains(&limits.time_ms.expect("a time")));
    assert_eq!(go.noise_seed, crate::seed::derive(1, "a") >> 32);
}

#[tokio::test(start_paused = true)]
async fn an_illegal_vote_never_counts() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Answer("7g7e")])
        .player("b", &[Answer("7g7e")])
        .player("c", &[Answer("2g2f")]);
    let (roster, _server) = worker.roster().await;
    let ballot = run(&roster, setup(Limits::default()), vec![]).await;
    assert_eq!(decision(&ballot).0, "2g2f");
    assert_eq!(ballot.tally.len(), 1);
    assert_eq!(
        arrivals(&ballot),
        [Arrival::Illegal, Arrival::Illegal, Arrival::Final]
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_player_causes_no_delay_and_its_last_line_stands() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Stream("7g7f"), Wait(20), Die("out of memory")])
        .player("b", &[Wait(10), Die("no such engine")])
        .player("c", &[Wait(40), Answer("7g7f")]);
    let (roster, _server) = worker.roster().await;
    let ballot = run(&roster, setup(time_limit(10_000)), vec![]).await;
    let (mv, _, elapsed_ms) = decision(&ballot);
    assert_eq!(mv, "7g7f");
    assert!(elapsed_ms < 100, "{elapsed_ms}");
    assert_eq!(
        arrivals(&ballot),
        [Arrival::Failed, Arrival::Failed, Arrival::Final]
    );
    assert_eq!(ballot.votes[0].failure, "out of memory");
    assert_eq!(ballot.tally[0].votes, 2);
}

#[tokio::test(start_paused = true)]
async fn without_votes_the_coordinator_finds_a_move_itself() {
    let worker = FakeWorker::named("desk").player("a", &[Die("gone")]);
    let (roster, _server) = worker.roster().await;
    let ballot = run(&roster, setup(time_limit(1_000)), vec![]).await;
    let (mv, tie_break, _) = decision(&ballot);
    assert_eq!(tie_break, TieBreak::Fallback);
    assert!(Game::startpos().parse_move(mv).is_ok(), "{mv}");
}

/// A short time leaves none for a useful search of the coordinator.
#[tokio::test(start_paused = true)]
async fn with_little_time_the_last_votes_of_lost_players_decide_at_once() {
    let script = [Stream("9g9f"), Wait(10), Die("gone")];
    let (roster, _server) = FakeWorker::named("desk")
        .player("a", &script)
        .roster()
        .await;
    let ballot = run(&roster, setup(time_limit(200)), vec![]).await;
    assert_eq!(decision(&ballot), ("9g9f", TieBreak::None, 10));
}

/// The only legal move is played before the deadline. A paused clock would run ahead of the search.
#[tokio::test]
async fn a_successor_that_has_found_its_move_ends_the_consultation() {
    let (roster, _server) = FakeWorker::named("desk")
        .player("a", &[Die("gone")])
        .roster()
        .await;
    let only_move = setup_on("4k4/4G4/9/9/9/9/9/9/4K4 w - 1", time_limit(300_000));
    let ballot = run(&roster, only_move, vec![]).await;
    let (mv, tie_break, elapsed_ms) = decision(&ballot);
    assert_eq!((mv, tie_break), ("5a5b", TieBreak::Fallback));
    assert!(elapsed_ms < 150_000, "{elapsed_ms}");
}

#[tokio::test(start_paused = true)]
async fn a_lost_player_is_asked_again_while_there_is_time() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Stream("7g7f"), Wait(100), Die("out of memory")])
        .player("b", &[Wait(60_000)]);
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let ballot = run(&roster, setup(time_limit(5_000)), vec![]).await;
    assert_eq!(decision(&ballot), ("7g7f", TieBreak::None, 5_000));
    assert_eq!(arrivals(&ballot), [Arrival::Failed, Arrival::Late]);
    let requests = requests.lock().expect("requests");
    let times: Vec<u64> = requests
        .iter()
        .filter_map(|request| match request {
            Message::Go(go) if go.player == "a" => go.limits?.time_ms,
            _ => None,
        })
        .collect();
    // At once, after 1.1 s, and after 2.2 s; after 3.3 s too little is left.
    assert_eq!(times.len(), 3, "{times:?}");
    for (time, latest) in times.iter().zip([5_000, 3_900, 2_800]) {
        assert!((latest - 100..latest).contains(time), "{times:?}");
    }
}

/// The early votes of lost players are worth less than a search in the rest of the time.
#[tokio::test(start_paused = true)]
async fn the_coordinator_searches_when_all_players_are_lost_early() {
    for (lost_after, is_early) in [(100, true), (700, false)] {
        let worker = FakeWorker::named("desk")
            .player("a", &[Stream("9g9f"), Wait(lost_after), Die("gone")])
            .player("b", &[Wait(20), Die("gone")]);
        let (roster, _server) = worker.roster().await;
        let ballot = run(&roster, setup(time_limit(1_000)), vec![]).await;
        let (mv, tie_break, elapsed_ms) = decision(&ballot);
        assert_eq!(arrivals(&ballot), [Arrival::Failed, Arrival::Failed]);
        assert!(Game::startpos().parse_move(mv).is_ok(), "{mv}");
        if is_early {
            assert_eq!(tie_break, TieBreak::Fallback);
            // The search takes real time, which the paused clock does not measure.
            assert!(elapsed_ms >= 950, "{elapsed_ms}");
        } else {
            assert_eq!((mv, tie_break, elapsed_ms), ("9g9f", TieBreak::None, 700));
        }
    }
}

/// What is left of the time may be enough for those that come back.
#[tokio::test(start_paused = true)]
async fn players_that_are_all_lost_late_are_asked_again_while_there_is_time() {
    for (lost_after, questions, decided) in [(6_000, 2, 10_000), (8_500, 1, 8_500)] {
        let script = [Stream("9g9f"), Wait(lost_after), Die("gone")];
        let worker = FakeWorker::named("desk").player("a", &script);
        let requests = worker.requests.clone();
        let (roster, _server) = worker.roster().await;
        let ballot = run(&roster, setup(time_limit(10_000)), vec![]).await;
        assert_eq!(decision(&ballot), ("9g9f", TieBreak::None, decided));
        let requests = requests.lock().expect("requests");
        let asked = requests.iter().filter(|one| matches!(one, Message::Go(_)));
        assert_eq!(asked.count(), questions, "lost after {lost_after} ms");
    }
}

/// The coordinator searches from the middle of the time on; later votes still count.
#[tokio::test(start_paused = true)]
async fn a_late_first_vote_counts_and_silence_is_replaced_by_a_search() {
    let script = |late: bool| match late {
        true => vec![Wait(700), Answer("2g2f")],
        false => vec![Wait(60_000)],
    };
    for late in [true, false] {
        let worker = FakeWorker::named("desk").player("a", &script(late));
        let (roster, _server) = worker.roster().await;
        let ballot = run(&roster, setup(time_limit(1_000)), vec![]).await;
        let (mv, tie_break, elapsed_ms) = decision(&ballot);
        assert!(Game::startpos().parse_move(mv).is_ok(), "{mv}");
        assert_eq!(tie_break == TieBreak::Fallback, !late);
        // The search takes real time, which the paused clock does not measure.
        assert!(!late || elapsed_ms == 700, "{elapsed_ms}");
    }
}

/// Engines that answer a little late do not vote for a line on the way.
#[tokio::test(start_paused = true)]
async fn a_referee_waits_for_final_moves() {
    let script = [Stream("7g7f"), Listen, Wait(200), Answer("2g2f")];
    for (margin, expected, times) in [
        (0, "7g7f", 1_000..=1_000),
        (300, "2g2f", 1_101..=1_200),
        (100, "7g7f", 1_100..=1_100),
    ] {
        let worker = FakeWorker::named("desk").player("a", &script);
        let requests = worker.requests.clone();
        let (roster, _server) = worker.roster().await;
        let setup = ConsultationSetup {
            margin: Duration::from_millis(margin),
            ..setup(time_limit(1_000))
        };
        let ballot = run(&roster, setup, vec![]).await;
        let (mv, tie_break, elapsed_ms) = decision(&ballot);
        assert_eq!((mv, tie_break), (expected, TieBreak::None));
        assert!(times.contains(&elapsed_ms), "{margin}: {elapsed_ms}");
        // Players do not get the referee's margin, and are stopped when their time is over.
        let requests = requests.lock().expect("requests");
        let time = requests.iter().find_map(|request| match request {
            Message::Go(go) => go.limits.and_then(|limits| limits.time_ms),
            _ => None,
        });
        assert!(time.is_some_and(|ms| ms < 1_000), "{time:?}");
        let is_stop = |request: &&Message| matches!(request, Message::Stop(_));
        assert_eq!(requests.iter().filter(is_stop).count(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_mated_side_resigns_without_asking_the_players() {
    let worker = FakeWorker::named("desk").player("a", &[Answer("5a5b")]);
    let told = worker.told.clone();
    let (roster, _server) = worker.roster().await;
    let mated = setup_on("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", time_limit(1_000));
    let ballot = run(&roster, mated, vec![]).await;
    assert_eq!(decision(&ballot), ("resign", TieBreak::Rules, 0));
    assert!(told.lock().expect("told").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_stop_decides_from_the_votes_so_far() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Stream("7g7f"), Listen, Answer("2g2f")])
        .player("b", &[Stream("2g2f"), Wait(60_000)]);
    let (roster, _server) = worker.roster().await;
    let ballot = run(
        &roster,
        setup(Limits::default()),
        vec![(500, ConsultationCommand::Stop)],
    )
    .await;
    let (mv, _, elapsed_ms) = decision(&ballot);
    assert_eq!(mv, "2g2f");
    assert_eq!(arrivals(&ballot), [Arrival::Final, Arrival::Provisional]);
    assert_eq!(elapsed_ms, 500 + STOP_PATIENCE.as_millis() as u64);
}

#[tokio::test(start_paused = true)]
async fn a_ponder_holds_the_decision_until_the_hit() {
    let worker = FakeWorker::named("desk").player("a", &[Answer("7g7f")]);
    let (roster, _server) = worker.roster().await;
    let hit = vec![(30_000, ConsultationCommand::PonderHit(HitClock::default()))];
    let ballot = run(&roster, setup(ponder()), hit).await;
    assert_eq!(decision(&ballot), ("7g7f", TieBreak::None, 30_000));
}

#[tokio::test(start_paused = true)]
async fn time_counts_from_the_ponder_hit_by_the_new_clock() {
    let worker = FakeWorker::named("desk").player("a", &[Stream("7g7f"), Listen, Wait(60_000)]);
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    let clock = Clock {
        byoyomi_ms: 2_000,
        ..Clock::default()
    };
    let hit = vec![(
        5_000,
        ConsultationCommand::PonderHit(HitClock {
            clock: Some(clock),
            overhead: None,
        }),
    )];
    let ballot = run(&roster, setup(ponder()), hit).await;
    assert_eq!(decision(&ballot), ("7g7f", TieBreak::None, 6_900));
    let requests = requests.lock().expect("requests");
    let [Message::Go(go), Message::PonderHit(hit), ..] = requests.as_slice() else {
        panic!("{requests:?}")
    };
    let before = go.limits.as_ref().expect("limits");
    assert_eq!((before.ponder, before.time_ms), (true, None));
    let after = hit.limits.as_ref().expect("limits");
    assert!(!after.ponder);
    assert!((1_800..1_900).contains(&after.time_ms.expect("a time")));
}

/// A ponder without a clock kept the longest delay that is assumed on any clock.
#[tokio::test(start_paused = true)]
async fn a_ponder_hit_brings_the_overhead_of_its_clock() {
    let worker = FakeWorker::named("desk").player("a", &[Stream("7g7f"), Listen, Wait(60_000)]);
    let (roster, _server) = worker.roster().await;
    let hit = HitClock {
        clock: Some(Clock {
            byoyomi_ms: 2_000,
            ..Clock::default()
        }),
        overhead: Some(Duration::from_millis(500)),
    };
    let hit = vec![(5_000, ConsultationCommand::PonderHit(hit))];
    let ballot = run(&roster, setup(ponder()), hit).await;
    assert_eq!(decision(&ballot), ("7g7f", TieBreak::None, 6_500));
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_ponder() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Answer("7g7f")])
        .player("b", &[Stream("7g7f"), Wait(60_000)]);
    let (roster, _server) = worker.roster().await;
    let ballot = run(
        &roster,
        setup(ponder()),
        vec![(700, ConsultationCommand::Stop)],
    )
    .await;
    assert_eq!(decision(&ballot), ("7g7f", TieBreak::None, 730));
}

#[tokio::test(start_paused = true)]
async fn a_decision_by_the_rules_is_held_during_a_ponder() {
    let (roster, _server) = FakeWorker::named("desk").roster().await;
    let mated = setup_on("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", ponder());
    let hit = vec![(400, ConsultationCommand::PonderHit(HitClock::default()))];
    let ballot = run(&roster, mated, hit).await;
    assert_eq!(decision(&ballot), ("resign", TieBreak::Rules, 400));
}

#[tokio::test(start_paused = true)]
async fn a_consultation_ends_when_the_caller_hangs_up() {
    let worker = FakeWorker::named("desk").player("a", &[Wait(60_000)]);
    let (roster, _server) = worker.roster().await;
    let slots = roster.slots();

    let (_commands, receiver) = mpsc::channel(1);
    let (standings, reader) = mpsc::channel(1);
    drop(reader);
    let endless = setup(Limits::default());
    let outcome = consult(endless, &slots, receiver, standings, None).await;
    assert_eq!(outcome.ballot, None);

    let (commands, receiver) = mpsc::channel(1);
    let (standings, _reader) = mpsc::channel(1);
    drop(commands);
    let outcome = consult(setup(ponder()), &slots, receiver, standings, None).await;
    assert_eq!(outcome.ballot, None);
}

#[tokio::test(start_paused = true)]
async fn standings_are_limited_and_only_sent_after_changes() {
    let mut script: Vec<_> = ["7g7f", "2g2f", "5g5f"]
        .iter()
        .cycle()
        .take(60)
        .flat_map(|mv| [Stream(mv), Wait(10)])
        .collect();
    script.extend([Wait(5_000), Answer("7g7f")]);
    let (roster, _server) = FakeWorker::named("desk")
        .player("a", &script)
        .roster()
        .await;
    let (_commands, receiver) = mpsc::channel(1);
    let (standings, mut reader) = mpsc::channel(1_000);
    let slots = roster.slots();
    let endless = setup(Limits::default());
    consult(endless, &slots, receiver, standings, None).await;
    let mut count = 0;
    while reader.recv().await.is_some() {
        count += 1;
    }
    // 600 ms of changes, then silence.
    assert!((5..=8).contains(&count), "{count}");
}

#[tokio::test(start_paused = true)]
async fn a_player_that_says_what_no_search_says_is_quarantined_and_the_rest_plays_on() {
    let worker = FakeWorker::named("desk")
        .player("liar", &[Stream("2g2f"), Answer("\u{1b}[2J")])
        .player("honest", &[Answer("7g7f")]);
    let (roster, _server) = worker.roster().await;
    let ballot = run(&roster, setup(time_limit(1_000)), vec![]).await;
    let [liar, honest] = &ballot.votes[..] else {
        panic!("two votes")
    };
    assert_eq!(liar.failure, "quarantined: ' [2J' is no move");
    assert_eq!(honest.arrival(), Arrival::Final);
}
