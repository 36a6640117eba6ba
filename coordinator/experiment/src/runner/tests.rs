use super::*;
use crate::{
    record::{Cause, MatchOutcome, MatchSide},
    report::{
        gather, markdown,
        tests::{FILE, finish, played},
    },
    store::{self, Accepted, Address, IncidentRow, OpenMode, meanwhile::Meanwhile},
};
use monju_host::{CoreSet, OptionValue, PlayerKind, UsiOptions, UsiSpec};
use monju_team::config::ConfigError;
use std::path::Path;

pub(super) const SMALL: &str = r#"
version = 1
name = "small"
games = 4
openings = "openings.sfen"
first = "council"
second = "single"
[grid]
sigma = [50, 200]
[ensemble.council]
hash_mib = 1
nodes = 60
player = [{ name = "n", count = 3, sigma = "$sigma" }]
[ensemble.single]
hash_mib = 1
nodes = 60
player = [{ name = "s" }]
[adjudication]
maximum_plies = 24
"#;

pub(super) fn specification_of(folder: &Path, text: &str) -> Arc<Specification> {
    let openings = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n";
    std::fs::write(folder.join("openings.sfen"), openings).expect("a writable folder");
    let parsed = Specification::parse(text, &folder.join("small.toml"));
    Arc::new(parsed.unwrap_or_else(|error| panic!("{error}")))
}

async fn preflight(specification: &Specification) -> Result<Preflight, ConfigError> {
    super::preflight(specification, |_| {}).await
}

async fn run(
    specification: &Arc<Specification>,
    file: &Path,
    jobs: usize,
) -> (Arc<dyn Store>, Vec<RunnerEvent>) {
    let address = Address::Sqlite(file.to_owned());
    let opening = OpenMode::PLAY;
    let store = store::open(&address, &specification.plan("build"), opening).await;
    let store = store.expect("a store");
    let runner = Runner {
        specification: Arc::clone(specification),
        store: Arc::clone(&store),
        name: unique_name(),
        jobs,
        term: LEASE,
        games: GamesUnderWay::default(),
    };
    let (events, mut told) = mpsc::unbounded_channel();
    let (_go_on, stop) = watch::channel(StopLevel::No);
    runner.run(stop, events).await.expect("played");
    let mut heard = Vec::new();
    while let Ok(event) = told.try_recv() {
        heard.push(event);
    }
    (store, heard)
}

/// The runner took the store for played out, because the pair was no longer leased when it looked.
#[tokio::test]
async fn a_pair_that_is_given_back_between_two_looks_is_played() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = SMALL
        .replace("sigma = [50, 200]", "sigma = [50]")
        .replace("games = 4", "games = 2");
    let specification = specification_of(folder.path(), &text);
    let address = Address::Sqlite(folder.path().join("x.db"));
    let store = store::open(&address, &specification.plan("build"), OpenMode::PLAY).await;
    let store = store.expect("a store");
    let lease = store.lease("another", LEASE).await.expect("asked");
    let lease = lease.expect("the only pair");
    let another = Arc::clone(&store);
    let give_back = async move { another.give_back(&lease).await.expect("given back") };
    let runner = Runner {
        specification,
        store: Arc::new(Meanwhile::after("lease", Arc::clone(&store), give_back)),
        name: unique_name(),
        jobs: 1,
        term: LEASE,
        games: GamesUnderWay::default(),
    };
    let (events, _told) = mpsc::unbounded_channel();
    let (_go_on, stop) = watch::channel(StopLevel::No);
    runner.run(stop, events).await.expect("played");
    let standings = store.standings().await.expect("standings");
    assert_eq!((standings[0].open, standings[0].finished), (0, 1));
}

