//! Engines whose worker is killed.

use monju_tests::{
    alone,
    cluster::{TestCluster, eventually},
    usi::Usi,
};
use std::fs;

/// An engine that never answers a go, and ignores the end of its input and every signal that it can.
const STUBBORN: &str = "trap '' HUP INT TERM PIPE; echo $$ > FOLDER/started; \
    while read -r word rest; do case $word in \
    usi) echo id name stubborn; echo usiok ;; isready) echo readyok ;; \
    go) echo $$ > FOLDER/searching; while :; do sleep 1000; done ;; quit) break ;; \
    esac; done; while :; do sleep 1000; done";

#[test]
fn engines_end_with_their_worker_however_it_ends() {
    let _alone = alone();
    for (sign, is_asked) in [("started", false), ("searching", true)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().to_str().expect("a path in UTF-8");
        let script = STUBBORN.replace("FOLDER", path);
        let player = format!(
            "[[player]]\nname = \"stubborn\"\nkind = \"usi\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n"
        );
        let mut cluster = TestCluster::start(&[&player], "");
        let mut usi = Usi::ready(&["--coordinator", &cluster.coordinator.url()]);
        if is_asked {
            usi.begin("startpos", "go btime 0 wtime 0 byoyomi 60000");
        }
        let engine = eventually("the engine", || {
            let number = fs::read_to_string(folder.path().join(sign)).ok()?;
            number.trim().parse::<u32>().ok()
        });
        let lives = || {
            let stat = fs::read_to_string(format!("/proc/{engine}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        };
        assert!(lives());
        cluster.kill_worker(0);
        eventually("the end of the engine", || (!lives()).then_some(()));
    }
}
