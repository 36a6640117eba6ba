//! The example configurations, used as their comments say.

use monju_tests::{
    alone,
    cluster::{ServiceProcess, eventually},
    command::json_of,
    data::{assert_legal, config, opening},
    skip::skipped,
    usi::Usi,
};
use std::net::TcpListener;

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
