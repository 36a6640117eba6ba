//! Comparisons with a base cell.

use super::*;
use crate::statistics::SprtVerdict;

#[tokio::test]
async fn cells_are_compared_with_the_base() {
    let text = FILE
        .replace("games = 4", "games = 4\ncommon_openings = true")
        .replace("[1, 4]", "[1, 4, 8]")
        .replace("[\"—\"]", "[\"—\"], [\"—\"]")
        .replace("[[3, 1], []]", "[]");
    let (specification, store, _folder) = begun(&text).await;
    let other = specification.clone().with_base("players=2 sigma=25");
    let error = other.expect_err("no such cell").to_string();
    assert!(
        error.ends_with(
            "expected one of: players=1 sigma=25, players=4 sigma=25, players=8 sigma=25"
        ),
        "{error}"
    );
    let specification = specification.with_base("players=1 sigma=25");
    let specification = specification.expect("a cell");
    use MatchOutcome::{Draw, Loss, Win};
    let cells = [
        [[Win, Loss], [Loss, Loss]],
        [[Win, Win], [Win, Draw]],
        [[Win, Loss], [Loss, Loss]],
    ];
    for (number, pairs) in cells.into_iter().enumerate() {
        if number == 2 {
            // A cell that is still to be played counts as well.
            let report = gather(&specification, &*store).await.expect("a report");
            let compared = report.cells[1].comparison.expect("games");
            assert!((compared.holm_p - 2.0 * compared.p).abs() < 1e-12);
            let paired = report.cells[1].paired.expect("common openings");
            assert_eq!(paired.holm_p, paired.p.map(|p| 2.0 * p));
        }
        for results in pairs {
            finish((&specification, &*store), results, Vec::new()).await;
        }
    }
    let report = gather(&specification, &*store).await.expect("a report");
    assert_eq!(
        (&report.cells[0].comparison, &report.cells[0].paired),
        (&None, &None)
    );
    let compared = report.cells[1].comparison.expect("games");
    assert_eq!(compared.difference, 0.75, "3 of 3 against 1 of 4");
    let paired = report.cells[1].paired.expect("common openings");
    assert_eq!((paired.pairs, paired.difference), (2, 0.625));
    // Two comparisons: the smaller p counts twice.
    assert!((compared.holm_p - 2.0 * compared.p).abs() < 1e-12);
    let alike = report.cells[2].comparison.expect("games");
    assert_eq!(alike.difference, 0.0);
    assert!((alike.holm_p - 55.0 / 70.0).abs() < 1e-12, "{alike:?}");
    let alike = report.cells[2].paired.expect("common openings");
    assert_eq!((alike.p, alike.holm_p), (None, None));
    assert_eq!(
        paired.holm_p,
        paired.p.map(|p| 2.0 * p),
        "the other has no p yet"
    );
    let text = markdown(&report, "", None);
    for expected in [
        "\n\nStars mark p < 5 % and 1 % by the normal approximation, as in Ito et al. (2011), against one half, \
         draws left out, not corrected; the p column is exact, so the two can differ near a limit.\n\n| cell |",
        "## Compared with players=1 sigma=25\n",
        "the p is that of Fisher's exact test.\n",
        // 4 of 35.
        "| players=4 sigma=25 | +75.00 [+3.08, +95.44] | +1.98 | 0.1143 † | 0.2286 | +62.50 [",
    ] {
        assert!(text.contains(expected), "{text}\nexpected {expected}");
    }
    let value = json(&report);
    assert_eq!(value["base"], "players=1 sigma=25");
    assert_eq!(value["cells"][1]["paired_with_base"]["pairs"], 2);
    assert_eq!(
        value["cells"][0]["compared_with_base"],
        serde_json::Value::Null
    );
}

