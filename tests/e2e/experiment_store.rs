//! Requirements on a store: one suite, run against both databases.

use monju_experiment::{
    machine::machine,
    notes::{Note, Notes},
    record::{
        Cause, Effort, GameEnding, Incident, MatchOutcome, MatchSide, MoveVariety, PlayedGame,
    },
    runner::{RunnerEvent, open_patiently, patiently},
    store::{
        ATTEMPTS, Accepted, Address, CellStanding, ExperimentPlan, GameUnderWay, KeptCell,
        KeptResults, OpenMode, Origin, OtherCell, PlannedCell, PlayedPair, RegisteredPlan, Store,
        StoreError, open,
    },
};
use monju_tests::{pgbouncer::PgBouncer, postgres::Postgres, process::PATIENCE};
use std::{
    collections::BTreeSet,
    time::{Duration, SystemTime},
};
use tokio::{sync::mpsc, task::JoinSet, time::Instant};

const DAY: Duration = Duration::from_secs(86_400);
const TERM: Duration = Duration::from_secs(600);
const PLAY: OpenMode = OpenMode::PLAY;

fn cells<const N: usize>(labels: [&str; N]) -> Vec<PlannedCell> {
    let cell = |label: &str| PlannedCell {
        label: label.to_owned(),
        specification: "settings 1".to_owned(),
        pairs: 12,
        engines: String::new(),
    };
    labels.map(cell).into()
}

fn plan() -> ExperimentPlan {
    ExperimentPlan {
        name: "suite".to_owned(),
        specification: "specification 1".to_owned(),
        seed: u64::MAX,
        build: "build 1".to_owned(),
        cells: cells(["sigma=25", "sigma=50"]),
        registered: RegisteredPlan::default(),
    }
}

fn with_pairs(mut plan: ExperimentPlan, pairs: u32) -> ExperimentPlan {
    for cell in &mut plan.cells {
        cell.pairs = pairs;
    }
    plan
}

fn game(result: MatchOutcome) -> PlayedGame {
    PlayedGame {
        result,
        ending: GameEnding::Mate,
        opening_plies: 1,
        moves: "startpos moves 7g7f 3c3d".to_owned(),
        plies: 2,
        effort: [
            Effort {
                nodes: 3_000_000_000,
                time_ms: 12,
                moves: 2,
                variety: MoveVariety([(1, 1), (3, 1)].into()),
            },
            Effort::default(),
        ],
        ballots: "{\"a\":1}\n{\"a\":2}\n".to_owned(),
        notes: Notes(vec![Note {
            time_ms: 12,
            score: Some(-35),
        }]),
    }
}

fn played(first: MatchOutcome, second: MatchOutcome) -> PlayedPair {
    PlayedPair {
        games: [game(first), game(second)],
        incidents: vec![Incident {
            game: 1,
            cause: Cause::IllegalMove,
            side: MatchSide::Second,
            detail: "it's 7g7e".to_owned(),
            stall: Some(Duration::from_millis(62)),
        }],
    }
}

