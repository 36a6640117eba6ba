//! Bad input gives one clear line and a failing exit status, and never ends the proxy.

use monju_tests::{
    alone,
    binary::monju,
    cluster::{ServiceProcess, coordinator_over},
    command::{complaint_of, failure_of, refusal_of},
    data::{assert_legal, config},
    pulse::judge,
    usi::Usi,
};
use std::{
    fs, io,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// Writes a configuration of three native players, with further text before them.
fn write_config(folder: &Path, keys: &str) -> PathBuf {
    let path = folder.join("ensemble.toml");
    let players = "[[player]]\nname = \"monju\"\ncount = 3\nsigma = 50\n";
    fs::write(&path, format!("{keys}\n{players}")).expect("a writable folder");
    path
}

/// Returns the error of a command about a configuration.
fn complaint_about(path: &Path) -> String {
    let path = path.to_str().expect("a path in UTF-8");
    complaint_of(&["consult", "--nodes", "1000", "--config", path])
}

/// Returns the URL of a port without a listener: it was free a moment ago.
fn closed_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

#[test]
fn a_malformed_position_is_named() {
    for (position, offender) in [
        ("startpos moves 7g7e", "7g7e"),
        ("startpos moves 7g7f 3c3d nonsense", "nonsense"),
        (
            "lnsgkgsna/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "a",
        ),
        (
            "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL x - 1",
            "x",
        ),
        ("sfen 4k4/9/9/9/9/9/9/9/4K4 b 3B 1", "3"),
        ("nonsense", "nonsense"),
    ] {
        let line = refusal_of(&["consult", position, "--nodes", "1000"]);
        assert!(line.contains(offender), "{position}: {line}");
    }
}

/// Nobody read the line any more, as after `2>&1 | head -1`, and the command ended by a panic.
#[test]
fn a_complaint_that_nobody_reads_is_no_panic() {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(monju());
    command.args(["consult", "--players", "0"]).stderr(writer);
    assert_eq!(command.status().expect("started").code(), Some(2));
}

#[test]
fn arguments_that_make_no_sense_are_refused_with_status_2() {
    for (arguments, words) in [
        ("consult --players 0", "--players"),
        ("consult --players many", "many"),
        ("consult --sigma -1", "-1"),
        ("consult --sigma nan", "nan"),
        ("consult --rule seniority", "seniority"),
        ("consult --rule majorty", "'majority'"),
        ("consult --time-policy nonsense", "agreement"),
        ("consult --tempo nonsense", "nonsense"),
        ("consult --pondering nonsense", "spread"),
        ("consult --nodes -5", "-5"),
        ("consult --sgima 5", "'--sigma'"),
        ("consult --coordinator nowhere", "nowhere"),
        ("consult kifu", "'kifu' is neither a position"),
        ("usi --rule seniority", "seniority"),
        ("worker --players 0", "--players"),
        ("worker --listen here", "HOST:PORT"),
        ("coordinator --rule seniority", "seniority"),
        ("coordinator --worker nowhere", "nowhere"),
        ("engine --sigma -5", "-5"),
        ("perft startpos x", "'x' is no depth"),
        ("perft nonsense 3", "nonsense"),
        ("replay --rule coin a.jsonl", "coin"),
        ("experiment run --games 3 a.toml", "even"),
        (
            "match --first native --second native --openings a --games 3",
            "even",
        ),
        (
            "match --first native --second native --openings a --increment 9",
            "--byoyomi",
        ),
        // A clock of 0 was one of 200 ms a move.
        (
            "match --first native --second native --openings a --byoyomi 0",
            "a clock of 0 ms",
        ),
        (
            "match --first native --second native --openings a --main-time 0 --increment 0 --nodes 9",
            "a clock of 0 ms",
        ),
        (
            "tune --screen --state a --openings a nonsense=1",
            "nonsense",
        ),
        ("tune --state a --openings a nonsense:1", "nonsense"),
        (
            "tune --state a --openings a margin_scale:0",
            "a step of at least 0.5",
        ),
        (
            "tune --state a --openings a margin_scale:10:-1",
            "starts outside of",
        ),
        (
            "tune --state a --openings a --pairs 0 margin_scale:10",
            "--pairs",
        ),
        (
            "tune --state a --openings a --gain 0 margin_scale:10",
            "a number above 0",
        ),
        ("bench --threads 0", "0"),
        (
            "match --first native --second native --openings a --games 0",
            "above 0",
        ),
        (
            "match --first native --second native --openings a --elo1 9 --error-probability 3",
            "between 0 and 0.5",
        ),
        (
            "match --first native --second native --openings a --elo0 5 --elo1 1",
            "greater than elo0",
        ),
        (
            "tune --screen --state a --openings a --elo1 -1 reduction_divisor=230",
            "greater than elo0",
        ),
        (
            "tune --state a --openings a --updates 0 reduction_divisor:5",
            "--updates",
        ),
        ("learn selfplay --output a --positions 0", "--positions"),
        ("learn selfplay --output a --threads 0", "--threads"),
        ("learn selfplay --output a --sigma -4", "-4"),
        ("learn selfplay --output a --hash 0", "0"),
        ("learn linear --games a --output b --width 0", "--width"),
        ("certificates a --add pc5", "a role with a name"),
        ("certificates a --add member", "a role with a name"),
        ("certificates a --renew worker-../gui", "a role with a name"),
        ("certificates a --revoke worker pc5", "a role with a name"),
        ("bench --threads 1 --positions 0", "0"),
        ("bench --rounds 3", "--threads"),
        ("benhc", "'bench'"),
    ] {
        let line = refusal_of(&arguments.split(' ').collect::<Vec<_>>());
        assert!(line.contains(words), "{arguments}: {line}");
    }
}

/// All but those that speak USI, which tell the GUI and go on.
#[test]
fn a_file_that_is_not_there_ends_every_command_with_status_1() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("output");
    let output = output.to_str().expect("a path in UTF-8");
    for arguments in [
        "analyse absent.kif",
        "bench --mates absent.tsv",
        "book build absent.csa --output OUTPUT",
        "book convert absent.book --output OUTPUT",
        "book search absent.book --output OUTPUT",
        "book show absent.book",
        "calibrate absent.jsonl --output OUTPUT",
        "consult absent.kif",
        "consult --book absent.book --nodes 1",
        "consult --config absent.toml",
        "coordinator --config absent.toml",
        "csa --server 127.0.0.1:1 --user a --password-file absent.txt",
        "danger absent.kif",
        "danger --survey absent.sfen",
        "doctor --config absent.toml",
        "drain --worker http://127.0.0.1:1 --config absent.toml",
        "experiment export absent.toml --out OUTPUT",
        "experiment import absent.bundle --store OUTPUT",
        "experiment report absent.toml",
        "experiment run absent.toml",
        "experiment serve absent.toml",
        "experiment status absent.toml",
        "learn convert absent.bin --output OUTPUT",
        "learn linear --games absent.games --output OUTPUT",
        "learn material absent.data --output OUTPUT",
        "learn margins absent.jsonl --output OUTPUT",
        "learn nnue absent.data --output OUTPUT",
        "learn ordering absent.jsonl --output OUTPUT",
        "learn records absent.csa --output OUTPUT",
        "learn reductions absent.jsonl --output OUTPUT",
        "learn searches --openings absent.sfen --output OUTPUT",
        "learn selfplay --openings absent.sfen --output OUTPUT",
        "learn time-control absent.jsonl --output OUTPUT",
        "match --first native --second native --openings absent.sfen",
        "mate absent.kif",
        "replay absent.jsonl",
        "status --config absent.toml",
        "tune --state OUTPUT --openings absent.sfen margin_scale:1",
        "worker --config absent.toml",
    ] {
        let words = arguments.split(' ').map(|word| match word {
            "OUTPUT" => output,
            word => word,
        });
        let line = failure_of(&words.collect::<Vec<_>>());
        assert!(line.contains("absent."), "{arguments}: {line}");
    }
}

