//! Foreign engines behind the service: what they are told, and what happens when they misbehave.

use crate::support::{TestFolder, Think, endless, fake, go, in_process, nodes};
use monju_proto::v1::{self, score::Kind};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    net::{TcpListener, TcpStream},
};
use tonic::Code;

/// A listener that fake engines connect to for as long as they live.
struct Lifelines(TcpListener);

impl Lifelines {
    async fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.expect("a port"))
    }

    fn address(&self) -> String {
        self.0.local_addr().expect("an address").to_string()
    }

    /// Waits for an engine to start.
    async fn birth(&self) -> Lifeline {
        let (connection, _) = self.0.accept().await.expect("a connection");
        Lifeline(BufReader::new(connection).lines())
    }
}

/// The connection of one fake engine, on which it repeats what it receives.
struct Lifeline(Lines<BufReader<TcpStream>>);

impl Lifeline {
    /// Waits until the engine has received a line.
    async fn received(&mut self, wanted: &str) {
        while let Some(line) = self.0.next_line().await.expect("the engine lives") {
            if line == wanted {
                return;
            }
        }
        panic!("the engine ended before it received {wanted}");
    }

    /// Waits for the engine to end. A killed process may reset the connection.
    async fn death(mut self) {
        while let Ok(Some(_)) = self.0.next_line().await {}
    }
}

/// Number of times that a command was received.
fn count(lines: &[String], command: &str) -> usize {
    lines.iter().filter(|line| *line == command).count()
}

