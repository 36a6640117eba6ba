//! A team whose machines know each other by certificates: members alone are served.

use monju_tests::{
    cluster::{ServiceProcess, eventually},
    command::{complaint_of, json_of, output_of, refusal_of, run},
    data::{assert_legal, opening},
    usi::Usi,
};
use std::{fs, path::Path};

/// Returns the arguments of a consultation with certificates.
fn consult<'a>(url: &'a str, certificates: &'a [&'a str]) -> Vec<&'a str> {
    let question = [
        "consult",
        "startpos",
        "--nodes",
        "2000",
        "--json",
        "--coordinator",
        url,
    ];
    [&question[..], certificates].concat()
}

#[test]
fn a_team_serves_its_members_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (ours, theirs) = (path("ours"), path("theirs"));
    for team in [&ours, &theirs] {
        assert!(output_of(&["certificates", team]).contains("--tls"));
    }
    let service = |role: &str, text: &str| {
        let config = folder.path().join(format!("{role}.toml"));
        fs::write(&config, format!("version = 1\ntls = \"ours\"\n{text}")).expect("a file");
        ServiceProcess::on_free_port(role, Path::new(&config))
    };
    let worker = service(
        "worker",
        "[[player]]\nname = \"one\"\nsigma = 50\nhash_mib = 16\n",
    );
    let workers = format!(
        "[coordinator]\nworkers = [\"https://{}\"]\n",
        worker.address
    );
    let coordinator = service("coordinator", &workers);
    let url = format!("https://{}", coordinator.address);

    let ballot = json_of(&consult(&url, &["--tls", &ours]));
    let votes = ballot["votes"].as_array().expect("votes");
    assert_eq!(votes.len(), 1);
    assert_eq!(votes[0]["player"], "one", "{ballot}");
    assert_eq!(votes[0]["arrival"], "final", "{ballot}");

    // A spy knows the team's authority, but has a certificate of another team.
    let spy = path("spy");
    fs::create_dir(&spy).expect("a folder");
    for (from, name) in [
        (&ours, "authority.pem"),
        (&theirs, "member.pem"),
        (&theirs, "member.key"),
    ] {
        let (from, to) = (Path::new(from).join(name), Path::new(&spy).join(name));
        fs::copy(from, to).expect("a copy");
    }
    let open = coordinator.url();
    for (url, certificates, hint) in [
        (&url, &["--tls", &*theirs][..], "no coordinator at"),
        (&url, &["--tls", &*spy][..], "no coordinator at"),
        (&url, &[][..], "--tls"),
        (&open, &[][..], "no coordinator at"),
        (&open, &["--tls", &*ours][..], "https://"),
    ] {
        let complaint = complaint_of(&consult(url, certificates));
        assert!(complaint.contains(hint), "{complaint}");
    }
    // The members are still served.
    let ballot = json_of(&consult(&url, &["--tls", &ours]));
    assert_eq!(ballot["votes"][0]["arrival"], "final", "{ballot}");
}

#[test]
fn a_service_beyond_loopback_needs_certificates_or_a_word() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let config = path("open.toml");
    let beyond = ["--listen", "0.0.0.0:0"];
    for role in ["worker", "coordinator"] {
        let refused = refusal_of(&[&[role][..], &beyond].concat());
        for word in ["0.0.0.0:", "monju certificates", "--without-tls"] {
            assert!(refused.contains(word), "{refused}");
        }
        let contradiction = [role, "--tls", "team", "--without-tls"];
        assert!(refusal_of(&contradiction).contains("--without-tls"));
        fs::write(&config, "version = 1\nwithout_tls = true\n").expect("a file");
        let told = ServiceProcess::start(role, Some("0.0.0.0:0"), Path::new(&config));
        assert!(told.address.starts_with("0.0.0.0:"), "{}", told.address);
    }
    fs::write(&config, "version = 1\nwithout_tls = true\ntls = \"team\"\n").expect("a file");
    let complaint = complaint_of(&["worker", "--config", &config]);
    assert!(
        complaint.contains("open.toml:2: without_tls"),
        "{complaint}"
    );
}