/// A learner learned first, and found then that there was no place for what it had learned.
#[test]
fn an_output_that_cannot_be_written_is_refused_before_any_input_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().to_str().expect("a path in UTF-8");
    for arguments in [
        "book build absent.csa",
        "book convert absent.book",
        "book search absent.book",
        "learn convert absent.bin",
        "learn linear --games absent.games",
        "learn margins absent.jsonl",
        "learn material absent.data",
        "learn nnue absent.data",
        "learn ordering absent.jsonl",
        "learn records absent.csa",
        "learn reductions absent.jsonl",
        "learn searches --openings absent.sfen",
        "learn selfplay --openings absent.sfen",
        "learn time-control absent.jsonl",
    ] {
        let refused = |flag: &str, output: &str| {
            let words = arguments.split(' ').chain([flag, output]);
            complaint_of(&words.collect::<Vec<_>>())
        };
        let line = refused("--output", "nodir/file");
        assert!(line.contains("there is no folder nodir"), "{line}");
        assert!(!line.contains(".new"), "{line}");
        let line = refused("--output", folder);
        assert!(line.contains("that is a folder"), "{line}");
    }
    let output = format!("{folder}/net");
    let nnue = ["learn", "nnue", "absent.data", "--output", &output];
    let line = complaint_of(&[&nnue[..], &["--nn-bin", "nodir/nn.bin"]].concat());
    assert!(line.contains("cannot write nodir/nn.bin"), "{line}");
}

