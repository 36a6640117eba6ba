//! `monju calibrate`: win rates by score, learned from recorded ballots.

use crate::{
    output::print,
    replay::warn_of_lines,
    text_table::{Align, align},
};
use anyhow::bail;
use monju_coordinator::{
    calibration::{
        self,
        learn::{LearnedCurves, learn},
    },
    record::read::Log,
};
use monju_learn::files::{check_outputs, write_atomically};
use serde_json::json;
use std::{fmt::Write as _, path::PathBuf};

/// A lesson from recorded ballots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calibrate {
    /// The logs.
    pub logs: Vec<PathBuf>,
    /// File of the win rates, which a configuration can name.
    pub output: PathBuf,
    /// One JSON object instead of a table.
    pub json: bool,
}

impl Calibrate {
    /// Learns, writes the file, and prints what was learned to standard output.
    ///
    /// # Errors
    /// A log cannot be read, the file cannot be written or is one of the logs, or the logs teach nothing.
    pub fn run(self) -> anyhow::Result<()> {
        let logs = || self.logs.iter().map(PathBuf::as_path);
        check_outputs(logs(), std::slice::from_ref(&self.output))?;
        let log = Log::read(logs())?;
        warn_of_lines(&log);
        let lesson = learn(&log);
        if lesson.curves.is_empty() {
            let reasons: Vec<String> = lesson
                .left_out
                .iter()
                .map(|(engine, why)| format!("{engine}: {why}"))
                .collect();
            bail!(
                "the logs teach no win rates ({}); record whole games with --log FILE",
                match reasons.is_empty() {
                    true => "they hold no scores".to_owned(),
                    false => reasons.join("; "),
                }
            );
        }
        let curves: Vec<_> = lesson
            .curves
            .iter()
            .map(|(curve, _)| curve.clone())
            .collect();
        write_atomically(&self.output, calibration::render(&curves).as_bytes())?;
        let text = match self.json {
            true => as_json(&lesson),
            false => as_table(&lesson),
        };
        print(&text)
    }
}

fn as_json(lesson: &LearnedCurves) -> String {
    let engines: Vec<_> = lesson
        .curves
        .iter()
        .map(|(curve, loss)| {
            json!({
                "name": curve.name,
                "scale": curve.scale,
                "offset": curve.offset,
                "against": curve.against,
                "votes": curve.votes,
                "games": curve.games,
                "loss": loss,
            })
        })
        .collect();
    let left_out: Vec<_> = lesson
        .left_out
        .iter()
        .map(|(engine, why)| json!({ "name": engine, "why": why }))
        .collect();
    let object = json!({ "games": lesson.games, "engines": engines, "left_out": left_out });
    format!("{object:#}\n")
}

fn as_table(lesson: &LearnedCurves) -> String {
    let mut text = format!("games with a known result  {}\n\n", lesson.games);
    let headings = [
        "engine", "against", "votes", "games", "scale", "offset", "loss",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    for (curve, loss) in &lesson.curves {
        rows.push(vec![
            curve.name.clone(),
            curve.against.clone(),
            curve.votes.to_string(),
            curve.games.to_string(),
            format!("{:.1}", curve.scale),
            format!("{:+.1}", curve.offset),
            format!("{loss:.4}"),
        ]);
    }
    use Align::{Left, Right};
    align(
        &mut text,
        &[Left, Left, Right, Right, Right, Right, Right],
        &rows,
    );
    text.push_str(
        "\nwin rate = 1 / (1 + exp(-(centipawns + offset) / scale)); loss in nats, 0.6931 is chance\n",
    );
    for (engine, why) in &lesson.left_out {
        let _ = writeln!(text, "left out  {engine}: {why}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_coordinator::calibration::EngineCurve;

    fn lesson() -> LearnedCurves {
        let curve = EngineCurve {
            name: "monju/material".to_owned(),
            scale: 345.25,
            offset: -12.0,
            against: "results".to_owned(),
            votes: 1_000,
            games: 20,
        };
        LearnedCurves {
            curves: vec![(curve, 0.45678)],
            left_out: vec![("gpsusi".to_owned(), "3 scores are too few".to_owned())],
            games: 20,
        }
    }

    #[test]
    fn the_table() {
        let expected = "\
games with a known result  20

engine          against  votes  games  scale  offset    loss
monju/material  results   1000     20  345.2   -12.0  0.4568

win rate = 1 / (1 + exp(-(centipawns + offset) / scale)); loss in nats, 0.6931 is chance
left out  gpsusi: 3 scores are too few
";
        assert_eq!(as_table(&lesson()), expected);
    }

    #[test]
    fn the_json() {
        let value: serde_json::Value = serde_json::from_str(&as_json(&lesson())).expect("JSON");
        assert_eq!(value["engines"][0]["scale"], 345.25);
        assert_eq!(value["left_out"][0]["name"], "gpsusi");
    }
}