/// A board that ends by a failure is told at once, while the others play all pairs, and its error is the runner's.
#[tokio::test]
async fn a_board_that_ends_is_told_while_the_others_play_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let specification = specification_of(folder.path(), SMALL);
    let address = Address::Sqlite(folder.path().join("x.db"));
    let store = store::open(&address, &specification.plan("build"), OpenMode::PLAY).await;
    let store = store.expect("a store");
    let failure = async { panic!("this board fails, as the test wants it") };
    let runner = Runner {
        specification,
        store: Arc::new(Meanwhile::after("lease", Arc::clone(&store), failure)),
        name: unique_name(),
        jobs: 2,
        // The pair of the board that fails is soon free again.
        term: Duration::from_millis(300),
        games: GamesUnderWay::default(),
    };
    let (events, mut told) = mpsc::unbounded_channel();
    let (_go_on, stop) = watch::channel(StopLevel::No);
    let ended = runner.run(stop, events).await;
    assert!(matches!(ended, Err(RunnerError::Panicked(_))), "{ended:?}");
    let mut heard = std::iter::from_fn(|| told.try_recv().ok());
    assert!(
        heard.any(|event| matches!(&event, RunnerEvent::BoardEnded(reason) if reason.contains("as the test wants it"))),
        "not told"
    );
    let standings = store.standings().await.expect("standings");
    assert!(
        standings
            .iter()
            .all(|cell| (cell.open, cell.finished) == (0, 2))
    );
}

async fn moves(store: &Arc<dyn Store>, cells: usize) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for cell in 0..cells {
        let records = store.records(cell, 0, 1000).await.expect("records");
        all.push(records.into_iter().map(|record| record.moves).collect());
    }
    all
}

#[tokio::test]
async fn the_same_file_gives_the_same_games_in_any_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let specification = specification_of(folder.path(), SMALL);
    let (one, events) = run(&specification, &folder.path().join("one.db"), 1).await;
    assert_eq!(events.len(), 4);
    let (three, _) = run(&specification, &folder.path().join("three.db"), 3).await;
    let games = moves(&one, 2).await;
    assert_eq!(games, moves(&three, 2).await);
    assert!(games.iter().all(|cell| cell.len() == 4));
    assert_ne!(games[0], games[1], "cells have games of their own");
    assert_ne!(games[0][0], games[0][1], "every game has noise of its own");
    let records = one.records(0, 0, 1).await.expect("records");
    let ballots: Vec<&str> = records[0].ballots.lines().collect();
    let moves = records[0].moves.split_whitespace().count() - 4;
    assert_eq!(ballots.len(), moves + 1, "a line a move, and the result");
    assert!(
        ballots
            .iter()
            .all(|line| line.contains("\"game_id\":\"small/sigma=50/0/0\""))
    );
    let rows = one.games(0).await.expect("games");
    assert!(rows.iter().all(|game| {
        game.effort[0]
            .variety
            .0
            .keys()
            .all(|&k| (1..=3).contains(&k))
    }));
    assert!(
        rows.iter()
            .all(|game| game.plies <= 24 && game.effort[0].nodes > 0)
    );
}

#[tokio::test]
async fn an_engine_that_does_not_start_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = SMALL.replace(
        r#"player = [{ name = "s" }]"#,
        r#"player = [{ name = "s", kind = "usi", go = ["nodes", "byoyomi", "infinite"], command = ["/no/such/engine"] }]"#,
    );
    let specification = specification_of(folder.path(), &text);
    let refused = preflight(&specification).await.expect_err("refused");
    let line = refused.to_string();
    assert!(
        line.contains("small.toml:17") && line.contains("/no/such/engine"),
        "{line}"
    );
}

#[tokio::test]
async fn drawn_declarations_need_games_without_adjudication_by_score() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let drawn = SMALL.to_owned() + "declaration = \"draw\"\n";
    let refused = preflight(&specification_of(folder.path(), &drawn)).await;
    let line = refused.expect_err("refused").to_string();
    assert!(
        line.contains("small.toml:20: declarations of 'sigma=50' are draws")
            && line.contains("add score = 0"),
        "{line}"
    );
    let never = drawn + "score = 0\n";
    let accepted = preflight(&specification_of(folder.path(), &never)).await;
    assert!(accepted.is_ok(), "{accepted:?}");
}

#[tokio::test]
async fn limits_that_make_every_game_empty_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = SMALL.replace("maximum_plies = 24", "maximum_plies = 2");
    let refused = preflight(&specification_of(folder.path(), &text)).await;
    let line = refused.expect_err("refused").to_string();
    assert!(
        line.contains("small.toml:19: ") && line.contains("an opening has 2 plies"),
        "{line}"
    );
    let text = SMALL.replace("maximum_plies = 24", "maximum_plies = 3");
    let accepted = preflight(&specification_of(folder.path(), &text)).await;
    assert!(accepted.is_ok(), "{accepted:?}");
}

