//! The report as a CSV table with one line for every cell.

use super::findings::Findings;

/// Columns after those of the parameters.
const COLUMNS: [&str; 37] = [
    "games",
    "wins",
    "draws",
    "losses",
    "win_rate",
    "low95",
    "high95",
    "stars",
    "normal_p",
    "exact_p",
    "holm_p",
    "elo",
    "elo_low95",
    "elo_high95",
    "superiority",
    "pairs_0",
    "pairs_half",
    "pairs_1",
    "pairs_1_half",
    "pairs_2",
    "black_wins",
    "black_losses",
    "white_wins",
    "white_losses",
    "mean_plies",
    "first_nodes",
    "second_nodes",
    "first_ms",
    "second_ms",
    "given_up",
    "incidents",
    "verdict",
    "published",
    "llr",
    "llr_low",
    "llr_high",
    "games_without_say",
];

/// Writes a CSV table with a header.
///
/// # Errors
/// The rows differ in length, which a grid does not allow.
pub fn csv(findings: &Findings<'_>) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let parameters = findings
        .cells
        .first()
        .map_or(&[][..], |cell| &cell.cell.parameters);
    // No two columns have one name.
    let names = parameters
        .iter()
        .map(|(name, _)| match COLUMNS.contains(&name.as_str()) {
            true => format!("parameter {name}"),
            false => name.clone(),
        });
    writer.write_record(names.chain(COLUMNS.map(str::to_owned)))?;
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.6}"));
    for cell in &findings.cells {
        let (score, elo, ratio) = (&cell.score, cell.elo, cell.counted.ratio);
        let interval = elo.and_then(|elo| elo.interval);
        let [black, white] = &cell.by_colour;
        let [first, second] = &cell.effort;
        let mut row: Vec<String> = cell
            .cell
            .parameters
            .iter()
            .map(|(_, value)| value.clone())
            .collect();
        row.extend([score.games(), score.wins, score.draws, score.losses].map(text));
        row.push(number(score.win_rate()));
        row.push(number(cell.interval.map(|interval| interval.low)));
        row.push(number(cell.interval.map(|interval| interval.high)));
        row.push(cell.stars.to_string());
        row.extend(match cell.test {
            Some(test) => [test.normal_p, test.exact_p, test.holm_p].map(|p| format!("{p:.4e}")),
            None => Default::default(),
        });
        row.push(number(elo.map(|elo| elo.elo)));
        row.push(number(interval.map(|interval| interval.low)));
        row.push(number(interval.map(|interval| interval.high)));
        row.push(number(elo.and_then(|elo| elo.superiority)));
        row.extend(cell.pairs.0.map(text));
        row.extend([black.wins, black.losses, white.wins, white.losses].map(text));
        row.push(format!("{:.2}", cell.mean_plies()));
        row.extend([first.nodes, second.nodes, first.time_ms, second.time_ms].map(text));
        row.push(cell.counted.given_up.to_string());
        row.push(cell.incidents.len().to_string());
        row.push(cell.verdict_word().to_owned());
        row.push(cell.published.unwrap_or("").to_owned());
        row.push(number(ratio.map(|ratio| ratio.value)));
        row.push(number(ratio.map(|ratio| ratio.lower)));
        row.push(number(ratio.map(|ratio| ratio.upper)));
        row.push(cell.without_say.to_string());
        writer.write_record(row)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn text(count: u64) -> String {
    count.to_string()
}
