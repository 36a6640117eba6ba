//! The figures of a report as SVG texts.

use super::{
    findings::{CellFindings, Findings},
    plot::{Plot, PlotAxis, PlotLine, PlotPoint},
};
use crate::{
    record::Effort,
    specification::Axes,
    statistics::{Stars, wilson},
};
use statrs::distribution::{Binomial, DiscreteCDF};
use std::collections::BTreeSet;

/// F(p) − p: gain of a majority of `n` independent members, each right with probability `p`, over one of
/// them (Ito et al. (2011), section 5.3). A tied even group decides by lot, which makes it as good as the odd
/// group below it.
pub fn condorcet_gain(n: u32, p: f64) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let n = if n.is_multiple_of(2) { n - 1 } else { n };
    // The minorities i, each with C(n, i) p^(n-i) (1-p)^i.
    let minorities = u64::from((n - 1) / 2);
    match Binomial::new(1.0 - p, n.into()) {
        Ok(wrong) => wrong.cdf(minorities) - p,
        Err(_) => 0.0,
    }
}

/// File names and contents of all figures.
pub fn figures(report: &Findings<'_>) -> Vec<(String, String)> {
    let mut figures = Vec::new();
    if let Some(plot) = win_rates(report) {
        figures.push(("win-rate.svg".to_owned(), plot.svg()));
    }
    if !report.cells.is_empty() {
        for (name, plot) in [
            ("elo.svg", elo(report)),
            ("colours.svg", colours(report)),
            ("endings.svg", endings(report)),
            ("nodes.svg", nodes(report)),
            ("time.svg", time(report)),
        ] {
            figures.push((name.to_owned(), plot.svg()));
        }
    }
    if let Some(plot) = different_moves(report) {
        figures.push(("moves.svg".to_owned(), plot.svg()));
    }
    let groups = &report.specification.report.condorcet;
    if !groups.is_empty() {
        figures.push(("condorcet.svg".to_owned(), condorcet(groups).svg()));
    }
    figures
}

/// Label of an axis with a place for every cell: the names of their parameters.
fn cell_axis(report: &Findings<'_>) -> String {
    let parameters = report.cells.first().map(|cell| &cell.cell.parameters);
    let names = parameters
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// Names of the cells: the values of their parameters.
fn cell_names(report: &Findings<'_>) -> PlotAxis {
    let name = |cell: &CellFindings<'_>| {
        let values = cell.cell.parameters.iter().map(|(_, value)| value.as_str());
        values.collect::<Vec<_>>().join(", ")
    };
    PlotAxis::Names(report.cells.iter().map(name).collect())
}

/// A published win rate in percent, without its marks.
fn published_rate(text: &str) -> Option<f64> {
    text.trim_end_matches(['*', ' '])
        .strip_suffix('%')?
        .trim()
        .parse()
        .ok()
}

/// Parameters with their values.
type ParameterValues<'a> = Vec<(&'a str, &'a str)>;

/// The cells of each line of a plot with these axes: one for every value of its parameter, and of the parameters that
/// vary beside the axes.
fn lines_of_cells<'a>(
    report: &'a Findings<'_>,
    axes: &'a Axes,
) -> Vec<(ParameterValues<'a>, Vec<&'a CellFindings<'a>>)> {
    let line = axes.line.as_deref();
    let shown: Vec<&str> = line.into_iter().chain([axes.x.as_str()]).collect();
    let varying = report.specification.varying_beside(&shown);
    let names: Vec<&str> = line.into_iter().chain(varying).collect();
    let mut lines: Vec<(ParameterValues<'_>, Vec<&CellFindings<'_>>)> = Vec::new();
    for cell in &report.cells {
        let values = names.iter();
        let values = values.filter_map(|name| Some((*name, cell.cell.parameter(name)?)));
        let values = values.collect();
        match lines.iter_mut().find(|(known, _)| *known == values) {
            Some((_, cells)) => cells.push(cell),
            None => lines.push((values, vec![cell])),
        }
    }
    lines
}