#[tokio::test]
async fn openings_that_are_too_few_are_told_where_no_side_thinks_anew() {
    const FILE: &str = r#"
version = 1
name = "repeated"
games = 6
openings = "openings.sfen"
first = "a"
second = "b"
[ensemble.a]
nodes = 10
book = { file = "a.book" }
player = [{ name = "n" }]
[ensemble.b]
nodes = 10
player = [{ name = "s" }]
"#;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let board = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let book = format!("monju book 1\nsfen {board}\n7g7f 1\n");
    std::fs::write(folder.path().join("a.book"), book).expect("a writable folder");
    let warnings = async |text: &str| {
        let specification = specification_of(folder.path(), text);
        let found = preflight(&specification).await;
        found.expect("players that play").warnings
    };
    let told = warnings(FILE).await;
    let [warning] = &told[..] else {
        panic!("{told:?}")
    };
    let expected = "small.toml:4: 3 pairs of 'all' share 2 openings";
    assert!(warning.contains(expected), "{warning}");
    for (plain, anew) in [
        ("games = 6", "games = 4"),
        ("name = \"n\"", "name = \"n\", sigma = 25"),
        ("name = \"s\"", "name = \"s\", threads = 2"),
        ("nodes = 10\nbook", "time_ms = 10\nbook"),
    ] {
        let told = warnings(&FILE.replace(plain, anew)).await;
        assert_eq!(told, Vec::<String>::new(), "{anew}");
    }
    // Noise with a seed of its own is the same in every game.
    let seeded = "name = \"n\", sigma = 25, seed = 7";
    let told = warnings(&FILE.replace("name = \"n\"", seeded)).await;
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn voters_that_share_cores_while_time_is_measured_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let counted = specification_of(folder.path(), SMALL);
    assert_eq!(crowded(&counted, 8, 1), None, "nodes are counted");
    let text = SMALL.replace(
        "nodes = 60\nplayer = [{ name = \"n\"",
        "time_ms = 60\nplayer = [{ name = \"n\"",
    );
    let timed = specification_of(folder.path(), &text);
    assert_eq!(crowded(&timed, 1, 3), None);
    for (jobs, cores, threads) in [(1, 2, 3), (2, 4, 6)] {
        let warning = crowded(&timed, jobs, cores).expect("a warning");
        assert!(
            warning.contains(&format!("{threads} threads"))
                && warning.contains(&format!("{cores} cores")),
            "{warning}"
        );
        assert!(warning.contains("(1 more cells likewise)"), "{warning}");
    }
}

#[test]
fn sides_without_a_limit_of_time_take_cores_from_timed_ones_on_other_boards() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Three players that take turns, against one with a limit of time.
    let text = SMALL.replace(
        "nodes = 60\nplayer = [{ name = \"s\" }]",
        "time_ms = 60\nplayer = [{ name = \"s\" }]",
    );
    let mixed = specification_of(folder.path(), &text);
    assert_eq!(crowded(&mixed, 1, 1), None, "sides of a game take turns");
    // One thinks for a limited time on each board but one, where as many of the three do as games are played.
    for (jobs, threads) in [(2, 3), (3, 5)] {
        assert_eq!(crowded(&mixed, jobs, threads), None);
        let warning = crowded(&mixed, jobs, threads - 1).expect("a warning");
        assert!(warning.contains(&format!("{threads} threads")), "{warning}");
    }
}

