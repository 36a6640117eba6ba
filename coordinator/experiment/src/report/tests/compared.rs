//! Comparisons with a base cell.

use super::*;

#[tokio::test]
async fn cells_are_compared_with_the_base() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let openings = "startpos moves 7g7f\nstartpos moves 2g2f\n";
    std::fs::write(folder.path().join("openings.sfen"), openings).expect("writable");
    let text = FILE
        .replace("games = 4", "games = 4\ncommon_openings = true")
        .replace("[1, 4]", "[1, 4, 8]")
        .replace("[\"—\"]", "[\"—\"], [\"—\"]")
        .replace("[[3, 1], []]", "[]");
    let specification = Specification::parse(&text, &folder.path().join("t.toml"));
    let specification = specification.expect("a good file");
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
    let address = Address::Sqlite(folder.path().join("t.db"));
    let store = store::open(&address, &specification.plan("build 1"), OpenMode::PLAY).await;
    let store = store.expect("a store");
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