/// What the marks of win rates say: above the base where there is one, as in the paper's table 6, and above one half.
fn marks<'a>(report: &'a Findings<'_>) -> (Option<&'a str>, impl Fn(&CellFindings<'_>) -> Stars) {
    let compared = report.cells.iter().any(|cell| cell.comparison.is_some());
    let base = (report.specification.report.base.as_deref()).filter(|_| compared);
    let stars = move |cell: &CellFindings<'_>| match (base, &cell.comparison) {
        (None, _) => cell.stars,
        (Some(_), Some(comparison)) => comparison.stars,
        (Some(_), None) => Stars::None,
    };
    (base, stars)
}

/// Greatest share of the place of a value of x that all lines take together, and that two neighbours do.
const SPREAD: f64 = 0.5;
const STEP: f64 = 0.12;

/// Returns how far beside its place of x a line is drawn: intervals and points of several lines would cover each other.
fn aside(line: usize, lines: usize) -> f64 {
    let gaps = lines.saturating_sub(1) as f64;
    let step = STEP.min(SPREAD / gaps.max(1.0));
    step * (line as f64 - gaps / 2.0)
}

/// Win rate against a parameter, one line for each value of another (figures 1 and 2), with marks of significance, and
/// with the published ones beside it.
fn win_rates(report: &Findings<'_>) -> Option<Plot> {
    let axes = report.specification.report.plot.as_ref()?;
    let values = report.specification.values(&axes.x);
    let numbers = values.iter().all(|value| value.parse::<f64>().is_ok());
    let at = |value: &str| {
        let place = values.iter().position(|known| *known == value)?;
        Some(place as f64 + 1.0)
    };
    let (base, stars) = marks(report);
    let mut drawn = Vec::new();
    let lines = lines_of_cells(report, axes);
    let count = lines.len();
    for (colour, (of_line, cells)) in lines.into_iter().enumerate() {
        let at = |value: &str| Some(at(value)? + aside(colour, count));
        let name: Vec<String> = (of_line.iter())
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let name = (!name.is_empty()).then(|| name.join(", "));
        let ours = cells.iter().filter_map(|cell| {
            let rate = 100.0 * cell.score.win_rate()?;
            Some(PlotPoint {
                x: at(cell.cell.parameter(&axes.x)?)?,
                y: rate,
                low: (cell.interval).map_or(rate, |interval| 100.0 * interval.low),
                high: (cell.interval).map_or(rate, |interval| 100.0 * interval.high),
                stars: stars(cell),
            })
        });
        let theirs = cells.iter().filter_map(|cell| {
            let rate = published_rate(cell.published?)?;
            Some(PlotPoint::new(at(cell.cell.parameter(&axes.x)?)?, rate))
        });
        let theirs: Vec<PlotPoint> = theirs.collect();
        drawn.push(PlotLine {
            name: match (&name, theirs.is_empty()) {
                (Some(name), _) => name.clone(),
                (None, true) => String::new(),
                (None, false) => "played".to_owned(),
            },
            points: ours.collect(),
            colour,
            joined: numbers,
            published: false,
        });
        if !theirs.is_empty() {
            drawn.push(PlotLine {
                name: match name {
                    Some(name) => format!("{name}, published"),
                    None => "published".to_owned(),
                },
                points: theirs,
                colour,
                joined: numbers,
                published: true,
            });
        }
    }
    Some(Plot {
        title: report.specification.title.clone(),
        x: axes.x.clone(),
        axis: PlotAxis::Names(values.iter().map(|value| (*value).to_owned()).collect()),
        y: match report.cells.iter().all(|cell| stars(cell) == Stars::None) {
            true => "win rate, %".to_owned(),
            false => format!("win rate, %   (stars: above {})", base.unwrap_or("50 %")),
        },
        lines: drawn,
        level: Some(50.0),
        bars: true,
    })
}

/// Elo of every cell with its interval; an unknown interval is not drawn.
fn elo(report: &Findings<'_>) -> Plot {
    let points = report.cells.iter().enumerate().filter_map(|(index, cell)| {
        let elo = cell.elo?;
        Some(PlotPoint {
            x: index as f64 + 1.0,
            y: elo.elo,
            low: elo.interval.map_or(elo.elo, |interval| interval.low),
            high: elo.interval.map_or(elo.elo, |interval| interval.high),
            stars: Stars::None,
        })
    });
    Plot {
        title: format!("{}: Elo", report.specification.title),
        x: cell_axis(report),
        axis: cell_names(report),
        y: "Elo of the first side".to_owned(),
        lines: vec![PlotLine {
            name: String::new(),
            points: points.collect(),
            colour: 0,
            joined: false,
            published: false,
        }],
        level: Some(0.0),
        bars: true,
    }
}

