use super::*;
use crate::{
    record::{Cause, Incident, MatchOutcome, MatchSide},
    report::{
        csv, gather, json, markdown,
        tests::{FILE, finish, finished_after, played},
    },
    specification::Specification,
    store::{self, ATTEMPTS, Accepted, Address, OpenMode, Store, StoreError, meanwhile::Meanwhile},
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::{Read, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

#[tokio::test]
async fn a_sealed_report_is_that_of_the_store() {
    let (specification, store, folder) = played().await;
    let out = folder.path().join("sealed");
    let sealed = seal(&specification, &*store, &out, true).await;
    assert_eq!(sealed.expect("a bundle").games, 4);
    assert!(is_bundle(&out) && !is_bundle(&out.join(GAMES)));
    let other = Bundle::read(folder.path())
        .expect_err("no bundle")
        .to_string();
    assert!(
        other.contains("is no sealed bundle: it has no SHA256SUMS"),
        "{other}"
    );
    // The bundle stands alone.
    let openings = folder.path().join("openings.sfen");
    fs::remove_file(openings).expect("removed");

    let (read, bundle) = Bundle::read(&out).expect("a bundle");
    let theirs = gather(&specification, &*store).await.expect("a report");
    let ours = gather(&read, &bundle).await.expect("a report");
    assert_eq!(csv(&ours).expect("CSV"), csv(&theirs).expect("CSV"));
    assert_eq!(json(&ours), json(&theirs));
    assert_eq!(
        markdown(&ours, "play", None),
        markdown(&theirs, "play", None)
    );
    for cell in 0..specification.cells.len() {
        let (of_store, of_bundle) = (
            store.records(cell, 0, 9).await,
            bundle.records(cell, 0, 9).await,
        );
        assert_eq!(of_bundle.expect("records"), of_store.expect("records"));
        let (of_store, of_bundle) = (
            store.outcomes(cell, 1).await,
            bundle.outcomes(cell, 1).await,
        );
        assert_eq!(of_bundle.expect("outcomes"), of_store.expect("outcomes"));
    }
    let lease = bundle.lease("r", Duration::from_secs(1)).await;
    assert!(matches!(lease, Err(StoreError::Sealed)), "{lease:?}");
}

/// The sequential test of a bundle went on through the pairs of an earlier plan, that of its store did not.
#[tokio::test]
async fn pairs_beyond_the_plan_decide_nothing() {
    let (specification, store, folder) = played().await;
    let finished = store.outcomes(0, 0).await.expect("outcomes").len();
    let text = specification.text.replace("games = 4", "games = 2");
    let lowered = Specification::parse(&text, &specification.path).expect("a good file");
    let out = folder.path().join("sealed");
    let sealed = seal(&lowered, &*store, &out, false).await;
    sealed.expect("a bundle");
    let (_, bundle) = Bundle::read(&out).expect("a bundle");
    let outcomes = bundle.outcomes(0, 0).await.expect("outcomes");
    assert_eq!((outcomes.len(), finished), (1, 2));
    assert!(bundle.outcomes(0, 9).await.expect("outcomes").is_empty());
}

#[tokio::test]
async fn a_pair_that_is_finished_while_a_bundle_is_sealed_leaves_no_part_of_itself() {
    for operation in ["standings", "games", "records", "incidents", "outcomes"] {
        let (larger, store, folder) = finished_after(operation, "", [MatchOutcome::Draw; 2]).await;
        let out = folder.path().join("sealed");
        seal(&larger, &store, &out, false).await.expect("a bundle");
        assert!(store.has_happened(), "{operation}");
        let (read, bundle) = Bundle::read(&out).expect("a bundle that agrees with itself");
        let report = gather(&read, &bundle).await.expect("a report");
        let cell = &report.cells[0];
        // The pairs that were there had one incident.
        let pairs = cell.score.games() / 2;
        assert_eq!(cell.incidents.len() as u64, pairs - 1, "{operation}");
    }
}

/// Its pair was missing among the games, among those given up, and among those still to be played.
#[tokio::test]
async fn a_pair_that_is_freed_while_a_bundle_is_sealed_is_still_to_be_played() {
    let (_, _, folder) = played().await;
    let text = FILE.replace("games = 4", "games = 8");
    let larger = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let address = Address::Sqlite(folder.path().join("t.db"));
    let store = store::open(&address, &larger.plan("build 1"), OpenMode::PLAY).await;
    let store = store.expect("the same cells");
    for _ in 0..ATTEMPTS {
        let lease = store.lease("r", Duration::from_secs(60)).await;
        let lease = lease.expect("asked").expect("a pair");
        assert_eq!((lease.cell, lease.pair), (0, 2));
        let crash = Incident {
            game: 0,
            cause: Cause::Crash,
            side: MatchSide::First,
            detail: "gone".to_owned(),
            stall: None,
        };
        store.fail(&lease, "r", &crash).await.expect("written");
    }
    finish((&larger, &*store), [MatchOutcome::Win; 2], Vec::new()).await;
    let other = Arc::clone(&store);
    let freed = async move { assert_eq!(other.retry_given_up().await.expect("freed"), 1) };
    let store = Meanwhile::after("games", store, freed);
    let out = folder.path().join("sealed");
    seal(&larger, &store, &out, false).await.expect("a bundle");
    assert!(store.has_happened());
    Bundle::read(&out).expect("a bundle that agrees with itself");
}

#[tokio::test]
async fn ballots_are_sealed_by_choice() {
    let (specification, store, folder) = played().await;
    for ballots in [true, false] {
        let out = folder.path().join(format!("sealed-{ballots}"));
        let sealed = seal(&specification, &*store, &out, ballots).await;
        sealed.expect("a bundle");
        let (_, bundle) = Bundle::read(&out).expect("a bundle");
        let records = bundle.records(0, 0, 1).await.expect("records");
        assert_eq!(records[0].ballots.is_empty(), !ballots);
    }
}

#[tokio::test]
async fn changed_files_and_full_folders_are_refused() {
    let (specification, store, folder) = played().await;
    let full = seal(&specification, &*store, folder.path(), false).await;
    let full = full.expect_err("refused").to_string();
    assert!(full.contains("is not empty; name a new folder"), "{full}");

    for name in [SPECIFICATION, OPENINGS, MANIFEST, GAMES] {
        let out = folder.path().join(format!("sealed-{name}"));
        let sealed = seal(&specification, &*store, &out, false).await;
        sealed.expect("a bundle");
        let mut bytes = fs::read(out.join(name)).expect("a file");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(out.join(name), bytes).expect("writable");
        let error = Bundle::read(&out).expect_err("changed").to_string();
        assert!(
            error.contains(name) && error.contains("does not match its line in SHA256SUMS"),
            "{error}"
        );
    }
}

/// Changes the games and the manifest of a bundle, and seals it again.
fn seal_changed(folder: &Path, change: impl FnOnce(&mut Vec<Value>, &mut Value)) {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let mut lines = String::new();
    let packed = File::open(folder.join(GAMES)).expect("games");
    let read = GzDecoder::new(packed).read_to_string(&mut lines);
    read.expect("packed text");
    let mut games: Vec<Value> = lines.lines().map(parsed).collect();
    let mut manifest = parsed(&fs::read_to_string(folder.join(MANIFEST)).expect("a manifest"));
    change(&mut games, &mut manifest);
    let packed = File::create(folder.join(GAMES)).expect("writable");
    let mut packed = GzEncoder::new(packed, Compression::fast());
    for game in &games {
        writeln!(packed, "{game}").expect("writable");
    }
    packed.finish().expect("writable");
    fs::write(folder.join(MANIFEST), manifest.to_string()).expect("writable");
    let sealed = checksums::write(folder, &[SPECIFICATION, OPENINGS, MANIFEST, GAMES]);
    sealed.expect("sealed");
}

type Change = fn(&mut Vec<Value>, &mut Value);

#[tokio::test]
async fn what_cannot_be_is_refused_with_its_place() {
    let (specification, store, folder) = played().await;
    // Pair 0: won as Black, won as White; pair 1: lost as Black, drawn as White.
    let cases: [(Change, &str); 19] = [
        (
            |games, _| games.push(games[3].clone()),
            "cell 'players=1 sigma=25', pair 1, game 1: the game is there 2 times; export the bundle again",
        ),
        (
            |games, _| drop(games.remove(2)),
            "pair 1: the game in which the first side has Black is missing; export",
        ),
        (
            |games, _| games[1]["game"] = json!(0),
            "pair 0, game 0: the game is there 2 times",
        ),
        (
            |games, _| games[1]["game"] = json!(2),
            "pair 0, game 2: a pair has only games 0 and 1",
        ),
        (
            |games, _| drop(games.pop()),
            "games.jsonl.gz: there are 3 games, but bundle.json counts 4; export",
        ),
        (
            |games, _| {
                for game in &mut games[2..] {
                    game["pair"] = json!(2);
                }
            },
            "pair 2: no plan of the bundle has more than 4 games in this cell; export",
        ),
        (
            |_, manifest| manifest["cells"][0]["given_up"] = json!([1]),
            "pair 1: the pair is marked as given up, but has games",
        ),
        (
            |_, manifest| manifest["cells"][1]["label"] = json!("players=9 sigma=25"),
            "cell 'players=9 sigma=25': the specification has no such cell; export",
        ),
        (
            |_, manifest| drop(manifest["cells"].as_array_mut().expect("cells").pop()),
            "cell 'players=4 sigma=25': the bundle lacks this cell of the specification",
        ),
        (
            |games, _| games[0]["pair"] = json!(u32::MAX),
            "games.jsonl.gz: line 1: no cell has a pair 4294967295",
        ),
        (
            |games, _| games[0]["cell"] = json!(2),
            "games.jsonl.gz: line 1: there is no cell 2",
        ),
        (
            |games, _| games[0]["position"] = json!("startpos moves 7g7f 3c3d 2g2e"),
            "pair 0, game 0: move 3: 2g2e is not a legal move here; export the bundle again; if",
        ),
        (
            |games, _| games[0]["plies"] = json!(4),
            "pair 0, game 0: the game counts 4 plies and has 3; export",
        ),
        (
            |games, _| games[0]["opening_plies"] = json!(2),
            "pair 0, game 0: the game begins with none of the openings in openings.sfen; export",
        ),
        (
            |games, _| games[0]["position"] = json!("startpos moves 2g2f 3c3d 7g7f"),
            "pair 0: the games of the pair begin with different openings; export",
        ),
        (
            |games, _| {
                for (game, pair) in games.iter_mut().zip([1, 1, 0, 0]) {
                    game["pair"] = json!(pair);
                }
            },
            "pair 0: the pair does not begin with the opening that the seed gives to its number; export",
        ),
        (
            |games, manifest| {
                drop(games.drain(..2));
                manifest["games"] = json!(2);
            },
            "cell 'players=1 sigma=25': 1 pairs before its last one are missing, and only 0 are still to be played; export",
        ),
        (
            |games, _| games[0]["result"] = json!("loss"),
            "pair 0, game 0: its last position does not allow a loss of the first side by resignation; export",
        ),
        (
            |games, _| games[1]["ending"] = json!("mate"),
            "pair 0, game 1: its last position does not allow a win of the first side by mate; export",
        ),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        let out = folder.path().join(format!("changed-{number}"));
        let sealed = seal(&specification, &*store, &out, false).await;
        sealed.expect("a bundle");
        seal_changed(&out, change);
        let error = Bundle::read(&out).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}\nexpected {expected}");
    }
    let out = folder.path().join("same");
    let sealed = seal(&specification, &*store, &out, false).await;
    sealed.expect("a bundle");
    seal_changed(&out, |_, _| ());
    Bundle::read(&out).expect("nothing has changed");
}

#[tokio::test]
async fn a_file_that_this_build_does_not_know_names_the_build_that_sealed_it() {
    let (specification, store, folder) = played().await;
    let out = folder.path().join("sealed");
    let sealed = seal(&specification, &*store, &out, false).await;
    sealed.expect("a bundle");
    let text = FILE.replace(
        "name = \"s\"",
        "name = \"s\", search = \"of_another_build=1\"",
    );
    fs::write(out.join(SPECIFICATION), text).expect("writable");
    seal_changed(&out, |_, manifest| {
        manifest["sealed_by"] = json!("9.8.7 (abc)")
    });
    let error = Bundle::read(&out).expect_err("unknown").to_string();
    assert!(
        error.contains("of_another_build")
            && error.ends_with("; read it with the monju that sealed it: 9.8.7 (abc)"),
        "{error}"
    );
}

/// A cell with games to play may lack any of them, and its report said nothing of it.
#[tokio::test]
async fn a_report_names_missing_pairs_of_a_cell_that_goes_on() {
    let (_, _, folder) = played().await;
    let text = FILE.replace("games = 4", "games = 8");
    let larger = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let address = Address::Sqlite(folder.path().join("t.db"));
    let store = store::open(&address, &larger.plan("build 1"), OpenMode::PLAY).await;
    let store = store.expect("the same cells");
    finish((&larger, &*store), [MatchOutcome::Win; 2], Vec::new()).await;
    let out = folder.path().join("sealed");
    let sealed = seal(&larger, &*store, &out, false).await;
    sealed.expect("a bundle");
    let told = async || {
        let (read, bundle) = Bundle::read(&out).expect("a bundle");
        let report = gather(&read, &bundle).await.expect("a report");
        markdown(&report, "", None)
    };
    let text = told().await;
    assert!(!text.contains("neither finished nor"), "{text}");
    seal_changed(&out, |games, manifest| {
        drop(games.drain(2..4));
        manifest["games"] = json!(4);
    });
    let text = told().await;
    let line =
        "- neither finished nor given up in 'players=1 sigma=25': 1 pair before the last one (1)\n";
    assert!(text.contains(line), "{text}");
}

#[tokio::test]
async fn every_ending_has_its_last_position_and_its_result() {
    const REPETITION: &str =
        "startpos moves 7g7f 4a4b 4i4h 4b4a 4h4i 4a4b 4i4h 4b4a 4h4i 4a4b 4i4h 4b4a 4h4i";
    const SHORT: &str = "startpos moves 7g7f 3c3d";
    let (specification, store, folder) = played().await;
    // In game 0 the first side has Black, who is to move in both positions.
    for (number, (position, ending, result, notes, can_be)) in [
        (REPETITION, "repetition", "draw", "", true),
        (REPETITION, "repetition", "win", "", false),
        (SHORT, "repetition", "draw", "", false),
        (SHORT, "perpetual check", "loss", "", false),
        (SHORT, "maximum plies", "draw", "", false),
        (SHORT, "declaration", "win", "", false),
        (SHORT, "time loss", "loss", "", true),
        (SHORT, "time loss", "win", "", false),
        (SHORT, "illegal move", "loss", "", true),
        (SHORT, "crash", "loss", "", true),
        (SHORT, "crash", "draw", "", false),
        (SHORT, "adjudication", "win", "", true),
        (
            SHORT,
            "adjudication",
            "win",
            "1:4000 1:4000 1:4000 1:4000 1:4000 1:4000",
            true,
        ),
        (
            SHORT,
            "adjudication",
            "loss",
            "1:4000 1:4000 1:4000 1:4000 1:4000 1:4000",
            false,
        ),
        (
            SHORT,
            "adjudication",
            "win",
            "1:4000 1:4000 1:4000 1:4000 1:4000 1:3000",
            false,
        ),
        (SHORT, "adjudication", "draw", "", false),
        (SHORT, "tea break", "loss", "", false),
    ]
    .into_iter()
    .enumerate()
    {
        let out = folder.path().join(format!("ending-{number}"));
        let sealed = seal(&specification, &*store, &out, false).await;
        sealed.expect("a bundle");
        seal_changed(&out, |games, _| {
            let plies = position.split(' ').count() - 2;
            let changed = [
                ("position", json!(position)),
                ("plies", json!(plies)),
                ("ending", json!(ending)),
                ("result", json!(result)),
                ("notes", json!(notes)),
            ];
            for (key, value) in changed {
                games[0][key] = value;
            }
        });
        let read = Bundle::read(&out);
        assert_eq!(read.is_ok(), can_be, "{ending} {result} {notes}: {read:?}");
    }
}

#[test]
fn every_committed_bundle_can_be() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/experiments/results");
    let folders = fs::read_dir(results).expect("the results");
    let bundles = folders.map(|folder| folder.expect("a folder").path().join("bundle"));
    let bundles: Vec<_> = bundles.filter(|bundle| is_bundle(bundle)).collect();
    assert!(!bundles.is_empty());
    for bundle in bundles {
        let read = Bundle::read(&bundle);
        read.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The games and the manifest of a bundle, without the moment at which it was sealed.
fn contents(folder: &Path) -> (String, Value) {
    let mut games = String::new();
    let packed = File::open(folder.join(GAMES)).expect("games");
    let read = GzDecoder::new(packed).read_to_string(&mut games);
    read.expect("packed text");
    let manifest = fs::read_to_string(folder.join(MANIFEST)).expect("a manifest");
    let mut manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    manifest["sealed"] = Value::Null;
    (games, manifest)
}

#[tokio::test]
async fn an_imported_bundle_is_played_on() {
    let (specification, store, folder) = played().await;
    let failed = store.lease("r", Duration::from_secs(60)).await;
    let failed = failed.expect("asked").expect("a pair");
    store.close_cell(failed.cell).await.expect("closed");
    let out = folder.path().join("sealed");
    let sealed = seal(&specification, &*store, &out, true).await;
    sealed.expect("a bundle");
    // An earlier plan of fewer games, whose file is not in the bundle, and a pair that was given up.
    seal_changed(&out, |_, manifest| {
        let mut older = manifest["plans"][0].clone();
        older["planned"] = json!(2);
        older["games_in"] = json!({ "players=1 sigma=25": 4 });
        older["cells"] = json!(7);
        older["stop"] = json!("some rule");
        let plans = manifest["plans"].as_array_mut().expect("plans");
        plans.insert(0, older);
        manifest["cells"][1]["given_up"] = json!([1]);
        manifest["cells"][1]["open"] = json!(1);
    });

    let address = Address::Sqlite(folder.path().join("imported.db"));
    let (read, bundle) = Bundle::read(&out).expect("a bundle");
    let imported = import(&read, &bundle, &address).await.expect("imported");
    assert_eq!(imported.games, 4);
    let opened =
        async |build: &str| store::open(&address, &specification.plan(build), OpenMode::PLAY).await;
    let other = opened("build 2").await.expect_err("another build");
    assert!(matches!(other, StoreError::OtherBuild { .. }), "{other}");
    let again = opened("build 1").await.expect("the same build");
    let resealed = folder.path().join("sealed again");
    let sealed = seal(&specification, &*again, &resealed, true).await;
    sealed.expect("a bundle");
    assert_eq!(contents(&resealed), contents(&out));

    // Only the pair that was neither played nor given up is left, in a cell that is closed.
    again.reopen_cell(1).await.expect("open");
    let lease = again.lease("r", Duration::from_secs(60)).await;
    let lease = lease.expect("asked").expect("a pair");
    assert_eq!((lease.cell, lease.pair), (1, 0));
    let rest = again.lease("r", Duration::from_secs(60)).await;
    assert_eq!(rest.expect("asked"), None);

    seal_changed(&out, |_, manifest| {
        manifest["cells"][1]["given_up"] = json!([u32::MAX]);
        manifest["plans"][0]["cells"] = json!(u64::MAX);
    });
    let (read_again, beyond) = Bundle::read(&out).expect("a bundle");
    let new = Address::Sqlite(folder.path().join("beyond.db"));
    let refused = import(&read_again, &beyond, &new).await;
    let refused = refused.expect_err("no such pair").to_string();
    assert!(refused.contains("is beyond every plan"), "{refused}");

    let refused = import(&read, &bundle, &address).await;
    let refused = refused.expect_err("games").to_string();
    assert!(
        refused.contains("the store has games of 't' already"),
        "{refused}"
    );
}

#[tokio::test]
async fn games_that_are_left_out_are_told_by_store_bundle_and_import() {
    let (before, played, folder) = played().await;
    finish((&before, &*played), [MatchOutcome::Win; 2], Vec::new()).await;
    // One cell of other settings, and one in place of another.
    let text = FILE.replace("[1, 4]", "[1, 8]");
    let text = text.replace("games = 4", "games = 4\nseed = 78");
    let after = Specification::parse(&text, &before.path).expect("a good file");
    let opened = async |file: &str| {
        let address = Address::Sqlite(folder.path().join(file));
        let accepted = Accepted {
            changes: true,
            ..Accepted::default()
        };
        let plan = after.plan("build 1");
        let store = store::open(&address, &plan, OpenMode::Play(accepted)).await;
        (address, store.expect("a store"))
    };
    let (_, store) = opened("t.db").await;
    let out = folder.path().join("sealed");
    seal(&after, &*store, &out, false).await.expect("a bundle");
    let (_, bundle) = Bundle::read(&out).expect("a bundle");
    let (address, empty) = opened("imported.db").await;
    drop(empty);
    import(&after, &bundle, &address).await.expect("imported");
    let again = import(&after, &bundle, &address).await;
    let again = again.expect_err("other games").to_string();
    assert!(again.contains("has games of 't' already"), "{again}");
    let (_, imported) = opened("imported.db").await;
    for store in [&*store, &bundle as &dyn Store, &*imported] {
        let mut report = gather(&after, store).await.expect("a report");
        let text = markdown(&report, "play", None);
        for line in [
            "- **left out: 4 games of these cells with other settings**, which the store keeps apart\n",
            "- **left out: 2 games of 1 cell that the file does not have**, 'players=4 sigma=25': the choice of cells",
        ] {
            assert!(text.contains(line), "{text}\nexpected {line}");
        }
        let absent = &json(&report)["absent"];
        assert_eq!(
            *absent,
            json!([{ "label": "players=4 sigma=25", "games": 2 }])
        );
        let more = (1..=10).map(|number| (format!("a={number}"), 2));
        report.absent.extend(more);
        let text = markdown(&report, "play", None);
        let line = "22 games of 11 cells that the file does not have**, 'a=1', 'a=10', 'a=2',";
        assert!(
            text.contains(line) && text.contains("'a=9' and 1 more: "),
            "{text}"
        );
    }
}

/// The plan of an older bundle was noted a second time as soon as somebody played on, as if it had been changed.
#[tokio::test]
async fn a_plan_that_does_not_tell_its_base_is_not_noted_twice() {
    let (specification, store, folder) = played().await;
    let out = folder.path().join("sealed");
    let sealed = seal(&specification, &*store, &out, false).await;
    sealed.expect("a bundle");
    seal_changed(&out, |_, manifest| {
        let plan = manifest["plans"][0].as_object_mut().expect("a plan");
        assert_eq!(plan.remove("base"), Some(json!("")));
    });
    let (read, bundle) = Bundle::read(&out).expect("a bundle");
    let plans = bundle.plans().await.expect("plans");
    assert_eq!(plans[0].base, None);
    let address = Address::Sqlite(folder.path().join("again.db"));
    import(&read, &bundle, &address).await.expect("imported");
    let again = store::open(&address, &specification.plan("build 1"), OpenMode::PLAY).await;
    let noted = again.expect("the same cells").plans().await;
    assert_eq!(noted.expect("plans"), plans);
}