#[test]
fn certificates_by_role_let_nobody_direct_who_must_not() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let made = output_of(&[
        "certificates",
        &path("team"),
        "--by-role",
        "--until",
        "2999-12-31",
    ]);
    assert!(made.contains("team/gui"), "{made}");
    let past = ["certificates", &path("past"), "--until", "2020-01-01"];
    assert!(refusal_of(&past).contains("that day is past"));
    let complaint = complaint_of(&["certificates", &path("team")]);
    assert!(complaint.contains("has roles"), "{complaint}");
    for (role, member) in [("worker", "gui"), ("coordinator", "observer")] {
        let refused = refusal_of(&[role, "--tls", &path(&format!("team/{member}"))]);
        let advice = format!("team/{role}");
        assert!(
            refused.contains(&advice) && refused.contains(member),
            "{refused}"
        );
    }
    let service = |role: &str, text: &str| {
        let config = folder.path().join(format!("{role}.toml"));
        let tls = format!("version = 1\ntls = \"team/{role}\"\n{text}");
        fs::write(&config, tls).expect("a file");
        ServiceProcess::on_free_port(role, Path::new(&config))
    };
    let worker = service("worker", "[[player]]\nname = \"one\"\nhash_mib = 16\n");
    let workers = format!(
        "[coordinator]\nworkers = [\"https://{}\"]\n",
        worker.address
    );
    let coordinator = service("coordinator", &workers);
    let url = format!("https://{}", coordinator.address);
    let [gui, stolen] = ["team/gui", "team/worker"].map(path);
    let ballot = json_of(&consult(&url, &["--tls", &gui]));
    assert_eq!(ballot["votes"][0]["arrival"], "final", "{ballot}");
    // A worker's certificate directs nobody, an observer's looks, and a GUI's opens no connection to a worker.
    let complaint = complaint_of(&consult(&url, &["--tls", &stolen]));
    assert!(
        complaint.contains("role worker may not call"),
        "{complaint}"
    );
    let stolen_status = ["status", "--coordinator", &url, "--tls", &stolen];
    let complaint = complaint_of(&stolen_status);
    for words in [
        "refuses: role worker may not call Roster",
        "coordinator or gui or observer",
    ] {
        assert!(complaint.contains(words), "{complaint}");
    }
    assert!(!complaint.contains("start one"), "{complaint}");
    let observer = path("team/observer");
    let seen = json_of(&[
        "status",
        "--json",
        "--coordinator",
        &url,
        "--tls",
        &observer,
    ]);
    assert_eq!(seen["workers"][0]["connected"], true, "{seen}");
    let complaint = complaint_of(&consult(&url, &["--tls", &observer]));
    assert!(
        complaint.contains("role observer may not call"),
        "{complaint}"
    );
    let direct = path("direct.toml");
    let text = format!(
        "version = 1\ntls = \"team/gui\"\n[coordinator]\nworkers = [\"https://{}\"]\n",
        worker.address
    );
    fs::write(&direct, text).expect("a file");
    let complaint = complaint_of(&["consult", "--config", &direct, "--nodes", "500"]);
    assert!(complaint.contains("no worker at"), "{complaint}");
    // Only who directs workers may let one drain.
    let worker_url = format!("https://{}", worker.address);
    let drain =
        |member: &str| ["drain", "--worker", &worker_url, "--tls", member].map(str::to_owned);
    for member in [&gui, &observer, &stolen] {
        let drain = drain(member);
        let complaint = refusal_of(&drain.each_ref().map(String::as_str));
        assert!(complaint.contains("may not drain workers"), "{complaint}");
        assert!(complaint.contains("team/coordinator"), "{complaint}");
    }
    let drained = output_of(
        &drain(&path("team/coordinator"))
            .each_ref()
            .map(String::as_str),
    );
    assert!(drained.contains("is idle"), "{drained}");
}

