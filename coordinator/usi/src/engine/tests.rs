//! Sessions with one real player.

use super::{EngineChoices, PonderTarget, SinglePlayer};
use crate::{
    command::ReadCommand, output::Output, scheduling_delay::SchedulingDelay, session::UsiSession,
};
use monju_coordinator::{choices::ConsultationChoices, clock::TimePolicy, pondering::Pondering};
use monju_engine::Game;
use monju_team::team::Choices;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{sleep, timeout},
};

/// Far longer than any search here.
const PATIENCE: Duration = Duration::from_secs(60);
const MIDDLEGAME: &str =
    "sfen l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1";

/// The GUI's side of a session with a single player.
struct PlayerGui {
    commands: mpsc::UnboundedSender<ReadCommand>,
    lines: mpsc::UnboundedReceiver<String>,
    session: JoinHandle<()>,
}

impl PlayerGui {
    fn new(sigma: f64, seed: Option<u64>) -> Self {
        let choices = EngineChoices {
            hash_mib: 4,
            sigma: sigma.into(),
            seed,
            ..EngineChoices::default()
        };
        let engine = SinglePlayer::start(choices, SchedulingDelay::default()).expect("started");
        let (output, lines) = Output::channel();
        let (commands, receiver) = mpsc::unbounded_channel();
        Self {
            commands,
            lines,
            session: tokio::spawn(UsiSession::new(engine, output).run(receiver)),
        }
    }

    fn say(&self, lines: &[&str]) {
        for line in lines {
            self.commands
                .send(ReadCommand::parse(line))
                .expect("the session listens");
        }
    }

    /// Returns all lines up to the first one that starts with `word`.
    async fn hear(&mut self, word: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            let line = timeout(PATIENCE, self.lines.recv()).await;
            let line = line.expect("in time").expect("the session goes on");
            let found = line.starts_with(word);
            heard.push(line);
            if found {
                return heard;
            }
        }
    }

    /// Returns the lines of the next 300 ms, a long time for a search of few nodes.
    async fn lines_meanwhile(&mut self) -> Vec<String> {
        sleep(Duration::from_millis(300)).await;
        let mut heard = Vec::new();
        while let Ok(line) = self.lines.try_recv() {
            heard.push(line);
        }
        heard
    }

    /// Returns the lines of a search without what depends on its time.
    async fn search(&mut self, go: &str) -> Vec<String> {
        self.say(&[go]);
        let lines = self.hear("bestmove").await;
        let lines = lines.iter().filter(|line| !line.contains(" currmove "));
        lines.map(|line| without_times(line)).collect()
    }
}

/// Leaves out times, and the filling of the table, which only a search of a tenth of a second tells.
fn without_times(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for name in ["nps", "time", "hashfull"] {
        if let Some(at) = words.iter().position(|word| *word == name) {
            words.drain(at..at + 2);
        }
    }
    words.join(" ")
}

#[test]
fn a_player_in_place_of_a_team_takes_its_flags() {
    let team = |threads, time_policy, pondering| {
        EngineChoices::of_team(Choices {
            threads,
            consultation: ConsultationChoices {
                time_policy,
                pondering,
                ..ConsultationChoices::default()
            },
            ..Choices::default()
        })
    };
    assert_eq!(team(None, None, None), EngineChoices::default());
    let chosen = team(
        Some(3),
        Some(TimePolicy::Decided),
        Some(Pondering::Opponent),
    );
    let expected = EngineChoices {
        threads: 3,
        time_policy: TimePolicy::Fixed,
        pondering: PonderTarget::Opponent,
        ..EngineChoices::default()
    };
    assert_eq!(chosen, expected);
}

#[tokio::test]
async fn the_handshake_names_a_single_player() {
    let mut gui = PlayerGui::new(0.0, None);
    gui.say(&["usi", "isready", "usinewgame"]);
    let lines = gui.hear("readyok").await;
    assert!(lines[0].starts_with("id name Monju player "), "{lines:?}");
    for name in [
        "USI_Hash",
        "USI_Ponder",
        "Threads",
        "Sigma",
        "Seed",
        "MoveOverhead",
    ] {
        let declared = format!("option name {name} type ");
        assert!(lines.iter().any(|line| line.starts_with(&declared)));
    }
    assert!(lines.contains(&"usiok".to_owned()));
    gui.say(&["go mate 1000"]);
    assert_eq!(gui.hear("checkmate").await, ["checkmate nomate"]);
    gui.say(&["quit"]);
    timeout(PATIENCE, gui.session)
        .await
        .expect("ended")
        .expect("in good order");
}

