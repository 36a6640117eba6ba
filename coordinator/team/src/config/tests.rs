//! Tests of right and wrong configurations.

use super::*;
use monju_host::PlayerKind;

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(text, Path::new("monju.toml")).map_err(|error| error.to_string())
}

fn complaint(text: &str) -> String {
    parse(text).expect_err("refused")
}

/// The folder of configurations that users copy.
fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs")
}

#[test]
fn an_empty_file_is_all_defaults() {
    assert_eq!(parse(""), Ok(Config::default()));
    assert_eq!(parse("version = 1"), Ok(Config::default()));
}

#[test]
fn errors_name_the_file_the_line_and_the_remedy() {
    for (text, expected) in [
        (
            "version = 2",
            "monju.toml:1: version 2 is not known; use version = 1",
        ),
        (
            "[ensemble]\n\nprimry = \"a\"",
            "monju.toml:3: unknown key `primry`; expected one of `rule`, `primary`, `calibration`, \
             `resign_below`, `resign_after`",
        ),
        (
            "[ensemble]\nrule = \"seniority\"",
            "monju.toml:2: unknown rule 'seniority'; expected one of: majority, weighted, \
             optimistic, pessimistic, majority-then-optimistic, mean-score, ranked, \
             primary-unless-outvoted, careful, single, alternate, hand-over",
        ),
        (
            "[ensemble]\nrule = \"primary-unless-outvoted\"",
            "monju.toml:2: rule 'primary-unless-outvoted' needs a primary player; name one by \
             primary = …",
        ),
        (
            "[book]\nfile = \"a.book\"\nplies = 0",
            "monju.toml:3: plies must be at least 1; without a book, remove file",
        ),
        (
            "[ensemble]\nresign_below = 0.7",
            "monju.toml:2: resign_below must be a win rate from 0 to below 0.5, not 0.7",
        ),
        (
            "[ensemble]\nresign_below = 0.02",
            "monju.toml:2: resign_below needs win rates; name a calibration, which 'monju \
             calibrate' makes",
        ),
        (
            "[worker]\nname = \"w\"\nlisten = \"7411\"",
            "monju.toml:3: listen '7411' is not an address; expected a form like 127.0.0.1:7411",
        ),
        (
            "[worker]\nhash_mib = 0",
            "monju.toml:2: hash_mib must be at least 1",
        ),
        (
            "[coordinator]\nworkers = [\"attic:7411\"]",
            "monju.toml:2: 'attic:7411' is not an address; expected http://HOST:PORT, such as http://127.0.0.1:7410 \
             for a coordinator, or :7411 for a worker",
        ),
        (
            "[coordinator]\nworkers = [\"http://a:1\", \"http://a:1\"]",
            "monju.toml:2: worker http://a:1 is listed twice; remove one of them",
        ),
        (
            "[[player]]\nname = \"a\"\n[[player]]\nname = \"b\"\n[ensemble]\nprimary = \"c\"",
            "monju.toml:6: primary 'c' is no player; expected one of: a, b",
        ),
    ] {
        assert_eq!(complaint(text), expected);
    }
}

#[test]
fn a_wrong_player_is_found_by_its_table() {
    let text = "[[player]]\nname = \"a\"\n\n[[player]]\nname = \"b\"\nsigma = -1";
    let complaint = complaint(text);
    assert!(complaint.starts_with("monju.toml:4: "), "{complaint}");
    assert!(complaint.contains("sigma"), "{complaint}");
}