#[tokio::test]
async fn cells_that_play_the_same_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let warnings = async |text: &str| {
        let found = preflight(&specification_of(folder.path(), text)).await;
        found.expect("players that play").warnings
    };
    assert_eq!(warnings(SMALL).await, Vec::<String>::new());
    // The line that names the parameter is a comment.
    let text = SMALL.replace(
        "sigma = \"$sigma\" }]",
        "sigma = 50 }] # sigma = \"$sigma\"",
    );
    let told = warnings(&text).await;
    let [warning] = &told[..] else {
        panic!("{told:?}")
    };
    let expected = "small.toml:9: 'sigma=200' plays the same as 'sigma=50': only chance";
    assert!(warning.contains(expected), "{warning}");
    // An ensemble that plays in no cell.
    let text =
        text + "[ensemble.other]\nnodes = 60\nplayer = [{ name = \"o\", sigma = \"$sigma\" }]\n";
    assert_eq!(warnings(&text).await.len(), 1);
    // Weights have no effect on a majority, and a margin none without time.
    for idle in ["weight = \"$sigma\" }]", "}]\nmargin_ms = \"$sigma\""] {
        let text = SMALL.replace("sigma = \"$sigma\" }]", idle);
        assert_ne!(text, SMALL);
        let told = warnings(&text).await;
        assert!(
            told.len() == 1 && told[0].contains("plays the same as"),
            "{told:?}"
        );
    }
    let late = format!("{SMALL}[stop]\nelo0 = 0\nelo1 = 10\nminimum_pairs = 1000\n");
    let told = warnings(&late).await;
    assert!(told[0].contains("it will never decide"), "{told:?}");
    let careful = SMALL.replacen(
        "player = [",
        "rule = \"careful\"\nplayer = [{ name = \"t\" }, ",
        1,
    );
    let told = warnings(&careful).await;
    assert!(
        told[0].contains("knows no win rates") && told[0].contains("monju calibrate"),
        "{told:?}"
    );
}

#[tokio::test]
async fn crowded_cores_are_an_incident_of_every_pair() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // More threads at once than any machine has cores.
    let text = SMALL
        .replace("sigma = [50, 200]", "sigma = [50]")
        .replace("games = 4", "games = 2")
        .replace(
            "nodes = 60\nplayer = [{ name = \"n\", count = 3",
            "time_ms = 1\nplayer = [{ name = \"n\", count = 3",
        )
        .replace("maximum_plies = 24", "maximum_plies = 4");
    let timed = specification_of(folder.path(), &text);
    let cell = &timed.cells[0];
    let told = preflight::crowding(cell, 2, 5);
    let [incident] = &told[..] else {
        panic!("{told:?}")
    };
    assert_eq!(
        (incident.cause, incident.side),
        (Cause::Crowded, MatchSide::First)
    );
    assert!(incident.detail.starts_with("6 threads"), "{incident:?}");
    assert_eq!(preflight::crowding(cell, 2, 6), []);

    let jobs = cores_here();
    let (store, _) = run(&timed, &folder.path().join("crowded.db"), jobs).await;
    let incidents = store.incidents(0).await.expect("incidents");
    let crowded = |incident: &&IncidentRow| incident.cause == Cause::Crowded.name();
    let told: Vec<_> = incidents.iter().filter(crowded).collect();
    let [incident] = &told[..] else {
        panic!("{incidents:?}")
    };
    assert_eq!((incident.pair, incident.side), (0, Some(MatchSide::First)));
}

#[test]
fn a_side_that_ponders_has_other_cores_than_its_opponent() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sides = |ponder: bool| {
        let side = |threads: &str, ponder: bool| {
            format!(
                "byoyomi_ms = 100\nengine = {{ command = [\"a\"], options = {{ {threads} }}, ponder = {ponder} }}"
            )
        };
        let text = format!(
            "version = 1\nname = \"t\"\ngames = 2\nopenings = \"openings.sfen\"\nfirst = \"one\"\nsecond = \"other\"\n\
             [ensemble.one]\n{}\n[ensemble.other]\n{}\n",
            side("Threads = 2", ponder),
            // As a command line gives it; names of options are known in any case.
            side("threads = \"1\"", false)
        );
        specification_of(folder.path(), &text)
    };
    let mut board = BoardResources::new(1);
    board.cores = CoreSet::new(vec![3, 5, 8]);
    for (ponder, threads, cores, expected) in [
        (false, [2, 1], 2, [&[3, 5, 8][..], &[3, 5, 8]]),
        // The first one thinks while the second does.
        (true, [2, 3], 3, [&[3, 5], &[8]]),
    ] {
        let specification = sides(ponder);
        let cell = &specification.cells[0];
        assert_eq!(cell.timed_threads(), threads);
        assert_eq!(crowded(&specification, 1, cores), None);
        assert!(crowded(&specification, 1, cores - 1).is_some());
        let boards = board.of_sides([&cell.first, &cell.second]);
        let kept = boards.each_ref().map(|board| board.cores.numbers());
        assert_eq!(kept, expected);
    }
}

