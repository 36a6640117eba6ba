mod compared;

use super::*;
use crate::{
    machine::machine,
    notes::Notes,
    record::{
        Cause, Effort, GameEnding, Incident, MatchOutcome, MatchSide, MoveVariety, PlayedGame,
    },
    specification::Specification,
    statistics::Pentanomial,
    store::{self, Accepted, Address, OpenMode, Origin, PlayedPair, Store, meanwhile::Meanwhile},
};
use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

pub(crate) const FILE: &str = r#"
version = 1
name = "t"
title = "Two cells"
games = 4
openings = "openings.sfen"
first = "council"
second = "single"
[grid]
players = [1, 4]
sigma = [25]
[ensemble.council]
nodes = 10
player = [{ name = "n", count = "$players", sigma = "$sigma" }]
[ensemble.single]
nodes = 10
player = [{ name = "s" }]
[report]
rows = "players"
columns = "sigma"
plot = { x = "players", line = "sigma" }
source = "Ito et al. (2011), table 3"
published = [["49.50%"], ["—"]]
published_moves = [[3, 1], []]
"#;

/// A game of a pair from an opening of one move, in which Black has won, White has won, or both have gone to and fro.
pub(crate) fn game(opening: &str, number: usize, result: MatchOutcome) -> PlayedGame {
    let (ending, rest) = match (result, number) {
        (MatchOutcome::Draw, _) => (GameEnding::Repetition, " 4a4b 4i4h 4b4a 4h4i".repeat(3)),
        (MatchOutcome::Win, 0) | (MatchOutcome::Loss, 1) => {
            (GameEnding::Resignation, " 3c3d 1g1f".to_owned())
        }
        _ => (GameEnding::Resignation, " 3c3d".to_owned()),
    };
    PlayedGame {
        result,
        ending,
        opening_plies: 1,
        plies: 1 + rest.split_whitespace().count() as u32,
        moves: format!("{opening}{rest}"),
        effort: [
            Effort {
                nodes: 40,
                time_ms: 1500,
                moves: 4,
                variety: MoveVariety([(1, 3), (2, 1)].into()),
            },
            Effort::default(),
        ],
        ballots: "{}\n".to_owned(),
        notes: Notes::default(),
    }
}

/// Plays the next pair of a store.
pub(crate) async fn finish(
    (specification, store): (&Specification, &dyn Store),
    results: [MatchOutcome; 2],
    incidents: Vec<Incident>,
) {
    let lease = store.lease("r", Duration::from_secs(60)).await;
    let lease = lease.expect("asked").expect("a pair");
    let opening = specification.opening(&specification.cells[lease.cell], lease.pair);
    let opening = &specification.openings.lines()[opening];
    let pair = PlayedPair {
        games: [0, 1].map(|number| game(opening, number, results[number])),
        incidents,
    };
    assert!(store.finish(&lease, "r", &pair).await.expect("asked"));
}

/// An experiment of two openings in a store, before its first game.
async fn begun(text: &str) -> (Specification, Arc<dyn Store>, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = "startpos moves 7g7f\nstartpos moves 2g2f\n";
    std::fs::write(folder.path().join("openings.sfen"), openings).expect("writable");
    let specification = Specification::parse(text, &folder.path().join("t.toml"));
    let specification = specification.expect("a good file");
    let address = Address::Sqlite(folder.path().join("t.db"));
    let store = store::open(&address, &specification.plan("build 1"), OpenMode::PLAY).await;
    (specification, store.expect("a store"), folder)
}

/// An experiment with two finished pairs of its first cell.
pub(crate) async fn played() -> (Specification, Arc<dyn Store>, tempfile::TempDir) {
    let (specification, store, folder) = begun(FILE).await;
    use MatchOutcome::{Draw, Loss, Win};
    for (results, incidents) in [
        ([Win, Win], Vec::new()),
        (
            [Loss, Draw],
            vec![Incident {
                game: 0,
                cause: Cause::IllegalMove,
                side: MatchSide::First,
                detail: "n: 7g7e".to_owned(),
                stall: None,
            }],
        ),
    ] {
        finish((&specification, &*store), results, incidents).await;
    }
    (specification, store, folder)
}

/// The experiment of [`played`] with more pairs, of which the third is finished, with an incident, right after the
/// first call of an operation.
pub(crate) async fn finished_after(
    operation: &'static str,
    stop: &str,
    results: [MatchOutcome; 2],
) -> (Specification, Meanwhile, tempfile::TempDir) {
    let (_, _, folder) = played().await;
    let text = FILE.replace("games = 4", "games = 8") + stop;
    let larger = Specification::parse(&text, &folder.path().join("t.toml"));
    let larger = larger.expect("a good file");
    let address = Address::Sqlite(folder.path().join("t.db"));
    let store = store::open(&address, &larger.plan("build 1"), OpenMode::PLAY).await;
    let store = store.expect("the same cells");
    let (file, runner) = (larger.clone(), Arc::clone(&store));
    let late = async move {
        let incident = Incident {
            game: 1,
            cause: Cause::IllegalMove,
            side: MatchSide::First,
            detail: "n: 7g7e".to_owned(),
            stall: None,
        };
        finish((&file, &*runner), results, vec![incident]).await;
    };
    (larger, Meanwhile::after(operation, store, late), folder)
}

