//! How the games went: votes by number of moves, endings and effort, incidents.

use super::table::in_table;
use crate::report::findings::{CellFindings, Findings};
use std::{collections::BTreeSet, fmt::Write as _};

/// Positions by the number of different moves (Ito et al. (2011), table 1).
pub(super) fn variety(text: &mut String, report: &Findings<'_>) {
    let cells: Vec<&CellFindings<'_>> = report
        .cells
        .iter()
        .filter(|cell| cell.disagrees())
        .collect();
    if cells.is_empty() {
        return;
    }
    let columns: BTreeSet<u32> = cells
        .iter()
        .flat_map(|cell| {
            let own = cell.effort[0].variety.0.keys().copied();
            own.chain(published_columns(cell))
        })
        .collect();
    text.push_str(
        "\n## Votes by number of different moves\n\nShare of the first side's positions; in brackets \
         the published one.\n\n| cell |",
    );
    for moves in &columns {
        let _ = write!(text, " {moves} |");
    }
    let _ = writeln!(
        text,
        " positions |\n| --- |{} --- |",
        " --- |".repeat(columns.len())
    );
    for cell in cells {
        let counts = &cell.effort[0].variety.0;
        let all: u64 = counts.values().sum();
        let published_all: u64 = cell.published_moves.map_or(0, |counts| counts.iter().sum());
        let _ = write!(text, "| {} |", in_table(&cell.cell.label));
        for moves in &columns {
            let share = 100.0 * counts.get(moves).copied().unwrap_or(0) as f64 / all as f64;
            let _ = write!(text, " {share:.1}%");
            let published = cell
                .published_moves
                .and_then(|counts| counts.get((*moves as usize).checked_sub(1)?))
                .filter(|_| published_all > 0);
            if let Some(published) = published {
                let _ = write!(
                    text,
                    " ({:.1}%)",
                    100.0 * *published as f64 / published_all as f64
                );
            }
            text.push_str(" |");
        }
        let _ = writeln!(text, " {all} |");
    }
}

/// The numbers of different moves that have published positions.
fn published_columns(cell: &CellFindings<'_>) -> impl Iterator<Item = u32> {
    let counts = (1..).zip(cell.published_moves.into_iter().flatten());
    counts.filter_map(|(moves, positions)| (*positions > 0).then_some(moves))
}

/// Colours, endings, length, effort.
pub(super) fn circumstances(text: &mut String, report: &Findings<'_>) {
    let mut sides = (report.cells.iter()).flat_map(|cell| [&cell.cell.first, &cell.cell.second]);
    let by_nodes = match sides.any(|side| side.nodes_time.is_some()) {
        true => " Where a side's clock counts nodes, they are those of that clock.",
        false => "",
    };
    let _ = write!(
        text,
        "\n## Colours, endings, effort\n\nSeconds are those that each side took by the clock on the wall, \
         waiting for a core included.{by_nodes}\n\n\
         | cell | as Black | as White | endings | plies | nodes a move, first / second | seconds a game, first / second |\
         \n| --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for cell in &report.cells {
        let endings: Vec<String> = cell
            .endings
            .iter()
            .map(|(ending, count)| format!("{ending} {count}"))
            .collect();
        let games = cell.score.games().max(1) as f64;
        let nodes = cell.effort.each_ref().map(|effort| {
            format!(
                "{:.0}",
                effort.nodes as f64 / f64::from(effort.moves.max(1))
            )
        });
        let seconds = cell
            .effort
            .each_ref()
            .map(|effort| format!("{:.1}", effort.time_ms as f64 / 1000.0 / games));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.1} | {} | {} |",
            in_table(&cell.cell.label),
            cell.by_colour[0].signed(),
            cell.by_colour[1].signed(),
            endings.join(", "),
            cell.mean_plies(),
            nodes.join(" / "),
            seconds.join(" / "),
        );
    }
}

/// Incidents, by cause and side, and games that repeat another one.
pub(super) fn incidents(text: &mut String, report: &Findings<'_>) {
    let any = report.cells.iter().any(|cell| {
        !cell.incidents.is_empty() || cell.counted.given_up > 0 || cell.repeated_games() > 0
    });
    text.push_str("\n## What went wrong\n\n");
    if !any {
        text.push_str("Nothing.\n");
        return;
    }
    text.push_str(
        "| cell | cause | side | times | for example |\n| --- | --- | --- | --- | --- |\n",
    );
    for cell in &report.cells {
        let kinds: BTreeSet<_> = cell
            .incidents
            .iter()
            .map(|incident| (&incident.cause, incident.side))
            .collect();
        for (cause, side) in kinds {
            let of_kind = || {
                cell.incidents
                    .iter()
                    .filter(move |incident| incident.cause == *cause && incident.side == side)
            };
            let stalls = of_kind().filter_map(|incident| incident.stall);
            let stalled = match stalls.clone().max() {
                Some(longest) => format!(
                    ", of these {} while the machine stalled for up to {} ms",
                    stalls.count(),
                    longest.as_millis()
                ),
                None => String::new(),
            };
            let _ = writeln!(
                text,
                "| {} | {cause} | {} | {}{stalled} | {} |",
                in_table(&cell.cell.label),
                side.map_or("—", |side| side.name()),
                of_kind().count(),
                in_table(of_kind().next().map_or("", |incident| &incident.detail)),
            );
        }
        if cell.counted.given_up > 0 {
            let _ = writeln!(
                text,
                "| {} | pairs given up | — | {} | they count for neither side |",
                in_table(&cell.cell.label),
                cell.counted.given_up
            );
        }
        if cell.repeated_games() > 0 {
            let _ = writeln!(
                text,
                "| {} | repeated games | — | {} | {} of {} games are different, and one was played {} times; intervals \
                 and p take all for independent, so that they promise too much |",
                in_table(&cell.cell.label),
                cell.repeated_games(),
                cell.different.different,
                cell.score.games(),
                cell.different.most_often,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::report::{gather, markdown, tests::played};
    use monju_coordinator::clock::NodesTime;

    #[tokio::test]
    async fn seconds_of_a_clock_that_counts_nodes_are_told() {
        const TOLD: &str = "Where a side's clock counts nodes, they are those of that clock.";
        let (mut specification, store, _folder) = played().await;
        let report = gather(&specification, &*store).await.expect("a report");
        assert!(!markdown(&report, "", None).contains(TOLD));
        specification.cells[1].second.nodes_time = NodesTime::new(300);
        let report = gather(&specification, &*store).await.expect("a report");
        assert!(markdown(&report, "", None).contains(TOLD));
    }
}