#[test]
fn players_that_think_for_a_limited_time_get_cores_of_their_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = SMALL.replace(
        "nodes = 60\nplayer = [{ name = \"n\"",
        "time_ms = 60\nplayer = [{ name = \"n\"",
    );
    let timed = specification_of(folder.path(), &text);
    let cell = (timed.cells.iter()).find(|cell| cell.first.timed_threads() == 3);
    let side = &cell.expect("three players").first;
    let kept_on = |cores: Vec<usize>| {
        let mut players = side.players().to_vec();
        side.keep_on(&CoreSet::new(cores), &mut players);
        let cores = players.iter().map(|player| match &player.kind {
            PlayerKind::Native(native) => native.cores.numbers().to_vec(),
            PlayerKind::Usi(spec) => spec.cores.numbers().to_vec(),
        });
        cores.collect::<Vec<_>>()
    };
    assert_eq!(kept_on(vec![2, 3, 7, 9]), [[2], [3], [7]]);
    assert_eq!(kept_on(vec![]), [[0; 0]; 3], "the system chooses");

    // A program may have several threads by default.
    let mut players = side.players().to_vec();
    let asks = |options: &[(&str, i64)]| {
        let options = options.iter().map(|(name, value)| {
            let value = OptionValue::Number(*value);
            ((*name).to_owned(), value)
        });
        PlayerKind::Usi(UsiSpec {
            options: UsiOptions(options.collect()),
            ..UsiSpec::of_program("engine")
        })
    };
    players[0].kind = asks(&[("Hash", 16)]);
    players[1].kind = asks(&[("Threads", 2)]);
    side.keep_on(&CoreSet::new(vec![2, 3, 7, 9]), &mut players);
    let kept = players.iter().filter_map(|player| match &player.kind {
        PlayerKind::Usi(spec) => Some(spec.cores.numbers()),
        PlayerKind::Native(_) => None,
    });
    assert_eq!(kept.collect::<Vec<_>>(), [&[][..], &[3, 7]]);
}

#[tokio::test]
async fn a_stopping_rule_closes_a_cell() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The opponent searches a single node, so the first side wins almost every game.
    let text = SMALL
        .replace("games = 4", "games = 40\nballots = false")
        .replace(
            "nodes = 60\nplayer = [{ name = \"s\" }]",
            "nodes = 1\nplayer = [{ name = \"s\", sigma = 1000 }]",
        )
        .replace("maximum_plies = 24", "score = 200\nscore_plies = 2")
        + "[stop]\nelo0 = 0\nelo1 = 800\nalpha = 0.4\nbeta = 0.4\nminimum_pairs = 1\nmodel = \"logistic\"\n";
    let specification = specification_of(folder.path(), &text);
    let (store, events) = run(&specification, &folder.path().join("x.db"), 1).await;
    let standings = store.standings().await.expect("standings");
    let closed = standings.iter().filter(|cell| cell.closed).count();
    let told = events
        .iter()
        .filter(|event| matches!(event, RunnerEvent::Closed { .. }))
        .count();
    assert!(closed > 0 && told == closed, "{standings:?}");
    let games = store.games(0).await.expect("games");
    assert!(games.iter().any(|game| game.result != MatchOutcome::Draw));
    let records = store.records(0, 0, 10).await.expect("records");
    assert!(records.iter().all(|record| record.ballots.is_empty()));

    let left: u64 = standings.iter().map(|cell| cell.open).sum();
    assert!(left > 0, "{standings:?}");
    // The same rule leaves the cells closed; without it their other pairs are played.
    let again = |text: String| {
        let specification = specification_of(folder.path(), &text);
        let file = folder.path().join("x.db");
        async move { run(&specification, &file, 1).await }
    };
    let (_, events) = again(text.clone()).await;
    assert!(events.is_empty(), "{events:?}");
    // So does a shorter plan, in which nothing is decided.
    let (store, events) = again(text.replace("games = 40", "games = 2")).await;
    let standings = store.standings().await.expect("standings");
    let still = standings.iter().filter(|cell| cell.closed).count();
    assert_eq!((still, events.len()), (closed, 0), "{standings:?}");
    let (rule, _) = text.split_once("[stop]").expect("a rule");
    let (store, events) = again(rule.to_owned()).await;
    assert_eq!(events.len() as u64, left);
    let standings = store.standings().await.expect("standings");
    assert!(
        standings
            .iter()
            .all(|cell| !cell.closed && cell.finished == 20),
        "{standings:?}"
    );
}