#[test]
fn a_file_that_is_not_there_is_told_once_and_without_another_file() {
    let line = complaint_of(&["experiment", "run", "absent.toml"]);
    let expected = "absent.toml: no such file; correct the path, or make one with 'monju init'";
    assert!(line.ends_with(expected), "{line}");
    let sides = ["--first", "native", "--second", "native"];
    let openings = ["--openings", "absent.sfen"];
    let line = complaint_of(&[&["match"][..], &sides, &openings].concat());
    assert!(
        line.contains("the openings absent.sfen cannot be read"),
        "{line}"
    );
    assert!(!line.contains("folder of this file"), "{line}");
}

#[test]
fn an_unknown_player_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = write_config(folder.path(), "[ensemble]\nprimary = \"bonanza\"");
    let line = complaint_about(&path);
    assert!(line.contains("bonanza"), "{line}");
    assert!(line.contains("ensemble.toml"), "{line}");
}

#[test]
fn a_misspelt_key_is_named_with_file_and_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("ensemble.toml");
    fs::write(&path, "[[player]]\nname = \"monju\"\nsigmma = 50\n").expect("a writable folder");
    let line = complaint_about(&path);
    assert!(line.contains("ensemble.toml:3"), "{line}");
    assert!(line.contains("sigmma"), "{line}");
}

#[test]
fn a_configuration_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("absent.toml");
    assert!(complaint_about(&path).contains("absent.toml"));
    let path = path.to_str().expect("a path in UTF-8");
    for role in ["worker", "coordinator"] {
        let line = complaint_of(&[role, "--listen", "127.0.0.1:0", "--config", path]);
        assert!(line.contains("absent.toml"), "{line}");
    }
}

#[test]
fn an_engine_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("ensemble.toml");
    let text = "[[player]]\nname = \"absent\"\nkind = \"usi\"\ncommand = [\"/no/such/engine\"]\n";
    fs::write(&path, text).expect("a writable folder");
    let line = complaint_about(&path);
    assert!(line.contains("/no/such/engine"), "{line}");
}

#[test]
fn a_coordinator_that_is_not_there_is_named() {
    let url = closed_port();
    let line = complaint_of(&["consult", "--nodes", "1000", "--coordinator", &url]);
    assert!(line.contains(&url), "{line}");
    let line = refusal_of(&["consult", "--nodes", "1000", "--coordinator", "not a url"]);
    assert!(line.contains("not a url"), "{line}");
}

#[test]
fn a_worker_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let absent = closed_port();
    let coordinator = coordinator_over(folder.path(), std::slice::from_ref(&absent), "");
    let url = coordinator.url();
    let line = complaint_of(&["consult", "--nodes", "1000", "--coordinator", &url]);
    assert!(line.contains(&absent), "{line}");
}

#[test]
fn a_port_in_use_is_named() {
    let worker_config = config("three-noise-players.toml");
    let worker = ServiceProcess::on_free_port("worker", &worker_config);
    let path = worker_config.to_str().expect("a path in UTF-8");
    let line = complaint_of(&["worker", "--listen", &worker.address, "--config", path]);
    assert!(line.contains(&worker.address), "{line}");

    let folder = tempfile::tempdir().expect("a temporary folder");
    let coordinator = coordinator_over(folder.path(), &[worker.url()], "");
    let path = folder.path().join("coordinator.toml");
    let path = path.to_str().expect("a path in UTF-8");
    let line = complaint_of(&[
        "coordinator",
        "--listen",
        &coordinator.address,
        "--config",
        path,
    ]);
    assert!(line.contains(&coordinator.address), "{line}");
}

#[test]
fn the_proxy_keeps_running_through_bad_input() {
    let _alone = alone();
    let mut usi = Usi::ready(&["--players", "1"]);
    for line in [
        "position sfen nonsense",
        "position startpos moves 7g7e",
        "position",
        "setoption name Players value many",
        "setoption name Nonsense value 1",
        "setoption",
        "go nodes many",
        "stop",
        "ponderhit",
        "nonsense",
        "",
    ] {
        usi.send(line);
    }
    usi.send("usi");
    usi.expect("usiok");
    usi.send("isready");
    usi.expect("readyok");
    let answer = usi.think("startpos moves 7g7f", "go nodes 1000");
    assert_legal("startpos moves 7g7f", &answer.bestmove);
    assert!(usi.quit().status.success());
}

#[test]
fn the_proxy_keeps_running_without_its_coordinator() {
    let _alone = alone();
    let url = closed_port();
    let mut usi = Usi::start(&["--coordinator", &url]);
    usi.handshake();
    usi.send("isready");
    let lines = usi.expect("readyok");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("info string") && line.contains(&url)),
        "{lines:?}"
    );
    usi.send("usinewgame");
    judge("a move without a coordinator", || {
        let answer = usi.think("startpos moves 7g7f", "go btime 0 wtime 0 byoyomi 2000");
        assert_legal("startpos moves 7g7f", &answer.bestmove);
        answer.in_time(Duration::from_millis(2000))
    });
    assert!(usi.quit().status.success());
}