#[tokio::test]
async fn a_pair_that_is_finished_while_a_report_reads_is_in_no_number() {
    use MatchOutcome::{Draw, Loss};
    for operation in ["standings", "games", "incidents", "outcomes", "moves"] {
        let stop = "[stop]\nelo0 = 0\nelo1 = 100\nminimum_pairs = 3\n";
        let (larger, store, _folder) = finished_after(operation, stop, [Draw, Loss]).await;
        let report = gather(&larger, &store).await.expect("a report");
        assert!(store.has_happened(), "{operation}");
        let cell = &report.cells[0];
        let pairs = if operation == "standings" { 3 } else { 2 };
        assert_eq!(cell.score.games(), 2 * pairs, "{operation}");
        assert_eq!(cell.repeated_games(), 0, "{operation}");
        assert_eq!(cell.different.different, 2 * pairs, "{operation}");
        assert_eq!(u64::from(cell.counted.seen), pairs, "{operation}");
        assert_eq!(cell.incidents.len() as u64, pairs - 1, "{operation}");
    }
}

#[tokio::test]
async fn a_report_counts_what_the_store_holds() {
    let (specification, store, _folder) = played().await;
    let report = gather(&specification, &*store).await.expect("a report");
    let [one, four] = &report.cells[..] else {
        panic!("{} cells", report.cells.len())
    };
    assert_eq!(
        (one.score.wins, one.score.draws, one.score.losses),
        (2, 1, 1)
    );
    assert_eq!((one.by_colour[0].wins, one.by_colour[1].wins), (1, 1));
    assert_eq!(one.pairs.0, [0, 1, 0, 0, 1]);
    let test = one.test.expect("a test");
    assert!((test.exact_p - 0.5).abs() < 1e-12 && test.holm_p == 1.0);
    assert_eq!((one.effort[0].nodes, one.effort[0].variety.0[&2]), (160, 4));
    assert_eq!((one.published, four.published), (Some("49.50%"), None));
    assert_eq!(four.score.games(), 0);
    assert_eq!(report.builds, [("build 1".to_owned(), 4)]);
    let origin = Origin {
        specification: specification.hash.clone(),
        seed: specification.seed,
    };
    assert_eq!(report.origins, [(Some(origin), 4)].into());
}

#[tokio::test]
async fn machines_and_days_are_listed() {
    let (specification, store, _folder) = played().await;
    let mut report = gather(&specification, &*store).await.expect("a report");
    let games: Vec<_> = (report.machines.iter())
        .map(|(machine, share)| (machine.clone(), share.games))
        .collect();
    assert_eq!(games, [(Some(machine()), 4)]);

    let day = |days: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * days);
    let share = |games, first, last| MachineShare {
        games,
        first: day(first),
        last: day(last),
    };
    report.machines = [
        (None, share(1, 0, 0)),
        (Some("one".to_owned()), share(2, 0, 0)),
        (Some("two".to_owned()), share(1, 1, 59)),
    ]
    .into();
    let text = markdown(&report, "", None);
    let expected = "- machine: not written down by the version that played (1 game)\n\
                    - machine: one; 1970-01-01 (2 games)\n\
                    - machine: two; 1970-01-02 to 1970-03-01 (1 game)\n";
    assert!(text.contains(expected), "{text}");
    assert!(markdown(&report, "", Some("mine")).contains("\n- machine: mine\n"));
    let machines = &json(&report)["machines"];
    assert_eq!(machines[0]["last_unix_ms"], serde_json::Value::Null);
    assert_eq!(machines[2]["last_unix_ms"], 59 * 86_400_000_u64);
}

