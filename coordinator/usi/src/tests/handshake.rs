//! From `usi` to `readyok`, and from game to game.

use super::{
    gui::{Assembly, Gui},
    scripted_coordinator::{Received, ScriptStep},
};
use monju_team::team::Choices;
use std::time::Duration;

const DECIDE: ScriptStep = ScriptStep::Decide("7g7f", "");

fn loading(seconds: u64) -> Assembly {
    Assembly {
        time: Duration::from_secs(seconds),
        ..Assembly::default()
    }
}

#[tokio::test(start_paused = true)]
async fn usi_is_answered_before_anything_is_loaded() {
    let mut gui = Gui::with(loading(60), |_| vec![DECIDE]);
    gui.say("usi");
    let lines = gui.hear_until("usiok").await;
    assert!(lines[0].starts_with("id name Monju "), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    let options = &lines[2..lines.len() - 1];
    assert!(options.iter().all(|line| line.starts_with("option name ")));
    assert!(gui.wait(30).await.is_empty());
    assert!(gui.assembled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn usi_is_answered_while_loading() {
    let mut gui = Gui::with(loading(60), |_| vec![DECIDE]);
    gui.say("isready\nusi");
    assert_eq!(
        gui.hear_until("usiok").await.last().expect("a line"),
        "usiok"
    );
}

#[tokio::test(start_paused = true)]
async fn loading_keeps_the_gui_patient_with_empty_lines() {
    let mut gui = Gui::with(loading(12), |_| vec![DECIDE]);
    gui.say("isready");
    assert_eq!(gui.hear_until("readyok").await, ["", "", "readyok"]);
    assert!(gui.wait(60).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn usinewgame_position_and_go_come_back_to_back() {
    let mut gui = Gui::new(vec![DECIDE]);
    gui.say("isready");
    gui.hear_until("readyok").await;
    gui.say("usinewgame\nposition startpos\ngo byoyomi 1000");
    let begin = gui.next_begin().await;
    assert_eq!(gui.best_move().await, "bestmove 7g7f");
    // The players had been prepared for this game once, at isready.
    assert_eq!(gui.received(), [Received::Closed]);
    assert!(begin.game_id.starts_with("usi-"), "{begin:?}");
}

#[tokio::test(start_paused = true)]
async fn the_players_are_prepared_once_for_each_game() {
    let mut gui = Gui::new(vec![DECIDE]);
    let mut ids = Vec::new();
    for with_isready in [true, true, false] {
        if with_isready {
            gui.say("isready");
            gui.hear_until("readyok").await;
        }
        gui.say("usinewgame");
        gui.say("position startpos\ngo byoyomi 1000");
        gui.best_move().await;
        let received = gui.received();
        let [Received::Prepare(prepared), Received::Begin(begin), ..] = &received[..] else {
            panic!("{received:?}");
        };
        assert_eq!(*prepared, begin.game_id);
        ids.push(begin.game_id.clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
    assert_eq!(gui.assembled().len(), 1, "no restart between games");
}

#[tokio::test(start_paused = true)]
async fn options_set_between_games_take_effect_at_isready() {
    let base = Choices {
        players: Some(3),
        ..Choices::default()
    };
    let assembly = Assembly {
        choices: base.clone(),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    gui.ready().await;
    assert_eq!(gui.assembled(), std::slice::from_ref(&base));
    // Defaults sent back and unknown options change nothing.
    gui.say("setoption name Players value 0\nsetoption name MultiPV value 8");
    gui.say("setoption name USI_Ponder value true\nisready");
    gui.hear_until("readyok").await;
    assert!(gui.assembled().is_empty());
    gui.say("setoption name Players value 7");
    gui.wait(1).await;
    assert!(gui.assembled().is_empty());
    gui.say("isready");
    gui.hear_until("readyok").await;
    let expected = Choices {
        players: Some(7),
        ..base
    };
    assert_eq!(gui.assembled(), [expected]);
    assert_eq!(gui.closed_teams(), 1, "the old team goes");
}

#[tokio::test(start_paused = true)]
async fn options_take_effect_although_the_last_search_is_still_ending() {
    let mut gui = Gui::new(vec![
        ScriptStep::AwaitStop,
        ScriptStep::Pause(Duration::from_millis(300)),
        DECIDE,
    ]);
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.next_begin().await;
    gui.assembled();
    gui.say("gameover win\nsetoption name Players value 7\nisready");
    assert_eq!(gui.best_move().await, "bestmove 7g7f");
    assert_eq!(gui.hear().await, "readyok");
    assert_eq!(gui.assembled().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_team_that_was_lost_between_games_is_assembled_again() {
    let assembly = Assembly {
        lost_at: Some(1),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    for teams in [1, 1] {
        gui.say("isready");
        assert_eq!(gui.hear_until("readyok").await, ["readyok"]);
        assert_eq!(gui.assembled().len(), teams);
        gui.say("usinewgame\nposition startpos\ngo byoyomi 1000");
        assert_eq!(gui.best_move().await, "bestmove 7g7f");
    }
    assert_eq!(gui.closed_teams(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_bad_option_value_is_reported_in_one_line() {
    let mut gui = Gui::new(vec![DECIDE]);
    gui.say("setoption name Players value many\nisready");
    let lines = gui.hear_until("readyok").await;
    assert_eq!(lines.len(), 2);
    assert_eq!(
        lines[0],
        "info string error: option Players must be a whole number from 0 to 256, not 'many'"
    );
}

#[tokio::test(start_paused = true)]
async fn a_team_that_cannot_be_assembled_still_gets_readyok() {
    let assembly = Assembly {
        fails: Some(|choices| choices.coordinator.is_none()),
        ..Assembly::default()
    };
    let mut gui = Gui::with(assembly, |_| vec![DECIDE]);
    gui.say("isready");
    assert_eq!(
        gui.hear_until("readyok").await,
        [
            "info string error: no coordinator at example: not connected yet; start one with 'monju \
             coordinator', or correct the address",
            "readyok"
        ]
    );
    gui.say("usinewgame\nposition startpos\ngo btime 1000 wtime 1000");
    assert!(gui.best_move().await.starts_with("bestmove "));
    assert_eq!(
        gui.assembled().len(),
        1,
        "no second try on the game's clock"
    );
    gui.say("isready");
    gui.hear_until("readyok").await;
    assert_eq!(gui.assembled().len(), 1, "isready tries again");
    gui.say("setoption name Coordinator value http://127.0.0.1:7\nisready");
    assert_eq!(gui.hear_until("readyok").await, ["readyok"]);
    gui.say("usinewgame\nposition startpos\ngo byoyomi 1000");
    assert_eq!(gui.best_move().await, "bestmove 7g7f");
}

#[tokio::test(start_paused = true)]
async fn every_isready_gets_its_readyok() {
    let mut gui = Gui::with(loading(1), |_| vec![DECIDE]);
    gui.say("isready\nisready");
    let lines = gui.wait(60).await;
    assert_eq!(lines, ["readyok", "readyok"]);
}

#[tokio::test(start_paused = true)]
async fn a_chosen_seed_makes_games_repeatable() {
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let mut gui = Gui::new(vec![DECIDE]);
        gui.say("setoption name Seed value 42");
        let mut seeds = Vec::new();
        for _ in 0..2 {
            gui.ready().await;
            gui.say("position startpos\ngo byoyomi 1000");
            seeds.push(gui.next_begin().await.seed);
            gui.best_move().await;
        }
        assert_ne!(seeds[0], seeds[1]);
        sessions.push(seeds);
    }
    assert_eq!(sessions[0], sessions[1]);
}

#[tokio::test(start_paused = true)]
async fn quit_is_obeyed_at_any_moment() {
    for before in [
        "",
        "usi",
        "isready",
        "isready\nposition startpos\ngo infinite",
    ] {
        let gui = Gui::with(loading(60), |_| vec![ScriptStep::Hang]);
        gui.say(before);
        gui.say("quit");
        let lines = gui.end().await;
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_input_is_quit() {
    let mut gui = Gui::new(vec![ScriptStep::Hang]);
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.next_begin().await;
    gui.hang_up();
    gui.wait(1).await;
    assert_eq!(gui.closed_teams(), 1, "the team ends with the session");
    gui.end().await;
}

#[tokio::test(start_paused = true)]
async fn rules_that_are_set_after_the_position_hold_for_the_search() {
    let mut gui = Gui::new(vec![DECIDE]);
    gui.ready().await;
    gui.say("position startpos\nsetoption name MaxMovesToDraw value 320");
    gui.say("setoption name DrawValueBlack value -150\ngo byoyomi 1000");
    let position = gui.next_begin().await.position.expect("a position");
    let rules = (position.maximum_plies, position.draw_value_black);
    assert_eq!(rules, (320, -150));
    gui.best_move().await;
}