/// Tests every operation; `address` is that of an empty database.
async fn suite(address: &Address) {
    let begun = SystemTime::now();
    let store = open(address, &plan(), PLAY).await.expect("a new store");
    let standings = store.standings().await.expect("standings");
    assert_eq!(standings.len(), 2);
    assert!(
        standings
            .iter()
            .all(|cell| cell.open == 12 && cell.finished == 0)
    );

    // Pairs come in blocks of a cell, and each goes to one runner only.
    let one = store
        .lease("one", TERM)
        .await
        .expect("asked")
        .expect("a pair");
    let two = store
        .lease("two", TERM)
        .await
        .expect("asked")
        .expect("a pair");
    assert_eq!((one.cell, one.pair, two.cell, two.pair), (0, 0, 0, 1));
    let under_way = GameUnderWay {
        game: 1,
        position: "startpos moves 7g7f".to_owned(),
    };
    assert!(store.extend(&one, TERM, &under_way).await.expect("asked"));
    let seen = store.under_way().await.expect("asked");
    let places: Vec<_> = seen.iter().map(|pair| (pair.pair, &*pair.runner)).collect();
    assert_eq!(places, [(0, "one"), (1, "two")], "by runner");
    assert_eq!(
        (&seen[0].game, &seen[1].game),
        (&under_way, &GameUnderWay::default())
    );
    assert!(seen.iter().all(|pair| pair.left_ms > 0), "{seen:?}");

    // A result counts once.
    let result = played(MatchOutcome::Win, MatchOutcome::Draw);
    assert!(store.finish(&one, "one", &result).await.expect("asked"));
    // Its runner may not have heard of it, and tells it again.
    assert!(store.finish(&one, "one", &result).await.expect("asked"));
    assert!(!store.extend(&one, TERM, &under_way).await.expect("asked"));
    let standings = store.standings().await.expect("standings");
    assert_eq!((standings[0].finished, standings[0].leased), (1, 1));
    assert_eq!(standings[0].pairs, [0, 0, 0, 1, 0]);
    assert_eq!(store.outcomes(0, 0).await.expect("asked"), [(0, Some(3))]);
    assert_eq!(store.under_way().await.expect("asked").len(), 1);

    // Everything that was written can be read.
    let games = store.games(0).await.expect("games");
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].result, MatchOutcome::Win);
    assert_eq!(games[1].result, MatchOutcome::Draw);
    assert_eq!(games[0].effort, result.games[0].effort);
    assert_eq!(
        (games[0].build.as_str(), games[0].runner.as_str()),
        ("build 1", "one")
    );
    let origin = Origin {
        specification: "specification 1".to_owned(),
        seed: u64::MAX,
    };
    assert!(
        games
            .iter()
            .all(|game| game.origin.as_ref() == Some(&origin))
    );
    // No name was set, so the source is the version of the crate.
    assert!(games.iter().all(|game| game.source.is_some()));
    for game in &games {
        let occasion = game.occasion.as_ref().expect("an occasion");
        assert_eq!(occasion.machine, machine());
        // The store's clock may differ by less than a day.
        let since = occasion.finished.duration_since(begun);
        assert!(since.unwrap_or_default() < DAY && occasion.finished + DAY > begun);
    }
    let records = store.records(0, 0, 100).await.expect("records");
    assert_eq!(records[1].notes, result.games[1].notes);
    assert_eq!(records[1].moves, result.games[1].moves);
    assert_eq!(records[1].ballots, result.games[1].ballots);
    let incidents = store.incidents(0).await.expect("incidents");
    assert_eq!(incidents.len(), 1);
    assert_eq!(incidents[0].detail, "it's 7g7e");
    let last = store.last_incidents(5).await.expect("incidents");
    assert_eq!(last, [(0, incidents[0].clone())]);
    assert_eq!(incidents[0].side, Some(MatchSide::Second));
    assert_eq!(incidents[0].stall, Some(Duration::from_millis(62)));

    // After a lease has run out, another runner has the pair, and the first result counts.
    store.give_back(&two).await.expect("asked");
    let short = store
        .lease("short", Duration::ZERO)
        .await
        .expect("asked")
        .expect("a pair");
    assert_eq!((short.cell, short.pair), (0, 1));
    tokio::time::sleep(Duration::from_millis(5)).await;
    let heir = store
        .lease("heir", TERM)
        .await
        .expect("asked")
        .expect("a pair");
    assert_eq!((heir.cell, heir.pair), (0, 1));
    assert!(!store.extend(&short, TERM, &under_way).await.expect("asked"));
    assert!(store.finish(&short, "short", &result).await.expect("asked"));
    assert!(!store.extend(&heir, TERM, &under_way).await.expect("asked"));
    assert!(!store.finish(&heir, "heir", &result).await.expect("asked"));
    assert!(store.finish(&short, "short", &result).await.expect("asked"));

    // A pair that fails is tried again twice, then given up.
    let incident = Incident {
        game: 0,
        cause: Cause::Crash,
        side: MatchSide::First,
        detail: "gone".to_owned(),
        stall: None,
    };
    for freed in [0, 1] {
        assert_eq!(store.retry_given_up().await.expect("asked"), freed);
        for failures in 0..ATTEMPTS {
            let lease = store
                .lease("f", TERM)
                .await
                .expect("asked")
                .expect("a pair");
            assert_eq!((lease.pair, lease.failures), (2, failures));
            store.fail(&lease, "f", &incident).await.expect("asked");
        }
        let standings = store.standings().await.expect("standings");
        assert_eq!(standings[0].given_up, 1);
    }
    assert_eq!(store.outcomes(0, 2).await.expect("asked"), [(2, None)]);
    assert_eq!(store.incidents(0).await.expect("incidents").len(), 8);

    // A closed cell hands out no pairs; the other cell hands out all of its own.
    store.close_cell(0).await.expect("asked");
    let mut taken = BTreeSet::new();
    while let Some(lease) = store.lease("all", TERM).await.expect("asked") {
        assert_eq!(lease.cell, 1);
        assert!(taken.insert(lease.pair));
    }
    assert_eq!(taken, (0..12).collect());
    assert!(store.standings().await.expect("standings")[0].closed);

    // A plan of fewer pairs than the store has counts those of the plan alone, as the counts of all pairs do.
    let mut fewer = with_pairs(plan(), 2);
    fewer.cells[1].pairs = 3;
    let part = open(address, &fewer, OpenMode::Look).await.expect("there");
    let (part, all) = (part.standings().await, store.standings().await);
    let (part, all) = (part.expect("standings"), all.expect("standings"));
    let sums = |standing: &CellStanding| {
        let points = standing.pairs.iter().sum::<u64>();
        (standing.open, standing.leased, points, standing.given_up)
    };
    assert_eq!(
        (sums(&part[0]), sums(&part[1])),
        ((0, 0, 2, 0), (0, 3, 0, 0))
    );
    assert_eq!(
        (sums(&all[0]), sums(&all[1])),
        ((9, 0, 2, 1), (0, 12, 0, 0))
    );

    // A cell that is opened again hands out the pairs that are left.
    store.reopen_cell(0).await.expect("asked");
    let lease = store
        .lease("again", TERM)
        .await
        .expect("asked")
        .expect("a pair");
    assert_eq!((lease.cell, lease.pair), (0, 3));
    store.give_back(&lease).await.expect("asked");
    store.close_cell(0).await.expect("asked");

    // More pairs and more cells belong to the same experiment; other settings of a cell that has games, or
    // another build, do not.
    let more = with_pairs(plan(), 30);
    let grown = open(address, &more, PLAY)
        .await
        .expect("the same experiment");
    let standings = grown.standings().await.expect("standings");
    assert_eq!((standings[1].open, standings[0].finished), (18, 2));
    let next = grown
        .lease("n", TERM)
        .await
        .expect("asked")
        .expect("a pair");
    assert_eq!((next.cell, next.pair), (1, 12));
    let other_build = ExperimentPlan {
        build: "build 2".to_owned(),
        ..plan()
    };
    let mut other_settings = ExperimentPlan {
        specification: "specification 2".to_owned(),
        ..plan()
    };
    other_settings.cells[0].specification = "settings 2".to_owned();
    let changes = Accepted {
        changes: true,
        build: false,
    };
    let build = Accepted {
        changes: false,
        build: true,
    };
    // Each has a word of its own.
    for accepted in [Accepted::default(), changes] {
        let refused = open(address, &other_build, OpenMode::Play(accepted)).await;
        let refused = refused.expect_err("another build");
        assert!(
            matches!(refused, StoreError::OtherBuild { .. }),
            "{refused}"
        );
    }
    for accepted in [Accepted::default(), build] {
        let refused = open(address, &other_settings, OpenMode::Play(accepted)).await;
        let refused = refused.expect_err("other settings");
        assert!(matches!(refused, StoreError::Changed { .. }), "{refused}");
    }
    let anew = open(address, &other_settings, OpenMode::Play(changes)).await;
    let anew = anew.expect("told to");
    let standings = anew.standings().await.expect("standings");
    assert_eq!((standings[0].open, standings[0].finished), (12, 0));
    let forms = anew.other_cells().await.expect("asked");
    let expected = OtherCell {
        label: "sigma=25".to_owned(),
        cell: Some(0),
        specification: Some("settings 1".to_owned()),
        games: 4,
    };
    assert_eq!(forms, [expected], "the old games stay");
    // A cell that is back has its games, without any word.
    let back = open(address, &plan(), PLAY).await.expect("as before");
    assert_eq!(back.standings().await.expect("standings")[0].finished, 2);

    let other = ExperimentPlan {
        specification: "specification 3".to_owned(),
        cells: cells(["sigma=50", "sigma=101"]),
        ..plan()
    };
    let changed = open(address, &other, PLAY).await.expect("a larger grid");
    let lease = changed
        .lease("c", TERM)
        .await
        .expect("asked")
        .expect("a pair");
    assert_eq!(
        (lease.cell, lease.pair),
        (1, 0),
        "the old cell's pairs are all taken"
    );

    // Every change of the plan is kept with its date; a run by the same plan is none.
    let plans = store.plans().await.expect("plans");
    assert_eq!((plans[0].finished, plans[0].planned.usual), (0, 0));
    let known = plans.len();
    let stopping = ExperimentPlan {
        registered: RegisteredPlan {
            games: 24,
            stop: "a rule".to_owned(),
            file: "name".to_owned(),
        },
        ..plan()
    };
    for _ in 0..2 {
        let store = open(address, &stopping, PLAY)
            .await
            .expect("the same cells");
        let plans = store.plans().await.expect("plans");
        assert_eq!(plans.len(), known + 1, "{plans:?}");
        let last = &plans[known];
        assert_eq!(
            (last.finished, last.planned.usual, last.stop.as_str()),
            (4, 24, "a rule")
        );
        let since = last.since.duration_since(begun);
        assert!(since.unwrap_or_default() < DAY && last.since + DAY > begun);
    }

    // Looking needs no matching specification or build, and creates nothing.
    let seen = open(address, &plan(), OpenMode::Look).await.expect("there");
    assert_eq!(seen.games(0).await.expect("games").len(), 4);
    let absent = ExperimentPlan {
        name: "absent".to_owned(),
        ..plan()
    };
    let unknown = open(address, &absent, OpenMode::Look)
        .await
        .expect_err("not there");
    assert!(matches!(unknown, StoreError::Unknown(_)), "{unknown}");
    is_restored(address, &*seen).await;
}

