//! Findings as one JSON object.

use super::severity::count;
use monju_coordinator::{
    ballot::names,
    doctor::{Facts, Finding, PlayerFacts, Severity, WorkerFacts},
};
use serde_json::{Value, json};

pub(super) fn render(facts: &Facts, findings: &[Finding]) -> String {
    let object = json!({
        "version": facts.version,
        "build": facts.build,
        "rule": facts.rule.name(),
        "primary": facts.primary,
        "test_time_ms": facts.test_time.as_millis() as u64,
        "workers": facts.workers.iter().map(worker).collect::<Vec<_>>(),
        "players": facts.players.iter().map(player).collect::<Vec<_>>(),
        "findings": findings,
        "errors": count(findings, Severity::Error),
        "warnings": count(findings, Severity::Warning),
    });
    format!("{object:#}\n")
}

fn worker(worker: &WorkerFacts) -> Value {
    let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1_000.0;
    json!({
        "name": worker.name,
        "address": worker.address,
        "connected": worker.failure.is_empty(),
        "failure": worker.failure,
        "version": worker.version,
        "build": worker.build,
        "players": worker.players,
        "round_trip_ms": worker.round_trip.map(|times| milliseconds(times.median)),
        "longest_round_trip_ms": worker.round_trip.map(|times| milliseconds(times.longest)),
    })
}

fn player(player: &PlayerFacts) -> Value {
    let info = player.vote.player.clone().unwrap_or_default();
    let go: Vec<Value> = match &player.examined {
        Ok(examined) => examined
            .trials
            .iter()
            .map(|trial| {
                json!({
                    "form": trial.form,
                    "configured": trial.configured,
                    "survived": trial.survived,
                    "failure": trial.failure,
                    "answer_ms": trial.answer_ms,
                })
            })
            .collect(),
        Err(_) => Vec::new(),
    };
    json!({
        "player": info.name,
        "worker": info.worker,
        "engine": info.engine,
        "evaluator": info.evaluator,
        "arrival": names::arrival(player.vote.arrival()),
        "arrived_ms": player.vote.arrived_ms,
        "move": player.vote.line.as_ref().map(|line| &line.r#move),
        "nps": player.nodes_per_second(),
        "calibrated": player.is_calibrated,
        "go": go,
    })
}
