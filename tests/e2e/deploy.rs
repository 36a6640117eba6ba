//! The files of `deploy/`: units that systemd accepts, and commands that `monju` understands.

#[cfg(unix)]
use monju_tests::cluster::eventually;
use monju_tests::{
    binary::monju, cluster::ServiceProcess, command::output_of, data::repository, skip::missing,
};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, process::Command};

const UNITS: [&str; 2] = ["monju-worker.service", "monju-coordinator.service"];

/// Path at which the units expect the binary.
const INSTALLED: &str = "/usr/local/bin/monju";

fn deployed(path: &str) -> String {
    let path = repository().join("deploy").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn systemd_accepts_the_units() {
    let folder = tempfile::tempdir().expect("a folder");
    for unit in UNITS {
        let text = deployed(&format!("systemd/{unit}"));
        let here = text.replace(INSTALLED, monju().to_str().expect("a path in UTF-8"));
        assert_ne!(text, here, "{unit} starts {INSTALLED}");
        let path = folder.path().join(unit);
        fs::write(&path, here).expect("a writable folder");
        let verified = Command::new("systemd-analyze")
            .args(["verify", "--man=no"])
            .arg(&path)
            .output();
        let Ok(verified) = verified else {
            missing("systemd-analyze", "apt-get install systemd");
            return;
        };
        let complaints = String::from_utf8_lossy(&verified.stderr);
        let own: Vec<&str> = complaints
            .lines()
            .filter(|line| line.contains(unit))
            .collect();
        assert!(verified.status.success() && own.is_empty(), "{complaints}");
    }
}

#[test]
fn monju_understands_the_commands_of_units_and_containers() {
    for unit in UNITS {
        let text = deployed(&format!("systemd/{unit}"));
        let start = text
            .lines()
            .find_map(|line| line.strip_prefix("ExecStart="));
        let words: Vec<&str> = start.expect("a command").split(' ').skip(1).collect();
        output_of(&[&words[..], &["--help"]].concat());
    }
    let team = deployed("compose/team.yaml");
    let mut commands = 0;
    let mut lines = team.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some(list) = line.strip_prefix("command:") else {
            continue;
        };
        let mut words: Vec<&str> = list.trim_matches([' ', '[', ']']).split(", ").collect();
        words.retain(|word| !word.is_empty());
        while let Some(item) = lines.next_if(|line| line.starts_with("- ")) {
            words.push(&item[2..]);
        }
        let words: Vec<&str> = words.iter().map(|word| word.trim_matches('"')).collect();
        output_of(&[&words[..], &["--help"]].concat());
        commands += 1;
    }
    assert_eq!(commands, 4, "three workers and a coordinator");
}