/// Tests that what was played comes back in another experiment of the same database.
async fn is_restored(address: &Address, played: &dyn Store) {
    let elsewhere = ExperimentPlan {
        name: "elsewhere".to_owned(),
        ..plan()
    };
    let mut kept = KeptResults {
        plans: played.plans().await.expect("plans"),
        cells: Vec::new(),
        others: vec![OtherCell {
            label: "sigma=101".to_owned(),
            cell: None,
            specification: None,
            games: 6,
        }],
    };
    for cell in 0..elsewhere.cells.len() {
        let games = played.games(cell).await.expect("games");
        let records = played.records(cell, 0, 12).await.expect("records");
        let outcomes = played.outcomes(cell, 0).await.expect("outcomes");
        let lost = outcomes
            .iter()
            .filter(|(_, half_points)| half_points.is_none());
        kept.cells.push(KeptCell {
            games: games.into_iter().zip(records).collect(),
            given_up: lost.map(|(pair, _)| *pair).collect(),
            incidents: played.incidents(cell).await.expect("incidents"),
            closed: cell == 1,
        });
    }
    assert!(!kept.cells[0].games.is_empty() && !kept.cells[0].incidents.is_empty());
    let store = open(address, &elsewhere, PLAY).await.expect("a new one");
    store.restore(&kept, "").await.expect("restored");
    assert_eq!(store.plans().await.expect("plans"), kept.plans);
    for cell in 0..elsewhere.cells.len() {
        let games = (store.games(cell).await, played.games(cell).await);
        assert_eq!(games.0.expect("games"), games.1.expect("games"));
        let records = (
            store.records(cell, 0, 12).await,
            played.records(cell, 0, 12).await,
        );
        assert_eq!(records.0.expect("records"), records.1.expect("records"));
        let outcomes = (
            store.outcomes(cell, 0).await,
            played.outcomes(cell, 0).await,
        );
        assert_eq!(outcomes.0.expect("asked"), outcomes.1.expect("asked"));
        let incidents = (store.incidents(cell).await, played.incidents(cell).await);
        assert_eq!(incidents.0.expect("asked"), incidents.1.expect("asked"));
    }
    let standings = store.standings().await.expect("standings");
    let theirs = played.standings().await.expect("standings");
    assert!(!standings[0].closed && standings[1].closed);
    assert_eq!(
        (standings[0].pairs, standings[0].given_up),
        (theirs[0].pairs, theirs[0].given_up)
    );
    let seen = open(address, &elsewhere, OpenMode::Look).await;
    let others = seen.expect("there").other_cells().await;
    assert_eq!(others.expect("asked"), kept.others);
    let twice = store.restore(&kept, "").await.expect_err("begun");
    assert!(matches!(twice, StoreError::Begun(_)), "{twice}");
}

