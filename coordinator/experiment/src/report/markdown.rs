//! The report in Markdown.

use super::findings::{CellFindings, Findings};
use crate::{
    counted::LikelihoodRatio,
    statistics::{Interval, Stars},
    store::{Origin, PlannedGames},
};
use monju_engine::counted;
use std::{collections::BTreeSet, fmt::Write as _, time::SystemTime};
use time::OffsetDateTime;

/// Absent cells, and missing pairs of a cell, that are named.
const MOST_NAMED: usize = 10;

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
    sources(&mut text, report);
    origins(&mut text, report);
    match machine {
        Some(machine) => {
            let _ = writeln!(text, "- machine: {machine}");
        }
        None => machines(&mut text, report),
    }
    plans(&mut text, report);
    adjudications(&mut text, report);
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
    missing(&mut text, report);
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
    absent(&mut text, report);
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
    grid(&mut text, report);
    every_cell(&mut text, report);
    compared(&mut text, report);
    variety(&mut text, report);
    circumstances(&mut text, report);
    incidents(&mut text, report);
    text
}

/// Pairs that are not there, although later ones of their cell are.
fn missing(text: &mut String, report: &Findings<'_>) {
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
fn absent(text: &mut String, report: &Findings<'_>) {
    let cells = report.absent.len();
    if cells == 0 {
        return;
    }
    let named: Vec<&str> = (report.absent.keys())
        .take(MOST_NAMED)
        .map(String::as_str)
        .collect();
    let more = match cells - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let _ = writeln!(
        text,
        "- **left out: {} of {} that the file does not have**, '{}'{more}: the choice of cells came after results",
        counted(report.absent.values().sum::<u64>(), "game"),
        counted(cells, "cell"),
        named.join("', '")
    );
}

/// Table in the form of the paper, with the published number beside ours.
fn grid(text: &mut String, report: &Findings<'_>) {
    let specification = report.specification;
    let table = &specification.report;
    let Some(rows) = &table.rows else {
        return;
    };
    let columns = table.columns.as_deref();
    text.push_str("\n## Win rates\n\nWins / (wins + losses) of the first side");
    if let Some(source) = &table.source {
        let _ = write!(text, "; in brackets: {source}");
    }
    text.push_str(". `*`: one-sided 5 %, `**`: 1 %, as in Ito et al. (2011).\n\n");
    let headings = match columns {
        Some(columns) => {
            let headings = specification.values(columns);
            let _ = writeln!(text, "| {rows} \\ {columns} | {} |", headings.join(" | "));
            headings
        }
        None => {
            let _ = writeln!(text, "| {rows} | win rate |");
            vec![""]
        }
    };
    let _ = writeln!(text, "| --- |{}", " --- |".repeat(headings.len()));
    let shown: Vec<&str> = [rows.as_str()].into_iter().chain(columns).collect();
    let varying = specification.varying_beside(&shown);
    for row in specification.values(rows) {
        let _ = write!(text, "| {row} |");
        for column in &headings {
            let here = report.cells.iter().filter(|cell| {
                let is_below = |columns| cell.cell.parameter(columns) == Some(column);
                cell.cell.parameter(rows) == Some(row) && columns.is_none_or(is_below)
            });
            let rate = |cell| labelled_rate(cell, &varying);
            let shown: Vec<String> = here.map(rate).collect();
            let _ = write!(text, " {} |", shown.join("; "));
        }
        text.push('\n');
    }
}

/// The win rate of a cell that shares its box with others, by the parameters that tell them apart.
fn labelled_rate(cell: &CellFindings<'_>, varying: &[&str]) -> String {
    let label: String = (varying.iter())
        .filter_map(|name| Some(format!("{name}={} ", cell.cell.parameter(name)?)))
        .collect();
    let rate = rate_beside_published(cell);
    match label.trim_end() {
        "" => rate,
        label => format!("{label}: {rate}"),
    }
}

fn rate_beside_published(cell: &CellFindings<'_>) -> String {
    let ours = match cell.score.win_rate() {
        Some(rate) => format!("{:.2}%{}", 100.0 * rate, cell.stars),
        None => "—".to_owned(),
    };
    match cell.published {
        Some(published) => format!("{ours} ({published})"),
        None => ours,
    }
}

/// Table of all numbers of every cell.
fn every_cell(text: &mut String, report: &Findings<'_>) {
    let number = match report.cells.iter().all(|cell| cell.test.is_some()) {
        true => "cells",
        false => "tested cells",
    };
    let _ = writeln!(
        text,
        "\n## Every cell\n\nIntervals are 95 %: Wilson's for the win rate, of the mean of pairs for Elo. \
         p is the exact binomial one, one-sided; Holm's is corrected for the number of {number}. LOS is \
         the likelihood of superiority. Where all pairs ended alike there is no interval, and where \
         only wins or only losses were seen, no Elo.\n"
    );
    legend_of_stars(text, report);
    let own: Vec<&str> = (report.cells.iter())
        .filter(|cell| cell.cell.is_own_opponent())
        .map(|cell| cell.cell.label.as_str())
        .collect();
    if !own.is_empty() {
        let _ = writeln!(
            text,
            "Both sides are the same, without noise, in '{}': the games of a pair are mirror images, and the win rate is \
             one half by construction. It is no sample, and has neither an interval nor a p.\n",
            own.join("', '")
        );
    }
    if let Some(sprt) = &report.specification.stop {
        let _ = writeln!(
            text,
            "A cell ends as soon as a sequential test has decided between {} Elo {} and {} (α = {}, β = {}), from {} pairs on. Of cells \
             that it has ended, p, intervals, stars and LOS are still those of a fixed number of games, and \
             differences look larger than they are.\n",
            sprt.model.name(),
            sprt.elo0,
            sprt.elo1,
            sprt.alpha,
            sprt.beta,
            sprt.minimum_pairs,
        );
    }
    text.push_str(
        "| cell | games | result | win rate | interval | published | p | Holm | Elo | LOS | pairs 0, ½, 1, 1½, 2 |\
         \n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for cell in &report.cells {
        let elo = match cell.elo {
            Some(elo) => match elo.interval {
                Some(Interval { low, high }) => {
                    format!("{:+.0} [{}, {}]", elo.elo, bound(low), bound(high))
                }
                None => format!("{:+.0} [—]", elo.elo),
            },
            None => "—".to_owned(),
        };
        let superiority = cell.elo.and_then(|elo| elo.superiority);
        let superiority = superiority.map_or("—".to_owned(), |superiority| {
            format!("{:.1}%", 100.0 * superiority)
        });
        let rate = match cell.score.win_rate() {
            Some(rate) => format!("{:.2}%{}", 100.0 * rate, cell.stars),
            None => "—".to_owned(),
        };
        let none = || "—".to_owned();
        let interval = cell
            .interval
            .map(|Interval { low, high }| format!("{:.1}–{:.1}%", 100.0 * low, 100.0 * high));
        let interval = interval.unwrap_or_else(none);
        let [p, holm] = match cell.test {
            Some(test) => [test.exact_p, test.holm_p].map(probability),
            None => [none(), none()],
        };
        let _ = writeln!(
            text,
            "| {}{} | {} | {} | {rate} | {interval} | {} | {p} | {holm} | {elo} | {superiority} | {} |",
            cell.cell.label,
            stopped(cell),
            cell.score.games(),
            cell.score.signed(),
            cell.published.unwrap_or("—"),
            cell.pairs.0.map(|count| count.to_string()).join(", "),
        );
    }
}

/// Meaning of the stars beside win rates, where there are any.
fn legend_of_stars(text: &mut String, report: &Findings<'_>) {
    let mut sentences = Vec::new();
    if report.cells.iter().any(|cell| cell.stars != Stars::None) {
        sentences.push(
            "Stars mark p < 5 % and 1 % by the normal approximation, as in Ito et al. (2011), against one half, \
             draws left out, not corrected; the p column is exact, so the two can differ near a limit.",
        );
    }
    let mut published = report.cells.iter().filter_map(|cell| cell.published);
    if published.any(|rate| rate.contains('*')) {
        sentences.push("Stars in the published column are the paper's.");
    }
    if !sentences.is_empty() {
        let _ = writeln!(text, "{}\n", sentences.join(" "));
    }
}

fn bound(elo: f64) -> String {
    match elo {
        f64::INFINITY => "+∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        elo => format!("{elo:+.0}"),
    }
}

fn probability(p: f64) -> String {
    match p < 0.0001 {
        true => "<0.0001".to_owned(),
        false => format!("{p:.4}"),
    }
}

/// Specifications and seeds of the games, which may differ from the file of the report.
fn origins(text: &mut String, report: &Findings<'_>) {
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

/// Versions and commits of the programs that played.
fn sources(text: &mut String, report: &Findings<'_>) {
    for (source, games) in &report.sources {
        let count = count_of_several(*games, report.sources.len());
        let source = source.as_deref();
        let source = source.unwrap_or("not written down by the version that played");
        let _ = writeln!(text, "- commit: {source}{count}");
    }
}

/// Plans and stopping rules with their dates, and a warning about each rule and each number of games that came after
/// the first game.
fn plans(text: &mut String, report: &Findings<'_>) {
    let rule = |stop: &str| match stop {
        "" => "no stopping rule".to_owned(),
        stop => format!("stopping rule: {stop}"),
    };
    let Some(first) = report.plans.first() else {
        text.push_str("- plan: not written down by the version that played\n");
        return;
    };
    for plan in &report.plans {
        let begun = match plan.finished {
            0 => "before the first game".to_owned(),
            games => format!("after {}", counted(games, "game")),
        };
        let _ = writeln!(
            text,
            "- plan: since {}, {begun}: {}{}, {}; specification {}",
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
                "- **stopping rule changed after {}**, from \"{}\" to \"{}\": its error probabilities hold \
                 only for a rule that was there before the games",
                counted(after.finished, "game"),
                rule(&before.stop),
                rule(&after.stop)
            );
        }
        if let (Some(few), Some(many)) = (before.cells, after.cells)
            && few != many
            && after.finished > 0
        {
            let games = counted(after.finished, "game");
            let _ = writeln!(
                text,
                "- **grid changed after {games}**, from {few} to {many} cells: the choice of cells came after results"
            );
        }
        if before.planned != after.planned && after.finished > 0 {
            let _ = writeln!(
                text,
                "- **number of games changed after {}**, from \"{}\" to \"{}\": intervals and p hold only for \
                 numbers that were chosen before their results were seen",
                counted(after.finished, "game"),
                before.planned.in_words(),
                after.planned.in_words()
            );
        }
    }
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

/// Rules that end games before mate or resignation, where the paper of a table may have none.
fn adjudications(text: &mut String, report: &Findings<'_>) {
    let words = |cell: &CellFindings<'_>| {
        let rules = cell.cell.adjudication;
        let score = match rules.score {
            Some(score) => format!(
                "won when both sides see more than {score} centipawns for {} plies",
                rules.score_plies
            ),
            None => "never by score".to_owned(),
        };
        format!("{score}; drawn after {} plies", rules.maximum_plies)
    };
    let all: BTreeSet<String> = report.cells.iter().map(words).collect();
    for rules in all {
        let _ = writeln!(text, "- adjudication: {rules}");
    }
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
fn count_of_several(games: u64, kinds: usize) -> String {
    match kinds > 1 {
        true => format!(" ({})", counted(games, "game")),
        false => String::new(),
    }
}

/// Machines that played, with their days in UTC.
fn machines(text: &mut String, report: &Findings<'_>) {
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

/// State of the stopping rule; empty without one.
fn stopped(cell: &CellFindings<'_>) -> String {
    let Some(LikelihoodRatio {
        value: ratio,
        lower,
        upper,
    }) = cell.counted.ratio
    else {
        return String::new();
    };
    format!(
        " ({} after {}, LLR {ratio:+.2} in [{lower:.2}, {upper:.2}])",
        cell.verdict_word(),
        counted(cell.counted.seen, "pair")
    )
}

/// Comparisons with the base of the file.
fn compared(text: &mut String, report: &Findings<'_>) {
    let Some(base) = &report.specification.report.base else {
        return;
    };
    let _ = writeln!(
        text,
        "\n## Compared with {base}\n\nDifferences of the win rate among decided games in points (hundredths), with 95 % intervals. z is that \
         of the pooled two-proportion test, p is one-sided, and `*` and `**` mark it at 5 % and 1 %, as in table 6 of \
         Ito et al. (2011). Holm's p is corrected for the number of comparisons in its column."
    );
    let paired = report.specification.common_openings
        || report.cells.iter().any(|cell| cell.paired.is_some());
    if paired {
        text.push_str(
            "The paired difference, in points as well, is that of the score of a game on the pairs that both cells have \
             played, from the same openings; its interval and its one-sided p are by Student's t.\n",
        );
    }
    if report.cells.iter().any(|cell| cell.cell.is_own_opponent()) {
        text.push_str(
            "A cell that is its own opponent scores one half of every pair by construction: it is compared pair by \
             pair alone, since the other test would take its win rate for a sample.\n",
        );
    }
    let (more, line) = match paired {
        true => (
            " paired difference | pairs | p | Holm |",
            " --- | --- | --- | --- |",
        ),
        false => ("", ""),
    };
    let _ = writeln!(
        text,
        "\n| cell | difference | z | p | Holm |{more}\n| --- | --- | --- | --- | --- |{line}"
    );
    let points = |value: f64| format!("{:+.2}", 100.0 * value);
    let range =
        |interval: Interval| format!("[{}, {}]", points(interval.low), points(interval.high));
    for cell in report.cells.iter().filter(|cell| cell.cell.label != *base) {
        let _ = match &cell.comparison {
            Some(compared) => write!(
                text,
                "| {} | {} {} | {:+.2} | {}{} | {} |",
                cell.cell.label,
                points(compared.difference),
                range(compared.interval),
                compared.z,
                probability(compared.p),
                compared.stars,
                probability(compared.holm_p)
            ),
            None => write!(text, "| {} | — | — | — | — |", cell.cell.label),
        };
        match &cell.paired {
            Some(pairs) => {
                let interval = pairs.interval.map_or("[—]".to_owned(), range);
                let [p, holm] =
                    [pairs.p, pairs.holm_p].map(|p| p.map_or("—".to_owned(), probability));
                let difference = points(pairs.difference);
                let count = pairs.pairs;
                let _ = write!(text, " {difference} {interval} | {count} | {p} | {holm} |");
            }
            None if paired => text.push_str(" — | — | — | — |"),
            None => {}
        }
        text.push('\n');
    }
}

/// Positions by the number of different moves (Ito et al. (2011), table 1).
fn variety(text: &mut String, report: &Findings<'_>) {
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
        .flat_map(|cell| cell.effort[0].variety.0.keys().copied())
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
        let _ = write!(text, "| {} |", cell.cell.label);
        for moves in &columns {
            let share = 100.0 * counts.get(moves).copied().unwrap_or(0) as f64 / all as f64;
            let _ = write!(text, " {share:.1}%");
            let published = cell
                .published_moves
                .and_then(|counts| counts.get((*moves as usize).checked_sub(1)?));
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

/// Colours, endings, length, effort.
fn circumstances(text: &mut String, report: &Findings<'_>) {
    text.push_str(
        "\n## Colours, endings, effort\n\nSeconds are those that each side took by the clock on the wall, \
         waiting for a core included.\n\n\
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
            cell.cell.label,
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
fn incidents(text: &mut String, report: &Findings<'_>) {
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
                cell.cell.label,
                side.map_or("—", |side| side.name()),
                of_kind().count(),
                of_kind()
                    .next()
                    .map_or("", |incident| &incident.detail)
                    .replace('|', "\\|"),
            );
        }
        if cell.counted.given_up > 0 {
            let _ = writeln!(
                text,
                "| {} | pairs given up | — | {} | they count for neither side |",
                cell.cell.label, cell.counted.given_up
            );
        }
        if cell.repeated_games() > 0 {
            let _ = writeln!(
                text,
                "| {} | repeated games | — | {} | {} of {} games are different, and one was played {} times; intervals \
                 and p take all for independent, so that they promise too much |",
                cell.cell.label,
                cell.repeated_games(),
                cell.different.different,
                cell.score.games(),
                cell.different.most_often,
            );
        }
    }
}
