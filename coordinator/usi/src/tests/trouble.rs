//! What goes wrong, and the one legal move that comes all the same.

use super::{
    fake::{Seen, Step, ballot},
    gui::{Assembly, Gui},
};
use monju_engine::Game;
use std::time::Duration;
use tokio::time::Instant;

const DECIDE: Step = Step::Decide("7g7f", "");

fn assert_legal(best_move: &str) {
    let mv = best_move.split(' ').nth(1).expect("a best move");
    Game::startpos().parse_move(mv).expect("a legal move");
}

/// A session that is ready, but has no team.
async fn without_a_team() -> Gui {
    let assembly = Assembly {
        fails: Some(|_| true),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    gui.say("isready");
    gui.hear_until("readyok").await;
    gui
}

#[tokio::test(start_paused = true)]
async fn a_broken_stream_leaves_the_leading_move_or_the_time_to_find_another() {
    for (broken_after, is_late) in [(400, true), (100, false)] {
        let standing = Step::Standing(ballot(&["2g2f", "7g7f", "2g2f"]));
        let pause = Step::Pause(Duration::from_millis(broken_after));
        let mut gui = Gui::new(vec![standing, pause, Step::Break]);
        gui.ready().await;
        gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 600");
        let lines = gui.hear_until("bestmove").await;
        let error = "info string error: the coordinator failed: the cable is out";
        assert!(lines.iter().any(|line| line == error), "{lines:?}");
        let last = &lines[lines.len() - 1];
        match is_late {
            true => assert_eq!(last, "bestmove 2g2f"),
            false => {
                let searches = lines.iter().any(|line| line.starts_with("info depth"));
                assert!(searches, "{lines:?}");
                assert_legal(last);
            }
        }
        assert!(gui.wait(60).await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_hangs_is_not_waited_for_until_the_flag_falls() {
    let mut gui = Gui::new(vec![Step::Standing(ballot(&["2g2f"])), Step::Hang]);
    gui.ready().await;
    let start = Instant::now();
    gui.say("position startpos\ngo btime 600000 wtime 600000");
    assert_eq!(gui.best_move().await, "bestmove 2g2f");
    // Three times the normal time, and a second.
    assert_eq!(start.elapsed(), Duration::from_secs(46));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_before_any_vote_leaves_the_fallback_search() {
    let mut gui = Gui::new(vec![Step::Break]);
    gui.ready().await;
    gui.say("position startpos\ngo btime 600 wtime 600");
    assert_legal(&gui.best_move().await);
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_late_coordinator_does_not_lose_on_time() {
    let standing = Step::Standing(ballot(&["2g2f"]));
    let mut gui = Gui::new(vec![standing, Step::Hang]);
    gui.ready().await;
    let start = Instant::now();
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 3000");
    assert_eq!(gui.best_move().await, "bestmove 2g2f");
    assert_eq!(start.elapsed(), Duration::from_millis(2_950));
    gui.wait(1).await;
    assert!(
        gui.seen().contains(&Seen::Closed),
        "the consultation is cancelled"
    );
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_says_nothing_at_all_does_not_lose_on_time() {
    for (clock, answered) in [(1_000, 950), (100, 75)] {
        let mut gui = Gui::new(vec![Step::Hang]);
        gui.ready().await;
        let start = Instant::now();
        gui.say("position startpos");
        gui.say(&format!("go btime 0 wtime 0 byoyomi {clock}"));
        let lines = gui.hear_until("bestmove").await;
        assert_eq!(start.elapsed(), Duration::from_millis(answered));
        assert_eq!(
            lines[0],
            "info string error: the coordinator is late; deciding without it"
        );
        assert_legal(&lines[lines.len() - 1]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_ignores_stop_is_given_a_second() {
    for go in ["go infinite", "go nodes 5", "go btime 600000 wtime 600000"] {
        let standing = Step::Standing(ballot(&["2g2f"]));
        let mut gui = Gui::new(vec![standing, Step::Hang]);
        gui.ready().await;
        gui.say("position startpos");
        gui.say(go);
        gui.wait(10).await;
        let start = Instant::now();
        gui.say("stop");
        assert_eq!(gui.best_move().await, "bestmove 2g2f");
        assert_eq!(start.elapsed(), Duration::from_secs(1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_decision_that_the_rules_forbid_is_not_played() {
    for decision in ["2g2e", "win", "rubbish", ""] {
        let mut bad = ballot(&["2g2f"]);
        bad.decision = Some(monju_proto::v1::Decision {
            r#move: decision.to_owned(),
            ..Default::default()
        });
        let mut gui = Gui::new(vec![Step::Ballot(bad)]);
        gui.ready().await;
        gui.say("position startpos\ngo byoyomi 1000");
        assert_eq!(gui.best_move().await, "bestmove 2g2f", "{decision}");
    }
}

#[tokio::test(start_paused = true)]
async fn go_without_isready_loads_and_takes_the_time_off_the_clock() {
    let assembly = Assembly {
        time: Duration::from_secs(2),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    gui.say("position startpos\ngo btime 1000 wtime 5000 byoyomi 10000");
    let limits = gui.next_begin().await.limits.expect("limits");
    let clock = limits.clock.expect("a clock");
    assert_eq!((clock.black_ms, clock.byoyomi_ms), (0, 9_000));
    assert_eq!(gui.best_move().await, "bestmove 7g7f");
}

#[tokio::test(start_paused = true)]
async fn loading_may_take_half_of_the_clock() {
    let assembly = Assembly {
        time: Duration::from_secs(600),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    let start = Instant::now();
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 2050");
    let lines = gui.hear_until("bestmove").await;
    assert!(start.elapsed() < Duration::from_millis(2_050));
    assert_eq!(
        lines[0],
        "info string error: no team, one player answers alone: it is still loading"
    );
    assert_legal(&lines[lines.len() - 1]);
}

#[tokio::test(start_paused = true)]
async fn stop_while_loading_is_answered_at_once() {
    let assembly = Assembly {
        time: Duration::from_secs(600),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    let start = Instant::now();
    gui.say("position startpos\ngo infinite\nstop");
    assert_legal(&gui.best_move().await);
    assert!(start.elapsed() < Duration::from_secs(1));
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn players_that_are_slow_to_prepare_are_asked_all_the_same() {
    let assembly = Assembly {
        preparation: Duration::from_secs(20),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 2050");
    assert_eq!(gui.best_move().await, "bestmove 7g7f");
}

#[tokio::test(start_paused = true)]
async fn stop_while_the_players_prepare_reaches_the_coordinator() {
    let assembly = Assembly {
        preparation: Duration::from_secs(20),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![Step::AwaitStop, DECIDE]);
    gui.say("position startpos\ngo infinite");
    gui.wait(1).await;
    let start = Instant::now();
    gui.say("stop");
    assert_eq!(gui.best_move().await, "bestmove 7g7f");
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_hangs_in_a_ponder_costs_the_next_move_nothing() {
    let mut gui = Gui::new(vec![Step::Standing(ballot(&["2g2f"])), Step::Hang]);
    gui.ready().await;
    gui.say("position startpos\ngo ponder btime 0 wtime 0 byoyomi 1000");
    gui.wait(1).await;
    let start = Instant::now();
    gui.say("stop");
    assert_eq!(gui.best_move().await, "bestmove 2g2f");
    assert!(start.elapsed() <= Duration::from_millis(50));
}

#[tokio::test(start_paused = true)]
async fn a_team_that_was_not_there_is_tried_again_during_the_game() {
    let mut gui = without_a_team().await;
    assert_eq!(gui.assembled().len(), 1);
    gui.wait(11).await;
    assert_eq!(gui.assembled().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn players_that_never_get_prepared_do_not_hold_up_readyok_for_ever() {
    let assembly = Assembly {
        preparation: Duration::from_secs(100_000),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    gui.say("isready");
    let lines = gui.hear_until("readyok").await;
    assert!(lines[lines.len() - 2].starts_with("info string error: the players took"));
    gui.say("usinewgame\nposition startpos\ngo byoyomi 1000");
    assert_eq!(gui.best_move().await, "bestmove 7g7f");
}

#[tokio::test(start_paused = true)]
async fn players_that_will_be_missing_are_told_of_before_the_game() {
    let assembly = Assembly {
        problems: vec!["no b".to_owned(), "no c".to_owned()],
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    for _ in 0..2 {
        gui.say("isready");
        let lines = gui.hear_until("readyok").await;
        assert_eq!(lines, ["info string error: no b; no c", "readyok"]);
        gui.say("position startpos\ngo byoyomi 1000");
        assert_eq!(gui.best_move().await, "bestmove 7g7f");
    }
}

#[tokio::test(start_paused = true)]
async fn a_position_that_cannot_be_is_told_and_resigned() {
    for position in [
        "position startpos moves 7g7f 7g7f",
        "position sfen nonsense",
        "position",
    ] {
        let mut gui = Gui::new(vec![DECIDE]);
        gui.ready().await;
        gui.say(position);
        assert!(gui.hear().await.starts_with("info string error: "));
        gui.say("go byoyomi 1000");
        assert!(
            gui.hear()
                .await
                .starts_with("info string error: no position to search")
        );
        assert_eq!(gui.hear().await, "bestmove resign");
        // Held where every answer is held.
        gui.say("go infinite");
        assert!(!gui.wait(60).await.contains(&"bestmove resign".to_owned()));
        gui.say("stop");
        assert_eq!(gui.wait(1).await, ["bestmove resign"]);
        gui.say("go ponder");
        gui.wait(60).await;
        gui.say("ponderhit");
        assert_eq!(gui.wait(1).await, ["bestmove resign"]);
        // The next good position is searched.
        gui.say("position startpos\ngo byoyomi 1000");
        assert_eq!(gui.best_move().await, "bestmove 7g7f");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_inside_the_assembly_does_not_silence_the_proxy() {
    let assembly = Assembly {
        fails: Some(|_| panic!("a bug")),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    for _ in 0..2 {
        gui.say("isready");
        let lines = gui.hear_until("readyok").await;
        assert!(lines[0].starts_with("info string error: "), "{lines:?}");
        gui.say("position startpos\ngo byoyomi 1000");
        assert_legal(&gui.best_move().await);
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_team_the_fallback_player_searches_and_shows_its_lines() {
    let mut gui = without_a_team().await;
    // Neither the shortest clock nor a limit of nodes is a reason to play without a search.
    for go in ["go byoyomi 200", "go nodes 3000", "go movetime 100"] {
        gui.say("position startpos");
        gui.say(go);
        let lines = gui.hear_until("bestmove").await;
        assert!(
            lines.iter().any(|line| line.contains(" depth 2 ")),
            "{lines:?}"
        );
        assert_legal(&lines[lines.len() - 1]);
    }
}

#[tokio::test(start_paused = true)]
async fn mate_without_a_team_is_resigned() {
    let mut gui = without_a_team().await;
    gui.say("position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\ngo byoyomi 1000");
    assert_eq!(gui.best_move().await, "bestmove resign");
}

#[tokio::test(start_paused = true)]
async fn quit_in_mid_search_cancels_the_consultation() {
    let mut gui = Gui::new(vec![Step::Hang]);
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.next_begin().await;
    gui.say("quit");
    gui.wait(1).await;
    assert_eq!(gui.seen(), [Seen::Closed]);
    assert!(gui.end().await.is_empty());
}