#[tokio::test]
async fn sqlite_meets_the_requirements() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    suite(&Address::Sqlite(folder.path().join("a store?.db"))).await;
}

#[tokio::test]
async fn postgresql_meets_the_requirements() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    suite(&Address::Postgres(postgres.url())).await;
}

#[tokio::test]
async fn a_pooler_that_gives_each_transaction_another_connection_meets_the_requirements() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let Some(pooler) = PgBouncer::start(&postgres, (3, 20)) else {
        return;
    };
    let address = Address::Postgres(pooler.url());
    // Others that come and go keep the connections of the server from being the same ones twice.
    let others = async {
        let other = ExperimentPlan {
            name: "others".to_owned(),
            ..plan()
        };
        loop {
            let store = open(&address, &other, PLAY).await.expect("a store");
            let lease = store.lease("other", TERM).await.expect("asked");
            store
                .give_back(&lease.expect("a pair"))
                .await
                .expect("asked");
        }
    };
    tokio::select! {
        () = suite(&address) => {}
        () = others => {}
    }
}

#[tokio::test]
async fn runners_share_the_connections_of_a_small_server_and_say_what_they_wait_for() {
    let Some(postgres) = Postgres::with(&["max_connections=5", "superuser_reserved_connections=0"])
    else {
        return;
    };
    let address = Address::Postgres(postgres.url());
    let store = open(&address, &plan(), PLAY).await.expect("a store");
    // A runner without a transaction gives its connection back after a second.
    let mut stores = Vec::new();
    for _ in 0..12 {
        let tell = |words: &str| assert!(words.contains("too many clients"), "{words}");
        let store = open_patiently(&address, &plan(), PLAY, tell).await;
        stores.push(store.expect("a store"));
    }
    drop(store);
    let (events, mut told) = mpsc::unbounded_channel();
    let mut leases = JoinSet::new();
    for store in stores {
        let events = events.clone();
        leases.spawn(async move {
            let lease = patiently(&events, || store.lease("one", TERM)).await;
            lease.expect("asked").expect("a pair")
        });
    }
    let mut leased = BTreeSet::new();
    for lease in leases.join_all().await {
        assert!(leased.insert((lease.cell, lease.pair)), "{lease:?}");
    }
    assert_eq!(leased.len(), 12);
    while let Ok(event) = told.try_recv() {
        let RunnerEvent::Waiting(words) = event else {
            panic!("{event:?}");
        };
        assert!(words.contains("too many clients"), "{words}");
    }
}