#[tokio::test]
async fn progress_comes_first_and_then_one_vote() {
    let (_worker, client) = in_process(&fake(&[])).await;
    let mut think = Think::go(&client, go(nodes(100))).await;
    let (result, progress) = think.answer().await.expect("an answer");
    let line = result.line.expect("a line");
    assert_eq!(line.r#move, "7g7f");
    assert_eq!(line.pv, ["7g7f", "3c3d", "2g2f"]);
    assert_eq!(line.score.and_then(|score| score.kind), Some(Kind::Cp(42)));
    assert_eq!((line.depth, line.selective_depth, line.nodes), (3, 5, 1234));
    assert_eq!(result.noise_seed, None);
    assert_eq!(progress.len(), 1);
    assert_eq!(progress[0].pv, line.pv);
}

#[tokio::test]
async fn the_engine_is_told_options_games_and_whole_histories() {
    let folder = TestFolder::new();
    let table = fake(&["--log", &folder.file("log")])
        + "options = { \"Some Option\" = 3, Other = true }\ngo = [\"nodes\", \"infinite\"]\n";
    let (_worker, client) = in_process(&table).await;
    let history = |game_id: &str, moves: &[&str]| v1::Go {
        game_id: game_id.to_owned(),
        position: Some(v1::Position {
            start: "startpos".to_owned(),
            moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
            ..v1::Position::default()
        }),
        // The number of ranked moves is for native players.
        ..go(v1::Limits {
            multi_pv: Some(3),
            ..nodes(10)
        })
    };
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b R 1";
    let mut odd = history("b", &["R*5e"]);
    odd.position.as_mut().expect("a position").start = sfen.to_owned();
    for go in [
        history("a", &["7g7f"]),
        history("a", &["7g7f", "3c3d"]),
        odd,
    ] {
        Think::go(&client, go).await.line().await;
    }
    let lines = folder.lines("log");
    assert_eq!(lines[0], "usi");
    assert_eq!(count(&lines, "setoption name Some Option value 3"), 1);
    assert_eq!(count(&lines, "setoption name Other value true"), 1);
    assert_eq!(
        lines[3..],
        [
            "isready",
            "usinewgame",
            "position startpos moves 7g7f",
            "go nodes 10",
            "position startpos moves 7g7f 3c3d",
            "go nodes 10",
            "isready",
            "usinewgame",
            &format!("position sfen {sfen} moves R*5e"),
            "go nodes 10",
        ]
    );
}

#[tokio::test]
async fn a_new_game_is_announced_once() {
    let folder = TestFolder::new();
    let (_worker, mut client) = in_process(&fake(&["--log", &folder.file("log")])).await;
    let request = v1::NewGameRequest {
        game_id: "game".to_owned(),
        ..v1::NewGameRequest::default()
    };
    client.new_game(request).await.expect("prepared");
    Think::go(&client, go(nodes(10))).await.line().await;
    assert_eq!(count(&folder.lines("log"), "usinewgame"), 1);
    let described = client.describe(v1::DescribeRequest::default()).await;
    let players = described.expect("described").into_inner().players;
    assert_eq!(players[0].engine, "Fake Engine 1.0");
    assert_eq!(players[0].worker, "desk");
}

#[tokio::test]
async fn stop_brings_the_vote() {
    let (_worker, client) = in_process(&fake(&[])).await;
    let mut think = Think::go(&client, go(endless())).await;
    assert_eq!(think.progress().await.r#move, "7g7f");
    think.stop().await;
    assert_eq!(think.line().await.r#move, "7g7f");
}

#[tokio::test]
async fn a_time_limit_stops_an_endless_search() {
    let (_worker, client) = in_process(&(fake(&[]) + "go = [\"infinite\"]\ntime_ms = 30\n")).await;
    let mut think = Think::go(&client, go(endless())).await;
    assert_eq!(think.line().await.r#move, "7g7f");
}

/// A clock that is only looked at when there is nothing to read would never be looked at.
#[tokio::test]
async fn an_engine_that_never_pauses_is_stopped_in_time_all_the_same() {
    let table = fake(&["--flood"]) + "go = [\"infinite\"]\ntime_ms = 30\n";
    let (_worker, client) = in_process(&table).await;
    let mut think = Think::go(&client, go(endless())).await;
    assert_eq!(think.line().await.r#move, "7g7f");
    let (_worker, client) = in_process(&fake(&["--flood"])).await;
    let mut think = Think::go(&client, go(endless())).await;
    think.progress().await;
    think.stop().await;
    assert_eq!(think.line().await.r#move, "7g7f");
}

#[tokio::test]
async fn a_later_go_waits_until_the_earlier_one_is_over() {
    let folder = TestFolder::new();
    let (_worker, client) = in_process(&fake(&["--log", &folder.file("log")])).await;
    let mut earlier = Think::go(&client, go(endless())).await;
    earlier.progress().await;
    let mut later = Think::go(&client, go(nodes(10))).await;
    earlier.stop().await;
    assert_eq!(earlier.line().await.r#move, "7g7f");
    assert_eq!(later.line().await.r#move, "7g7f");
    let lines = folder.lines("log");
    assert_eq!(
        lines[lines.len() - 5..],
        [
            "position startpos",
            "go infinite",
            "stop",
            "position startpos",
            "go btime 0 wtime 0 byoyomi 1000",
        ]
    );
}

#[tokio::test]
async fn a_stream_that_is_closed_stops_its_search() {
    let lifelines = Lifelines::new().await;
    let (_worker, client) = in_process(&fake(&["--lifeline", &lifelines.address()])).await;
    let mut lifeline = lifelines.birth().await;
    let mut unwanted = Think::go(&client, go(endless())).await;
    unwanted.progress().await;
    drop(unwanted);
    lifeline.received("stop").await;
    Think::go(&client, go(nodes(10))).await.line().await;
}

#[tokio::test]
async fn a_ponder_hit_is_a_stop_and_a_fresh_go() {
    let folder = TestFolder::new();
    let (_worker, client) = in_process(&fake(&["--log", &folder.file("log")])).await;
    let ponder = v1::Limits {
        ponder: true,
        ..nodes(10)
    };
    let mut think = Think::go(&client, go(ponder)).await;
    think.progress().await;
    think.ponder_hit(nodes(10)).await;
    assert_eq!(think.line().await.r#move, "7g7f");
    let lines = folder.lines("log");
    let last = &lines[lines.len() - 5..];
    assert_eq!(last[..3], ["position startpos", "go infinite", "stop"]);
    assert_eq!(last[3], "position startpos");
    assert_eq!(last[4], "go btime 0 wtime 0 byoyomi 1000");
}

#[tokio::test]
async fn an_answer_while_pondering_is_held_until_stop() {
    let (_worker, client) = in_process(&fake(&["--hasty", "--answer", "resign"])).await;
    let ponder = v1::Limits {
        ponder: true,
        ..endless()
    };
    let mut think = Think::go(&client, go(ponder)).await;
    think.progress().await;
    think.stop().await;
    assert_eq!(think.line().await.r#move, "resign");
}

#[tokio::test]
async fn a_resignation_while_pondering_is_no_vote_at_the_hit() {
    let folder = TestFolder::new();
    let script = fake(&["--resign-endless", "--log", &folder.file("log")]);
    let (_worker, client) = in_process(&script).await;
    let ponder = v1::Limits {
        ponder: true,
        ..nodes(10)
    };
    let mut think = Think::go(&client, go(ponder)).await;
    think.progress().await;
    think.ponder_hit(nodes(10)).await;
    assert_eq!(think.line().await.r#move, "7g7f");
    let lines = folder.lines("log");
    // The resignation ended a search without limits; the vote is that of a fresh search.
    assert!(lines.contains(&"go infinite".to_owned()), "{lines:?}");
    assert_eq!(
        lines.last().map(String::as_str),
        Some("go btime 0 wtime 0 byoyomi 1000")
    );
}

#[tokio::test]
async fn moves_pass_through_as_the_engine_wrote_them() {
    for answer in ["resign", "win", "1a1b", "0000"] {
        let (_worker, client) = in_process(&fake(&["--answer", answer])).await;
        let line = Think::go(&client, go(nodes(10))).await.line().await;
        assert_eq!(line.r#move, answer);
        assert_eq!(line.score, None, "{answer} is not the move of the last pv");
    }
}

#[tokio::test]
async fn garbage_is_ignored() {
    let (_worker, client) = in_process(&fake(&["--garbage"])).await;
    for _ in 0..2 {
        let line = Think::go(&client, go(nodes(10))).await.line().await;
        assert_eq!(line.r#move, "7g7f");
        assert_eq!(line.score.and_then(|score| score.kind), Some(Kind::Cp(42)));
    }
}

#[tokio::test]
async fn a_crash_fails_one_think_and_the_next_one_works() {
    let folder = TestFolder::new();
    let (_worker, client) = in_process(&fake(&["--crash-on-go", &folder.file("mark")])).await;
    let status = Think::go(&client, go(nodes(10))).await.failure().await;
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("engine ended"), "{status}");
    assert!(status.message().contains('3'), "{status}");
    let line = Think::go(&client, go(nodes(10))).await.line().await;
    assert_eq!(line.r#move, "7g7f");
}

#[tokio::test]
async fn a_crash_between_thinks_costs_no_vote() {
    let (folder, lifelines) = (TestFolder::new(), Lifelines::new().await);
    let mark = folder.file("mark");
    let switches = [
        "--crash-after-answer",
        &mark,
        "--lifeline",
        &lifelines.address(),
    ];
    let (_worker, client) = in_process(&fake(&switches)).await;
    let first = lifelines.birth().await;
    Think::go(&client, go(nodes(10))).await.line().await;
    first.death().await;
    let _second = lifelines.birth().await;
    Think::go(&client, go(nodes(10))).await.line().await;
}

#[tokio::test]
async fn an_engine_that_ignores_stop_is_killed_and_replaced() {
    let (folder, lifelines) = (TestFolder::new(), Lifelines::new().await);
    let mark = folder.file("mark");
    let switches = ["--hang-on-stop", &mark, "--lifeline", &lifelines.address()];
    let (_worker, client) = in_process(&fake(&switches)).await;
    let hanging = lifelines.birth().await;
    let mut think = Think::go(&client, go(endless())).await;
    think.progress().await;
    think.stop().await;
    let status = think.failure().await;
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("killed"), "{status}");
    hanging.death().await;
    Think::go(&client, go(nodes(10))).await.line().await;
}

#[tokio::test]
async fn an_engine_that_cannot_start_fails_its_thinks_at_once() {
    let table = "[[player]]\nname = \"fake\"\nkind = \"usi\"\ncommand = [\"no-such-engine\"]\n";
    let (_worker, client) = in_process(table).await;
    let status = Think::go(&client, go(endless())).await.failure().await;
    assert_eq!(status.code(), Code::Unavailable);
    assert!(
        status.message().contains("cannot start no-such-engine"),
        "{status}"
    );
}

#[tokio::test]
async fn closing_kills_an_engine_that_ignores_quit() {
    let lifelines = Lifelines::new().await;
    let table = fake(&["--ignore-quit", "--lifeline", &lifelines.address()]);
    let (worker, client) = in_process(&table).await;
    let lifeline = lifelines.birth().await;
    let mut think = Think::go(&client, go(endless())).await;
    think.progress().await;
    worker.close().await;
    lifeline.death().await;
    assert_eq!(think.failure().await.code(), Code::Unavailable);
}

#[tokio::test]
async fn dropping_the_worker_ends_its_engines() {
    let lifelines = Lifelines::new().await;
    let table = fake(&["--ignore-quit", "--lifeline", &lifelines.address()]);
    let (worker, _client) = in_process(&table).await;
    let lifeline = lifelines.birth().await;
    drop(worker);
    lifeline.death().await;
}

#[tokio::test]
async fn an_examination_finds_the_forms_that_an_engine_survives() {
    let table = fake(&["--crash-on-form", "nodes"])
        + "options = { \"Some Option\" = 10, Other = true }\ngo = [\"nodes\", \"infinite\"]\n";
    let (_worker, mut client) = in_process(&table).await;
    let request = v1::ExamineRequest {
        player: "fake".to_owned(),
    };
    let response = client
        .examine(request)
        .await
        .expect("examined")
        .into_inner();
    let trial = |form: &str| {
        let mut trials = response.trials.iter();
        trials.find(|trial| trial.form == form).expect("tried")
    };
    for form in [
        "depth",
        "movetime",
        "byoyomi",
        "clock",
        "increment",
        "infinite",
    ] {
        assert!(trial(form).survived, "{form}: {}", trial(form).failure);
    }
    let nodes = trial("nodes");
    assert!(nodes.configured && !nodes.survived);
    assert!(nodes.failure.contains("ended"), "{}", nodes.failure);
    // The fake answers before the ponder hit.
    assert_eq!(trial("ponder").failure, "it named a move before ponderhit");
    assert_eq!(response.rule_options[0].name, "EnteringKingRule");
    assert_eq!(response.rule_options[0].value, "NoEnteringKing");
    assert_eq!(
        response.doubts,
        [
            "its option 'Some Option' cannot be '10': it goes from 0 to 9",
            "it declares no option 'Other'",
        ]
    );
}

#[tokio::test]
async fn native_players_need_no_examination() {
    let (_worker, mut client) = in_process("[[player]]\nname = \"n\"\n").await;
    let mut examine = async |player: &str| {
        let player = player.to_owned();
        client.examine(v1::ExamineRequest { player }).await
    };
    let examined = examine("n").await.expect("examined").into_inner();
    assert!(examined.trials.is_empty());
    let status = examine("nobody").await.expect_err("unknown");
    assert_eq!(status.code(), tonic::Code::NotFound);
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_game_tries_an_engine_that_is_down_at_once() {
    let folder = TestFolder::new();
    let program = folder.file("engine.sh");
    let table = format!(
        "[[player]]\nname = \"fake\"\nkind = \"usi\"\ncommand = [\"/bin/sh\", {program:?}]\n"
    );
    let (_worker, mut client) = in_process(&table).await;
    let mut prepare = async || {
        let request = v1::NewGameRequest {
            game_id: "g".to_owned(),
            ..v1::NewGameRequest::default()
        };
        client
            .new_game(request)
            .await
            .expect("asked")
            .into_inner()
            .problems
    };
    // There is no such script; every failure makes the next start later.
    for _ in 0..6 {
        let problems = prepare().await;
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].contains("engine.sh"),
            "what sh has said: {problems:?}"
        );
    }
    let script = format!("exec {}\n", env!("CARGO_BIN_EXE_fake-usi-engine"));
    std::fs::write(&program, script).expect("written");
    assert_eq!(prepare().await, [""; 0]);
}

#[cfg(unix)]
#[tokio::test]
async fn what_an_engine_reports_is_told_before_the_game() {
    let script = "while read -r line; do case \"$line\" in \
        usi) echo info string error: no such file; echo info string warning: slow; echo usiok ;; \
        isready) echo readyok ;; usinewgame) echo info string error: no book ;; quit) exit ;; esac; done";
    let table = format!(
        "[[player]]\nname = \"fake\"\nkind = \"usi\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n"
    );
    let (_worker, mut client) = in_process(&table).await;
    for (game_id, reported) in [("one", "no such file"), ("two", "no book")] {
        let request = v1::NewGameRequest {
            game_id: game_id.to_owned(),
            ..v1::NewGameRequest::default()
        };
        let response = client.new_game(request).await.expect("asked");
        let expected = [format!("fake reports: error: {reported}")];
        assert_eq!(response.into_inner().problems, expected);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn who_is_not_ready_in_time_is_named() {
    let script = "while read -r word; do case $word in usi) echo usiok ;; esac; done";
    let slow = format!(
        "[[player]]\nname = \"slow\"\nkind = \"usi\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n"
    );
    let (_worker, mut client) = in_process(&(slow + &fake(&[]))).await;
    let request = v1::NewGameRequest {
        game_id: "g".to_owned(),
        patience_ms: Some(300),
        claim: None,
    };
    let response = client.new_game(request).await.expect("asked");
    let problems = response.into_inner().problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].starts_with("slow: not ready yet"),
        "{problems:?}"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn examinations_take_turns() {
    let folder = TestFolder::new();
    let log = folder.file("log");
    let script = format!("echo + >> '{log}'; sleep 0.1; echo - >> '{log}'; exit 3");
    let table = format!(
        "[[player]]\nname = \"fake\"\nkind = \"usi\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n"
    );
    let (_worker, client) = in_process(&table).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let mut client = client.clone();
        let player = "fake".to_owned();
        calls.spawn(async move { client.examine(v1::ExamineRequest { player }).await });
    }
    for refused in calls.join_all().await {
        refused.expect_err("it does not speak USI");
    }
    let (mut running, mut most) = (0, 0);
    for line in folder.lines("log") {
        running += if line == "+" { 1 } else { -1 };
        most = most.max(running);
    }
    // The player itself, and one examination.
    assert!(most <= 2, "{most} engines at once");
}