#[tokio::test]
async fn a_chosen_seed_repeats_a_game_to_the_last_node() {
    let mut gui = PlayerGui::new(60.0, Some(5));
    let position = format!("position {MIDDLEGAME}");
    let mut games = Vec::new();
    for _ in 0..2 {
        gui.say(&["usinewgame", &position]);
        games.push(gui.search("go nodes 9000").await);
    }
    assert_eq!(games[0], games[1]);
    let last = &games[0][games[0].len() - 2];
    assert!(last.contains(" nodes 9000 "), "the sum at the end: {last}");
    gui.say(&["setoption name Seed value 6", "isready", "usinewgame"]);
    assert_ne!(gui.search("go nodes 9000").await, games[0]);
}

#[tokio::test]
async fn without_a_seed_every_game_has_its_own() {
    let mut gui = PlayerGui::new(60.0, None);
    let position = format!("position {MIDDLEGAME}");
    gui.say(&["usinewgame", &position]);
    let first = gui.search("go nodes 9000").await;
    gui.say(&["usinewgame"]);
    assert_ne!(gui.search("go nodes 9000").await, first);
}

#[tokio::test]
async fn every_form_of_go_is_answered_once() {
    let mut gui = PlayerGui::new(0.0, None);
    gui.say(&["position startpos moves 7g7f"]);
    for go in [
        "go btime 2000 wtime 2000",
        "go btime 0 wtime 0 byoyomi 100",
        "go btime 0 wtime 0 binc 100 winc 100",
        "go depth 3",
        "go nodes 1",
        "go movetime 20",
        "go movetime 10000 depth 2",
    ] {
        let lines = gui.search(go).await;
        let (last, infos) = lines.split_last().expect("an answer");
        assert!(
            infos.iter().all(|line| line.starts_with("info depth ")),
            "{lines:?}"
        );
        assert!(last.starts_with("bestmove "), "{last}");
    }
    gui.say(&["setoption name Threads value 2"]);
    assert!(gui.search("go nodes 20000").await.len() > 1);
    assert_eq!(gui.lines_meanwhile().await, [""; 0]);
}

#[tokio::test]
async fn several_lines_are_shown_by_rank() {
    let mut gui = PlayerGui::new(0.0, None);
    gui.say(&[
        "setoption name MultiPV value 3",
        &format!("position {MIDDLEGAME}"),
    ]);
    let lines = gui.search("go depth 4").await;
    let rank = |rank: usize| {
        let ranked = format!(" multipv {rank} pv ");
        let last = lines.iter().rfind(|line| line.contains(&ranked));
        let last = last.unwrap_or_else(|| panic!("{ranked}: {lines:?}"));
        assert!(last.starts_with("info depth 4 "), "{last}");
        let (_, pv) = last.split_once(" pv ").expect("a variation");
        pv.split(' ').next().expect("a move").to_owned()
    };
    let moves: Vec<String> = (1..=3).map(rank).collect();
    assert!(moves[0] != moves[1] && moves[0] != moves[2] && moves[1] != moves[2]);
    let answer = lines.last().expect("an answer");
    assert!(answer.starts_with(&format!("bestmove {}", moves[0])));
    assert!(!lines.iter().any(|line| line.contains("multipv 4")));

    // Of the moves that are asked for, the best ones.
    let go = format!("go depth 4 searchmoves {} {}", moves[1], moves[2]);
    let lines = gui.search(&go).await;
    let answer = lines.last().expect("an answer");
    assert!(!answer.contains(&moves[0]), "{lines:?}");
    let asked = |line: &String| line.contains(&moves[1]) || line.contains(&moves[2]);
    assert!(lines.iter().all(asked), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("multipv 3")));
}

#[tokio::test]
async fn an_endless_search_is_answered_at_stop() {
    let mut gui = PlayerGui::new(0.0, None);
    // A mate in one is found at once, and its answer waits nevertheless.
    for position in [MIDDLEGAME, "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1"] {
        gui.say(&[&format!("position {position}"), "go infinite"]);
        let meanwhile = gui.lines_meanwhile().await;
        assert!(meanwhile.iter().all(|line| line.starts_with("info ")));
        gui.say(&["stop"]);
        gui.hear("bestmove").await;
    }
}