/// A team with roles in a folder, whose worker enrols itself.
struct TeamWithRoles {
    folder: tempfile::TempDir,
    worker: ServiceProcess,
    coordinator: ServiceProcess,
}

impl TeamWithRoles {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = |name: &str| folder.path().join(name);
        output_of(&["certificates", &text(&path("team")), "--by-role"]);
        let service = |role: &str, table: &str| {
            let table = format!("version = 1\ntls = \"team/{role}\"\n{table}");
            let config = path(&format!("{role}.toml"));
            fs::write(&config, table).expect("a file");
            ServiceProcess::on_free_port(role, &config)
        };
        let coordinator = service("coordinator", "[coordinator]\nworkers = []\n");
        let worker = service(
            "worker",
            &format!(
                "[worker]\ncoordinators = [\"https://{}\"]\n[[player]]\nname = \"one\"\nhash_mib = 16\n",
                coordinator.address
            ),
        );
        Self {
            folder,
            worker,
            coordinator,
        }
    }

    fn path(&self, name: &str) -> String {
        text(&self.folder.path().join(name))
    }

    fn url(&self) -> String {
        format!("https://{}", self.coordinator.address)
    }

    /// Waits for a vote.
    fn voted(&self, member: &str) {
        let (url, member) = (self.url(), self.path(member));
        eventually("a vote", || {
            let ended = run(&consult(&url, &["--tls", &member]));
            ended.output.contains("\"final\"").then_some(())
        });
    }
}

fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_revoked_member_is_shut_out_of_a_running_team() {
    let team = TeamWithRoles::start();
    let certificates = team.path("team");
    output_of(&["certificates", &certificates, "--add", "gui-guest"]);
    team.voted("team/gui-guest");
    let told = output_of(&["certificates", &certificates, "--revoke", "gui-guest"]);
    assert!(told.contains("revoked.txt"), "{told}");
    let guest = team.path("team/gui-guest");
    let url = team.url();
    let refused = eventually("a refusal", || {
        let ended = run(&consult(&url, &["--tls", &guest]));
        // A consultation that was under way breaks in another way.
        let is_shut_out = ended.errors.contains("no coordinator at");
        is_shut_out.then_some(ended.errors)
    });
    assert!(refused.contains("revoked"), "{refused}");
    assert!(!refused.contains("docs.rs"), "{refused}");
    team.voted("team/gui");
}

#[test]
fn certificates_are_renewed_in_a_running_game() {
    let mut team = TeamWithRoles::start();
    team.voted("team/gui");
    let (url, gui) = (team.url(), team.path("team/gui"));
    let mut usi = Usi::ready(&["--coordinator", &url, "--tls", &gui]);
    let mut position = opening(11);
    let mut play = |usi: &mut Usi| {
        let answer = usi.think(&position, "go nodes 2000");
        assert_legal(&position, &answer.bestmove);
        position = format!("{position} {}", answer.bestmove);
        answer
            .lines
            .iter()
            .any(|line| line.starts_with("info string votes "))
    };
    assert!(play(&mut usi));
    let certificates = team.path("team");
    output_of(&[
        "certificates",
        &certificates,
        "--renew",
        "worker",
        "coordinator",
        "gui",
    ]);
    let is_read_again = |process: &ServiceProcess| {
        eventually("new certificates", || {
            process
                .process
                .errors()
                .contains("certificates read again")
                .then_some(())
        });
    };
    is_read_again(&team.worker);
    is_read_again(&team.coordinator);
    assert!(play(&mut usi), "the connections stay");
    // New connections use the new certificates.

    let address = team.worker.address.clone();
    team.worker.process.kill();
    let config = team.folder.path().join("worker.toml");
    team.worker = ServiceProcess::start("worker", Some(&address), &config);
    eventually("a move by the new worker", || play(&mut usi).then_some(()));
    assert!(usi.quit().status.success());
}
