//! One line a cell, for spreadsheets.

use super::{Report, markdown::verdict_word};
use std::fmt::Write as _;

/// Writes a CSV table with a header.
pub fn csv(report: &Report<'_>) -> String {
    let mut text = String::new();
    let parameters = report
        .cells
        .first()
        .map_or(&[][..], |cell| &cell.cell.parameters);
    for (name, _) in parameters {
        let _ = write!(text, "{},", quoted(name));
    }
    text.push_str(
        "games,wins,draws,losses,win_rate,low95,high95,stars,normal_p,exact_p,holm_p,\
         elo,elo_low95,elo_high95,superiority,pairs_0,pairs_half,pairs_1,pairs_1_half,pairs_2,\
         black_wins,black_losses,white_wins,white_losses,mean_plies,first_nodes,second_nodes,\
         first_ms,second_ms,given_up,incidents,verdict,published,llr,llr_low,llr_high,games_without_say\n",
    );
    for cell in &report.cells {
        for (_, value) in &cell.cell.parameters {
            let _ = write!(text, "{},", quoted(value));
        }
        let score = &cell.score;
        let number =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.6}"));
        let (elo, evidence) = (cell.elo, cell.counted.evidence);
        let pairs = cell.pairs.0.map(|count| count.to_string()).join(",");
        let [black, white] = &cell.by_colour;
        let [first, second] = &cell.effort;
        let _ = writeln!(
            text,
            "{},{},{},{},{},{:.6},{:.6},{},{:.4e},{:.4e},{:.4e},{},{},{},{},{pairs},\
             {},{},{},{},{:.2},{},{},{},{},{},{},{},{},{},{},{},{}",
            score.games(),
            score.wins,
            score.draws,
            score.losses,
            number(score.win_rate()),
            cell.interval.low,
            cell.interval.high,
            cell.stars,
            cell.normal_p,
            cell.exact_p,
            cell.holm_p,
            number(elo.map(|elo| elo.elo)),
            number(elo.and_then(|elo| elo.interval).map(|elo| elo.low)),
            number(elo.and_then(|elo| elo.interval).map(|elo| elo.high)),
            number(elo.and_then(|elo| elo.superiority)),
            black.wins,
            black.losses,
            white.wins,
            white.losses,
            cell.mean_plies(),
            first.nodes,
            second.nodes,
            first.time_ms,
            second.time_ms,
            cell.counted.given_up,
            cell.incidents.len(),
            verdict_word(report, cell),
            quoted(cell.published.unwrap_or("")),
            number(evidence.map(|evidence| evidence.ratio)),
            number(evidence.map(|evidence| evidence.lower)),
            number(evidence.map(|evidence| evidence.upper)),
            cell.without_say,
        );
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
