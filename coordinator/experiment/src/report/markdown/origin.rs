//! What the report says first: who played which games, by which plan and rules, and what is not there.

use crate::{
    report::findings::{CellFindings, Findings},
    specification::{Adjudication, DeclarationRule, RepetitionRule},
    store::{Origin, PlanRow, PlannedGames, base_of_file},
};
use monju_engine::counted;
use std::{collections::BTreeSet, fmt::Write as _, time::SystemTime};
use time::OffsetDateTime;

/// Labels of cells, and missing pairs of a cell, that are named.
const MOST_NAMED: usize = 10;

/// Versions and commits of the programs that played.
pub(super) fn sources(text: &mut String, report: &Findings<'_>) {
    for (source, games) in &report.sources {
        let count = count_of_several(*games, report.sources.len());
        let source = source.as_deref();
        let source = source.unwrap_or("not written down by the version that played");
        let _ = writeln!(text, "- commit: {source}{count}");
    }
}

/// Specifications and seeds of the games, which may differ from the file of the report.
pub(super) fn origins(text: &mut String, report: &Findings<'_>) {
    let specification = report.specification;
    let own = Origin {
        specification: specification.hash.clone(),
        seed: specification.seed,
    };
    for (origin, games) in &report.origins {
        let count = count_of_several(*games, report.origins.len());
        let _ = match origin {
            Some(Origin {
                specification,
                seed,
            }) => writeln!(text, "- seed: {seed}; specification {specification}{count}"),
            None => writeln!(
                text,
                "- seed and specification: not written down by the version that played{count}"
            ),
        };
    }
    if !report.origins.contains_key(&Some(own)) {
        let _ = writeln!(
            text,
            "- this file: seed {}; specification {}, by which no game is known to be played",
            specification.seed, specification.hash
        );
    }
}

/// Machines that played, with their days in UTC.
pub(super) fn machines(text: &mut String, report: &Findings<'_>) {
    let day = |time: SystemTime| OffsetDateTime::from(time).date();
    for (machine, share) in &report.machines {
        let count = count_of_several(share.games, report.machines.len());
        let _ = match (machine, day(share.first), day(share.last)) {
            (None, ..) => writeln!(
                text,
                "- machine: not written down by the version that played{count}"
            ),
            (Some(machine), first, last) if first == last => {
                writeln!(text, "- machine: {machine}; {first}{count}")
            }
            (Some(machine), first, last) => {
                writeln!(text, "- machine: {machine}; {first} to {last}{count}")
            }
        };
    }
}

/// Plans, stopping rules and base cells with their dates, and a warning about each of these, and each number of games,
/// that came after the first game.
pub(super) fn plans(text: &mut String, report: &Findings<'_>) {
    let rule = |stop: &str| match stop {
        "" => "no stopping rule".to_owned(),
        stop => format!("stopping rule: {stop}"),
    };
    let Some(first) = report.plans.first() else {
        text.push_str("- plan: not written down by the version that played\n");
        bases(text, report);
        return;
    };
    for plan in &report.plans {
        let base = match plan.base.as_deref() {
            None | Some("") => String::new(),
            Some(base) => format!(", {}", compared(base)),
        };
        let begun = match plan.finished {
            0 => "before the first game".to_owned(),
            games => format!("after {}", counted(games, "game")),
        };
        let _ = writeln!(
            text,
            "- plan: since {}, {begun}: {}{}, {}{base}; specification {}",
            minute(plan.since),
            (plan.cells).map_or(String::new(), |cells| format!(
                "{}, ",
                counted(cells, "cell")
            )),
            plan.planned.in_words(),
            rule(&plan.stop),
            plan.specification
        );
    }
    if first.finished > 0 {
        let _ = writeln!(
            text,
            "- **plan not known for the first {}**: an older version did not write it down",
            counted(first.finished, "game")
        );
    }
    for (before, after) in report.plans.iter().zip(&report.plans[1..]) {
        if before.stop != after.stop && after.finished > 0 {
            let _ = writeln!(
                text,
                "{}, from \"{}\" to \"{}\": its error probabilities hold only for a rule that was there before the \
                 games",
                changed("stopping rule", report, after),
                rule(&before.stop),
                rule(&after.stop)
            );
        }
        if let (Some(few), Some(many)) = (before.cells, after.cells)
            && few != many
            && after.finished > 0
        {
            let _ = writeln!(
                text,
                "{}, from {few} to {many} cells: the choice of cells came after results",
                changed("grid", report, after)
            );
        }
        if let (Some(old), Some(new)) = (&before.labels, &after.labels)
            && old != new
            && before.cells == after.cells
            && after.finished > 0
        {
            let _ = writeln!(
                text,
                "{}, to other cells: the choice of cells came after results",
                changed("grid", report, after)
            );
        }
        if before.planned != after.planned && after.finished > 0 {
            let _ = writeln!(
                text,
                "{}, from \"{}\" to \"{}\": intervals and p hold only for numbers that were chosen before their \
                 results were seen",
                changed("number of games", report, after),
                before.planned.in_words(),
                after.planned.in_words()
            );
        }
    }
    bases(text, report);
    let own = (report.specification.stop).map_or(String::new(), |sprt| sprt.in_words());
    if let Some(last) = report.plans.last()
        && last.stop != own
    {
        let _ = writeln!(
            text,
            "- **this file has another stopping rule than the last run**: {}",
            rule(&own)
        );
    }
    let most = report.specification.most_games();
    let own = PlannedGames::of_file(&report.specification.text, most);
    // Bundles of older versions have the largest number alone.
    let largest = PlannedGames::of_file("", most);
    if let Some(last) = report.plans.last()
        && ![&own, &largest].contains(&&last.planned)
    {
        let _ = writeln!(
            text,
            "- **this file plans other numbers of games than the last run**: {}",
            own.in_words()
        );
    }
}

