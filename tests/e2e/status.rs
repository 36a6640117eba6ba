//! `monju status`: a look at a coordinator that disturbs no game.

use monju_tests::{
    alone,
    cluster::{TestCluster, eventually},
    command::{complaint_of, json_of, output_of},
    usi::Usi,
};

#[test]
fn a_game_is_looked_at_and_goes_on() {
    let _alone = alone();
    let player = |name: &str| format!("[[player]]\nname = \"{name}\"\nsigma = 50\nhash_mib = 8\n");
    let (one, two) = (player("one"), player("two"));
    let mut cluster = TestCluster::start(&[&one, &two], "");
    let url = cluster.coordinator.url();
    let status = ["status", "--coordinator", &url];
    assert!(output_of(&status).contains("2 workers connected with 2 players, 0 lost"));

    let mut usi = Usi::start(&["--coordinator", &url]);
    usi.handshake();
    usi.send("isready");
    usi.expect("readyok");
    usi.send("usinewgame");
    usi.send("position startpos");
    usi.send("go infinite");
    let json = || json_of(&[&status[..], &["--json"]].concat());
    let holder = eventually("a holder", || json()["held_by"].as_str().map(str::to_owned));
    assert!(!holder.is_empty());
    usi.send("stop");
    usi.expect("bestmove");
    let answer = usi.think("startpos moves 7g7f", "go nodes 2000");
    let verdict = answer.lines.last().expect("a verdict");
    assert!(!verdict.contains("uncounted"), "{verdict}");
    let seen = json();
    for (index, name) in ["one", "two"].into_iter().enumerate() {
        let player = &seen["workers"][index]["players"][0];
        assert_eq!(player["name"], name, "{seen:#}");
        let votes = &player["votes"][0];
        assert_eq!(
            (&votes["asked"], &votes["in_time"]),
            (&2.into(), &2.into()),
            "{seen:#}"
        );
        assert!(votes["nodes_per_second"].as_u64() > Some(0), "{seen:#}");
    }
    assert!(seen["workers"][0]["build"] == seen["build"], "{seen:#}");

    cluster.workers[1].process.kill();
    let lost = eventually("a lost worker", || {
        let seen = json();
        (seen["workers"][1]["connected"] == false).then_some(seen)
    });
    assert!(
        lost["workers"][1]["last_failure"]["reason"].is_string(),
        "{lost:#}"
    );
    assert!(usi.quit().status.success());
    let complaint = complaint_of(&["status", "--coordinator", "http://127.0.0.1:1"]);
    assert!(complaint.contains("no coordinator at"), "{complaint}");
}
