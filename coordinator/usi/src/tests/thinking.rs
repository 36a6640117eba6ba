//! `go` and what ends it.

use super::{
    gui::{Assembly, Gui},
    scripted_coordinator::{Received, ScriptStep, ballot},
};
use monju_proto::v1::{GameOutcome, Limits, Position};
use std::time::Duration;
use tokio::time::advance;

/// A position with checks that lead to millions of positions, before a move.
const LONG_CHECKS: &str =
    "1nS1k1Gnl/4+L2g1/3p1s1pp/2psppp2/1p7/2PP1PP1P/+BPS+n5/K1gL3+r1/3R4+b w GNL3Pp 118";

const DECIDE: ScriptStep = ScriptStep::Decide("7g7f", "3c3d");

fn is_stop(received: &Received) -> bool {
    *received == Received::Stop
}

#[tokio::test(start_paused = true)]
async fn standings_become_lines_and_the_verdict_comes_before_the_move() {
    let mut gui = Gui::new(vec![
        ScriptStep::Standing(ballot(&["2g2f", "7g7f", "2g2f"])),
        ScriptStep::Pause(Duration::from_millis(500)),
        DECIDE,
    ]);
    gui.ready().await;
    gui.say("position startpos\ngo byoyomi 1000");
    let lines = gui.hear_until("bestmove").await;
    assert!(lines[0].contains("multipv 1 pv 2g2f"), "{lines:?}");
    assert!(lines[1].contains("multipv 2 pv 7g7f"), "{lines:?}");
    assert_eq!(lines[2], "info string share of votes: 2g2f 67%, 7g7f 33%");
    assert!(lines[3].contains("time 500 multipv 1 pv 7g7f"), "{lines:?}");
    assert_eq!(
        lines[4..],
        [
            "info string votes 7g7f=1 (monju-1) decision 7g7f rule majority",
            "bestmove 7g7f ponder 3c3d"
        ]
    );
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn shares_are_shown_when_they_change() {
    let standing = |moves: &[&str]| ScriptStep::Standing(ballot(moves));
    let mut gui = Gui::new(vec![
        standing(&["2g2f", "7g7f"]),
        standing(&["2g2f", "7g7f"]),
        standing(&["7g7f", "7g7f"]),
        DECIDE,
    ]);
    gui.ready().await;
    gui.say("position startpos\ngo byoyomi 1000");
    let lines = gui.hear_until("bestmove").await;
    let shares: Vec<&String> = lines
        .iter()
        .filter(|line| line.contains("share of votes"))
        .collect();
    assert_eq!(
        shares,
        [
            "info string share of votes: 2g2f 50%, 7g7f 50%",
            "info string share of votes: 7g7f 100%"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_players_rank_as_many_moves_as_the_gui_asks_for() {
    let mut gui = Gui::new(vec![DECIDE]);
    gui.say("setoption name MultiPV value 4");
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    let begin = gui.next_begin().await;
    assert_eq!(begin.limits.and_then(|limits| limits.multi_pv), Some(4));
}

#[tokio::test(start_paused = true)]
async fn the_coordinator_gets_the_whole_history_and_the_limits() {
    let mut gui = Gui::new(vec![DECIDE]);
    gui.say("setoption name Rule value majority");
    gui.ready().await;
    gui.say("position startpos moves 2g2f 8c8d\ngo nodes 500 depth 4 movetime 900 xyz");
    let begin = gui.next_begin().await;
    assert_eq!(
        begin.position,
        Some(Position {
            start: "startpos".to_owned(),
            moves: vec!["2g2f".to_owned(), "8c8d".to_owned()],
            ..Position::default()
        })
    );
    assert_eq!(begin.rule, "majority");
    assert_eq!(
        begin.limits,
        Some(Limits {
            nodes: Some(500),
            depth: Some(4),
            time_ms: Some(900),
            ..Limits::default()
        })
    );
}

#[tokio::test(start_paused = true)]
async fn infinite_is_answered_only_after_stop() {
    for go in ["go infinite", "go", "go infinite btime 10 wtime 10"] {
        let mut gui = Gui::new(vec![DECIDE]);
        gui.ready().await;
        gui.say("position startpos");
        gui.say(go);
        let lines = gui.wait(3_600).await;
        assert!(
            lines.iter().all(|line| line.starts_with("info ")),
            "{lines:?}"
        );
        gui.say("ponderhit");
        assert!(gui.wait(3_600).await.is_empty());
        gui.say("stop");
        assert_eq!(gui.wait(1).await, ["bestmove 7g7f ponder 3c3d"]);
    }
}

#[tokio::test(start_paused = true)]
async fn stop_is_passed_on_once() {
    let mut gui = Gui::new(vec![ScriptStep::AwaitStop, DECIDE]);
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.next_begin().await;
    gui.say("stop\nstop\ngameover draw");
    gui.best_move().await;
    assert!(gui.wait(60).await.is_empty());
    assert_eq!(gui.received().into_iter().filter(is_stop).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stop_right_behind_go_is_not_lost() {
    let mut gui = Gui::new(vec![ScriptStep::AwaitStop, DECIDE]);
    gui.ready().await;
    gui.say("position startpos\ngo btime 60000 wtime 60000\nstop");
    assert!(gui.best_move().await.starts_with("bestmove "));
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn stop_and_gameover_without_a_search_are_ignored() {
    let mut gui = Gui::new(vec![DECIDE]);
    gui.ready().await;
    gui.say("stop\ngameover win\nponderhit");
    gui.say("position startpos\ngo byoyomi 1000");
    gui.best_move().await;
    gui.say("stop\ngameover lose\nponderhit");
    assert!(gui.wait(60).await.is_empty());
    assert_eq!(gui.received().into_iter().filter(is_stop).count(), 0);
}

/// GUIs end a match in this way: the result, and `quit` right after it.
#[tokio::test(start_paused = true)]
async fn a_result_is_recorded_although_quit_follows_at_once() {
    for ending in ["gameover win", "stop\ngameover win"] {
        let mut gui = Gui::new(vec![ScriptStep::AwaitStop, DECIDE]);
        gui.ready().await;
        gui.say("position startpos\ngo btime 60000 wtime 60000");
        gui.next_begin().await;
        gui.say(ending);
        gui.say("quit");
        gui.ended().await;
        let told =
            |received: &Received| matches!(received, Received::Finish(_, GameOutcome::BlackWon));
        assert!(gui.received().iter().any(told), "{ending}");
    }
}

#[tokio::test(start_paused = true)]
async fn gameover_alone_ends_the_search_with_its_one_move() {
    let mut gui = Gui::new(vec![ScriptStep::AwaitStop, DECIDE]);
    gui.ready().await;
    gui.say("position startpos\ngo btime 60000 wtime 60000");
    gui.next_begin().await;
    gui.say("gameover lose");
    assert_eq!(gui.best_move().await, "bestmove 7g7f ponder 3c3d");
    assert!(gui.wait(60).await.is_empty());
    // The engine played Black, and lost.
    let mut received = gui.received().into_iter();
    let finished = received.find_map(|received| match received {
        Received::Finish(_, outcome) => Some(outcome),
        _ => None,
    });
    assert_eq!(finished, Some(GameOutcome::WhiteWon));
}

#[tokio::test(start_paused = true)]
async fn a_new_go_ends_the_old_one_first() {
    let mut gui = Gui::with(Assembly::default(), |begin| {
        match begin
            .position
            .as_ref()
            .map_or(0, |position| position.moves.len())
        {
            0 => vec![ScriptStep::AwaitStop, DECIDE],
            _ => vec![ScriptStep::Decide("8c8d", "")],
        }
    });
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.next_begin().await;
    gui.say("position startpos moves 2g2f\ngo btime 1000 wtime 1000");
    assert_eq!(gui.best_move().await, "bestmove 7g7f ponder 3c3d");
    assert_eq!(gui.best_move().await, "bestmove 8c8d");
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn commands_behind_an_ending_search_keep_their_order() {
    let mut gui = Gui::new(vec![ScriptStep::AwaitStop, DECIDE]);
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.next_begin().await;
    gui.say("position startpos\ngo infinite\nstop\nusinewgame\nposition startpos\ngo infinite");
    assert!(gui.best_move().await.starts_with("bestmove "));
    assert!(gui.best_move().await.starts_with("bestmove "));
    assert!(gui.wait(60).await.is_empty());
    gui.say("stop");
    gui.best_move().await;
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn isready_during_a_search_does_not_disturb_it() {
    let mut gui = Gui::new(vec![ScriptStep::AwaitStop, DECIDE]);
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.next_begin().await;
    gui.say("setoption name Players value 9\nisready");
    assert_eq!(gui.wait(60).await, ["readyok"]);
    assert_eq!(gui.received(), []);
    assert_eq!(gui.assembled().len(), 1);
    gui.say("stop");
    gui.best_move().await;
}

#[tokio::test(start_paused = true)]
async fn go_mate_is_never_answered_by_bestmove() {
    let mut gui = Gui::new(vec![ScriptStep::AwaitStop, DECIDE]);
    gui.ready().await;
    let mate = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    for go in ["go mate 5000", "go mate infinite"] {
        for (position, answer) in [("startpos", "checkmate nomate"), (mate, "checkmate G*5b")] {
            gui.say(&format!("position {position}"));
            gui.say(go);
            assert_eq!(gui.hear().await, answer);
            gui.say("stop");
            assert!(gui.wait(60).await.is_empty());
        }
    }
    gui.say("position startpos\ngo infinite");
    gui.next_begin().await;
    gui.say("go mate infinite");
    gui.best_move().await;
    assert_eq!(gui.wait(60).await, ["checkmate nomate"]);
    gui.say("position startpos moves 7g7g\ngo mate 100");
    let lines = gui.wait(60).await;
    assert_eq!(
        lines.last().map(String::as_str),
        Some("checkmate notimplemented"),
        "{lines:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_search_for_a_mate_ends_with_its_time_or_a_stop() {
    let mut gui = Gui::new(vec![]);
    gui.ready().await;
    gui.say(&format!("position sfen {LONG_CHECKS} moves 4c5b"));
    gui.say("go mate infinite");
    gui.say("stop");
    assert_eq!(gui.hear().await, "checkmate timeout");
    gui.say("go mate 0");
    assert_eq!(gui.hear().await, "checkmate timeout");
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_long_search_for_a_mate_tells_its_progress() {
    let mut gui = Gui::new(vec![]);
    gui.ready().await;
    gui.say(&format!("position sfen {LONG_CHECKS} moves 4c5b"));
    gui.say("go mate infinite");
    let line = loop {
        // The clock stands still for the search itself, whose first positions take a moment.
        advance(Duration::from_secs(1)).await;
        if let Some(line) = gui.wait(0).await.pop() {
            break line;
        }
    };
    assert!(
        line.starts_with("info nodes ") && line.contains(" nps ") && line.contains(" time "),
        "{line}"
    );
    gui.say("stop");
    let lines = gui.hear_until("checkmate").await;
    assert_eq!(lines.last().map(String::as_str), Some("checkmate timeout"));
}

#[tokio::test(start_paused = true)]
async fn an_analysis_tells_at_once_what_the_rules_decide() {
    let mated = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    let declarable = "sfen 1+R1K1G+R2/GSGSG+B+B2/PPPP5/9/9/9/9/9/4k4 b - 1";
    for (position, score, words) in [
        (mated, "info depth 0 score mate -", "info string mate"),
        (
            declarable,
            "info depth 0 score mate +",
            "info string won by an entering king",
        ),
    ] {
        let mut gui = Gui::new(vec![ScriptStep::AwaitStop, DECIDE]);
        gui.ready().await;
        gui.say(&format!("position {position}\ngo infinite"));
        assert_eq!(gui.hear().await, score);
        assert_eq!(gui.hear().await, words);
        gui.say("stop");
        assert!(gui.best_move().await.starts_with("bestmove "));
    }
}

#[tokio::test(start_paused = true)]
async fn wins_and_resignations_are_passed_on() {
    let declarable = "sfen 4K4/9/9/9/9/9/+r+bgggg+b+r1/ssssk4/9 w - 1";
    for (position, decision) in [(declarable, "win"), ("startpos", "resign")] {
        let mut gui = Gui::new(vec![ScriptStep::Decide(decision, "")]);
        gui.ready().await;
        gui.say(&format!("position {position}\ngo byoyomi 1000"));
        assert_eq!(gui.best_move().await, format!("bestmove {decision}"));
    }
}

#[tokio::test(start_paused = true)]
async fn an_illegal_ponder_move_is_left_out() {
    for ponder in ["7g7f", "rubbish", "resign"] {
        let mut gui = Gui::new(vec![ScriptStep::Decide("7g7f", ponder)]);
        gui.ready().await;
        gui.say("position startpos\ngo byoyomi 1000");
        assert_eq!(gui.best_move().await, "bestmove 7g7f");
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_lines_do_not_disturb_a_search() {
    let mut gui = Gui::new(vec![DECIDE]);
    gui.ready().await;
    gui.say("debug on\nregister later\nhelp\n\nposition startpos\ngo byoyomi 1000\nd");
    assert_eq!(gui.best_move().await, "bestmove 7g7f ponder 3c3d");
    assert!(gui.wait(60).await.is_empty());
}
