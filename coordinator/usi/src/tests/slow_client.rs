//! Clients and servers that take time of their own between `go` and `bestmove`.

use super::{gui::Gui, scripted_coordinator::ScriptStep};
use monju_coordinator::clock;
use monju_engine::Color;
use monju_proto::v1::Begin;
use std::time::Duration;
use tokio::time::Instant;

/// Time that a client on a server in the Internet was seen to take for a move at most.
const SLOWEST: Duration = Duration::from_millis(400);

const DECIDE: ScriptStep = ScriptStep::Decide("7g7f", "");

/// Returns the latest decision of a coordinator that is asked so.
fn decided(begin: &Begin) -> Duration {
    let limits = begin.limits.expect("limits");
    let overhead = Duration::from_millis(begin.overhead_ms.into());
    let budget = clock::budget(
        &limits,
        Color::Black,
        overhead.max(Duration::from_millis(100)),
    );
    budget.expect("a clock").most
}

#[tokio::test(start_paused = true)]
async fn byoyomi_alone_is_not_lost_to_a_slow_client() {
    for byoyomi_ms in [1_000, 3_000, 5_000, 10_000, 30_000] {
        let byoyomi = Duration::from_millis(byoyomi_ms);
        // Once the coordinator decides in time, and once it never does.
        for step in [DECIDE, ScriptStep::Hang] {
            let mut gui = Gui::new(vec![step]);
            gui.ready_as_it_is().await;
            let asked = Instant::now();
            gui.say(&format!(
                "position startpos\ngo btime 0 wtime 0 byoyomi {byoyomi_ms}"
            ));
            let begin = gui.next_begin().await;
            assert!(decided(&begin) + SLOWEST <= byoyomi, "{byoyomi_ms} ms");
            gui.best_move().await;
            let answered = asked.elapsed();
            if byoyomi_ms > 1_000 {
                assert!(
                    answered + SLOWEST <= byoyomi,
                    "{byoyomi_ms} ms: {answered:?}"
                );
            }
            assert!(answered < byoyomi, "{byoyomi_ms} ms: {answered:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_main_time_shows_that_a_client_is_local_and_byoyomi_is_spent_then() {
    let pause = ScriptStep::Pause(Duration::from_millis(1_500));
    let mut gui = Gui::new(vec![pause, DECIDE]);
    gui.ready_as_it_is().await;
    let mut left = 60_000;
    gui.say("position startpos");
    for _ in 0..5 {
        gui.say(&format!("go btime {left} wtime 60000 byoyomi 10000"));
        gui.next_begin().await;
        gui.best_move().await;
        left -= 1_503;
    }
    gui.say("go btime 0 wtime 60000 byoyomi 10000");
    let begin = gui.next_begin().await;
    // The least lag, the last resort with its reserve, and half of the coordinator's overhead.
    assert_eq!(begin.overhead_ms, 125);
    assert_eq!(decided(&begin), Duration::from_millis(9_875));
}

#[tokio::test(start_paused = true)]
async fn the_clock_of_a_server_that_is_said_to_drop_parts_of_a_second_shows_no_delay() {
    let pause = ScriptStep::Pause(Duration::from_millis(1_500));
    let mut gui = Gui::new(vec![pause, DECIDE]);
    gui.say("setoption name RoundUpToFullSecond value true");
    gui.ready_as_it_is().await;
    gui.say("position startpos");
    // The client has taken parts of a second off the fourth clock itself.
    for left in [60_000, 59_000, 58_000, 56_963, 56_000] {
        gui.say(&format!("go btime {left} wtime 60000 byoyomi 10000"));
        gui.next_begin().await;
        gui.best_move().await;
    }
    gui.say("go btime 0 wtime 60000 byoyomi 10000");
    let begin = gui.next_begin().await;
    assert!(decided(&begin) <= Duration::from_millis(8_880), "{begin:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_drops_parts_of_a_second_is_recognised() {
    let pause = ScriptStep::Pause(Duration::from_millis(1_500));
    let mut gui = Gui::new(vec![pause, DECIDE]);
    gui.ready_as_it_is().await;
    gui.say("position startpos");
    let mut left = 60_000;
    for number in 0..4 {
        gui.say(&format!("go btime {left} wtime 60000"));
        assert!(!gui.next_begin().await.whole_seconds, "{number}");
        gui.best_move().await;
        left -= 1_000;
    }
    gui.say(&format!("go btime {left} wtime 60000"));
    assert!(gui.next_begin().await.whole_seconds);
    gui.best_move().await;
    gui.say("setoption name MinimumThinkingTime value 2000");
    gui.say("go btime 30000 wtime 60000");
    assert_eq!(gui.next_begin().await.minimum_ms, 2_000);
}
