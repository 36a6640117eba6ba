//! The report in Markdown.

mod cells;
mod course;
mod origin;
mod table;

use super::findings::Findings;
use monju_engine::counted;
use origin::count_of_several;
use std::fmt::Write as _;

/// Writes the report. `command` is the command that played it; `machine` replaces the machines that the
/// store knows.
pub fn markdown(report: &Findings<'_>, command: &str, machine: Option<&str>) -> String {
    let specification = report.specification;
    let mut text = format!("# {}\n\n", specification.title);
    if report.cells.is_empty() {
        text.push_str("No games: see the figure.\n");
        return text;
    }
    let _ = writeln!(text, "- command: `{command}`");
    for (build, games) in &report.builds {
        let count = count_of_several(*games, report.builds.len());
        let _ = writeln!(text, "- build: {build}{count}");
    }
    origin::sources(&mut text, report);
    origin::origins(&mut text, report);
    match machine {
        Some(machine) => {
            let _ = writeln!(text, "- machine: {machine}");
        }
        None => origin::machines(&mut text, report),
    }
    origin::plans(&mut text, report);
    origin::adjudications(&mut text, report);
    let played = report.cells.iter().map(|cell| cell.score.games());
    let least = report.cells.iter().min_by_key(|cell| cell.score.games());
    let (least, planned) = least.map_or((0, 0), |cell| {
        (cell.score.games(), 2 * u64::from(cell.cell.pairs))
    });
    let _ = writeln!(
        text,
        "- games: {} of {}; the least in a cell: {least} of {planned}",
        played.sum::<u64>(),
        specification.all_games(),
    );
    origin::missing(&mut text, report);
    let without_say: u64 = report.cells.iter().map(|cell| cell.without_say).sum();
    if without_say > 0 {
        let _ = writeln!(
            text,
            "- left out: {} beyond what the file plans or its stopping rule needed",
            counted(without_say, "game")
        );
    }
    let other_games: u64 = report.cells.iter().map(|cell| cell.other_games).sum();
    if other_games > 0 {
        let _ = writeln!(
            text,
            "- **left out: {} of these cells with other settings**, which the store keeps apart",
            counted(other_games, "game")
        );
    }
    origin::absent(&mut text, report);
    for cell in report.cells.iter().filter(|cell| cell.builds.len() > 1) {
        let builds = cell.builds.iter();
        let builds: Vec<String> = builds
            .map(|(build, games)| format!("{games} by {build}"))
            .collect();
        let _ = writeln!(
            text,
            "- builds accepted as alike in '{}': {}",
            cell.cell.label,
            builds.join(", ")
        );
    }
    if let Some(remark) = &specification.report.remark {
        let _ = writeln!(text, "\n{remark}");
    }
    cells::grid(&mut text, report);
    cells::every_cell(&mut text, report);
    cells::compared(&mut text, report);
    course::variety(&mut text, report);
    course::circumstances(&mut text, report);
    course::incidents(&mut text, report);
    text
}
