//! Findings as tables.

use super::severity::count;
use crate::text_table::{
    Align::{self, Left, Right},
    align,
};
use monju_coordinator::{
    ballot::names,
    doctor::{Facts, Finding, PlayerFacts, Severity},
};
use monju_proto::v1::FormTrial;
use std::fmt::Write;

pub(super) fn render(facts: &Facts, findings: &[Finding]) -> String {
    let mut text = String::new();
    workers(&mut text, facts);
    players(&mut text, facts);
    forms(&mut text, facts);
    text.push('\n');
    for finding in findings {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let Finding {
            about, what, mend, ..
        } = finding;
        let _ = writeln!(text, "{severity:7}  {about}: {what}; {mend}");
    }
    let (errors, warnings) = (
        count(findings, Severity::Error),
        count(findings, Severity::Warning),
    );
    let _ = match (errors, warnings) {
        (0, 0) => writeln!(text, "all is well"),
        _ => writeln!(text, "errors {errors}, warnings {warnings}"),
    };
    text
}

fn workers(text: &mut String, facts: &Facts) {
    let headings = [
        "worker",
        "address",
        "version",
        "players",
        "round trip",
        "longest",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    for worker in &facts.workers {
        let time = |pick: fn(&monju_coordinator::doctor::CallTimes) -> std::time::Duration| {
            let times = worker.round_trip.as_ref().map(pick);
            times.map_or("-".to_owned(), |time| {
                format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
            })
        };
        rows.push(vec![
            worker.name.clone(),
            worker.address.clone(),
            shown(&worker.version),
            worker.players.to_string(),
            time(|times| times.median),
            time(|times| times.longest),
        ]);
    }
    align(text, &[Left, Left, Left, Right, Right, Right], &rows);
}

fn players(text: &mut String, facts: &Facts) {
    if facts.players.is_empty() {
        return;
    }
    let test_ms = facts.test_time.as_millis();
    let _ = writeln!(
        text,
        "\nOne test move each, all at once, {test_ms} ms; rule {}",
        facts.rule
    );
    let headings = [
        "player",
        "engine",
        "move",
        "nodes/s",
        "after",
        "arrival",
        "win rates",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    for player in &facts.players {
        let info = player.vote.player.clone().unwrap_or_default();
        let line = player.vote.line.as_ref();
        rows.push(vec![
            info.name,
            match info.evaluator.as_str() {
                "" => info.engine,
                evaluator => format!("{}/{evaluator}", info.engine),
            },
            line.map_or("-".to_owned(), |line| line.r#move.clone()),
            player.nodes_per_second().to_string(),
            format!("{} ms", player.vote.arrived_ms),
            names::arrival(player.vote.arrival()).to_owned(),
            match player.is_calibrated {
                true => "calibrated".to_owned(),
                false => "-".to_owned(),
            },
        ]);
    }
    align(text, &[Left, Left, Left, Right, Right, Left, Left], &rows);
}

/// Writes the forms of `go` that foreign engines survive.
fn forms(text: &mut String, facts: &Facts) {
    let tried: Vec<(&PlayerFacts, &[FormTrial])> = facts
        .players
        .iter()
        .filter_map(|player| Some((player, player.examined.as_ref().ok()?.trials.as_slice())))
        .filter(|(_, trials)| !trials.is_empty())
        .collect();
    let Some((_, first)) = tried.first() else {
        return;
    };
    text.push_str("\nForms of go: survived by the engine (yes, no), and listed for it (*)\n");
    let mut heading = vec!["player".to_owned()];
    heading.extend(first.iter().map(|trial| trial.form.clone()));
    let sides: Vec<Align> = heading.iter().map(|_| Left).collect();
    let mut rows = vec![heading];
    for (player, trials) in tried {
        let mut row = vec![player.name().to_owned()];
        row.extend(trials.iter().map(|trial| {
            let survived = if trial.survived { "yes" } else { "no" };
            let listed = if trial.configured { "*" } else { "" };
            format!("{survived}{listed}")
        }));
        rows.push(row);
    }
    align(text, &sides, &rows);
}

fn shown(text: &str) -> String {
    match text {
        "" => "-".to_owned(),
        text => text.to_owned(),
    }
}
