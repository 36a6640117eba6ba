//! The example configurations, used as their comments say.

use monju_tests::{
    alone,
    cluster::{ServiceProcess, eventually},
    command::{complaint_of, json_of, output_of},
    data::{assert_legal, config, opening},
    skip::skipped,
    usi::Usi,
};
use std::{fs, net::TcpListener};

#[test]
fn the_example_cluster_works_as_it_is() {
    let _alone = alone();
    // These ports are the examples' own, the only ones in these tests that are not free choices.
    let ports = ["7410", "7411", "7412", "7413"];
    let taken = ports
        .iter()
        .find(|port| TcpListener::bind(format!("127.0.0.1:{port}")).is_err());
    if let Some(port) = taken {
        skipped(&format!("the example cluster: port {port} is in use"));
        return;
    }
    let _workers = ["worker-1", "worker-2", "worker-3"].map(|name| {
        ServiceProcess::start("worker", None, &config(&format!("cluster/{name}.toml")))
    });
    let coordinator =
        ServiceProcess::start("coordinator", None, &config("cluster/coordinator.toml"));
    assert_eq!(coordinator.address, "127.0.0.1:7410");
    let url = coordinator.url();
    eventually("three votes", || {
        let ballot = json_of(&[
            "consult",
            "--coordinator",
            &url,
            "--nodes",
            "1000",
            "--json",
        ]);
        let votes = ballot["votes"].as_array().expect("votes");
        (votes.iter().filter(|vote| vote["counted"] == true).count() == 3).then_some(())
    });
    let mut usi = Usi::ready(&["--coordinator", &url]);
    let position = opening(30);
    assert_legal(&position, &usi.think(&position, "go byoyomi 500").bestmove);
    assert!(usi.quit().status.success());
}

#[test]
fn the_binary_alone_writes_the_examples() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("my configs");
    let made_text = made.to_str().expect("a path in UTF-8");
    let said = output_of(&["init", made_text]);
    let names = said.lines().filter_map(|line| line.strip_prefix(made_text));
    let names: Vec<&str> = names.map(|name| name.trim_start_matches('/')).collect();
    assert!(names.contains(&"monju.toml") && names.contains(&"experiments/template.toml"));
    for name in names {
        let ours = fs::read(config(name)).expect("a file of the repository");
        assert_eq!(fs::read(made.join(name)).expect("written"), ours, "{name}");
    }
    let players = made.join("three-noise-players.toml");
    let players = players.to_str().expect("a path in UTF-8");
    json_of(&["consult", "--config", players, "--nodes", "500", "--json"]);
    // The template is right, and finds its openings.
    let template = made.join("experiments/template.toml");
    let template = template.to_str().expect("a path in UTF-8");
    let status = complaint_of(&["experiment", "status", template]);
    assert!(status.contains("there is no store"), "{status}");
    assert!(
        made.join("experiments/../openings/records2016_24ply.sfen")
            .is_file()
    );

    // Nothing is overwritten, not even in part.
    fs::remove_file(made.join("monju.toml")).expect("removed");
    let complaint = complaint_of(&["init", made_text]);
    assert!(
        complaint.contains("three-noise-players.toml is there already"),
        "{complaint}"
    );
    assert!(!made.join("monju.toml").exists());
    let absent = complaint_of(&["consult", "--config", "no/such/monju.toml"]);
    assert!(absent.contains("'monju init'"), "{absent}");
}

#[test]
fn the_template_works_as_it_is() {
    let _alone = alone();
    let path = config("monju.toml");
    let path = path.to_str().expect("a path in UTF-8");
    let ballot = json_of(&["consult", "--config", path, "--nodes", "1000", "--json"]);
    assert!(
        ballot["votes"]
            .as_array()
            .is_some_and(|votes| votes.len() >= 3),
        "{ballot}"
    );
}
