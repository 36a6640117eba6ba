//! `monju usi`, as GUIs drive it.

use monju_tests::{
    alone,
    binary::monju,
    data::{assert_legal, data, opening},
    process::{PATIENCE, Process},
    pulse::judge,
    usi::Usi,
};
use std::time::Duration;
#[cfg(target_os = "linux")]
use {rustix::process::Signal, std::path::Path};

/// A team of weak players: these tests look at the conversation, not at the strength.
const SMALL_TEAM: [&str; 2] = [
    "--config",
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/small-team.toml"
    ),
];

/// White is mated: gold on 5b, guarded by the pawn on 5c.
const MATED: &str = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";

#[test]
fn the_handshake_is_what_every_gui_can_read() {
    let mut usi = Usi::start(&[]);
    let lines = usi.handshake();
    let mut names = Vec::new();
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(
            words.iter().all(|word| !word.is_empty()),
            "two spaces: '{line}'"
        );
        match words[0] {
            "id" => assert!(matches!(words[1], "name" | "author"), "{line}"),
            "usiok" => assert_eq!(words.len(), 1),
            "option" => {
                assert_eq!((words[1], words[3]), ("name", "type"), "{line}");
                let (kind, rest) = (words[4], &words[5..]);
                match kind {
                    "button" => assert!(rest.is_empty(), "{line}"),
                    "check" => assert!(matches!(rest, ["default", "true" | "false"]), "{line}"),
                    "string" | "filename" => {
                        assert_eq!((rest[0], rest.len()), ("default", 2), "{line}");
                    }
                    "spin" => {
                        let [_, default, _, minimum, _, maximum] = rest else {
                            panic!("{line}");
                        };
                        let number = |text: &str| text.parse::<i64>().expect("a number");
                        let range = number(minimum)..=number(maximum);
                        assert!(range.contains(&number(default)), "{line}");
                    }
                    "combo" => {
                        let variants: Vec<&str> = rest[2..].chunks(2).map(|pair| pair[1]).collect();
                        assert!(variants.contains(&rest[1]), "{line}");
                    }
                    other => panic!("unknown option type {other}: {line}"),
                }
                names.push(words[2].to_owned());
            }
            _ => panic!("'{line}' has no place in the handshake"),
        }
    }
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("id ")).count(),
        2
    );
    // A GUI that passes no arguments can set all important options.
    for name in [
        "USI_Hash",
        "USI_Ponder",
        "ConfigFile",
        "Coordinator",
        "Players",
        "Sigma",
        "Rule",
    ] {
        assert!(names.iter().any(|declared| declared == name), "{names:?}");
    }
    assert!(usi.quit().status.success());
}

#[test]
fn without_arguments_and_terminal_the_binary_is_the_proxy() {
    let mut process = Process::start::<&str>(monju(), &[]);
    process.send("usi");
    process.expect_line("usiok", |line| line == "usiok");
    process.close_input();
    assert!(process.wait(PATIENCE).status.success());
}

#[test]
fn every_form_of_go_gets_one_legal_bestmove() {
    let _alone = alone();
    let mut usi = Usi::ready(&SMALL_TEAM);
    let mut position = opening(20);
    for go in [
        "go btime 5000 wtime 5000 byoyomi 300",
        "go btime 0 wtime 0 byoyomi 300",
        "go btime 3000 wtime 3000 binc 200 winc 200",
        "go btime 0 wtime 0 binc 400 winc 400",
        "go btime 4000 wtime 4000",
        "go byoyomi 300",
        "go nodes 5000",
        "go depth 4",
        "go movetime 200",
        "go movetime 200 nonsense 17",
    ] {
        let answer = usi.think(&position, go);
        assert_legal(&position, &answer.bestmove);
        usi.expect_silence(Duration::from_millis(50));
        position = format!("{position} {}", answer.bestmove);
    }
    assert!(usi.quit().status.success());
}

#[test]
fn the_clock_is_kept() {
    let _alone = alone();
    let mut usi = Usi::ready(&SMALL_TEAM);
    let position = opening(21);
    for (go, limit) in [
        ("go btime 0 wtime 0 byoyomi 1000", 1000),
        ("go btime 0 wtime 0 byoyomi 500", 500),
        ("go btime 0 wtime 0 binc 600 winc 600", 600),
        ("go btime 600 wtime 600", 600),
    ] {
        judge(go, || {
            let answer = usi.think(&position, go);
            assert_legal(&position, &answer.bestmove);
            answer.in_time(Duration::from_millis(limit))
        });
    }
}