#[tokio::test]
async fn games_are_reported_by_build_and_origin() {
    let (before, _store, folder) = played().await;
    // A larger grid and another build continue the same store.
    let text = FILE
        .replace("[1, 4]", "[1, 4, 8]")
        .replace("[\"—\"]", "[\"—\"], [\"—\"]");
    let text = text.replace("[[3, 1], []]", "[]");
    let after = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    assert_ne!(before.hash, after.hash);
    let address = Address::Sqlite(folder.path().join("t.db"));
    let opening = OpenMode::Play(Accepted {
        build: true,
        ..Accepted::default()
    });
    let changed = store::open(&address, &after.plan("build 2"), opening).await;
    let changed = changed.expect("a store");
    assert_eq!(changed.older_specification(), None);
    finish((&after, &*changed), [MatchOutcome::Win; 2], Vec::new()).await;

    // A report of either file lists both origins.
    for specification in [&before, &after] {
        let report = gather(specification, &*changed).await.expect("a report");
        let text = markdown(&report, "", None);
        for line in [
            "- build: build 1 (4 games)\n- build: build 2 (2 games)\n",
            "- **grid changed after 4 games**, from 2 to 3 cells: the choice of cells came after results\n",
        ] {
            assert!(text.contains(line), "{text}\nexpected {line}");
        }
        for (file, games) in [(&before, 4), (&after, 2)] {
            let (seed, hash) = (file.seed, &file.hash);
            let line = format!("- seed: {seed}; specification {hash} ({games} games)\n");
            assert!(text.contains(&line), "{text}\nexpected {line}");
        }
        let origins = &json(&report)["origins"];
        assert_eq!(origins.as_array().map(Vec::len), Some(2), "{origins}");
    }
    let third = FILE.replace("games = 4", "games = 4\nseed = 78");
    let third = Specification::parse(&third, &folder.path().join("t.toml")).expect("a good file");
    let looked = store::open(&address, &third.plan(""), OpenMode::Look).await;
    let looked = looked.expect("a store");
    let report = gather(&third, &*looked).await.expect("a report");
    assert!(report.cells.iter().all(|cell| cell.score.games() == 0));
    let text = markdown(&report, "", None);
    for line in [
        format!(
            "- this file: seed 78; specification {}, by which no game",
            third.hash
        ),
        "- **left out: 6 games of these cells with other settings**,".to_owned(),
    ] {
        assert!(text.contains(&line), "{text}\nexpected {line}");
    }
}

#[tokio::test]
async fn builds_that_share_a_cell_are_named() {
    let (_, _, folder) = played().await;
    let text = FILE.replace("games = 4", "games = 6");
    let more = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let address = Address::Sqlite(folder.path().join("t.db"));
    let refused = store::open(&address, &more.plan("build 2"), OpenMode::PLAY).await;
    let line = refused.expect_err("another build").to_string();
    assert!(line.contains("--accept-build"), "{line}");
    let opening = OpenMode::Play(Accepted {
        build: true,
        ..Accepted::default()
    });
    for _ in 0..2 {
        let shared = store::open(&address, &more.plan("build 2"), opening).await;
        let shared = shared.expect("a store");
        finish((&more, &*shared), [MatchOutcome::Win; 2], Vec::new()).await;
        let report = gather(&more, &*shared).await.expect("a report");
        let text = markdown(&report, "", None);
        let line =
            "- builds accepted as alike in 'players=1 sigma=25': 4 by build 1, 2 by build 2\n";
        assert!(text.contains(line), "{text}");
        assert!(!text.contains("in 'players=4"), "{text}");
    }
    // Either build goes on without the word.
    for build in ["build 1", "build 2"] {
        let again = store::open(&address, &more.plan(build), OpenMode::PLAY).await;
        assert!(again.is_ok(), "{again:?}");
    }
}