/// Win rate as Black and as White, with its interval.
fn colours(report: &Findings<'_>) -> Plot {
    let line = |(colour, name): (usize, &str)| {
        let aside = aside(colour, 2);
        let points = report.cells.iter().enumerate().filter_map(|(index, cell)| {
            let score = &cell.by_colour[colour];
            let interval = wilson(score.wins, score.decided());
            Some(PlotPoint {
                x: index as f64 + 1.0 + aside,
                y: 100.0 * score.win_rate()?,
                low: 100.0 * interval.low,
                high: 100.0 * interval.high,
                stars: Stars::None,
            })
        });
        PlotLine {
            name: name.to_owned(),
            points: points.collect(),
            colour,
            joined: false,
            published: false,
        }
    };
    Plot {
        title: format!("{}: wins by colour", report.specification.title),
        x: cell_axis(report),
        axis: cell_names(report),
        y: "win rate of the first side, %".to_owned(),
        lines: ["as Black", "as White"]
            .into_iter()
            .enumerate()
            .map(line)
            .collect(),
        level: Some(50.0),
        bars: true,
    }
}

/// Share of games by the reason for which they ended.
fn endings(report: &Findings<'_>) -> Plot {
    let cells = || report.cells.iter();
    let names: BTreeSet<&String> = cells().flat_map(|cell| cell.endings.keys()).collect();
    let share = |cell: &CellFindings<'_>, name: &String| {
        let count = cell.endings.get(name).copied().unwrap_or(0);
        100.0 * count as f64 / cell.score.games() as f64
    };
    Plot {
        title: format!("{}: how games ended", report.specification.title),
        x: cell_axis(report),
        axis: cell_names(report),
        y: "games, %".to_owned(),
        lines: names
            .iter()
            .enumerate()
            .map(|(colour, name)| {
                let line = (name.as_str(), colour, names.len());
                by_cell(report, line, |cell| share(cell, name))
            })
            .collect(),
        level: None,
        bars: true,
    }
}

/// Nodes a move of all players of a side.
fn nodes(report: &Findings<'_>) -> Plot {
    let nodes = |effort: &Effort| effort.nodes as f64 / f64::from(effort.moves.max(1));
    Plot {
        title: format!("{}: nodes", report.specification.title),
        x: cell_axis(report),
        axis: cell_names(report),
        y: "nodes a move".to_owned(),
        lines: vec![
            by_cell(report, ("first side", 0, 2), |cell| nodes(&cell.effort[0])),
            by_cell(report, ("second side", 1, 2), |cell| nodes(&cell.effort[1])),
        ],
        level: Some(0.0),
        bars: true,
    }
}

/// Time of a side in a game.
fn time(report: &Findings<'_>) -> Plot {
    let seconds = |cell: &CellFindings<'_>, side: usize| {
        cell.effort[side].time_ms as f64 / 1000.0 / cell.score.games() as f64
    };
    Plot {
        title: format!("{}: time", report.specification.title),
        x: cell_axis(report),
        axis: cell_names(report),
        y: "seconds a game".to_owned(),
        lines: vec![
            by_cell(report, ("first side", 0, 2), |cell| seconds(cell, 0)),
            by_cell(report, ("second side", 1, 2), |cell| seconds(cell, 1)),
        ],
        level: Some(0.0),
        bars: true,
    }
}