#[test]
fn the_ballot_is_shown_before_the_bestmove() {
    let _alone = alone();
    let mut usi = Usi::ready(&SMALL_TEAM);
    let position = opening(22);
    let answer = usi.think(&position, "go nodes 20000");
    for line in &answer.lines {
        assert!(line.starts_with("info ") || line.is_empty(), "{line}");
        assert!(!line.contains("  "), "two spaces: '{line}'");
        // pv and string run to the end of the line.
        let words: Vec<&str> = line.split(' ').collect();
        if words.get(1) != Some(&"string")
            && let Some(pv) = words.iter().position(|word| *word == "pv")
        {
            let line_of_play = format!("{position} {}", words[pv + 1..].join(" "));
            monju_engine::Game::from_usi(&line_of_play)
                .unwrap_or_else(|error| panic!("{error}: {line}"));
        }
    }
    let candidates = answer
        .lines
        .iter()
        .filter(|line| line.contains(" multipv "))
        .count();
    assert!(candidates > 0, "{:#?}", answer.lines);
    let votes: Vec<&String> = answer
        .lines
        .iter()
        .filter(|line| line.starts_with("info string votes"))
        .collect();
    assert_eq!(votes.len(), 1, "{:#?}", answer.lines);
    assert!(votes[0].contains(&answer.bestmove), "{}", votes[0]);
}

#[test]
fn a_team_chooses_among_the_moves_asked_for() {
    let mut usi = Usi::ready(&SMALL_TEAM);
    let asked = ["9g9f", "1g1f"];
    for multi_pv in ["1", "2"] {
        usi.send(&format!("setoption name MultiPV value {multi_pv}"));
        let answer = usi.think("startpos", "go nodes 500 searchmoves 9g9f 1g1f");
        let lines = answer
            .lines
            .iter()
            .filter_map(|line| line.split_once(" pv "));
        let mut first: Vec<&str> = lines.filter_map(|(_, pv)| pv.split(' ').next()).collect();
        first.push(&answer.bestmove);
        assert!(first.iter().all(|mv| asked.contains(mv)), "{first:?}");
    }
}

#[test]
fn an_infinite_search_ends_at_stop_and_not_before() {
    let _alone = alone();
    let mut usi = Usi::ready(&SMALL_TEAM);
    let position = opening(23);
    for go in ["go infinite", "go"] {
        usi.begin(&position, go);
        usi.expect_silence(Duration::from_millis(500));
        let asked = usi.ask("stop");
        let answer = usi.answer(asked);
        assert_legal(&position, &answer.bestmove);
        usi.expect_silence(Duration::from_millis(50));
    }
}

#[test]
fn a_pondered_move_is_held_until_ponderhit_or_stop() {
    let _alone = alone();
    let mut usi = Usi::ready(&SMALL_TEAM);
    let position = opening(24);

    judge("a ponder hit", || {
        usi.begin(&position, "go ponder btime 0 wtime 0 byoyomi 500");
        usi.expect_silence(Duration::from_millis(900));
        let hit = usi.ask("ponderhit");
        let answer = usi.answer(hit);
        assert_legal(&position, &answer.bestmove);
        answer.in_time(Duration::from_millis(500))
    });

    // The times may come with the hit.
    judge("a ponder hit with times", || {
        usi.begin(&position, "go ponder");
        usi.expect_silence(Duration::from_millis(300));
        let hit = usi.ask("ponderhit btime 0 wtime 0 byoyomi 600");
        let answer = usi.answer(hit);
        assert_legal(&position, &answer.bestmove);
        answer.in_time(Duration::from_millis(600))
    });

    usi.begin(&position, "go ponder btime 0 wtime 0 byoyomi 300");
    let asked = usi.ask("stop");
    let answer = usi.answer(asked);
    assert_legal(&position, &answer.bestmove);

    // An answer without thought is held as well.
    usi.begin(MATED, "go ponder btime 0 wtime 0 byoyomi 300");
    usi.expect_silence(Duration::from_millis(300));
    let hit = usi.ask("ponderhit");
    assert_eq!(usi.answer(hit).bestmove, "resign");
    assert!(usi.quit().status.success());
}

#[test]
fn the_rules_decide_what_needs_no_vote() {
    let _alone = alone();
    let mut usi = Usi::ready(&SMALL_TEAM);
    assert_eq!(usi.think(MATED, "go byoyomi 1000").bestmove, "resign");
    let declarable = data("problems/gpsshogi_cluster_positions.tsv")
        .lines()
        .find_map(|line| {
            line.split('\t')
                .nth(4)
                .filter(|_| line.contains("declare win"))
        })
        .and_then(|command| command.strip_prefix("position ").map(str::to_owned))
        .expect("a position in which a win may be declared");
    assert_eq!(usi.think(&declarable, "go byoyomi 1000").bestmove, "win");
}