/// A base that names some parameters is a cell for every value of the others.
#[tokio::test]
async fn cells_are_compared_with_those_of_their_other_parameters() {
    let text = FILE
        .replace("sigma = [25]", "sigma = [25, 50]")
        .replace("[report]\n", "[report]\nbase = \"players=1\"\n")
        .replace("[[\"49.50%\"], [\"—\"]]", "[]")
        .replace("[[3, 1], []]", "[]");
    let (specification, store, _folder) = begun(&text).await;
    use MatchOutcome::{Loss, Win};
    // One player of each σ, then four.
    let cells = [
        [[Win, Loss], [Loss, Loss]],
        [[Win, Win], [Win, Loss]],
        [[Win, Win], [Win, Loss]],
        [[Win, Win], [Win, Win]],
    ];
    for results in cells.into_iter().flatten() {
        finish((&specification, &*store), results, Vec::new()).await;
    }
    let report = gather(&specification, &*store).await.expect("a report");
    let compared = |index: usize| {
        let cell: &CellFindings<'_> = &report.cells[index];
        let base = cell.base.map(|base| base.label.as_str());
        (base, cell.comparison.map(|compared| compared.difference))
    };
    assert_eq!([compared(0), compared(1)], [(None, None); 2], "bases");
    assert_eq!(compared(2), (Some("players=1 sigma=25"), Some(0.5)));
    assert_eq!(compared(3), (Some("players=1 sigma=50"), Some(0.25)));
    // Two comparisons are planned, not three.
    let least = report.cells[2].comparison.expect("games");
    assert!((least.holm_p - 2.0 * least.p).abs() < 1e-12, "{least:?}");
    let text = markdown(&report, "", None);
    for expected in [
        "## Compared with players=1\n\nEach cell is compared with the one that has players=1 and its other parameters. ",
        "\n| cell | compared with | difference | z | p | Holm |\n",
        "\n| players=4 sigma=50 | players=1 sigma=50 | +25.00 [",
    ] {
        assert!(text.contains(expected), "{text}\nexpected {expected}");
    }
    assert!(!text.contains("Not played by the same"), "{text}");
    let value = json(&report);
    assert_eq!(value["base"], "players=1");
    assert_eq!(value["cells"][3]["base"], "players=1 sigma=50");
    assert_eq!(value["cells"][1]["base"], serde_json::Value::Null);
}