/// [`SMALL`] with a shell script as the second side's engine, which runs this command at `go`.
#[cfg(unix)]
fn with_script(at_go: &str) -> String {
    let script = format!(
        "while read line; do case $line in \
         usi) echo 'option name Threads type spin default 1 min 1 max 8'; echo usiok;; \
         isready) echo readyok;; go*) {at_go};; quit) exit;; esac; done"
    );
    SMALL.replace(
        r#"player = [{ name = "s" }]"#,
        &format!(
            r#"player = [{{ name = "s", kind = "usi", go = ["nodes", "byoyomi", "infinite"], command = ["/bin/sh", "-c", "{script}"], options = {{ Threads = 2, Thread = 2, USI_Hash = 16 }} }}]"#
        ),
    )
}

#[cfg(unix)]
#[tokio::test]
async fn undeclared_options_are_reported_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let specification = specification_of(folder.path(), &with_script("echo bestmove 7g7f"));
    let Preflight { warnings, .. } = preflight(&specification).await.expect("it plays");
    let [warning] = &warnings[..] else {
        panic!("{warnings:?}")
    };
    assert!(warning.contains("small.toml:17: "), "{warning}");
    assert!(
        warning.contains("asks for: it declares no option 'Thread'; correct"),
        "{warning}"
    );
}

/// An engine that reports an error gets ready all the same, and plays with its defaults.
#[cfg(unix)]
#[tokio::test]
async fn an_engine_that_reports_an_error_is_refused_and_one_that_warns_plays() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let says = |name: &str, words: &str| {
        let ready = format!("isready) echo 'info string {words}'; echo readyok;;");
        let text = with_script("echo bestmove 7g7f").replace("isready) echo readyok;;", &ready);
        let text = text.replace("usi) echo", &format!("usi) echo id name {name}; echo"));
        specification_of(folder.path(), &text.replace("Thread = 2, ", ""))
    };
    let saying = |words| says("Other", words);
    let refused = preflight(&says("Monju player", "error: no such file")).await;
    let line = refused.expect_err("refused").to_string();
    let expected =
        "player \"s\" does not play as it is told to; it said: error: no such file; correct its";
    assert!(
        line.contains("small.toml:17: ") && line.contains(expected),
        "{line}"
    );
    // Another engine may do without what it has not found.
    for words in ["Warning! : no large pages", "Error! : no book"] {
        let warned = preflight(&saying(words)).await;
        let Preflight { warnings, .. } = warned.expect("it plays");
        let [warning] = &warnings[..] else {
            panic!("{warnings:?}")
        };
        let expected = format!("the engine of player \"s\" said: {words}");
        assert!(warning.contains(&expected), "{warning}");
    }
    let harmless = preflight(&saying("no errors in nn.bin")).await;
    assert_eq!(harmless.expect("it plays").warnings, Vec::<String>::new());
}