/// Runs the Slurm recipe with a runner that `does` something when it is told to end, sends the recipe a signal
/// once the runner is there, and returns its status and the orders that Slurm heard.
#[cfg(unix)]
fn slurm(signal: Signal, does: &str) -> (Option<i32>, String) {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let program = |name: &str, text: &str| {
        fs::write(path(name), format!("#!/bin/bash\n{text}\n")).expect("a writable folder");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(path(name), executable).expect("a file of ours");
    };
    let there = path("there");
    program(
        "monju",
        &format!(
            "trap '{does}' TERM\ntouch {}\nwhile :; do sleep 0.05; done",
            there.display()
        ),
    );
    let heard = path("heard");
    program("scontrol", &format!("echo \"$@\" >> {}", heard.display()));
    let paths = format!(
        "{}:{}",
        folder.path().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut recipe = Command::new("bash")
        .arg(repository().join("deploy/slurm/experiment.sh"))
        .args(["a.toml", "postgres://monju@host/monju"])
        .env("MONJU", path("monju"))
        .env("PATH", paths)
        .env("SLURM_JOB_ID", "17")
        .spawn()
        .expect("bash starts");
    eventually("a runner", || there.exists().then_some(()));
    let id = Pid::from_child(&recipe);
    kill_process(id, signal).expect("it runs");
    let status = recipe.wait().expect("it ends");
    (status.code(), fs::read_to_string(heard).unwrap_or_default())
}

#[cfg(unix)]
#[test]
fn a_slurm_job_goes_back_to_the_queue_only_at_its_time_limit() {
    let again = (Some(75), "requeue 17\n".to_owned());
    assert_eq!(slurm(Signal::USR1, "exit 75"), again);
    // Cancelled, done, and failed.
    assert_eq!(slurm(Signal::TERM, "exit 75"), (Some(75), String::new()));
    assert_eq!(slurm(Signal::USR1, "exit 0"), (Some(0), String::new()));
    assert_eq!(slurm(Signal::USR1, "exit 1"), (Some(1), String::new()));
}

#[test]
fn kubernetes_accepts_the_manifests() {
    let python = repository().join(".venv/bin/python");
    let checks = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.arg("-m").arg("kubernetes_validate").args(arguments);
        command.output()
    };
    if !checks(&["--version"]).is_ok_and(|version| version.status.success()) {
        missing("kubernetes-validate", "tests/run.sh makes .venv with it");
        return;
    }
    for manifest in ["kubernetes/team.yaml", "kubernetes/job.yaml"] {
        let text = deployed(manifest);
        let path = repository().join("deploy").join(manifest);
        let checked = checks(&["--strict", path.to_str().expect("a path in UTF-8")]);
        let checked = checked.expect("it has just run");
        let told = String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success(), "{manifest}: {told}");
        for line in [
            "runAsNonRoot: true",
            "imagePullPolicy: IfNotPresent",
            "capabilities: { drop: [ALL] }",
        ] {
            assert!(text.contains(line), "{manifest}: {line}");
        }
        assert!(!text.contains(":latest"), "{manifest}");
    }
    // A wrong manifest is found.
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = folder.path().join("wrong.yaml");
    let text = deployed("kubernetes/team.yaml").replacen("replicas: 4", "replicas: many", 1);
    fs::write(&wrong, text).expect("a writable folder");
    let checked = checks(&["--strict", wrong.to_str().expect("a path in UTF-8")]);
    assert!(!checked.expect("it has just run").status.success());
}

#[test]
fn monju_understands_the_team_of_the_kubernetes_manifest() {
    let text = deployed("kubernetes/team.yaml");
    let mut commands = 0;
    for list in text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("args: ["))
    {
        let words: Vec<&str> = (list.trim_end_matches(']').split(", "))
            .map(|word| word.trim_matches('"'))
            .collect();
        output_of(&[&words[..], &["--help"]].concat());
        commands += 1;
    }
    assert_eq!(commands, 2, "a worker and a coordinator");
    // The files of the ConfigMap are indented by four.
    let folder = tempfile::tempdir().expect("a folder");
    output_of(&[
        "certificates",
        folder.path().join("tls").to_str().expect("a path in UTF-8"),
    ]);
    for name in ["coordinator", "worker"] {
        let (_, file) = text
            .split_once(&format!("{name}.toml: |\n"))
            .expect("a file");
        let file: String = (file.lines())
            .map_while(|line| line.strip_prefix("    "))
            .map(|line| format!("{line}\n"))
            .collect();
        let file = (file.replace("/etc/monju-tls", "tls"))
            .replace("0.0.0.0:7410", "127.0.0.1:0")
            .replace("0.0.0.0:7411", "127.0.0.1:0");
        let config = folder.path().join(format!("{name}.toml"));
        fs::write(&config, file).expect("a writable folder");
        ServiceProcess::on_free_port(name, &config);
    }
}

#[test]
fn a_kubernetes_job_does_not_count_stopped_runners() {
    let job = deployed("kubernetes/job.yaml");
    for line in ["podFailurePolicy:", "values: [75]", "restartPolicy: Never"] {
        assert!(job.contains(line), "{line}");
    }
}