#[tokio::test]
async fn a_pondered_move_is_held_and_its_limits_begin_with_the_hit() {
    let mut gui = PlayerGui::new(0.0, None);
    gui.say(&[&format!("position {MIDDLEGAME}")]);
    for (go, hit) in [
        ("go ponder btime 0 wtime 0 byoyomi 100", "ponderhit"),
        ("go ponder", "ponderhit btime 0 wtime 0 byoyomi 100"),
        ("go ponder nodes 1000", "ponderhit"),
        ("go ponder", "ponderhit"),
        ("go ponder btime 0 wtime 0 byoyomi 100", "stop"),
        ("go ponder", "gameover lose"),
    ] {
        gui.say(&[go]);
        let meanwhile = gui.lines_meanwhile().await;
        assert!(
            meanwhile.iter().all(|line| line.starts_with("info ")),
            "{go}: {meanwhile:?}"
        );
        gui.say(&[hit]);
        gui.hear("bestmove").await;
    }
    assert_eq!(gui.lines_meanwhile().await, [""; 0]);
}

#[tokio::test]
async fn pondering_on_the_opponents_position_shows_nothing_of_it() {
    let mut gui = PlayerGui::new(0.0, None);
    gui.say(&["setoption name Pondering value opponent"]);
    let pondered = "startpos moves 7g7f 3c3d";
    gui.say(&[&format!("position {pondered}")]);
    for (hit, shown) in [
        ("ponderhit btime 0 wtime 0 byoyomi 200", true),
        ("ponderhit", true),
        ("stop", false),
        ("gameover win", false),
    ] {
        gui.say(&["go ponder"]);
        assert_eq!(gui.lines_meanwhile().await, [""; 0], "before {hit}");
        gui.say(&[hit]);
        let mut lines = gui.hear("bestmove").await;
        let answer = lines.pop().expect("an answer");
        let mv = answer.split(' ').nth(1).expect("a move");
        monju_engine::Game::from_usi(&format!("{pondered} {mv}")).expect("a legal answer");
        assert_eq!(!lines.is_empty(), shown, "{hit}: {lines:?}");
    }
    // Without an earlier move, the position itself is pondered on.
    gui.say(&["position startpos", "go ponder"]);
    gui.hear("info").await;
    gui.say(&["stop"]);
    gui.hear("bestmove").await;
}

#[tokio::test]
async fn decisions_by_rule_need_no_search() {
    let mut gui = PlayerGui::new(0.0, None);
    gui.say(&["position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"]);
    assert_eq!(gui.search("go byoyomi 1000").await, ["bestmove resign"]);
    gui.say(&["position startpos moves 7g7e"]);
    assert!(gui.hear("info string error").await[0].contains("7g7e"));
    assert_eq!(
        gui.search("go nodes 100").await.pop().as_deref(),
        Some("bestmove resign")
    );
}

#[tokio::test]
async fn the_answer_names_the_reply_that_is_expected() {
    let mut gui = PlayerGui::new(0.0, None);
    gui.say(&["position startpos"]);
    let answer = gui.search("go depth 5").await.pop().expect("an answer");
    let words: Vec<&str> = answer.split(' ').collect();
    let ["bestmove", mv, "ponder", reply] = words[..] else {
        panic!("{answer}");
    };
    monju_engine::Game::from_usi(&format!("startpos moves {mv} {reply}")).expect("both legal");
}

#[tokio::test]
async fn a_player_that_cannot_be_made_is_reported_and_another_plays() {
    for option in [
        "setoption name Evaluator value nnue:no/such/file.bin",
        "setoption name USI_Hash value 1048576",
    ] {
        let mut gui = PlayerGui::new(0.0, None);
        gui.say(&[option, "isready"]);
        let heard = gui.hear("readyok").await;
        assert!(heard[0].starts_with("info string error: "), "{heard:?}");
        gui.say(&["position startpos"]);
        let heard = gui.search("go nodes 2000").await;
        assert!(
            heard.iter().any(|line| line.contains(" depth 3 ")),
            "{heard:?}"
        );
        // A good choice ends the errors.
        gui.say(&[
            "setoption name Evaluator value",
            "setoption name USI_Hash value 8",
            "isready",
        ]);
        assert_eq!(gui.hear("readyok").await, ["readyok"]);
    }
}

/// Writes a book of one move from the start, with its weight.
fn write_book(path: &Path, mv: &str) {
    let text = "monju book 1\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    fs::write(path, format!("{text}\n{mv}\n")).expect("written");
}

/// Returns the folder of a book, its path, and a GUI that has named it and stands at the start position.
fn gui_with_book(mv: Option<&str>) -> (TempDir, PathBuf, PlayerGui) {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("own.book");
    if let Some(mv) = mv {
        write_book(&book, mv);
    }
    let gui = PlayerGui::new(0.0, None);
    let option = format!("setoption name BookFile value {}", book.display());
    gui.say(&[&option, "position startpos"]);
    (folder, book, gui)
}