/// Points of all cells that have games: the line with this name and number among so many.
fn by_cell(
    report: &Findings<'_>,
    (name, colour, lines): (&str, usize, usize),
    value: impl Fn(&CellFindings<'_>) -> f64,
) -> PlotLine {
    let played = report.cells.iter().enumerate();
    let played = played.filter(|(_, cell)| cell.score.games() > 0);
    // Lines may have the same values.
    let aside = aside(colour, lines);
    let points =
        played.map(|(index, cell)| PlotPoint::new(index as f64 + 1.0 + aside, value(cell)));
    PlotLine {
        name: name.to_owned(),
        points: points.collect(),
        colour,
        joined: false,
        published: false,
    }
}

/// Share of positions by the number of different moves voted for (table 1): a line for every cell whose first side has
/// ever disagreed, with the published one beside it.
fn different_moves(report: &Findings<'_>) -> Option<Plot> {
    let mut lines = Vec::new();
    let mut most = 0;
    let cells = report.cells.iter().filter(|cell| cell.disagrees());
    for (colour, cell) in cells.enumerate() {
        let label = &cell.cell.label;
        let ours = cell.effort[0].variety.0.iter();
        let ours: Vec<(u32, u64)> = ours.map(|(moves, count)| (*moves, *count)).collect();
        let theirs = (1..).zip(cell.published_moves.into_iter().flatten().copied());
        let theirs: Vec<(u32, u64)> = theirs.collect();
        let published = format!("{label}, published");
        for (name, counts, is_published) in
            [(label.clone(), ours, false), (published, theirs, true)]
        {
            let all: u64 = counts.iter().map(|(_, count)| count).sum();
            if all == 0 {
                continue;
            }
            most = counts
                .iter()
                .fold(most, |most, (moves, _)| most.max(*moves));
            let points = counts.iter().map(|(moves, count)| {
                PlotPoint::new(f64::from(*moves), 100.0 * *count as f64 / all as f64)
            });
            lines.push(PlotLine {
                name,
                points: points.collect(),
                colour,
                joined: true,
                published: is_published,
            });
        }
    }
    (!lines.is_empty()).then(|| Plot {
        title: format!("{}: votes", report.specification.title),
        x: "different moves voted for".to_owned(),
        axis: PlotAxis::Names((1..=most).map(|moves| moves.to_string()).collect()),
        y: "positions of the first side, %".to_owned(),
        lines,
        level: None,
        bars: false,
    })
}

/// F(p) − p (figure 3).
fn condorcet(groups: &[u32]) -> Plot {
    let lines = groups
        .iter()
        .enumerate()
        .map(|(colour, &n)| PlotLine {
            name: format!("n = {n}"),
            colour,
            joined: true,
            published: false,
            points: (0..=100)
                .map(|step| {
                    let p = f64::from(step) / 100.0;
                    PlotPoint::new(p, condorcet_gain(n, p))
                })
                .collect(),
        })
        .collect();
    Plot {
        title: "What a majority gains over one member: F(p) − p".to_owned(),
        x: "p".to_owned(),
        axis: PlotAxis::Numbers,
        y: "F(p) − p".to_owned(),
        lines,
        level: Some(0.0),
        bars: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_beside_each_other_around_their_place() {
        assert_eq!(aside(0, 1), 0.0);
        for lines in [2, 3, 7, 40] {
            let places: Vec<f64> = (0..lines).map(|line| aside(line, lines)).collect();
            assert!(
                places.is_sorted_by(|left, right| left < right),
                "{places:?}"
            );
            let sum: f64 = places.iter().sum();
            assert!(sum.abs() < 1e-9 && places[lines - 1] - places[0] <= SPREAD + 1e-9);
        }
    }

    #[test]
    fn a_majority_gains_as_in_the_paper() {
        // For three members, F(p) = p³ + 3 p² (1 − p).
        let gain = |n, p: f64| condorcet_gain(n, p);
        assert!((gain(3, 0.6) - (0.216 + 3.0 * 0.36 * 0.4 - 0.6)).abs() < 1e-12);
        assert!((gain(3, 0.75) - 0.09375).abs() < 1e-12);
        assert_eq!(gain(4, 0.7), gain(3, 0.7));
        assert!(gain(1, 0.3).abs() < 1e-12);
        for n in [3, 5, 9, 33] {
            assert!(gain(n, 0.5).abs() < 1e-12 && gain(n, 0.7) > 0.0 && gain(n, 0.3) < 0.0);
            assert!(gain(n + 2, 0.6) > gain(n, 0.6));
        }
        // A large group is right wherever its members are mostly.
        for n in [1_031, 100_001, u32::MAX] {
            assert!((gain(n, 0.6) - 0.4).abs() < 1e-9 && (gain(n, 0.4) + 0.4).abs() < 1e-9);
        }
    }
}
