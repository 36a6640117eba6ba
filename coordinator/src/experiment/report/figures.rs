//! The figures of a report as SVG texts.

use super::{
    Report,
    plot::{Line, Plot, Point},
};

/// F(p) − p: what a majority of `n` independent members gains over one of them, each of whom is
/// right with probability `p` (paper 002, section 5.3). Half of an even group decides by lot, which
/// makes it worth the odd group below it.
pub fn condorcet_gain(n: u32, p: f64) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let n = if n.is_multiple_of(2) { n - 1 } else { n };
    // Sum of C(n, i) p^(n-i) (1-p)^i over the minorities i, term by term from the one before.
    let mut sum = 0.0;
    for wrong in 0..=(n - 1) / 2 {
        let mut term = 1.0;
        for factor in 0..wrong {
            term *= f64::from(n - factor) / f64::from(factor + 1);
        }
        sum += term * p.powi((n - wrong) as i32) * (1.0 - p).powi(wrong as i32);
    }
    sum - p
}

/// File names and contents.
pub fn figures(report: &Report<'_>) -> Vec<(String, String)> {
    let mut figures = Vec::new();
    if let Some(plot) = win_rates(report) {
        figures.push(("win-rate.svg".to_owned(), plot.svg()));
    }
    if !report.cells.is_empty() {
        figures.push(("elo.svg".to_owned(), elo(report).svg()));
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

/// Win rate against a parameter, one line for each value of another (figures 1 and 2).
fn win_rates(report: &Report<'_>) -> Option<Plot> {
    let axes = report.specification.report.plot.as_ref()?;
    let lines = match &axes.line {
        Some(line) => report.specification.values(line),
        None => vec![""],
    };
    let values = report.specification.values(&axes.x);
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
    let at = |value: &str| match &numbers {
        Some(_) => value.parse().unwrap_or(0.0),
        None => values.iter().position(|known| *known == value).unwrap_or(0) as f64,
    };
    let lines = lines
        .into_iter()
        .map(|name| {
            let cells = report.cells.iter().filter(|cell| match &axes.line {
                Some(line) => cell.cell.parameter(line) == Some(name),
                None => true,
            });
            let points = cells.filter_map(|cell| {
                Some(Point {
                    x: at(cell.cell.parameter(&axes.x)?),
                    y: 100.0 * cell.score.win_rate()?,
                    low: 100.0 * cell.interval.low,
                    high: 100.0 * cell.interval.high,
                })
            });
            Line {
                name: axes
                    .line
                    .as_ref()
                    .map_or(String::new(), |line| format!("{line} = {name}")),
                points: points.collect(),
            }
        })
        .collect();
    Some(Plot {
        title: report.specification.title.clone(),
        x: axes.x.clone(),
        y: "win rate, %".to_owned(),
        lines,
        level: Some(50.0),
        bars: true,
    })
}

/// Elo of every cell with its interval.
fn elo(report: &Report<'_>) -> Plot {
    let points = report.cells.iter().enumerate().filter_map(|(index, cell)| {
        let elo = cell.elo?;
        Some(Point {
            x: index as f64 + 1.0,
            y: elo.elo,
            low: elo.low,
            high: elo.high,
        })
    });
    Plot {
        title: format!("{}: Elo", report.specification.title),
        x: "cell, in the order of the table".to_owned(),
        y: "Elo of the first side".to_owned(),
        lines: vec![Line {
            name: String::new(),
            points: points.collect(),
        }],
        level: Some(0.0),
        bars: true,
    }
}

/// Share of positions by the number of different moves voted for, a line for every cell whose first
/// side has ever disagreed (table 1).
fn different_moves(report: &Report<'_>) -> Option<Plot> {
    let lines: Vec<Line> = report
        .cells
        .iter()
        .filter(|cell| cell.disagrees())
        .map(|cell| {
            let counts = &cell.effort[0].variety.0;
            let all: u64 = counts.values().sum();
            let points = counts.iter().map(|(&moves, &count)| {
                let share = 100.0 * count as f64 / all as f64;
                Point {
                    x: f64::from(moves),
                    y: share,
                    low: share,
                    high: share,
                }
            });
            Line {
                name: cell.cell.label.clone(),
                points: points.collect(),
            }
        })
        .collect();
    (!lines.is_empty()).then(|| Plot {
        title: format!("{}: votes", report.specification.title),
        x: "different moves voted for".to_owned(),
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
        .map(|&n| Line {
            name: format!("n = {n}"),
            points: (0..=100)
                .map(|step| {
                    let p = f64::from(step) / 100.0;
                    let gain = condorcet_gain(n, p);
                    Point {
                        x: p,
                        y: gain,
                        low: gain,
                        high: gain,
                    }
                })
                .collect(),
        })
        .collect();
    Plot {
        title: "What a majority gains over one member: F(p) − p".to_owned(),
        x: "p".to_owned(),
        y: "F(p) − p".to_owned(),
        lines,
        level: Some(0.0),
        bars: false,
    }
}
