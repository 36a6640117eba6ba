//! Engines whose worker is killed.

use monju_tests::{
    alone,
    cluster::{TestCluster, eventually},
    usi::Usi,
};
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, path::Path};

/// An engine that never answers a go, and ignores the end of its input and every signal that it can. It starts a
/// process of another session whose parent has ended.
const STUBBORN: &str = "trap '' HUP INT TERM PIPE; \
    (setsid sh -c 'echo $$ > FOLDER/away; exec sleep 1000' </dev/null >/dev/null 2>&1 &); echo $$ > FOLDER/started; \
    while read -r word rest; do case $word in \
    usi) echo id name stubborn; echo usiok ;; isready) echo readyok ;; \
    go) echo $$ > FOLDER/searching; while :; do sleep 1000; done ;; quit) break ;; \
    esac; done; while :; do sleep 1000; done";

#[test]
fn engines_end_with_their_worker_however_it_ends() {
    let _alone = alone();
    for (sign, is_asked) in [("started", false), ("searching", true)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut cluster = TestCluster::start(&[&stubborn(folder.path())], "");
        let mut usi = Usi::ready(&["--coordinator", &cluster.coordinator.url()]);
        if is_asked {
            usi.begin("startpos", "go btime 0 wtime 0 byoyomi 60000");
        }
        let both = [sign, "away"].map(|sign| process(folder.path(), sign));
        assert!(both.into_iter().all(lives));
        cluster.kill_worker(0);
        eventually("the end of the engine and what it started", || {
            both.into_iter().all(|one| !lives(one)).then_some(())
        });
    }
}

#[test]
fn what_an_engine_has_started_ends_with_it_while_its_worker_lives() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let _cluster = TestCluster::start(&[&stubborn(folder.path())], "");
    let [engine, away] = ["started", "away"].map(|sign| process(folder.path(), sign));
    assert!(lives(engine) && lives(away));
    let engine = Pid::from_raw(engine.cast_signed()).expect("a process");
    kill_process(engine, Signal::KILL).expect("it runs");
    eventually("the end of what it started", || {
        (!lives(away)).then_some(())
    });
}

/// The configuration of the engine, which leaves signs in a folder.
fn stubborn(folder: &Path) -> String {
    let script = STUBBORN.replace("FOLDER", folder.to_str().expect("a path in UTF-8"));
    format!(
        "[[player]]\nname = \"stubborn\"\nkind = \"usi\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n"
    )
}

/// Returns the process that has left a sign.
fn process(folder: &Path, sign: &str) -> u32 {
    eventually("the process", || {
        let number = fs::read_to_string(folder.join(sign)).ok()?;
        number.trim().parse().ok()
    })
}

fn lives(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}