#[test]
fn go_mate_is_answered_by_checkmate() {
    let _alone = alone();
    let mut usi = Usi::ready(&SMALL_TEAM);
    usi.send("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    usi.send("go mate 3000");
    let lines = usi.expect("checkmate");
    assert_eq!(lines.last().map(String::as_str), Some("checkmate G*5b"));
    assert!(
        !lines.iter().any(|line| line.starts_with("bestmove")),
        "{lines:?}"
    );
    usi.expect_silence(Duration::from_millis(50));
}

#[test]
fn games_follow_each_other_in_one_process() {
    let _alone = alone();
    let mut usi = Usi::ready(&SMALL_TEAM);
    let position = opening(25);
    // A GUI ends a game in mid-search by stop and gameover, and ignores one bestmove.
    usi.begin(&position, "go infinite");
    let asked = usi.ask("stop");
    usi.send("gameover draw");
    usi.answer(asked);
    usi.expect_silence(Duration::from_millis(200));
    // A GUI that forgets the stop gets its bestmove as well.
    usi.new_game();
    let asked = usi.begin(&position, "go ponder");
    usi.send("gameover lose");
    usi.answer(asked);
    usi.expect_silence(Duration::from_millis(200));
    usi.send("setoption name Players value 2");
    usi.new_game();
    let answer = usi.think(&position, "go nodes 2000");
    let votes = answer
        .lines
        .iter()
        .find(|line| line.starts_with("info string votes"));
    let votes = votes.unwrap_or_else(|| panic!("{:#?}", answer.lines));
    let counted: u32 = votes
        .split(' ')
        .filter_map(|word| word.split_once('=')?.1.parse::<u32>().ok())
        .sum();
    assert_eq!(counted, 2, "{votes}");
}

#[test]
fn lines_may_end_as_on_windows() {
    let _alone = alone();
    let mut usi = Usi::start(&SMALL_TEAM);
    usi.send("usi\r");
    usi.expect("usiok");
    usi.send("isready\r");
    usi.expect("readyok");
    usi.send("usinewgame\r");
    usi.send("position startpos moves 7g7f\r");
    let asked = usi.ask("go nodes 1000\r");
    assert_legal("startpos moves 7g7f", &usi.answer(asked).bestmove);
    usi.send("quit\r");
    assert!(usi.process.wait(PATIENCE).status.success());
}

#[test]
fn the_end_of_the_input_is_a_quit() {
    let _alone = alone();
    let mut usi = Usi::ready(&SMALL_TEAM);
    usi.begin(&opening(26), "go infinite");
    usi.process.close_input();
    assert!(usi.process.wait(PATIENCE).status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn quit_in_mid_search_leaves_no_process_behind() {
    use monju_tests::{
        cluster::eventually,
        data::config,
        foreign::{fairy_stockfish, gpsusi},
        process::descendants_of,
    };
    let _alone = alone();
    if gpsusi().is_none() || fairy_stockfish().is_none() {
        return;
    }
    let config = config("heterogeneous.toml");
    let mut usi = Usi::ready(&["--config", config.to_str().expect("a path in UTF-8")]);
    usi.begin(&opening(27), "go infinite");
    let engines = eventually(
        "gpsusi and fairy-stockfish run, each with its guard",
        || {
            let engines = descendants_of(usi.process.id());
            (engines.len() == 4).then_some(engines)
        },
    );
    assert!(usi.quit().status.success());
    eventually("the engines are gone", || {
        let left = engines
            .iter()
            .any(|id| std::fs::exists(format!("/proc/{id}")).unwrap_or(true));
        (!left).then_some(())
    });
}

/// A terminal or a session that is closed ends the engine as SIGTERM does.
#[cfg(target_os = "linux")]
#[test]
fn signals_end_it_within_five_seconds() {
    let _alone = alone();
    for command in ["usi", "engine"] {
        for signal in [Signal::HUP, Signal::TERM, Signal::INT] {
            // The test itself may run under nohup.
            let arguments = ["--default-signal=HUP", &monju().to_string_lossy(), command];
            let mut usi = Usi::of(Process::start(Path::new("env"), &arguments));
            usi.handshake();
            usi.new_game();
            usi.begin(&opening(28), "go infinite");
            usi.expect_silence(Duration::from_millis(200));
            usi.process.signal(signal);
            let ended = usi.end();
            assert!(ended.status.success(), "{command} {signal:?}: {ended:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn under_nohup_a_hangup_is_ignored() {
    let monju = monju().to_string_lossy();
    let mut usi = Usi::of(Process::start(Path::new("nohup"), &[&*monju, "usi"]));
    usi.handshake();
    usi.process.signal(Signal::HUP);
    usi.expect_silence(Duration::from_millis(200));
    usi.handshake();
    assert!(usi.quit().status.success());
}