#[test]
fn broken_toml_is_one_line() {
    for text in ["[worker", "a = ", "[worker]\nhash_mib = \"many\"", "= 1"] {
        let complaint = complaint(text);
        assert!(complaint.starts_with("monju.toml:"), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
    }
}

#[test]
fn a_primary_may_live_on_a_remote_worker() {
    let text = "[[player]]\nname = \"a\"\n[coordinator]\nworkers = [\"http://h:1\"]\n\
                [ensemble]\nprimary = \"remote\"";
    assert!(parse(text).is_ok());
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Config::read(Path::new("absent/monju.toml")).expect_err("refused");
    assert!(error.to_string().starts_with("absent/monju.toml: no such"));
}

#[test]
fn the_template_states_the_defaults() {
    let path = configs().join("monju.toml");
    let text = fs::read_to_string(&path).expect("the template");
    assert_eq!(parse(&text), Ok(Config::default()), "as it is");

    // Keys are commented out with "#key = value"; prose is commented with "# ".
    let uncommented: Vec<&str> = text
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(key) if !key.is_empty() && !key.starts_with([' ', '#']) => key,
            _ => line,
        })
        .collect();
    let all = parse(&uncommented.join("\n")).expect("every key of the template is right");
    let defaults = Config::default();
    let without_coordinators = WorkerConfig {
        coordinators: Vec::new(),
        ..all.worker
    };
    assert_eq!(without_coordinators, defaults.worker);
    let with_defaults = CoordinatorConfig {
        // Examples, as there is no default.
        workers: defaults.coordinator.workers.clone(),
        log: defaults.coordinator.log.clone(),
        rotation: defaults.coordinator.rotation,
        ..all.coordinator
    };
    assert_eq!(with_defaults, defaults.coordinator);
    assert_eq!(all.ensemble.rule, defaults.ensemble.rule);
    assert_eq!(all.book.voting, defaults.book.voting);

    // The error about an unknown key lists all keys of the table.
    for table in [
        "",
        "[worker]",
        "[[player]]",
        "[coordinator]",
        "[ensemble]",
        "[book]",
    ] {
        let unknown = parse(&format!("{table}\nbogus = 1\n")).expect_err("unknown");
        let unknown = unknown.to_string();
        let (_, known) = unknown.split_once("expected one of").expect("a list");
        let mut header = "";
        let own: Vec<&str> = (uncommented.iter().copied())
            .filter(|line| {
                if line.starts_with('[') {
                    header = line;
                }
                header == table || table.is_empty()
            })
            .collect();
        for key in known.split('`').skip(1).step_by(2) {
            let names = [
                format!("{key} = "),
                format!("[{key}]"),
                format!("[[{key}]]"),
            ];
            let is_own = |line: &&str| names.iter().any(|name| line.starts_with(name));
            // Its old name.
            let is_documented = key == "tempo" || own.iter().any(is_own);
            assert!(is_documented, "{key} of '{table}' is not in the template");
        }
    }
}

#[test]
fn every_configuration_in_the_folder_is_right() {
    let mut read = 0;
    for folder in [configs(), configs().join("cluster")] {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                if let Err(error) = Config::read(&path) {
                    panic!("{error}");
                }
                read += 1;
            }
        }
    }
    assert!(read >= 7, "{read}");
}

#[test]
fn a_file_is_returned_with_the_text_that_was_read() {
    let path = configs().join("heterogeneous.toml");
    let (config, file) = Config::load_with_file(Some(&path)).expect("right");
    let file = file.expect("a file");
    assert_eq!(
        Config::parse(&file.text, &file.path).expect("right"),
        config
    );
}

#[test]
fn the_cluster_is_one_ensemble_of_three() {
    let read = |file: &str| Config::read(&configs().join("cluster").join(file)).expect("right");
    let coordinator = read("coordinator.toml").coordinator;
    let mut names = Vec::new();
    for (number, url) in (1..=3).zip(&coordinator.workers) {
        let worker = read(&format!("worker-{number}.toml"));
        assert_eq!(*url, format!("http://{}", worker.worker.listen));
        names.extend(worker.players.into_iter().map(|player| player.name));
    }
    assert_eq!(names, ["monju-1", "monju-2", "monju-3"]);
}

#[test]
fn the_heterogeneous_ensemble_is_that_of_paper_002_section_4() {
    let config = Config::read(&configs().join("heterogeneous.toml")).expect("right");
    assert_eq!(config.players.len(), 3);
    let primary = config.ensemble.primary.expect("a primary");
    let native = config
        .players
        .iter()
        .find(|player| player.name == primary)
        .expect("among the players");
    assert!(matches!(native.kind, PlayerKind::Native(_)));
}
