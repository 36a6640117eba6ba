//! Whole games of the cluster against other programs, refereed by an independent rules library.

use monju_tests::{
    alone,
    binary::monju,
    cluster::TestCluster,
    data::repository,
    foreign::{fairy_stockfish, gpsusi, referee_python},
    skip::skipped,
};
use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Milliseconds a move of the cluster, which the referee enforces.
const BYOYOMI: &str = "500";

#[test]
fn the_referee_sees_every_fault() {
    let Some(python) = referee_python() else {
        return;
    };
    let status = Command::new(python)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(repository().join("tests/referee"))
        .args(["-m", "unittest", "match_test"])
        .status()
        .expect("python starts");
    assert!(status.success());
}

#[test]
fn the_cluster_plays_whole_games_against_gpsusi() {
    let _alone = alone();
    let (Some(python), Some(gpsusi)) = (referee_python(), gpsusi()) else {
        return;
    };
    // It thinks for at least a second at any limit of time, but for less with a limit of nodes.
    let opponent = format!("{} --node-count-hard-limit 30000", quoted(&gpsusi));
    let options = [
        "--opponent-byoyomi",
        "1000",
        "--opponent-option",
        "BookDepth=0",
    ];
    play(&python, &opponent, "gpsusi", &options, 0);
}

#[test]
fn the_cluster_plays_whole_games_against_fairy_stockfish() {
    let _alone = alone();
    let (Some(python), Some(fairy)) = (referee_python(), fairy_stockfish()) else {
        return;
    };
    let options = [
        "--opponent-byoyomi",
        "100",
        "--opponent-option",
        "UCI_Variant=shogi",
    ];
    play(&python, &quoted(&fairy), "fairy-stockfish", &options, 100);
}

/// Quotes a path as one word of a shell's command line.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// Plays a cluster of three processes with one noise player each, behind a coordinator and the
/// USI proxy, against the program that a command line starts; panics when the referee blames it.
fn play(python: &Path, opponent: &str, name: &str, options: &[&str], first_opening: usize) {
    let games_a_side = if std::env::var_os("MONJU_FULL_MATCHES").is_some() {
        4
    } else {
        skipped(&format!(
            "3 of 4 games a side against {name}; MONJU_FULL_MATCHES=1 plays them all"
        ));
        1
    };
    let cluster = TestCluster::of_three_noise_players();
    let engine = format!(
        "{} usi --coordinator {}",
        quoted(monju()),
        cluster.coordinator.url()
    );
    let log = cluster.folder().join("usi.log");
    let output = Command::new(python)
        .arg(repository().join("tests/referee/match.py"))
        .args(["--engine", &engine, "--opponent", opponent])
        .args(["--opponent-name", name, "--byoyomi", BYOYOMI])
        .args(options)
        .args([
            "--max-plies",
            "200",
            "--games-a-side",
            &games_a_side.to_string(),
        ])
        .args(["--openings-from", &first_opening.to_string(), "--openings"])
        .arg(repository().join("tests/data/openings/taya_36ply.sfen"))
        .arg("--log")
        .arg(&log)
        .stderr(Stdio::inherit())
        .output()
        .expect("the referee starts");
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if !output.status.success() {
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let end = &lines[lines.len().saturating_sub(100)..];
        panic!(
            "{}; the last lines of the log:\n{}",
            output.status,
            end.join("\n")
        );
    }
}
