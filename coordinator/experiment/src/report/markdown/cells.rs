//! The tables of results: the grid of the paper, every cell, comparisons with a base.

use super::{origin::named, table::in_table};
use crate::{
    counted::LikelihoodRatio,
    report::findings::{CellFindings, Findings},
    specification::Cell,
    statistics::{Interval, SprtVerdict, Stars},
};
use monju_engine::counted;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// Table in the form of the paper, with the published number beside ours.
pub(super) fn grid(text: &mut String, report: &Findings<'_>) {
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
            let shown: Vec<String> = headings.iter().map(|heading| in_table(heading)).collect();
            let _ = writeln!(text, "| {rows} \\ {columns} | {} |", shown.join(" | "));
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
        let _ = write!(text, "| {} |", in_table(row));
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
        label => format!("{}: {rate}", in_table(label)),
    }
}

fn rate_beside_published(cell: &CellFindings<'_>) -> String {
    let ours = match cell.score.win_rate() {
        Some(rate) => format!("{:.2}%{}", 100.0 * rate, cell.stars),
        None => "—".to_owned(),
    };
    match cell.published {
        Some(published) => format!("{ours} ({})", in_table(published)),
        None => ours,
    }
}

/// Table of all numbers of every cell.
pub(super) fn every_cell(text: &mut String, report: &Findings<'_>) {
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
    for rule in report.specification.unguided_rules() {
        let _ = writeln!(text, "**Not by its rule**: {rule}.\n");
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
                    format!("{:+.0} [{low:+.0}, {high:+.0}]", elo.elo)
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
            in_table(&cell.cell.label),
            stopped(cell),
            cell.score.games(),
            cell.score.signed(),
            in_table(cell.published.unwrap_or("—")),
            cell.pairs.0.map(|count| count.to_string()).join(", "),
        );
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

/// Comparisons with the base of the file.
pub(super) fn compared(text: &mut String, report: &Findings<'_>) {
    let specification = report.specification;
    let Some(base) = &specification.report.base else {
        return;
    };
    if report.cells.iter().all(|cell| cell.base.is_none()) {
        return;
    }
    let mut bases = report.cells.iter();
    let is_one_cell = bases.all(|cell| cell.base_of_its_own(specification).is_none());
    let _ = writeln!(text, "\n## Compared with {base}\n");
    if !is_one_cell {
        let _ = write!(
            text,
            "Each cell is compared with the one that has {base} and its other parameters. "
        );
    }
    let _ = writeln!(
        text,
        "Differences of the win rate among decided games in points (hundredths), with 95 % intervals. z is that \
         of the pooled two-proportion test, p is one-sided, and `*` and `**` mark it at 5 % and 1 %, as in table 6 of \
         Ito et al. (2011). Holm's p is corrected for the number of comparisons that its column has, or will have."
    );
    let paired = report.specification.common_openings
        || report.cells.iter().any(|cell| cell.paired.is_some());
    let is_own_base = |cell: &CellFindings<'_>| cell.base.is_some_and(Cell::is_own_opponent);
    let mut with_pairs = report.cells.iter().filter(|cell| cell.paired.is_some());
    if paired && !report.specification.common_openings && with_pairs.all(is_own_base) {
        text.push_str(
            "The paired difference, in points as well, is that of the score of a game on the cell's own pairs from one \
             half, which the base scores by construction; its interval and its one-sided p are by Student's t.\n",
        );
    } else if paired {
        text.push_str(
            "The paired difference, in points as well, is that of the score of a game on the pairs that both cells have \
             played, from the same openings; its interval and its one-sided p are by Student's t.\n",
        );
    }
    let mut comparisons = report.cells.iter().filter_map(|cell| cell.comparison);
    if comparisons.any(|compared| compared.is_exact) {
        text.push_str(
            "† where fewer than five wins or losses are expected in one of both, the p is that of Fisher's exact test.\n",
        );
    }
    if report.cells.iter().any(|cell| cell.cell.is_own_opponent()) {
        text.push_str(
            "A cell that is its own opponent scores one half of every pair by construction: it is compared pair by \
             pair alone, since the other test would take its win rate for a sample.\n",
        );
    }
    cautions(text, report);
    let (more, line) = match paired {
        true => (
            " paired difference | pairs | p | Holm |",
            " --- | --- | --- | --- |",
        ),
        false => ("", ""),
    };
    let _ = writeln!(
        text,
        "\n| cell |{} difference | z | p | Holm |{more}\n| --- |{} --- | --- | --- | --- |{line}",
        if is_one_cell { "" } else { " compared with |" },
        if is_one_cell { "" } else { " --- |" }
    );
    let points = |value: f64| format!("{:+.2}", 100.0 * value);
    let range =
        |interval: Interval| format!("[{}, {}]", points(interval.low), points(interval.high));
    for cell in &report.cells {
        let Some(base) = cell.base else {
            continue;
        };
        let _ = write!(text, "| {} |", in_table(&cell.cell.label));
        if !is_one_cell {
            let _ = write!(text, " {} |", in_table(&base.label));
        }
        let _ = match &cell.comparison {
            Some(compared) => write!(
                text,
                " {} {} | {:+.2} | {}{}{} | {} |",
                points(compared.difference),
                range(compared.interval),
                compared.z,
                probability(compared.p),
                compared.stars,
                if compared.is_exact { " †" } else { "" },
                probability(compared.holm_p)
            ),
            None => write!(text, " — | — | — | — |"),
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

/// What makes comparisons with a base say less than they seem to: cells that a stopping rule has ended, and cells that
/// other builds played.
fn cautions(text: &mut String, report: &Findings<'_>) {
    let ended = |cell: &&CellFindings<'_>| cell.counted.verdict != SprtVerdict::Undecided;
    let ended: Vec<&str> = labels(report.cells.iter().filter(ended));
    if !ended.is_empty() {
        let _ = writeln!(
            text,
            "\n**Ended by the stopping rule**: {}. Where a rule ends a cell, its score is too far from the middle of the \
             rule, so that differences from or to it may be too large or too small; intervals and p do not allow for that.",
            named(&ended)
        );
    }
    let Some(base) = &report.specification.report.base else {
        return;
    };
    let of_base = |cell: &CellFindings<'_>| {
        let mut bases = report.cells.iter();
        let found = bases.find(|base| cell.base.is_some_and(|own| own.label == base.cell.label))?;
        (!found.builds.is_empty()).then(|| Programs::of(found))
    };
    let is_other = |cell: &&CellFindings<'_>| {
        of_base(cell).is_some_and(|base| !Programs::of(cell).are_alike(&base))
    };
    let played = report.cells.iter().filter(|cell| !cell.builds.is_empty());
    let (others, alike): (Vec<_>, Vec<_>) = played.partition(is_other);
    if others.is_empty() {
        return;
    }
    let (others, alike) = (labels(others.into_iter()), labels(alike.into_iter()));
    let cells = match others.len() <= alike.len() {
        true => named(&others),
        false => format!("all but {}", named(&alike)),
    };
    let _ = writeln!(
        text,
        "\n**Not played by the same programs as {base}**: {cells}. A difference from it may come from the program."
    );
}

/// The programs that played a cell.
#[derive(Default)]
struct Programs<'a> {
    /// Builds of this program.
    builds: BTreeSet<&'a str>,
    /// Hashes of each foreign engine, by its name for itself.
    engines: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Programs<'a> {
    fn of(cell: &'a CellFindings<'_>) -> Self {
        let mut programs = Self::default();
        for (build, _) in &cell.builds {
            let mut parts = build.split(" + ");
            programs.builds.extend(parts.next());
            for engine in parts {
                let (name, hash) = engine.rsplit_once(" (").unwrap_or((engine, ""));
                programs.engines.entry(name).or_default().insert(hash);
            }
        }
        programs
    }

    /// Returns whether the same builds played both cells, with the same programs where both have an engine.
    fn are_alike(&self, other: &Self) -> bool {
        self.builds == other.builds
            && (self.engines.iter()).all(|(name, hashes)| {
                other
                    .engines
                    .get(name)
                    .is_none_or(|theirs| theirs == hashes)
            })
    }
}

/// Labels of cells.
fn labels<'a>(cells: impl Iterator<Item = &'a CellFindings<'a>>) -> Vec<&'a str> {
    cells.map(|cell| cell.cell.label.as_str()).collect()
}

fn probability(p: f64) -> String {
    match p < 0.0001 {
        true => "<0.0001".to_owned(),
        false => format!("{p:.4}"),
    }
}
