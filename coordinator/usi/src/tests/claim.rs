//! The claim of a session on its players.

use super::{
    gui::{Assembly, Gui},
    scripted_coordinator::{ScriptStep, decided},
};
use monju_proto::{
    reservation::{Reservation, Session},
    v1::Purpose,
};
use std::time::Duration;

/// Longer than the test.
const LEASE: Duration = Duration::from_secs(5 * 60);

fn gui(reservation: &Reservation, steps: &'static [ScriptStep]) -> Gui {
    let assembly = Assembly {
        reservation: reservation.clone(),
        ..Assembly::default()
    };
    Gui::with(assembly, |_| steps.to_vec())
}

/// Lets another session hold the players.
fn held_by_another(players: &Reservation) -> Session {
    let other = Session::new("another GUI");
    let claim = other.claim(Purpose::Game, LEASE);
    drop(players.enter(Some(&claim), None).expect("free"));
    other
}

/// Begins a game, and lets another session get its players. Returns the GUI, its session and the other one.
async fn game_that_lost(players: &Reservation) -> (Gui, String, Session) {
    let mut gui = gui(players, &[ScriptStep::Decide("7g7f", "")]);
    gui.ready().await;
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
    gui.best_move().await;
    let own = players.claim().expect("held").session;
    players.refuse(&own);
    let other = held_by_another(players);
    players.confirm(other.id());
    (gui, own, other)
}

#[tokio::test(start_paused = true)]
async fn a_game_holds_its_players_until_it_is_over() {
    let players = Reservation::default();
    let mut gui = gui(&players, &[ScriptStep::Decide("7g7f", "")]);
    gui.ready().await;
    gui.wait(600).await;
    assert!(players.held().is_some(), "the opponent moves first");
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
    gui.best_move().await;
    gui.wait(600).await;
    let held = players.held().expect("the opponent thinks").to_string();
    assert!(
        held.contains("monju usi") && held.contains("a game"),
        "{held}"
    );
    gui.say("gameover win");
    gui.wait(1).await;
    assert_eq!(players.held(), None);
    // A game that was given up without a word.
    gui.say("usinewgame\nposition startpos\ngo btime 0 wtime 0 byoyomi 1000");
    gui.best_move().await;
    assert!(players.held().is_some());
    gui.wait(2 * 60 * 60).await;
    assert_eq!(players.held(), None);
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
    gui.best_move().await;
    assert!(players.held().is_some());
    gui.say("quit");
    gui.ended().await;
    assert_eq!(players.held(), None);
}

/// A release that followed the preparation of the next game left the team to whoever asked.
#[tokio::test(start_paused = true)]
async fn the_next_game_keeps_the_players_of_the_last_one() {
    let players = Reservation::default();
    let mut gui = gui(&players, &[ScriptStep::Decide("7g7f", "")]);
    gui.ready().await;
    for _ in 0..3 {
        gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
        gui.best_move().await;
        gui.say("gameover win\nisready\nusinewgame");
        gui.hear_until("readyok").await;
        for _ in 0..3 {
            assert!(players.held().is_some(), "the opponent moves first");
            gui.wait(1).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_that_ends_before_its_first_move_frees_the_players() {
    let players = Reservation::default();
    let mut gui = gui(&players, &[ScriptStep::Decide("7g7f", "")]);
    for ending in ["gameover win", "gameover"] {
        gui.say("isready\nusinewgame");
        gui.hear_until("readyok").await;
        assert!(players.held().is_some(), "{ending}");
        gui.say(ending);
        gui.wait(1).await;
        assert_eq!(players.held(), None, "{ending}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_gui_claims_the_players_only_with_its_next_search() {
    let players = Reservation::default();
    let other = held_by_another(&players);
    let mut gui = gui(&players, &[ScriptStep::Decide("7g7f", "")]);
    gui.ready().await;
    players.release(other.id());
    gui.wait(10).await;
    assert_eq!(players.held(), None);
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
    gui.best_move().await;
    assert!(players.held().is_some());
}

/// A game that a coordinator refused once, which others had been first to ask, gave up its players for good.
#[tokio::test(start_paused = true)]
async fn a_game_that_has_begun_claims_its_players_until_it_has_them_again() {
    let players = Reservation::of_workers();
    let (mut gui, own, other) = game_that_lost(&players).await;
    gui.wait(10).await;
    assert_ne!(players.claim().expect("held").session, own);
    players.release(other.id());
    gui.wait(2).await;
    assert_eq!(players.claim().expect("held").session, own);
}

/// A game that was given up without a word took the team between two games of those who had got it meanwhile.
#[tokio::test(start_paused = true)]
async fn a_game_whose_players_another_one_keeps_claims_them_only_with_its_next_search() {
    let players = Reservation::of_workers();
    let (mut gui, own, other) = game_that_lost(&players).await;
    gui.wait(40).await;
    players.release(other.id());
    gui.wait(10).await;
    assert_eq!(players.held(), None);
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
    gui.best_move().await;
    assert_eq!(players.claim().expect("held").session, own);
}

/// A coordinator lets a session in whose players another one holds through another coordinator.
#[tokio::test(start_paused = true)]
async fn a_gui_whose_players_all_refuse_it_claims_them_only_with_its_next_search() {
    let players = Reservation::default();
    let assembly = Assembly {
        reservation: players.clone(),
        ..Assembly::default()
    };
    let elsewhere = Reservation::default();
    held_by_another(&elsewhere);
    let mut refused = decided("7g7f", "");
    refused.votes[0].line = None;
    refused.votes[0].failure = elsewhere.held().expect("held").to_string();
    let mut gui = Gui::with(assembly, move |_| vec![ScriptStep::Ballot(refused.clone())]);
    gui.ready().await;
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
    gui.best_move().await;
    gui.wait(10).await;
    assert_eq!(players.held(), None);
}

#[tokio::test(start_paused = true)]
async fn an_analysis_holds_its_players_only_while_it_thinks() {
    let players = Reservation::default();
    let script = &[ScriptStep::AwaitStop, ScriptStep::Decide("7g7f", "")];
    let mut gui = gui(&players, script);
    gui.ready().await;
    gui.say("position startpos\ngo infinite");
    gui.wait(600).await;
    let held = players.held().expect("it thinks").to_string();
    assert!(held.contains("an analysis"), "{held}");
    gui.say("stop");
    gui.best_move().await;
    gui.wait(10).await;
    assert_eq!(players.held(), None);
}

#[tokio::test(start_paused = true)]
async fn the_gui_is_told_who_holds_the_players_and_gets_its_move_nevertheless() {
    let players = Reservation::default();
    let other = held_by_another(&players);
    let mut gui = gui(&players, &[ScriptStep::Decide("7g7f", "")]);
    gui.say("usi\nisready");
    let told = |lines: &[String]| {
        let names = |line: &&String| line.contains("held by another GUI");
        assert_eq!(lines.iter().filter(names).count(), 1, "{lines:?}");
    };
    told(&gui.hear_until("readyok").await);
    gui.say("usinewgame\nposition startpos\ngo btime 0 wtime 0 byoyomi 100");
    told(&gui.hear_until("bestmove").await);
    // As soon as they are free, the next move is the team's.
    players.release(other.id());
    gui.say("position startpos\ngo btime 0 wtime 0 byoyomi 1000");
    let lines = gui.hear_until("bestmove").await;
    assert_eq!(lines[lines.len() - 1], "bestmove 7g7f", "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("votes")), "{lines:?}");
}