#[tokio::test]
async fn a_book_that_has_failed_is_tried_again_at_isready_alone() {
    let (_folder, book, mut gui) = gui_with_book(None);
    gui.say(&["isready"]);
    let heard = gui.hear("readyok").await;
    assert!(heard[0].contains("own.book"), "{heard:?}");
    write_book(&book, "1g1f 1");
    gui.search("go nodes 100").await;
    gui.lines_meanwhile().await;
    gui.say(&["usinewgame", "position startpos"]);
    let lines = gui.search("go nodes 100").await;
    assert!(!lines[0].contains("from the book"), "{lines:?}");
    gui.say(&["isready"]);
    assert_eq!(gui.hear("readyok").await, ["readyok"]);
    let lines = gui.search("go nodes 100").await;
    assert_eq!(lines[0], "info string 1g1f from the book");
}

#[tokio::test]
async fn a_book_that_has_changed_is_read_again_at_isready() {
    let (_folder, book, mut gui) = gui_with_book(Some("1g1f 1"));
    gui.say(&["isready"]);
    gui.hear("readyok").await;
    // Files of another size have changed, however coarse the clock of the file system is.
    for (drawn, rebuilt) in [("1g1f", "9g9f 22"), ("9g9f", "7g7f 333")] {
        let lines = gui.search("go nodes 100").await;
        assert_eq!(lines[0], format!("info string {drawn} from the book"));
        write_book(&book, rebuilt);
        // Until the GUI asks whether the player is ready, the game goes on from the book that was read.
        let lines = gui.search("go nodes 100").await;
        assert_eq!(lines[0], format!("info string {drawn} from the book"));
        gui.say(&["isready"]);
        assert_eq!(gui.hear("readyok").await, ["readyok"]);
    }
}

#[tokio::test]
async fn a_gui_that_skips_isready_has_a_book_nevertheless() {
    let (_folder, _book, mut gui) = gui_with_book(Some("1g1f 1"));
    // It is read beside the first questions.
    let reading =
        async { while gui.search("go nodes 100").await[0] != "info string 1g1f from the book" {} };
    timeout(PATIENCE, reading)
        .await
        .expect("a move of the book");
}

#[test]
fn noise_out_of_range_is_refused_at_the_start() {
    let choices = EngineChoices {
        hash_mib: 4,
        sigma: (-1.0).into(),
        ..EngineChoices::default()
    };
    let error =
        SinglePlayer::start(choices, SchedulingDelay::default()).expect_err("no such noise");
    assert!(error.to_string().contains("-1"), "{error}");
}

#[tokio::test]
async fn a_long_search_tells_the_root_move_that_it_is_at() {
    let mut gui = PlayerGui::new(0.0, None);
    gui.say(&["isready", "usinewgame"]);
    gui.hear("readyok").await;
    let told = |lines: &[String]| {
        let line = lines.iter().find(|line| line.contains(" currmove "));
        line.cloned()
    };
    gui.say(&[&format!("position {MIDDLEGAME}"), "go nodes 2000"]);
    let short = gui.hear("bestmove").await;
    gui.say(&["go infinite"]);
    let mut lines = Vec::new();
    while told(&lines).is_none() {
        lines = gui.hear("info depth").await;
    }
    gui.say(&["stop"]);
    gui.hear("bestmove").await;
    let line = told(&lines).expect("a root move");
    let words: Vec<&str> = line.split(' ').collect();
    let [
        "info",
        "depth",
        depth,
        "currmove",
        mv,
        "currmovenumber",
        number,
    ] = words[..]
    else {
        panic!("{line}");
    };
    let game = Game::from_usi(MIDDLEGAME).expect("a position");
    assert!(game.parse_move(mv).is_ok(), "{line}");
    let legal = game.legal_moves().len();
    assert!(
        (1..=legal).contains(&number.parse().expect("a number")),
        "{line}"
    );
    assert!(depth.parse::<u32>().expect("a depth") > 1, "{line}");
    // Far fewer nodes than a second takes, unless the machine stands still for as long.
    if let Some(line) = told(&short) {
        assert!(short.iter().any(|other| late(other)), "{line}");
    }
}

/// Returns true for a line that tells of a second and more.
fn late(line: &str) -> bool {
    let time = line
        .split(" time ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    time.and_then(|time| time.parse::<u32>().ok())
        .is_some_and(|time| time >= 1_000)
}
