//! Failures, and the one legal move that follows nevertheless.

use super::{
    gui::{Assembly, Gui},
    scripted_coordinator::{Received, ScriptStep, ballot},
};
use monju_engine::Game;
use monju_proto::reservation::Reservation;
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tokio::time::Instant;

const DECIDE: ScriptStep = ScriptStep::Decide("7g7f", "");

fn assert_legal(best_move: &str) {
    let mv = best_move.split(' ').nth(1).expect("a best move");
    Game::startpos().parse_move(mv).expect("a legal move");
}

/// Starts a session that is ready, but has no team.
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
async fn after_a_broken_stream_the_leading_move_is_played_or_another_is_searched() {
    for (broken_after, is_late) in [(400, true), (100, false)] {
        let standing = ScriptStep::Standing(ballot(&["2g2f", "7g7f", "2g2f"]));
        let pause = ScriptStep::Pause(Duration::from_millis(broken_after));
        let mut gui = Gui::new(vec![standing, pause, ScriptStep::Break]);
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
async fn another_coordinator_takes_over_where_no_clock_runs() {
    for go in ["go infinite", "go nodes 1000000", "go depth 30"] {
        let others = Assembly {
            others: 1,
            ..Assembly::default()
        };
        let asked = AtomicUsize::new(0);
        let mut gui = Gui::with(others, move |_| {
            match asked.fetch_add(1, Ordering::Relaxed) {
                0 => vec![ScriptStep::Standing(ballot(&["2g2f"])), ScriptStep::Break],
                _ => vec![ScriptStep::AwaitStop, DECIDE],
            }
        });
        gui.ready().await;
        gui.say("position startpos");
        gui.say(go);
        let lines = gui.wait(1).await;
        let told = "the coordinator at another script takes over";
        assert!(lines.iter().any(|line| line.contains(told)), "{lines:?}");
        gui.say("stop");
        assert_eq!(gui.best_move().await, "bestmove 7g7f", "{go}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_only_coordinator_is_asked_once_more() {
    let asked = AtomicUsize::new(0);
    let mut gui = Gui::with(Assembly::default(), move |_| {
        match asked.fetch_add(1, Ordering::Relaxed) {
            0 => vec![ScriptStep::Standing(ballot(&["2g2f"])), ScriptStep::Break],
            _ => vec![DECIDE],
        }
    });
    gui.ready().await;
    gui.say("position startpos\ngo btime 60000 wtime 60000");
    assert!(gui.best_move().await.starts_with("bestmove 7g7f"));
}

/// A paused clock would run ahead of the search.
#[tokio::test]
async fn an_analysis_whose_only_coordinator_fails_goes_on_with_one_player() {
    let standing = ScriptStep::Standing(ballot(&["2g2f"]));
    let mut gui = Gui::new(vec![standing, ScriptStep::Break]);
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.hear_until("info depth 3 ").await;
    gui.say("stop");
    assert_legal(&gui.best_move().await);
}

#[tokio::test(start_paused = true)]
async fn a_hanging_coordinator_is_given_up_before_the_flag_falls() {
    let mut gui = Gui::new(vec![
        ScriptStep::Standing(ballot(&["2g2f"])),
        ScriptStep::Hang,
    ]);
    gui.ready().await;
    let start = Instant::now();
    gui.say("position startpos\ngo btime 600000 wtime 600000");
    assert_eq!(gui.best_move().await, "bestmove 2g2f");
    // Three times the normal time, and one second.
    assert_eq!(start.elapsed(), Duration::from_millis(41_908));
}

#[tokio::test(start_paused = true)]
async fn if_the_stream_breaks_before_any_vote_the_fallback_player_answers() {
    let mut gui = Gui::new(vec![ScriptStep::Break]);
    gui.ready().await;
    gui.say("position startpos\ngo btime 600 wtime 600");
    assert_legal(&gui.best_move().await);
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_late_coordinator_does_not_lose_on_time() {
    let standing = ScriptStep::Standing(ballot(&["2g2f"]));
    let mut gui = Gui::new(vec![standing, ScriptStep::Hang]);
    gui.ready().await;
    let start = Instant::now();
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 3000");
    assert_eq!(gui.best_move().await, "bestmove 2g2f");
    assert_eq!(start.elapsed(), Duration::from_millis(2_950));
    gui.wait(1).await;
    assert!(
        gui.received().contains(&Received::Closed),
        "the consultation is cancelled"
    );
}

#[tokio::test(start_paused = true)]
async fn a_silent_coordinator_does_not_lose_on_time() {
    for (clock, answered) in [(1_000, 950), (300, 250), (100, 74)] {
        let mut gui = Gui::new(vec![ScriptStep::Hang]);
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
        let standing = ScriptStep::Standing(ballot(&["2g2f"]));
        let mut gui = Gui::new(vec![standing, ScriptStep::Hang]);
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
        let mut gui = Gui::new(vec![ScriptStep::Ballot(bad)]);
        gui.ready().await;
        gui.say("position startpos\ngo byoyomi 1000");
        assert_eq!(gui.best_move().await, "bestmove 2g2f", "{decision}");
    }
}

#[tokio::test(start_paused = true)]
async fn go_without_isready_loads_on_the_clock() {
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
        "info string error: no team, one player answers alone: the team is still loading"
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
async fn players_that_prepare_slowly_are_asked_nevertheless() {
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
    let mut gui = Gui::with(assembly, |_| vec![ScriptStep::AwaitStop, DECIDE]);
    gui.say("position startpos\ngo infinite");
    gui.wait(1).await;
    let start = Instant::now();
    gui.say("stop");
    assert_eq!(gui.best_move().await, "bestmove 7g7f");
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_hangs_in_a_ponder_costs_the_next_move_no_time() {
    let mut gui = Gui::new(vec![
        ScriptStep::Standing(ballot(&["2g2f"])),
        ScriptStep::Hang,
    ]);
    gui.ready().await;
    gui.say("position startpos\ngo ponder btime 0 wtime 0 byoyomi 1000");
    gui.wait(1).await;
    let start = Instant::now();
    gui.say("stop");
    assert_eq!(gui.best_move().await, "bestmove 2g2f");
    assert!(start.elapsed() <= Duration::from_millis(50));
}

#[tokio::test(start_paused = true)]
async fn a_missing_team_is_tried_again_during_the_game() {
    let mut gui = without_a_team().await;
    assert_eq!(gui.assembled().len(), 1);
    gui.wait(11).await;
    assert_eq!(gui.assembled().len(), 2);
}

/// It was claimed for an hour, for a game that was over.
#[tokio::test(start_paused = true)]
async fn a_team_that_comes_back_after_the_game_is_not_prepared_for_it() {
    static TRIES: AtomicUsize = AtomicUsize::new(0);
    let players = Reservation::default();
    let assembly = Assembly {
        fails: Some(|_| TRIES.fetch_add(1, Ordering::Relaxed) == 0),
        reservation: players.clone(),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    gui.say("isready");
    gui.hear_until("readyok").await;
    gui.say("gameover lose");
    gui.wait(11).await;
    assert_eq!(gui.assembled().len(), 2);
    assert_eq!(players.held(), None);
    // The next game has it.
    gui.say("usinewgame\nposition startpos\ngo btime 0 wtime 0 byoyomi 1000");
    assert_eq!(gui.best_move().await, "bestmove 7g7f");
    assert!(players.held().is_some());
}

#[tokio::test(start_paused = true)]
async fn players_that_never_prepare_do_not_delay_readyok_forever() {
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
async fn missing_players_are_reported_before_the_game() {
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
async fn an_impossible_position_is_reported_and_resigned() {
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
        // The resignation is held back like any other answer.
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
async fn a_panic_during_assembly_does_not_silence_the_proxy() {
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
    // Even a short clock and a limit of nodes leave time for a search.
    for go in ["go byoyomi 200", "go nodes 3000", "go movetime 100"] {
        gui.say("position startpos");
        gui.say(go);
        let lines = gui.hear_until("bestmove").await;
        assert!(
            lines.iter().any(|line| line.starts_with("info depth ")),
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
    let mut gui = Gui::new(vec![ScriptStep::Hang]);
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.next_begin().await;
    gui.say("quit");
    gui.wait(1).await;
    assert_eq!(gui.received(), [Received::Closed]);
    assert!(gui.end().await.is_empty());
}
