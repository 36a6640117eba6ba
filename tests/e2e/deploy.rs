//! The files of `deploy/`: units that systemd accepts, and commands that `monju` understands.

use monju_tests::{binary::monju, command::output_of, data::repository, skip::skipped};
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
            skipped("units of systemd: systemd-analyze is not installed");
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