#[tokio::test]
async fn a_stopping_rule_that_comes_after_games_is_told() {
    let (before, store, folder) = played().await;
    let told = |text: &str| text.contains("- **");
    let report = gather(&before, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    let line = format!(
        "before the first game: 2 cells, 4 games in a cell, no stopping rule; specification {}\n",
        before.hash
    );
    assert!(text.contains(&line) && !told(&text), "{text}");
    assert_eq!(json(&report)["plans"][0]["finished_games"], 0);

    let text = format!("{FILE}[stop]\nelo0 = 0\nelo1 = 100\nminimum_pairs = 3\n");
    let after = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let report = gather(&after, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    let rule = "stopping rule: normalized Elo 0 against 100, α = 0.05, β = 0.05, from 3 pairs on";
    let line = format!("- **this file has another stopping rule than the last run**: {rule}\n");
    assert!(text.contains(&line), "{text}");

    let address = Address::Sqlite(folder.path().join("t.db"));
    let store = store::open(&address, &after.plan("build 1"), OpenMode::PLAY).await;
    let store = store.expect("the same cells");
    let report = gather(&after, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    let line = format!(
        "- **stopping rule changed after 4 games**, from \"no stopping rule\" to \"{rule}\":"
    );
    assert!(text.contains(&line), "{text}");
    assert_eq!(json(&report)["plans"][1]["finished_games"], 4);
}

/// A plan of other cells was written down as one before the first game, so that no warning appeared.
#[tokio::test]
async fn changes_are_told_where_all_cells_begin_anew() {
    let (_, _, folder) = played().await;
    let address = Address::Sqlite(folder.path().join("t.db"));
    let stop = "[stop]\nelo0 = 0\nelo1 = 100\n";
    let settings = FILE
        .replace("nodes = 10", "nodes = 11")
        .replace("games = 4", "games = 6");
    let cells = settings.replace("sigma = [25]", "sigma = [26]");
    let cells = cells.replace("[1, 4]", "[1]").replace(", [\"—\"]", "");
    let cells = cells.replace("[[3, 1], []]", "[]");
    for (text, left_out, grid) in [
        (settings, "- **left out: 4 games of these cells with", false),
        (cells, "- **left out: 4 games of 1 cell that", true),
    ] {
        let text = text + stop;
        let after = Specification::parse(&text, &folder.path().join("t.toml"));
        let after = after.expect("a good file");
        let opening = OpenMode::Play(Accepted {
            changes: true,
            ..Accepted::default()
        });
        let store = store::open(&address, &after.plan("build 1"), opening).await;
        let report = gather(&after, &*store.expect("accepted")).await;
        let report = report.expect("a report");
        assert_eq!(report.plans.last().map(|plan| plan.finished), Some(4));
        let text = markdown(&report, "", None);
        for line in [
            left_out,
            "- **stopping rule changed after 4 games** (none of them counts here), from",
            "- **number of games changed after 4 games** (none of them counts here), from",
        ] {
            assert!(text.contains(line), "{text}\nexpected {line}");
        }
        let warned = text
            .contains("- **grid changed after 4 games** (none of them counts here), from 2 to 1");
        assert_eq!(warned, grid, "{text}");
    }
}

#[tokio::test]
async fn as_many_cells_with_other_values_are_another_grid() {
    let (_, _, folder) = played().await;
    let text = FILE.replace("[1, 4]", "[1, 8]");
    let text = text.replace("[[3, 1], []]", "[]");
    let after = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let address = Address::Sqlite(folder.path().join("t.db"));
    let store = store::open(&address, &after.plan("build 1"), OpenMode::PLAY).await;
    let store = store.expect("a grid may change");
    let told = async |store: &dyn Store| {
        let report = gather(&after, store).await.expect("a report");
        let text = markdown(&report, "", None);
        let line = "- **grid changed after 4 games** (none of them counts here), to other cells: the choice of cells came";
        let other = "- **grid changed after 4 games**, to other cells: the choice of cells came after results";
        assert!(text.contains(line) || text.contains(other), "{text}");
        report.plans
    };
    let plans = told(&*store).await;
    // So it is in a bundle, and in a store that goes on with it.
    let out = folder.path().join("sealed");
    let sealed = crate::bundle::seal(&after, &*store, &out, false).await;
    sealed.expect("a bundle");
    let (read, bundle) = crate::bundle::Bundle::read(&out).expect("a bundle");
    assert_eq!(told(&bundle).await, plans);
    let address = Address::Sqlite(folder.path().join("again.db"));
    let imported = crate::bundle::import(&read, &bundle, &address).await;
    imported.expect("imported");
    let again = store::open(&address, &after.plan("build 1"), OpenMode::Look).await;
    assert_eq!(told(&*again.expect("a store")).await, plans);
}

#[tokio::test]
async fn numbers_of_games_that_change_after_games_are_told() {
    let (_, _, folder) = played().await;
    let single =
        "games = 6\ngames_in = { \"players=1 sigma=25\" = 8, \"players=4 sigma=25\" = 6 }\n";
    let text = FILE.replace("games = 4\n", single);
    let after = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let address = Address::Sqlite(folder.path().join("t.db"));
    let looked = store::open(&address, &after.plan(""), OpenMode::Look).await;
    let looked = looked.expect("a store");
    let report = gather(&after, &*looked).await.expect("a report");
    let text = markdown(&report, "", None);
    let numbers = "6 games in a cell, 8 in players=1 sigma=25";
    let line =
        format!("- **this file plans other numbers of games than the last run**: {numbers}\n");
    assert!(text.contains(&line), "{text}");

    let store = store::open(&address, &after.plan("build 1"), OpenMode::PLAY).await;
    let store = store.expect("the same cells");
    let report = gather(&after, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    for line in [
        format!("after 4 games: 2 cells, {numbers}, no stopping rule; specification"),
        format!(
            "- **number of games changed after 4 games**, from \"4 games in a cell\" to \"{numbers}\":"
        ),
    ] {
        assert!(text.contains(&line), "{text}\nexpected {line}");
    }
    assert!(!text.contains("this file plans other"), "{text}");
    let plan = &json(&report)["plans"][1];
    assert_eq!(plan["planned_games"], 6);
    assert_eq!(plan["planned_games_in"]["players=1 sigma=25"], 8);

    // A bundle keeps both numbers.
    let out = folder.path().join("sealed");
    let sealed = crate::bundle::seal(&after, &*store, &out, false).await;
    sealed.expect("a bundle");
    let (_, bundle) = crate::bundle::Bundle::read(&out).expect("a bundle");
    assert_eq!(bundle.plans().await.expect("plans"), report.plans);

    // The same plan is not noted again.
    let again = store::open(&address, &after.plan("build 1"), OpenMode::PLAY).await;
    let plans = again.expect("the same cells").plans().await;
    assert_eq!(plans.expect("plans").len(), 2);
}

#[tokio::test]
async fn every_game_has_the_commit_of_its_program() {
    let (specification, store, _folder) = played().await;
    let report = gather(&specification, &*store).await.expect("a report");
    let source = monju_proto::build::name();
    assert_eq!(report.sources, [(Some(source.to_owned()), 4)].into());
    let text = markdown(&report, "", None);
    assert!(text.contains(&format!("- commit: {source}\n")), "{text}");
    assert_eq!(json(&report)["sources"][0]["source"], source);
}

#[tokio::test]
async fn games_beyond_the_plan_are_left_out_and_counted_apart() {
    let (whole, store, folder) = played().await;
    let text = FILE.replace("games = 4", "games = 2");
    let lowered = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let report = gather(&lowered, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    assert!(
        text.contains("- games: 2 of 4; the least in a cell: 0 of 2\n- left out: 2 games"),
        "{text}"
    );
    let value = json(&report);
    assert_eq!(value["cells"][0]["pairs"]["finished"], 1);
    assert_eq!(value["cells"][0]["games_without_say"], 2);
    let games = folder.path().join("games");
    let all = write_games(&whole, &*store, &games).await.expect("written");
    assert_eq!((all.counted, all.without_say), (4, 0));
    let written = write_games(&lowered, &*store, &games)
        .await
        .expect("written");
    assert_eq!((written.counted, written.without_say), (2, 2));
    let cell = games.join("players=1_sigma=25");
    assert!(cell.join("00000-0.csa").is_file() && !cell.join("00001-0.csa").exists());
    assert!(cell.join("without-say/00001-0.csa").is_file());
}

#[tokio::test]
async fn a_cell_under_test_shows_its_likelihood_ratio() {
    let (_, store, folder) = played().await;
    let text = format!("{FILE}[stop]\nelo0 = 0\nelo1 = 100\n");
    let tested = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let report = gather(&tested, &*store).await.expect("a report");
    let sprt = tested.stop.expect("a rule");
    let ratio = sprt.ratio(&Pentanomial([0, 1, 0, 0, 1]));
    assert!(ratio.abs() > 0.005, "{ratio}");
    let text = markdown(&report, "", None);
    let expected =
        format!("sigma=25 (undecided after 2 pairs, LLR {ratio:+.2} in [-2.94, 2.94]) |");
    assert!(text.contains(&expected), "{text}\nexpected {expected}");
    assert_eq!(json(&report)["cells"][0]["sprt"]["llr"], ratio);
    assert_eq!(json(&report)["cells"][1]["sprt"]["pairs"], 0);
}

#[tokio::test]
async fn cells_have_folders_of_their_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = "startpos moves 7g7f\nstartpos moves 2g2f\n";
    std::fs::write(folder.path().join("openings.sfen"), openings).expect("writable");
    let text = FILE
        .replace(
            "players = [1, 4]",
            &format!(
                "players = [1, 4]\nrule = [\"a b\", \"a_b\", \"A/B\", \"a-b\", \"{0}1\", \"{0}2\"]",
                "あ".repeat(90)
            ),
        )
        .replace("[{ name = \"s\" }]", "[{ name = \"s\" }] # ${rule}")
        .split("[report]")
        .next()
        .map(str::to_owned)
        .expect("a part");
    let many = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let address = Address::Sqlite(folder.path().join("t.db"));
    let opening = OpenMode::PLAY;
    let store = store::open(&address, &many.plan("build 1"), opening).await;
    let store = store.expect("a store");
    let games = folder.path().join("games");
    write_games(&many, &*store, &games).await.expect("written");
    let folders = std::fs::read_dir(&games).expect("a folder").count();
    assert_eq!((many.cells.len(), folders), (12, 12));
}

#[tokio::test]
async fn games_that_repeat_are_told_among_those_that_count() {
    let (specification, store, folder) = played().await;
    let before = gather(&specification, &*store).await.expect("a report");
    assert_eq!(before.cells[0].repeated_games(), 0);
    assert_eq!(before.cells[1].different, DifferentGames::default());
    let openings = "startpos moves 7g7f\n";
    std::fs::write(folder.path().join("openings.sfen"), openings).expect("writable");
    let one = Specification::parse(FILE, &specification.path).expect("a good file");
    for _ in 0..2 {
        finish((&one, &*store), [MatchOutcome::Win; 2], Vec::new()).await;
    }
    let report = gather(&specification, &*store).await.expect("a report");
    let different = DifferentGames {
        different: 2,
        most_often: 2,
    };
    assert_eq!(report.cells[1].different, different);
    assert_eq!(report.cells[1].repeated_games(), 2, "one with each colour");
    let line = "| players=4 sigma=25 | repeated games | — | 2 | 2 of 4 games are different, and one was played 2 times;";
    let text = markdown(&report, "", None);
    assert!(text.contains(line), "{text}");
    let value = json(&report);
    assert_eq!(value["cells"][1]["different_games"], 2);
    assert_eq!(value["cells"][1]["most_repeated_game"], 2);

    let text = FILE.replace("games = 4", "games = 2");
    let lowered = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let report = gather(&lowered, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    assert!(!text.contains("repeated games"), "{text}");
}

/// A side against itself, without noise and with it.
const MIRRORED: &str = r#"
version = 1
name = "m"
games = 4
openings = "openings.sfen"
first = "a"
second = "b"
[grid]
sigma = [0, 25]
[ensemble.a]
nodes = 10
player = [{ name = "n", sigma = "$sigma" }]
[ensemble.b]
nodes = 10
player = [{ name = "s" }]
[report]
base = "sigma=0"
"#;

#[tokio::test]
async fn a_cell_that_is_its_own_opponent_is_no_sample() {
    use MatchOutcome::{Draw, Loss, Win};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = "startpos moves 7g7f\nstartpos moves 2g2f\n";
    std::fs::write(folder.path().join("openings.sfen"), openings).expect("writable");
    let read = |text: &str| Specification::parse(text, &folder.path().join("m.toml"));
    let specification = read(MIRRORED).expect("a good file");
    let own = specification
        .cells
        .iter()
        .map(|cell| cell.is_own_opponent());
    assert_eq!(own.collect::<Vec<_>>(), [true, false]);
    for (same, other) in [
        ("name = \"s\"", "name = \"s\", threads = 2"),
        ("name = \"s\"", "name = \"s\", evaluator = \"material\""),
        ("[ensemble.b]\nnodes = 10", "[ensemble.b]\nnodes = 11"),
        ("nodes = 10", "time_ms = 10"),
        ("[ensemble.b]", "[ensemble.b]\nrule = \"ranked\""),
    ] {
        let unlike = read(&MIRRORED.replace(same, other)).expect("a good file");
        assert!(!unlike.cells[0].is_own_opponent(), "{other}");
    }
    // The lanes of one search differ by their noise, so that they vote.
    for (alike, lanes) in [(true, ""), (false, ", lanes = 8")] {
        let text = MIRRORED.replace("\"$sigma\"", &format!("\"$sigma\", seed = 7{lanes}"));
        let text = text.replace("\"s\"", &format!("\"s\", sigma = 25, seed = 7{lanes}"));
        let text = text
            .replace("[0, 25]", "[25]")
            .replace("sigma=0", "sigma=25");
        let same = read(&text).expect("a good file");
        assert_eq!(same.cells[0].is_own_opponent(), alike, "{lanes}");
    }
    let address = Address::Sqlite(folder.path().join("m.db"));
    let store = store::open(&address, &specification.plan("build"), OpenMode::PLAY).await;
    let store = store.expect("a store");
    for results in [[Win, Loss], [Loss, Win], [Win, Win], [Loss, Draw]] {
        finish((&specification, &*store), results, Vec::new()).await;
    }
    let report = gather(&specification, &*store).await.expect("a report");
    assert!(report.cells[0].interval.is_none() && report.cells[1].interval.is_some());
    assert_eq!(report.cells[1].comparison, None);
    let paired = report.cells[1].paired.expect("compared by pairs");
    assert_eq!((paired.pairs, paired.difference), (2, 0.125));
    let text = markdown(&report, "", None);
    for expected in [
        "Both sides are the same, without noise, in 'sigma=0': ",
        "| sigma=0 | 4 | +2 =0 -2 | 50.00% | — | — | — | — | +0 [—] | — | 0, 0, 2, 0, 0 |\n",
        "A cell that is its own opponent scores one half of every pair",
        "| sigma=25 | — | — | — | — | +12.50 [",
    ] {
        assert!(text.contains(expected), "{text}\nexpected {expected}");
    }
    let cell = &json(&report)["cells"][0];
    assert_eq!(
        (cell["own_opponent"].as_bool(), &cell["wilson95"]),
        (Some(true), &serde_json::Value::Null)
    );
    // A cell without a test is no hypothesis of Holm's correction.
    assert_eq!(report.cells[0].test, None);
    let test = report.cells[1].test.expect("a test");
    assert!((test.exact_p - 0.5).abs() < 1e-12, "2 of 3 games");
    assert_eq!(test.holm_p, test.exact_p);
    for key in ["normal_p", "exact_p", "holm_p"] {
        assert!(cell[key].is_null(), "{key}: {}", cell[key]);
    }
    assert!(
        text.contains("corrected for the number of tested cells."),
        "{text}"
    );
    let table = csv(&report).expect("a table");
    assert!(
        table.contains("\n0,4,2,0,2,0.500000,,,,,,,0.000000,"),
        "{table}"
    );
}

#[tokio::test]
async fn all_forms_of_the_report_agree() {
    let (specification, store, _folder) = played().await;
    let report = gather(&specification, &*store).await.expect("a report");
    let text = markdown(&report, "monju experiment run t.toml", Some("a machine"));
    for expected in [
        "# Two cells\n",
        "- games: 4 of 8; the least in a cell: 0 of 4\n",
        "| players \\ sigma | 25 |\n| --- | --- |\n| 1 | 66.67% (49.50%) |\n| 4 | — |\n",
        "| players=1 sigma=25 | 4 | +2 =1 -1 | 66.67% | 20.8–93.9% | 49.50% | 0.5000 | 1.0000 |",
        "| players=1 sigma=25 | 75.0% (75.0%) | 25.0% (25.0%) | 16 |\n",
        "| +1 =0 -1 | +1 =1 -0 | repetition 1, resignation 3 | 5.0 | 10 / 0 | 1.5 / 0.0 |\n",
        "| players=1 sigma=25 | illegal move | first | 1 | n: 7g7e |\n",
    ] {
        assert!(text.contains(expected), "{text}\nexpected {expected}");
    }
    let value = json(&report);
    assert_eq!(value["cells"][0]["score"]["wins"], 2);
    assert_eq!(value["cells"][0]["parameters"]["sigma"], "25");
    assert_eq!(value["cells"][1]["win_rate"], serde_json::Value::Null);
    let table = csv(&report).expect("a table");
    let lines: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines.iter().all(|line| line.len() == lines[0].len()),
        "{table}"
    );
    assert_eq!(lines[1][..4], ["1", "25", "4", "2"]);
    let figures = figures(&report);
    for (expected, (name, svg)) in [
        ("win-rate.svg", "sigma = 25"),
        ("elo.svg", "Elo of the first side"),
        ("colours.svg", "as White"),
        ("endings.svg", "resignation"),
        ("nodes.svg", "nodes a move"),
        ("time.svg", "seconds a game"),
        ("moves.svg", "players=1 sigma=25, published"),
    ]
    .into_iter()
    .zip(&figures)
    {
        assert_eq!(expected.0, name);
        assert!(
            svg.contains(expected.1) && svg.ends_with("</svg>\n"),
            "{name}: {svg}"
        );
    }
    assert_eq!(figures.len(), 7);
}

/// A further parameter was in no label: two rates without a name shared a box, and one line had both.
#[tokio::test]
async fn a_further_parameter_is_named_in_table_and_figure() {
    use MatchOutcome::{Draw, Loss, Win};
    // The cost follows from the others, and is not named.
    let grid = "[grid]\nplayers = [1, 4]\nsigma = [25]\n";
    let conditions = [(1, 10), (1, 20), (4, 10), (4, 20)].map(|(players, nodes)| {
        let cost = players * nodes;
        format!("[[condition]]\nplayers = {players}\nsigma = 25\nnodes = {nodes}\ncost = {cost}\n")
    });
    let text = FILE
        .replacen("nodes = 10", "nodes = \"$nodes\"", 1)
        .replace(grid, &conditions.concat())
        .replace("[\"—\"]", "[\"—\", \"—\", \"—\"]")
        .replace("[[3, 1], []]", "[]");
    let (specification, store, _folder) = begun(&text).await;
    for results in [[Win, Win], [Loss, Draw], [Win, Loss], [Win, Loss]] {
        finish((&specification, &*store), results, Vec::new()).await;
    }
    let report = gather(&specification, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    let table = "| players \\ sigma | 25 |\n| --- | --- |\n\
                 | 1 | nodes=10: 66.67% (49.50%); nodes=20: 50.00% |\n| 4 | nodes=10: —; nodes=20: — |\n";
    assert!(text.contains(table), "{text}");
    let figures = figures(&report);
    let (name, svg) = &figures[0];
    assert_eq!(name, "win-rate.svg");
    for line in ["sigma = 25, nodes = 10\n", "sigma = 25, nodes = 20\n"] {
        assert!(svg.contains(line), "{svg}\nexpected {line}");
    }
}

#[tokio::test]
async fn a_table_may_have_rows_alone() {
    let (specification, store, _folder) = played().await;
    let text = FILE.replace("columns = \"sigma\"\n", "");
    let rows = Specification::parse(&text, &specification.path).expect("a good file");
    let report = gather(&rows, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    let table = "| players | win rate |\n| --- | --- |\n| 1 | 66.67% (49.50%) |\n| 4 | — |\n";
    assert!(text.contains(table), "{text}");
}

#[tokio::test]
async fn losses_on_time_while_the_machine_stalled_are_told_apart() {
    let (specification, store, _folder) = played().await;
    let lost = |game: u32, stall: Option<u64>| Incident {
        game,
        cause: Cause::TimeLoss,
        side: MatchSide::Second,
        detail: "131 ms for a move of 100 ms".to_owned(),
        stall: stall.map(Duration::from_millis),
    };
    use MatchOutcome::Win;
    for stalls in [[None, Some(62)], [Some(40), None]] {
        let incidents = vec![lost(0, stalls[0]), lost(1, stalls[1])];
        finish((&specification, &*store), [Win, Win], incidents).await;
    }
    let report = gather(&specification, &*store).await.expect("a report");
    let cell = &report.cells[1];
    let losses = TimeLosses {
        games: 4,
        stalled: 2,
        longest_stall: Some(Duration::from_millis(62)),
    };
    assert_eq!(TimeLosses::of(cell, MatchSide::Second), losses);
    assert_eq!(
        TimeLosses::of(cell, MatchSide::First),
        TimeLosses::default()
    );
    assert_eq!(cell.score.wins, 4, "the score stays as the rules say");
    let text = markdown(&report, "", None);
    let row = "| players=4 sigma=25 | time loss | second | \
               4, of these 2 while the machine stalled for up to 62 ms | 131 ms for a move of 100 ms |\n";
    assert!(text.contains(row), "{text}");
    let incidents = &json(&report)["cells"][1]["incidents"];
    let stalls: Vec<Option<u64>> = (0..4)
        .map(|it| incidents[it]["stall_ms"].as_u64())
        .collect();
    assert_eq!(stalls, [None, Some(62), Some(40), None]);
}

#[tokio::test]
async fn a_page_holds_the_whole_report() {
    let (specification, store, _folder) = played().await;
    let report = gather(&specification, &*store).await.expect("a report");
    let text = markdown(&report, "monju experiment run 'a<b>.toml'", None);
    let text = format!("{text}\n- **told**: 5 & 7\n\n**Noted**: nothing.\n");
    let figures = figures(&report);
    let page = html(&specification.title, &text, &figures);
    for expected in [
        "<title>Two cells</title>",
        "<h1>Two cells</h1>\n",
        "<li>command: <code>monju experiment run 'a&lt;b&gt;.toml'</code></li>\n",
        "<li><strong>told</strong>: 5 &amp; 7</li>\n",
        "<p>\n<strong>Noted</strong>: nothing.\n</p>",
        "<tr><th>players \\ sigma</th><th>25</th></tr>\n<tr><td>1</td><td>66.67% (49.50%)</td></tr>\n",
        "prefers-color-scheme: dark",
        "<figure aria-label=\"elo.svg\">\n<svg ",
    ] {
        assert!(page.contains(expected), "{page}\nexpected {expected}");
    }
    assert_eq!(page.matches("<svg ").count(), figures.len());
    for tag in ["ul", "table", "p", "figure", "h2", "svg", "tr"] {
        let begun =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(begun, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    // Nothing comes from elsewhere.
    let own = page.replace("http://www.w3.org/2000/svg", "");
    for outside in [
        "http:", "https:", "<script", "<link", "src=", "@import", "url(",
    ] {
        assert!(!own.contains(outside), "{outside}");
    }
}

#[tokio::test]
async fn games_are_written_for_guis() {
    let (specification, store, folder) = played().await;
    let games = folder.path().join("games");
    // An earlier report of more games, and a file of the user's.
    let cell = games.join("players=1_sigma=25");
    std::fs::create_dir_all(&cell).expect("writable");
    let [old, own] = ["00002-0.jsonl", "notes.csa"].map(|name| cell.join(name));
    for file in [&old, &own] {
        std::fs::write(file, "{}\n").expect("writable");
    }
    let written = write_games(&specification, &*store, &games)
        .await
        .expect("written");
    assert_eq!((written.counted, written.without_say), (4, 0));
    assert!(!old.exists() && own.exists());
    let read = |name: &str| {
        let path = games.join("players=1_sigma=25").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    assert!(read("00000-0.csa").starts_with("V2.2\nN+council\nN-single\n"));
    assert!(read("00001-1.csa").starts_with("V2.2\nN+single\nN-council\n"));
    assert!(read("00000-1.kifu").contains("先手：single\n"));
    assert_eq!(read("00000-0.jsonl"), "{}\n");
    let hash = &specification.hash;
    let head = format!(
        "'specification: {hash}\n'seed: {}\nP1-KY",
        specification.seed
    );
    for name in ["00000-0.csa", "00001-1.csa"] {
        let text = read(name);
        assert!(
            text.contains("\n'build: build 1\n'commit: ") && text.contains(&head),
            "{text}"
        );
    }
}