/// Start of the warning that a plan changes something after games. Games from before a change of the settings are in
/// cells of their own, so that perhaps none of those that a report counts was there.
fn changed(what: &str, report: &Findings<'_>, plan: &PlanRow) -> String {
    let games = counted(plan.finished, "game");
    let mut shares = report.machines.iter();
    let all_later = shares.all(|(machine, share)| machine.is_some() && share.first > plan.since);
    let none = match all_later {
        true => " (none of them counts here)",
        false => "",
    };
    format!("- **{what} changed after {games}**{none}")
}

/// Warnings about base cells that came after games, or that no plan has.
fn bases(text: &mut String, report: &Findings<'_>) {
    const CHOSEN: &str = "intervals and p of comparisons hold only for a base that was chosen before its results were seen";
    let mut known: Option<&str> = None;
    for plan in &report.plans {
        let Some(base) = plan.base.as_deref() else {
            continue;
        };
        if let Some(before) = known.filter(|before| *before != base && plan.finished > 0) {
            let _ = writeln!(
                text,
                "{}, from \"{}\" to \"{}\": {CHOSEN}",
                changed("base cell", report, plan),
                compared(before),
                compared(base)
            );
        }
        known = Some(base);
    }
    let here = report.specification.report.base.as_deref().unwrap_or("");
    let first = report.plans.iter().find(|plan| plan.base.is_some());
    let of_file = base_of_file(&report.specification.text).unwrap_or_default();
    if of_file != here {
        let is_first =
            first.is_some_and(|plan| plan.finished == 0 && plan.base.as_deref() == Some(here));
        let _ = match is_first {
            true => writeln!(
                text,
                "- base cell of the first plan, not of the file: '{here}'"
            ),
            false => writeln!(
                text,
                "- **base cell chosen for this report**, '{here}': {CHOSEN}"
            ),
        };
        return;
    }
    match (known, first) {
        (Some(last), _) if last != here => {
            let _ = writeln!(
                text,
                "- **this file has another base cell than the last run**: {} (last run: {})",
                compared(here),
                compared(last)
            );
        }
        (Some(_), Some(first)) if first.finished == 0 => {}
        _ if here.is_empty() => {}
        (_, first) => {
            let before = first.map_or(String::new(), |plan| {
                format!(" for the first {}", counted(plan.finished, "game"))
            });
            let _ = writeln!(
                text,
                "- **base cell not known{before}**: an older version did not write it down with its plan"
            );
        }
    }
}

/// A base cell in words.
fn compared(base: &str) -> String {
    match base {
        "" => "no comparison between cells".to_owned(),
        base => format!("compared with '{base}'"),
    }
}

/// Rules that end games before mate or resignation, where the paper of a table may have none.
pub(super) fn adjudications(text: &mut String, report: &Findings<'_>) {
    let words = |cell: &CellFindings<'_>| {
        let Adjudication {
            maximum_plies,
            score,
            score_plies,
            declaration,
            repetition,
        } = cell.cell.adjudication;
        let score = match score {
            Some(score) => format!(
                "won when both sides see more than {score} centipawns for {score_plies} plies"
            ),
            None => "never by score".to_owned(),
        };
        let declaration = match declaration {
            DeclarationRule::Win => "",
            DeclarationRule::Draw => "; drawn by a declaration",
        };
        let repetition = match repetition {
            RepetitionRule::Rules => "",
            RepetitionRule::Draw => "; drawn by every repetition, perpetual check included",
            RepetitionRule::PlayOn => "; no end by repetition",
        };
        format!("{score}; drawn after {maximum_plies} plies{declaration}{repetition}")
    };
    let all: BTreeSet<String> = report.cells.iter().map(words).collect();
    for rules in all {
        let _ = writeln!(text, "- adjudication: {rules}");
    }
}

/// The first labels of many, in quotation marks.
pub(super) fn named(labels: &[&str]) -> String {
    let first = &labels[..labels.len().min(MOST_NAMED)];
    let more = match labels.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("'{}'{more}", first.join("', '"))
}

/// A moment in UTC, to the minute.
fn minute(time: SystemTime) -> String {
    let moment = OffsetDateTime::from(time);
    format!(
        "{} {:02}:{:02} UTC",
        moment.date(),
        moment.hour(),
        moment.minute()
    )
}

/// Number of games, as in ` (4 games)`, where there are several kinds.
pub(super) fn count_of_several(games: u64, kinds: usize) -> String {
    match kinds > 1 {
        true => format!(" ({})", counted(games, "game")),
        false => String::new(),
    }
}

/// Pairs that are not there, although later ones of their cell are.
pub(super) fn missing(text: &mut String, report: &Findings<'_>) {
    for cell in &report.cells {
        let missing = &cell.counted.missing;
        if missing.is_empty() {
            continue;
        }
        let named: Vec<String> = (missing.iter().take(MOST_NAMED))
            .map(u32::to_string)
            .collect();
        let more = match missing.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let _ = writeln!(
            text,
            "- neither finished nor given up in '{}': {} before the last one ({}{more})",
            cell.cell.label,
            counted(missing.len(), "pair"),
            named.join(", ")
        );
    }
}

/// Games of cells that the file does not have.
pub(super) fn absent(text: &mut String, report: &Findings<'_>) {
    let cells = report.absent.len();
    if cells == 0 {
        return;
    }
    let labels: Vec<&str> = report.absent.keys().map(String::as_str).collect();
    let _ = writeln!(
        text,
        "- **left out: {} of {} that the file does not have**, {}: the choice of cells came after results",
        counted(report.absent.values().sum::<u64>(), "game"),
        counted(cells, "cell"),
        named(&labels)
    );
}