#[tokio::test]
async fn a_base_that_comes_after_games_is_told() {
    let (before, store, folder) = played().await;
    let (of_four, of_one) = ("players=4 sigma=25", "players=1 sigma=25");
    let chosen = before.clone().with_base(of_four).expect("a cell");
    let report = gather(&chosen, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    let line = format!("- **base cell chosen for this report**, '{of_four}': ");
    assert!(text.contains(&line), "{text}");

    let with_base = |label: &str| {
        let text = FILE.replace("[report]\n", &format!("[report]\nbase = \"{label}\"\n"));
        Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file")
    };
    let (of_four, of_one) = (with_base(of_four), with_base(of_one));
    let report = gather(&of_four, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    let line = "- **this file has another base cell than the last run**: compared with 'players=4 sigma=25' (last run: \
                no comparison between cells)\n";
    assert!(text.contains(line), "{text}");

    let address = Address::Sqlite(folder.path().join("t.db"));
    for specification in [&of_four, &of_one] {
        let opened = store::open(&address, &specification.plan("build 1"), OpenMode::PLAY).await;
        opened.expect("the same cells");
    }
    let report = gather(&of_one, &*store).await.expect("a report");
    let text = markdown(&report, "", None);
    for line in [
        "4 games in a cell, no stopping rule, compared with 'players=4 sigma=25'; specification",
        "- **base cell changed after 4 games**, from \"no comparison between cells\" to \"compared with 'players=4 \
         sigma=25'\": ",
        "- **base cell changed after 4 games**, from \"compared with 'players=4 sigma=25'\" to \"compared with \
         'players=1 sigma=25'\": ",
    ] {
        assert!(text.contains(line), "{text}\nexpected {line}");
    }
    assert!(!text.contains("another base cell"), "{text}");
    // The base of the first plan may come back.
    let unplanned = "**base cell chosen for this report**";
    let back = of_one.clone().with_base("players=4 sigma=25");
    let back = back.expect("a cell");
    let mut back = gather(&back, &*store).await.expect("a report");
    assert!(markdown(&back, "", None).contains(unplanned));
    back.plans.remove(0);
    back.plans[0].finished = 0;
    let text = markdown(&back, "", None);
    let line = "- base cell of the first plan, not of the file: 'players=4 sigma=25'\n";
    assert!(text.contains(line) && !text.contains(unplanned), "{text}");
    back.plans.clear();
    let text = markdown(&back, "", None);
    assert!(text.contains(unplanned), "{text}");
    // A comparison that is dropped is told, too.
    let dropped = gather(&before, &*store).await.expect("a report");
    let text = markdown(&dropped, "", None);
    let line = "- **this file has another base cell than the last run**: no comparison between cells (last run: compared \
                with 'players=1 sigma=25')\n";
    assert!(text.contains(line), "{text}");
    let plans = &json(&report)["plans"];
    assert_eq!(
        (&plans[0]["base"], &plans[2]["base"]),
        (&"".into(), &"players=1 sigma=25".into())
    );

    // A bundle keeps the bases, and a store that goes on from it.
    let out = folder.path().join("sealed");
    let sealed = crate::bundle::seal(&of_one, &*store, &out, false).await;
    sealed.expect("a bundle");
    let (_, bundle) = crate::bundle::Bundle::read(&out).expect("a bundle");
    assert_eq!(bundle.plans().await.expect("plans"), report.plans);
    let again = Address::Sqlite(folder.path().join("again.db"));
    crate::bundle::import(&of_one, &bundle, &again)
        .await
        .expect("a store");
    let again = store::open(&again, &of_one.plan("build 1"), OpenMode::PLAY).await;
    let plans = again.expect("the same cells").plans().await;
    assert_eq!(plans.expect("plans"), report.plans);
}

#[tokio::test]
async fn a_base_that_no_plan_tells_is_not_taken_for_a_planned_one() {
    let (_, store, folder) = played().await;
    let text = FILE.replace("[report]\n", "[report]\nbase = \"players=1 sigma=25\"\n");
    let file = Specification::parse(&text, &folder.path().join("t.toml")).expect("a good file");
    let mut report = gather(&file, &*store).await.expect("a report");
    report.plans[0].base = None;
    let text = markdown(&report, "", None);
    assert!(
        text.contains("- **base cell not known**: an older version"),
        "{text}"
    );
    let mut later = report.plans[0].clone();
    (later.base, later.finished) = (Some("players=1 sigma=25".to_owned()), 4);
    report.plans.push(later);
    let text = markdown(&report, "", None);
    assert!(
        text.contains("- **base cell not known for the first 4 games**: "),
        "{text}"
    );
}

#[tokio::test]
async fn comparisons_between_builds_and_after_a_stopping_rule_are_told() {
    let (_, store, folder) = played().await;
    let stop = "[stop]\nelo0 = 0\nelo1 = 100\nminimum_pairs = 2\n";
    let text = FILE.replace("[report]\n", "[report]\nbase = \"players=1 sigma=25\"\n");
    let read = |text: &str| {
        Specification::parse(text, &folder.path().join("t.toml")).expect("a good file")
    };
    let (file, tested) = (read(&text), read(&format!("{text}{stop}")));
    let mut report = gather(&file, &*store).await.expect("a report");
    assert!(
        !markdown(&report, "", None).contains("\n**"),
        "nothing to tell"
    );
    report.cells[1].builds = vec![("build 2".to_owned(), 4)];
    let text = markdown(&report, "", None);
    let line =
        "\n\n**Not played by the same programs as players=1 sigma=25**: 'players=4 sigma=25'. ";
    assert!(text.contains(line), "{text}");

    // Another engine is what a cell is about; another program under its name is not.
    let base = "build 1 + Engine 1.0 (aa)";
    report.cells[0].builds = vec![(base.to_owned(), 4)];
    for (build, is_told) in [
        ("build 1", false),
        ("build 1 + Other (bb)", false),
        ("build 1 + Engine 1.0 (aa) + Other (bb)", false),
        ("build 1 + Engine 1.0 (cc)", true),
        ("build 2 + Engine 1.0 (aa)", true),
    ] {
        report.cells[1].builds = vec![(build.to_owned(), 4)];
        let text = markdown(&report, "", None);
        assert_eq!(text.contains("**Not played by"), is_told, "{build}\n{text}");
    }

    let mut report = gather(&tested, &*store).await.expect("a report");
    assert!(!markdown(&report, "", None).contains("Ended by the stopping rule"));
    report.cells[1].counted.verdict = SprtVerdict::Accepted;
    let text = markdown(&report, "", None);
    let line = "\n\n**Ended by the stopping rule**: 'players=4 sigma=25'. ";
    assert!(text.contains(line), "{text}");
}

/// Both cells win every game: more than half of them, and neither more than the other.
#[tokio::test]
async fn the_stars_of_the_figure_compare_with_the_base() {
    let text = FILE.replace("games = 4", "games = 8");
    let (specification, store, _folder) = begun(&text).await;
    use MatchOutcome::{Loss, Win};
    for _ in 0..8 {
        finish((&specification, &*store), [Win, Win], Vec::new()).await;
    }
    let report = gather(&specification, &*store).await.expect("a report");
    let stars = |svg: &str| svg.lines().filter(|line| line.trim() == "**").count();
    let figure = &figures(&report)[0].1;
    assert!(figure.contains("(stars: above 50 %)"), "{figure}");
    assert_eq!(stars(figure), 2, "{figure}");
    let compared = specification.clone().with_base("players=1 sigma=25");
    let compared = compared.expect("a cell");
    let report = gather(&compared, &*store).await.expect("a report");
    let figure = &figures(&report)[0].1;
    assert!(!figure.contains("stars"), "{figure}");
    assert_eq!(stars(figure), 0, "{figure}");

    let (specification, store, _folder) = begun(&text).await;
    for results in [[Loss, Loss]; 4].into_iter().chain([[Win, Win]; 4]) {
        finish((&specification, &*store), results, Vec::new()).await;
    }
    let compared = specification.with_base("players=1 sigma=25");
    let compared = compared.expect("a cell");
    let report = gather(&compared, &*store).await.expect("a report");
    let figure = &figures(&report)[0].1;
    assert!(
        figure.contains("(stars: above players=1 sigma=25)"),
        "{figure}"
    );
    assert_eq!(stars(figure), 1, "{figure}");
}
