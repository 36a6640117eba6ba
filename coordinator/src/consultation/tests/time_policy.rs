//! Tests of deadlines that move with the agreement.

use super::*;

/// Black has a minute: 600 ms for an easy move, 1.5 s for a normal one, 4.5 s for a difficult one.
fn a_minute() -> Limits {
    Limits {
        clock: Some(Clock {
            black_ms: 60_000,
            ..Clock::default()
        }),
        ..Limits::default()
    }
}

fn with_time_policy(time_policy: TimePolicy, limits: Limits) -> ConsultationSetup {
    ConsultationSetup {
        time_policy,
        ..setup(limits)
    }
}

/// Three players that stream these first lines at once and the second ones a little later, and answer
/// when stopped.
fn three(lines: [[&'static str; 2]; 3]) -> FakeWorker {
    ["a", "b", "c"].into_iter().zip(lines).fold(
        FakeWorker::named("desk"),
        |worker, (name, [first, second])| {
            let script = [
                Stream(first),
                Wait(100),
                Stream(second),
                Listen,
                Answer(second),
            ];
            worker.player(name, &script)
        },
    )
}

const STEADY: [&str; 2] = ["7g7f 3c3d", "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c"];
const DEEP: &str = "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i4h 8b2b";
const DEEP_ANOTHER: &str = "2g2f 3c3d 7g7f 4c4d 2f2e 2b3c 3i4h 8b2b";
const ANOTHER: [&str; 2] = ["2g2f 3c3d", "2g2f 3c3d 7g7f 4c4d 2f2e 2b3c"];

async fn elapsed(time_policy: TimePolicy, lines: [[&'static str; 2]; 3]) -> u64 {
    let (roster, _server) = three(lines).roster().await;
    let ballot = run(&roster, with_time_policy(time_policy, a_minute()), vec![]).await;
    decision(&ballot).2
}

#[tokio::test(start_paused = true)]
async fn a_unanimous_move_saves_time() {
    let easy = elapsed(TimePolicy::Agreement, [STEADY; 3]).await;
    assert!((510..=546).contains(&easy), "{easy}");
}

#[tokio::test(start_paused = true)]
async fn a_disputed_move_takes_more_time() {
    let difficult = elapsed(TimePolicy::Agreement, [STEADY, ANOTHER, STEADY]).await;
    assert!((4_040..=4_091).contains(&difficult), "{difficult}");
}

#[tokio::test(start_paused = true)]
async fn a_move_that_loses_material_takes_the_most_time_of_a_careful_team() {
    // A pawn attacks White's silver, which White may take with it or leave.
    let attacked = "sfen 8k/9/9/9/4s4/4P4/9/9/K8 w - 1";
    let white = Limits {
        clock: Some(Clock {
            white_ms: 60_000,
            ..Clock::default()
        }),
        ..Limits::default()
    };
    let takes = ["5e5f 9i9h", "5e5f 9i9h 1a1b 9h9i 1b1a 9i9h"];
    let leaves = ["1a1b 5f5e", "1a1b 5f5e 1b1a 9i9h 1a1b 9h9i"];
    // Nothing else is judged than the leading move.
    for (time_policy, lines, expected, judged) in [
        (TimePolicy::Agreement, [leaves; 3], 500..=600, ["", "", ""]),
        (
            TimePolicy::Careful,
            [leaves; 3],
            4_000..=4_100,
            ["fails"; 3],
        ),
        (TimePolicy::Careful, [takes; 3], 500..=600, ["holds"; 3]),
        (
            TimePolicy::Careful,
            [leaves, leaves, takes],
            4_000..=4_100,
            ["fails", "fails", ""],
        ),
    ] {
        let (roster, _server) = three(lines).roster().await;
        let setup = ConsultationSetup {
            time_policy,
            ..setup_on(attacked, white)
        };
        let ballot = run(&roster, setup, vec![]).await;
        let elapsed = decision(&ballot).2;
        assert!(
            expected.contains(&elapsed),
            "{time_policy} {lines:?}: {elapsed}"
        );
        let dangers = ballot.votes.iter().map(|vote| &*vote.danger);
        assert_eq!(
            dangers.collect::<Vec<_>>(),
            judged,
            "{time_policy} {lines:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_agreement_is_a_normal_move() {
    let changed = ["2g2f 3c3d", "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c"];
    let normal = elapsed(TimePolicy::Agreement, [changed; 3]).await;
    assert!((1_310..=1_364).contains(&normal), "{normal}");
}

#[tokio::test(start_paused = true)]
async fn learned_weights_end_what_is_settled_and_go_on_in_dispute() {
    // The judge is asked at the end of an iteration, the last time after 1.1 s.
    let elapsed = async |lines: [[&'static str; 3]; 3]| {
        let worker = ["a", "b", "c"].into_iter().zip(lines).fold(
            FakeWorker::named("desk"),
            |worker, (name, [first, second, third])| {
                let script = [
                    Stream(first),
                    Wait(100),
                    Stream(second),
                    Wait(1_000),
                    Stream(third),
                    Listen,
                    Answer(third),
                ];
                worker.player(name, &script)
            },
        );
        let (roster, _server) = worker.roster().await;
        let setup = with_time_policy(TimePolicy::Learned, a_minute());
        decision(&run(&roster, setup, vec![]).await).2
    };
    let steady = [STEADY[0], STEADY[1], DEEP];
    let settled = elapsed([steady; 3]).await;
    assert!((1_100..=1_200).contains(&settled), "{settled}");
    let changed = [STEADY[0], STEADY[1], DEEP_ANOTHER];
    let other = [ANOTHER[0], ANOTHER[1], DEEP_ANOTHER];
    let disputed = elapsed([steady, other, changed]).await;
    assert!((4_040..=4_091).contains(&disputed), "{disputed}");
}

#[tokio::test(start_paused = true)]
async fn a_ponder_hit_is_judged_by_the_policy_without_another_line() {
    let pondering = Limits {
        ponder: true,
        ..a_minute()
    };
    // All agree, three iterations deep: not long enough to be easy, but longer than such a move deserves.
    for (time_policy, expected) in [
        (TimePolicy::Agreement, 31_310..=31_364),
        (TimePolicy::Learned, 30_000..=30_100),
    ] {
        let worker = ["a", "b", "c"]
            .into_iter()
            .fold(FakeWorker::named("desk"), |worker, name| {
                // The players hear of the hit, and then that they are to stop.
                let second = "7g7f 3c3d 2g2f 4c4d 2f2e";
                let script = [
                    Stream("7g7f 3c3d"),
                    Wait(100),
                    Stream(second),
                    Listen,
                    Listen,
                    Answer(second),
                ];
                worker.player(name, &script)
            });
        let (roster, _server) = worker.roster().await;
        let hit = vec![(30_000, ConsultationCommand::PonderHit(HitClock::default()))];
        let ballot = run(&roster, with_time_policy(time_policy, pondering), hit).await;
        let elapsed = decision(&ballot).2;
        assert!(expected.contains(&elapsed), "{time_policy}: {elapsed}");
    }
}

#[tokio::test(start_paused = true)]
async fn other_time_policies_take_a_normal_time() {
    for time_policy in [TimePolicy::Fixed, TimePolicy::Decided] {
        for lines in [[STEADY; 3], [STEADY, ANOTHER, STEADY]] {
            let normal = elapsed(time_policy, lines).await;
            assert!((1_310..=1_364).contains(&normal), "{normal}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn players_are_given_the_longest_time_and_stopped_earlier() {
    let worker = three([STEADY; 3]);
    let requests = worker.requests.clone();
    let (roster, _server) = worker.roster().await;
    run(
        &roster,
        with_time_policy(TimePolicy::Agreement, a_minute()),
        vec![],
    )
    .await;
    let requests = requests.lock().expect("requests");
    let Some(Message::Go(go)) = requests.first() else {
        panic!("{requests:?}")
    };
    let time = go.limits.as_ref().and_then(|limits| limits.time_ms);
    assert!((3_990..4_091).contains(&time.expect("a time")), "{time:?}");
    let stops = |request: &&Message| matches!(request, Message::Stop(_));
    assert_eq!(requests.iter().filter(stops).count(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_unassailable_lead_decides_early_unless_the_policy_is_fixed() {
    for (time_policy, expected) in [
        (TimePolicy::Fixed, 900..=900),
        (TimePolicy::Decided, 300..=330),
        (TimePolicy::Agreement, 300..=330),
    ] {
        let worker = FakeWorker::named("desk")
            .player("a", &[Wait(200), Answer("7g7f")])
            .player("b", &[Wait(300), Answer("7g7f")])
            .player("c", &[Stream("2g2f"), Wait(60_000)]);
        let (roster, _server) = worker.roster().await;
        let byoyomi = Limits {
            clock: Some(Clock {
                byoyomi_ms: 1_000,
                ..Clock::default()
            }),
            ..Limits::default()
        };
        let ballot = run(&roster, with_time_policy(time_policy, byoyomi), vec![]).await;
        let (mv, _, elapsed) = decision(&ballot);
        assert_eq!(mv, "7g7f");
        assert!(expected.contains(&elapsed), "{time_policy}: {elapsed}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_only_move_is_played_as_soon_as_a_player_names_it() {
    let worker = FakeWorker::named("desk")
        .player("a", &[Wait(50), Stream("1i1h"), Wait(60_000)])
        .player("b", &[Wait(60_000)]);
    let (roster, _server) = worker.roster().await;
    let setup = ConsultationSetup {
        time_policy: TimePolicy::Agreement,
        ..setup_on("8k/9/9/9/9/9/7r1/8r/8K b - 1", a_minute())
    };
    let ballot = run(&roster, setup, vec![]).await;
    let (mv, _, elapsed) = decision(&ballot);
    assert_eq!(mv, "1i1h");
    assert!((50..=80).contains(&elapsed), "{elapsed}");
}

/// There is no time to be saved: an analysis ends with its stop, and a search of nodes with its last player.
#[tokio::test(start_paused = true)]
async fn without_a_clock_the_only_move_ends_nothing() {
    let nodes = Limits {
        nodes: Some(1_000),
        ..Limits::default()
    };
    let stop = vec![(3_000, ConsultationCommand::Stop)];
    for (limits, commands, last, expected) in [
        (nodes, vec![], Wait(800), 800),
        (Limits::default(), stop, Listen, 3_000),
    ] {
        let worker = FakeWorker::named("desk")
            .player("a", &[Stream("1i1h"), Wait(500), Answer("1i1h")])
            .player("b", &[Stream("1i1h"), last, Answer("1i1h")]);
        let (roster, _server) = worker.roster().await;
        let setup = ConsultationSetup {
            time_policy: TimePolicy::Agreement,
            ..setup_on("8k/9/9/9/9/9/7r1/8r/8K b - 1", limits)
        };
        let ballot = run(&roster, setup, commands).await;
        assert_eq!(decision(&ballot), ("1i1h", TieBreak::None, expected));
    }
}