#[cfg(unix)]
#[tokio::test]
async fn a_crash_loses_where_the_file_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = with_script("exit 3").replace("games = 4", "games = 2");
    let text = text.replace(
        "[ensemble.single]\n",
        "[ensemble.single]\ncrash = \"loss\"\n",
    );
    let specification = specification_of(folder.path(), &text);
    let (store, events) = run(&specification, &folder.path().join("x.db"), 1).await;
    assert!(
        (events.iter()).all(|event| matches!(event, RunnerEvent::Finished { .. })),
        "{events:?}"
    );
    for cell in 0..2 {
        let games = store.games(cell).await.expect("games");
        assert_eq!(games.len(), 2);
        for game in &games {
            assert_eq!(
                (game.result, game.ending.as_str()),
                (MatchOutcome::Win, "crash")
            );
        }
        let incidents = store.incidents(cell).await.expect("incidents");
        assert_eq!(incidents.len(), 2);
        assert!(
            incidents
                .iter()
                .all(|incident| incident.cause == Cause::Crash.name()
                    && incident.side == Some(MatchSide::Second))
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn an_engine_that_never_moves_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let specification = specification_of(folder.path(), &with_script(":"));
    let refused = preflight(&specification).await.expect_err("refused");
    let line = refused.to_string();
    assert!(
        line.contains("small.toml:17: player \"s\" does not play"),
        "{line}"
    );
    assert!(line.contains("no move within"), "{line}");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_program_that_does_not_speak_usi_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = SMALL.replace(
        r#"player = [{ name = "s" }]"#,
        r#"player = [{ name = "s", kind = "usi", go = ["nodes", "byoyomi", "infinite"], command = ["/bin/cat"] }]"#,
    );
    let specification = specification_of(folder.path(), &text);
    let refused = preflight(&specification).await.expect_err("refused");
    let line = refused.to_string();
    assert!(
        line.contains("small.toml:17: player \"s\" does not play"),
        "{line}"
    );
    assert!(line.contains("did not say usiok within 30 s"), "{line}");
}

/// The games of both programs were counted together, and no report named either.
#[cfg(unix)]
#[tokio::test]
async fn another_engine_in_the_same_place_is_another_build() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Another process writes it: a child of this one would keep it open, and the system would not start it.
    let shell = |command: &str| {
        let mut shell = std::process::Command::new("/bin/sh");
        let ended = shell
            .args(["-c", command])
            .current_dir(folder.path())
            .status();
        assert!(ended.expect("a shell").success());
    };
    shell("cp /bin/sh engine");
    let engine_file = with_script("echo bestmove 7g7f")
        .replace("echo usiok", "echo id name Toy 1; echo usiok")
        .replace(
            "\"/bin/sh\"",
            &format!("\"{}/engine\"", folder.path().display()),
        );
    let specification = specification_of(folder.path(), &engine_file);
    let plan = async || {
        let found = preflight(&specification).await.expect("it plays");
        specification.plan("build").with_engines(found.engines)
    };
    let address = Address::Sqlite(folder.path().join("x.db"));
    let before = plan().await;
    let store = store::open(&address, &before, OpenMode::PLAY).await;
    finish(
        (&specification, &*store.expect("a store")),
        [MatchOutcome::Win; 2],
        Vec::new(),
    )
    .await;
    let again = store::open(&address, &plan().await, OpenMode::PLAY).await;
    again.expect("the same engine");

    shell("printf . >> engine");
    let after = plan().await;
    assert_eq!(before.cells[0].specification, after.cells[0].specification);
    let refused = store::open(&address, &after, OpenMode::PLAY).await;
    let line = refused.expect_err("another engine").to_string();
    assert!(
        line.contains("(build + Toy 1 (") && line.contains("this is build + Toy 1 ("),
        "{line}"
    );
    let accepted = OpenMode::Play(Accepted {
        build: true,
        ..Accepted::default()
    });
    let store = store::open(&address, &after, accepted).await;
    let store = store.expect("accepted");
    finish(
        (&specification, &*store),
        [MatchOutcome::Win; 2],
        Vec::new(),
    )
    .await;
    let report = gather(&specification, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    assert_eq!(
        text.matches("- build: build + Toy 1 (").count(),
        2,
        "{text}"
    );

    let talkative = engine_file.replace("Toy 1", &"Toy 1 ".repeat(100));
    let long = preflight(&specification_of(folder.path(), &talkative)).await;
    assert!(long.expect("it plays").engines[0].len() < 100);

    let native = preflight(&specification_of(folder.path(), SMALL)).await;
    assert_eq!(native.expect("it plays").engines, ["", ""]);
}

/// Two lines of a grid that changed places began every cell anew, without a word.
#[tokio::test]
async fn parameters_in_another_order_are_refused() {
    let (_, store, folder) = played().await;
    let [players, sigma] = ["players = [1, 4]\n", "sigma = [25]\n"];
    let text = FILE.replace(&format!("{players}{sigma}"), &format!("{sigma}{players}"));
    let swapped = specification_of(folder.path(), &text);
    let plan = swapped.plan("build 1");
    let address = Address::Sqlite(folder.path().join("t.db"));
    let refused = store::open(&address, &plan, OpenMode::PLAY).await;
    let line = refused.expect_err("another order").to_string();
    assert!(
        line.contains("games of 'players=1 sigma=25'")
            && line.contains("calls 'sigma=25 players=1'"),
        "{line}"
    );
    let accepted = OpenMode::Play(Accepted {
        changes: true,
        ..Accepted::default()
    });
    let both = store::open(&address, &plan, accepted).await;
    both.expect("accepted");
    store.close().await;
}
