//! `monju engine`, as GUIs and match programs drive it.

use monju_engine::{Color, Game};
use monju_tests::{
    alone,
    command::complaint_of,
    data::{assert_legal, opening},
    pulse::judge,
    skip::skipped,
    usi::Usi,
};
use std::time::Duration;

#[test]
fn the_handshake_declares_one_player() {
    let mut usi = Usi::start_engine(&[]);
    let lines = usi.handshake();
    for name in [
        "USI_Hash",
        "USI_Ponder",
        "Threads",
        "Sigma",
        "Seed",
        "MoveOverhead",
    ] {
        let declared = format!("option name {name} type ");
        assert!(
            lines.iter().any(|line| line.starts_with(&declared)),
            "{lines:#?}"
        );
    }
    let team = lines.iter().find(|line| line.contains("Players"));
    assert_eq!(team, None, "there is no team");
    assert!(usi.quit().status.success());
}

#[test]
fn equal_nodes_are_equal_searches_after_a_new_game() {
    let _alone = alone();
    let mut usi = Usi::start_engine(&["--sigma", "50", "--seed", "7", "--hash", "16"]);
    usi.handshake();
    let position = opening(30);
    let mut searches = Vec::new();
    for _ in 0..2 {
        usi.new_game();
        let answer = usi.think(&position, "go nodes 30000");
        assert_legal(&position, &answer.bestmove);
        let last = answer.lines.last().expect("an info line").clone();
        assert!(last.contains(" nodes 30000 "), "{last}");
        let pvs: Vec<String> = answer
            .lines
            .iter()
            .filter_map(|line| line.split_once(" pv ").map(|(_, pv)| pv.to_owned()))
            .collect();
        searches.push((answer.bestmove, answer.ponder, pvs));
    }
    assert_eq!(searches[0], searches[1]);
    assert!(usi.quit().status.success());
}

/// Beside the table a search needs some 20 MiB, most of it for histories.
#[test]
fn memory_is_what_usi_hash_says_and_little_more() {
    let _alone = alone();
    let mut usi = Usi::start_engine(&[]);
    usi.handshake();
    let mut taken = Vec::new();
    for (hash, threads) in [(64, 1), (192, 2), (64, 1)] {
        usi.send(&format!("setoption name USI_Hash value {hash}"));
        usi.send(&format!("setoption name Threads value {threads}"));
        usi.new_game();
        usi.think(&opening(10), "go nodes 200000");
        if let Some(kib) = usi.memory_kib() {
            taken.push((hash, kib / 1024));
        }
    }
    match cfg!(target_os = "linux") {
        true => assert_eq!(taken.len(), 3, "{taken:?}"),
        false => skipped("the memory of an engine: this system does not tell it"),
    }
    for (hash, mib) in taken {
        assert!((hash..hash + 32).contains(&mib), "{mib} of {hash}");
    }
    assert!(usi.quit().status.success());
}

#[test]
fn the_clock_is_kept() {
    let _alone = alone();
    let mut usi = Usi::start_engine(&[]);
    usi.handshake();
    usi.new_game();
    let mut position = opening(31);
    for (go, limit) in [
        ("go btime 0 wtime 0 byoyomi 500", 500),
        ("go btime 0 wtime 0 binc 500 winc 500", 500),
        ("go btime 600 wtime 600", 600),
        ("go movetime 100", 500),
    ] {
        let mut played = String::new();
        judge(go, || {
            let answer = usi.think(&position, go);
            assert_legal(&position, &answer.bestmove);
            answer.in_time(Duration::from_millis(limit))?;
            played = answer.bestmove;
            Ok(())
        });
        if !played.is_empty() {
            position = format!("{position} {played}");
        }
    }
    assert!(usi.quit().status.success());
}

#[test]
fn a_game_on_a_clock_is_played_without_a_loss_on_time() {
    let _alone = alone();
    let mut usi = Usi::start_engine(&[]);
    usi.handshake();
    usi.new_game();
    let mut position = opening(33);
    let byoyomi = Duration::from_millis(200);
    // Of the side to move first.
    let mut clocks = [Duration::from_secs(2); 2];
    let game = |position: &str| Game::from_usi(position).expect("a game");
    let first_is_black = game(&position).position().side_to_move() == Color::Black;
    for ply in 0..40 {
        if game(&position).legal_moves().is_empty() {
            break;
        }
        let [first, second] = clocks.map(|clock| clock.as_millis());
        let (black, white) = if first_is_black {
            (first, second)
        } else {
            (second, first)
        };
        let go = format!(
            "go btime {black} wtime {white} byoyomi {}",
            byoyomi.as_millis()
        );
        let clock = &mut clocks[ply % 2];
        let limit = *clock + byoyomi;
        let mut played = None;
        judge(&go, || {
            let answer = usi.think(&position, &go);
            assert_legal(&position, &answer.bestmove);
            answer.in_time(limit)?;
            played = Some(answer);
            Ok(())
        });
        let Some(answer) = played else {
            return;
        };
        *clock = clock.saturating_sub(answer.elapsed);
        position = format!("{position} {}", answer.bestmove);
    }
    assert!(usi.quit().status.success());
}

#[test]
fn stop_is_answered_and_a_pondered_move_is_held() {
    let _alone = alone();
    let mut usi = Usi::start_engine(&["--hash", "16"]);
    usi.handshake();
    usi.new_game();
    let position = opening(32);
    for (go, release) in [
        ("go infinite", "stop"),
        ("go ponder btime 0 wtime 0 byoyomi 200", "ponderhit"),
        ("go ponder", "ponderhit btime 0 wtime 0 byoyomi 200"),
        ("go ponder nodes 100", "ponderhit"),
        ("go ponder btime 0 wtime 0 byoyomi 200", "stop"),
        ("go ponder", "gameover lose"),
    ] {
        usi.begin(&position, go);
        usi.expect_silence(Duration::from_millis(400));
        let asked = usi.ask(release);
        assert_legal(&position, &usi.answer(asked).bestmove);
    }
    usi.expect_silence(Duration::from_millis(100));
    assert!(usi.quit().status.success());
}

#[test]
fn quit_ends_it_in_mid_search() {
    let _alone = alone();
    let mut usi = Usi::start_engine(&["--hash", "16"]);
    usi.handshake();
    usi.begin(&opening(33), "go infinite");
    usi.expect_silence(Duration::from_millis(200));
    assert!(usi.quit().status.success());
}

#[test]
fn noise_that_does_not_exist_is_refused_in_one_line() {
    let line = complaint_of(&["engine", "--sigma", "-5"]);
    assert!(line.contains("sigma") && line.contains("-5"), "{line}");
}