#[tokio::test]
async fn postgresql_ends_every_transaction_whose_client_falls_silent() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let address = Address::Postgres(postgres.url());
    drop(open(&address, &plan(), PLAY).await.expect("a store"));
    postgres.ask(
        "CREATE TABLE limits (place TEXT, value TEXT);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO limits VALUES
                 (TG_TABLE_NAME, current_setting('idle_in_transaction_session_timeout'));
             RETURN NULL;
         END $$;
         CREATE TRIGGER note AFTER INSERT ON cells EXECUTE FUNCTION note();
         CREATE TRIGGER note AFTER UPDATE ON pairs EXECUTE FUNCTION note();",
    );
    // Cells are made while all others wait, a pair is leased beside them.
    let other = ExperimentPlan {
        name: "others".to_owned(),
        ..plan()
    };
    let store = open(&address, &other, PLAY).await.expect("a store");
    let lease = store.lease("one", TERM).await.expect("asked");
    assert!(lease.is_some());
    let limits = postgres.ask("SELECT DISTINCT place, value FROM limits ORDER BY place");
    assert_eq!(limits, "cells|5min\npairs|5min");
}

/// Rows of `pairs` that the server has read so far, in sequential scans and by indexes. The server may
/// count the reads of a session only when it ends.
async fn rows_read(postgres: &Postgres) -> (u64, u64) {
    const OTHERS: &str = "SELECT COUNT(*) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    const READ: &str = "SELECT seq_tup_read, idx_tup_fetch FROM pg_stat_user_tables
        WHERE relname = 'pairs'";
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if postgres.ask(OTHERS) == "0" {
            let answer = postgres.ask(READ);
            let (one, other) = answer.split_once('|').expect("two numbers");
            return (
                one.parse().expect("a number"),
                other.parse().expect("a number"),
            );
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a session does not end");
}

#[tokio::test]
async fn postgresql_finds_the_next_pair_without_walking_over_the_others() {
    const LEASES: u32 = 40;
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let address = Address::Postgres(postgres.url());
    let plan = |name: &str| ExperimentPlan {
        name: name.to_owned(),
        ..with_pairs(plan(), 4000)
    };
    drop(
        open(&address, &plan("others"), PLAY)
            .await
            .expect("a store"),
    );
    let store = open(&address, &plan("suite"), PLAY).await.expect("a store");
    postgres.ask(
        "UPDATE pairs SET state = 2 WHERE number < 3000 AND cell IN (SELECT cells.id
         FROM cells JOIN experiments ON experiments.id = experiment WHERE name = 'suite')",
    );
    postgres.ask("VACUUM ANALYZE pairs");
    drop(store);
    let before = rows_read(&postgres).await;

    let store = open(&address, &plan("suite"), PLAY).await.expect("a store");
    for _ in 0..LEASES {
        let lease = store.lease("one", TERM).await.expect("asked");
        assert!(lease.expect("a pair").pair >= 3000);
    }
    drop(store);
    let after = rows_read(&postgres).await;
    assert_eq!(after.0, before.0, "pairs were read one after the other");
    // Each lease reads its pair, the pairs leased before, and a few rows more.
    let most = u64::from(LEASES * (LEASES + 4));
    let read = after.1 - before.1;
    assert!(read <= most, "{read} rows for {LEASES} leases");
}
