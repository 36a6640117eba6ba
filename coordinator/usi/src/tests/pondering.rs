//! `go ponder`: the answer is held.

use super::{
    gui::{Assembly, Gui},
    scripted_coordinator::{Received, ScriptStep, ballot},
};
use monju_proto::v1::{Ballot, Clock, Decision, Limits};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tokio::time::Instant;

const DECIDE: ScriptStep = ScriptStep::Decide("7g7f", "3c3d");

async fn pondering(steps: Vec<ScriptStep>, go: &str) -> Gui {
    let mut gui = Gui::new(steps);
    gui.ready().await;
    gui.say("position startpos");
    gui.say(go);
    let begin = gui.next_begin().await;
    assert!(begin.limits.expect("limits").ponder);
    gui
}

/// Tells whether the coordinator heard of a ponder hit without a clock.
fn is_bare_hit(received: &Received) -> bool {
    matches!(received, Received::PonderHit(hit) if hit.clock.is_none())
}

#[tokio::test(start_paused = true)]
async fn an_early_decision_is_held_until_ponderhit() {
    for decision in ["7g7f", "resign"] {
        let steps = vec![ScriptStep::Decide(decision, "")];
        let mut gui = pondering(steps, "go ponder btime 1000 wtime 1000").await;
        let lines = gui.wait(3_600).await;
        assert!(
            lines.iter().all(|line| line.starts_with("info ")),
            "{lines:?}"
        );
        gui.say("ponderhit");
        assert_eq!(gui.wait(1).await, [format!("bestmove {decision}")]);
        gui.say("stop");
        assert!(gui.wait(60).await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_declaration_is_held_too() {
    let mut gui = Gui::new(vec![ScriptStep::Decide("win", "")]);
    gui.ready().await;
    gui.say("position sfen 4K4/9/9/9/9/9/+r+bgggg+b+r1/ssssk4/9 w - 1\ngo ponder");
    assert!(!gui.wait(60).await.contains(&"bestmove win".to_owned()));
    gui.say("ponderhit btime 1000 wtime 1000");
    assert_eq!(gui.wait(1).await, ["bestmove win"]);
}

#[tokio::test(start_paused = true)]
async fn stop_ends_the_pondering_with_one_move() {
    let mut gui = pondering(vec![ScriptStep::AwaitStop, DECIDE], "go ponder").await;
    assert!(gui.wait(3_600).await.is_empty());
    gui.say("stop");
    assert_eq!(gui.best_move().await, "bestmove 7g7f ponder 3c3d");
    assert!(gui.wait(60).await.is_empty());
}

/// The GUI discards the answer to a missed ponder, so nothing about it is worth an error line.
#[tokio::test(start_paused = true)]
async fn a_missed_ponder_is_silent_even_if_the_coordinator_is_late() {
    let standing = || ScriptStep::Standing(ballot(&["9g9f"]));
    let late = || ScriptStep::Pause(Duration::from_millis(200));
    let mut forbidden = ballot(&["9g9f"]);
    forbidden.decision = Some(Decision {
        r#move: "9g9e".to_owned(),
        ..Decision::default()
    });
    for steps in [
        vec![ScriptStep::AwaitStop, late(), DECIDE],
        vec![standing(), ScriptStep::AwaitStop, late(), DECIDE],
        vec![standing(), ScriptStep::Hang],
        vec![ScriptStep::AwaitStop, ScriptStep::Break],
        vec![ScriptStep::AwaitStop, ScriptStep::Ballot(forbidden)],
    ] {
        for ending in ["stop", "gameover lose", "position startpos"] {
            let go = "go ponder btime 0 wtime 0 byoyomi 1000";
            let mut gui = pondering(steps.clone(), go).await;
            gui.wait(1).await;
            let start = Instant::now();
            gui.say(ending);
            let lines = gui.hear_until("bestmove").await;
            assert!(
                !lines.iter().any(|line| line.contains("error")),
                "{ending}: {lines:?}"
            );
            // 50 ms for the coordinator and 50 ms for the fallback player.
            assert!(start.elapsed() <= Duration::from_millis(100), "{ending}");
            assert!(gui.wait(1).await.is_empty());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_ponder_that_is_missed_while_loading_is_silent() {
    let assembly = Assembly {
        time: Duration::from_secs(600),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    gui.say("position startpos\ngo ponder\nstop");
    let lines = gui.hear_until("bestmove").await;
    assert!(
        !lines.iter().any(|line| line.contains("error")),
        "{lines:?}"
    );
}

/// After a hit the answer counts, and so does an error.
#[tokio::test(start_paused = true)]
async fn a_coordinator_that_is_late_after_a_ponder_hit_is_reported() {
    let mut gui = pondering(
        vec![ScriptStep::Hang],
        "go ponder btime 0 wtime 0 byoyomi 1000",
    )
    .await;
    gui.say("ponderhit\nstop");
    let lines = gui.hear_until("bestmove").await;
    let error = "info string error: the coordinator is late; deciding without it";
    assert!(lines.iter().any(|line| line == error), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn gameover_without_stop_ends_the_pondering() {
    let mut gui = pondering(vec![ScriptStep::AwaitStop, DECIDE], "go ponder").await;
    gui.say("gameover win");
    gui.best_move().await;
    // The next game is not disturbed.
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn ponderhit_brings_the_clock_that_go_ponder_lacked() {
    let mut gui = Gui::new(vec![ScriptStep::AwaitRelease, DECIDE]);
    gui.ready_as_it_is().await;
    gui.say("position startpos\ngo ponder");
    assert!(gui.next_begin().await.overhead_ms > 1_120);
    gui.say("ponderhit btime 36000 wtime 34000 binc 5000 winc 5000");
    gui.best_move().await;
    let clock = Clock {
        black_ms: 36_000,
        white_ms: 34_000,
        black_increment_ms: 5_000,
        white_increment_ms: 5_000,
        byoyomi_ms: 0,
    };
    let received = gui.received();
    let Some(Received::PonderHit(hit)) = received.first() else {
        panic!("{received:?}");
    };
    assert_eq!(hit.clock, Some(clock));
    // Of plentiful time less is kept than of a clock that is not known: 120 ms, the last resort's time, half of the
    // coordinator's own, and what this machine may be late.
    let kept = hit.overhead_ms.expect("told");
    assert!((185..400).contains(&kept), "{kept}");
}

#[tokio::test(start_paused = true)]
async fn a_bare_ponderhit_leaves_the_clock_of_go_in_force() {
    let steps = vec![ScriptStep::AwaitRelease, ScriptStep::Hang];
    let mut gui = pondering(steps, "go ponder btime 20000 wtime 1").await;
    // Pondering costs no time of our own.
    assert!(gui.wait(60).await.is_empty());
    gui.say("ponderhit");
    assert!(gui.wait(1).await.is_empty());
    let received = gui.received();
    assert!(
        received.len() == 1 && is_bare_hit(&received[0]),
        "{received:?}"
    );
    let lines = gui.wait(9).await;
    assert!(lines[lines.len() - 1].starts_with("bestmove"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn ponderhit_in_a_game_without_any_clock_plays_what_was_pondered() {
    let mut gui = pondering(vec![ScriptStep::AwaitStop, DECIDE], "go ponder").await;
    gui.say("ponderhit");
    assert_eq!(gui.best_move().await, "bestmove 7g7f ponder 3c3d");
    // To the coordinator it is no missed ponder, whose answer would be dropped.
    let received = gui.received();
    assert!(is_bare_hit(&received[0]), "{received:?}");
    assert_eq!(received[1], Received::Stop);
}

#[tokio::test(start_paused = true)]
async fn ponderhit_and_stop_count_once() {
    let steps = vec![ScriptStep::AwaitStop, DECIDE];
    let mut gui = pondering(steps, "go ponder btime 60000 wtime 60000").await;
    gui.say("ponderhit\nponderhit\nstop\nstop");
    gui.best_move().await;
    assert!(gui.wait(60).await.is_empty());
    let received = gui.received();
    assert!(is_bare_hit(&received[0]), "{received:?}");
    assert_eq!(received[1], Received::Stop);
    assert!(!received[2..].contains(&Received::Stop));
}

#[tokio::test(start_paused = true)]
async fn ponderhit_while_loading_starts_the_clock() {
    let assembly = Assembly {
        time: Duration::from_secs(20),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    gui.say("position startpos\ngo ponder");
    assert!(gui.wait(10).await.is_empty());
    gui.say("ponderhit btime 0 wtime 0 byoyomi 60000");
    let limits = gui.next_begin().await.limits.expect("limits");
    assert!(!limits.ponder);
    assert_eq!(limits.clock.expect("a clock").byoyomi_ms, 50_000);
    assert_eq!(gui.best_move().await, "bestmove 7g7f ponder 3c3d");
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_breaks_in_a_ponder_brings_no_answer_before_ponderhit() {
    // With votes and without.
    let standing = ScriptStep::Standing(ballot(&["9g9f"]));
    for steps in [vec![ScriptStep::Break], vec![standing, ScriptStep::Break]] {
        let mut gui = pondering(steps, "go ponder btime 1000 wtime 1000").await;
        // The fallback player ponders instead.
        let lines = gui.hear_until("info depth").await;
        assert!(
            lines.iter().all(|line| line.starts_with("info ")),
            "{lines:?}"
        );
        gui.say("ponderhit");
        assert!(gui.best_move().await.starts_with("bestmove "));
        assert!(gui.wait(60).await.is_empty());
    }
}

/// A clock that comes with the ponder hit teaches as much as one that comes with `go`: here 300 ms.
#[tokio::test(start_paused = true)]
async fn lag_is_learned_from_the_clock_of_a_ponder_hit() {
    let thinks = |limits: Option<Limits>| {
        let mut steps = vec![ScriptStep::Pause(Duration::from_secs(1)), DECIDE];
        if limits.is_some_and(|limits| limits.ponder) {
            steps.insert(0, ScriptStep::AwaitRelease);
        }
        steps
    };
    let mut gui = Gui::with(Assembly::default(), move |begin| thinks(begin.limits));
    gui.ready().await;
    gui.say("position startpos\ngo btime 60000 wtime 60000");
    assert_eq!(gui.next_begin().await.overhead_ms, 100);
    gui.best_move().await;
    gui.say("go ponder");
    assert!(gui.wait(10).await.is_empty());
    gui.say("ponderhit btime 58700 wtime 60000");
    gui.best_move().await;
    gui.say("go btime 57400 wtime 60000");
    gui.next_begin().await;
    // 300 ms, the last resort with its reserve, and half of the coordinator's overhead.
    assert_eq!(gui.next_begin().await.overhead_ms, 375);
    gui.best_move().await;
    // A move without a clock teaches nothing about the one before.
    gui.say("go nodes 1");
    gui.best_move().await;
    gui.say("go btime 50000 wtime 60000");
    gui.next_begin().await;
    assert_eq!(gui.next_begin().await.overhead_ms, 375);
}

/// Nothing can be heard of a coordinator that is asked and stopped at once: the next move is for it, too.
#[tokio::test(start_paused = true)]
async fn only_a_long_missed_ponder_gives_the_turn_to_another_coordinator() {
    for (long, moves_on) in [(false, false), (true, true)] {
        let others = Assembly {
            others: 1,
            ..Assembly::default()
        };
        let mut gui = Gui::with(others, |begin| {
            match begin.limits.is_some_and(|limits| limits.ponder) {
                true => vec![ScriptStep::Hang],
                // One that takes over is asked anew, too.
                false => vec![ScriptStep::Break],
            }
        });
        gui.ready().await;
        gui.say("position startpos\ngo ponder");
        gui.next_begin().await;
        if long {
            gui.wait(5).await;
        }
        gui.say("stop");
        gui.best_move().await;
        gui.say("position startpos\ngo nodes 1000");
        let told = match moves_on {
            false => "the coordinator at another script takes over",
            true => "the coordinator at a script takes over",
        };
        assert_eq!(
            gui.first_to_take_over().await,
            format!("info string error: {told}")
        );
    }
}

/// The players ponder elsewhere, or have not answered yet; the decision is late.
#[tokio::test(start_paused = true)]
async fn a_coordinator_that_ponders_without_a_vote_is_not_silent() {
    let others = Assembly {
        others: 1,
        ..Assembly::default()
    };
    let mut gui = Gui::with(others, |begin| {
        match begin.limits.is_some_and(|limits| limits.ponder) {
            true => vec![ScriptStep::Standing(Ballot::default()), ScriptStep::Hang],
            false => vec![ScriptStep::Break],
        }
    });
    gui.ready().await;
    gui.say("position startpos\ngo ponder");
    gui.next_begin().await;
    gui.wait(5).await;
    gui.say("stop");
    gui.best_move().await;
    gui.say("position startpos\ngo nodes 1000");
    let told = "info string error: the coordinator at another script takes over";
    assert_eq!(gui.first_to_take_over().await, told);
}

/// Both are restarted, one after the other, while the team ponders.
#[tokio::test(start_paused = true)]
async fn a_coordinator_that_failed_long_ago_takes_over_again() {
    let others = Assembly {
        others: 1,
        ..Assembly::default()
    };
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let mut gui = Gui::with(others, |_| match ASKED.fetch_add(1, Ordering::Relaxed) {
        2 => vec![ScriptStep::AwaitRelease, ScriptStep::Decide("2g2f", "")],
        _ => vec![
            ScriptStep::Pause(Duration::from_secs(60)),
            ScriptStep::Break,
        ],
    });
    gui.ready().await;
    gui.say("position startpos\ngo ponder btime 0 wtime 0 byoyomi 1000");
    gui.wait(150).await;
    gui.say("ponderhit");
    assert_eq!(gui.best_move().await, "bestmove 2g2f");
}
