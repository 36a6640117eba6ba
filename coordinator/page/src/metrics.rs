//! Numbers of a coordinator and of an experiment in the text format of Prometheus.
//!
//! Each scrape asks the coordinator, as `monju status` does: nothing is counted twice. The numbers of an experiment are
//! those of its page.

use crate::council::CurrentCoordinator;
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use monju_proto::{
    text::plain_lines,
    v1::{RosterRequest, RosterResponse},
};
use prometheus_client::{
    encoding::text::encode,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};
use serde_json::Value;
use std::{
    collections::HashSet,
    fmt,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use tokio::{
    sync::{Mutex, watch},
    time::Instant,
};

/// The newer of the two text formats, for those who ask for it as Prometheus does.
const OPEN_METRICS: &str = "application/openmetrics-text";

/// Type of a text in the newer format.
const OPEN_METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Type of a text in the older format, which everything reads that reads numbers for Prometheus.
const CLASSIC_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Labels of a number: names and values.
type Labels = Vec<(&'static str, String)>;

/// Numbers that go up and down, one for each worker or player.
type Gauges = Family<Labels, Gauge<f64, AtomicU64>>;

/// Time for which an answer of the coordinator is shown again, however many ask for it.
const FRESH: Duration = Duration::from_millis(500);

/// The numbers of a coordinator, and when they were asked for. Clones are the same.
#[derive(Clone, Debug)]
struct Numbers {
    coordinator: watch::Receiver<CurrentCoordinator>,
    last: Arc<Mutex<Option<(Instant, String)>>>,
}

/// Returns the route `/metrics`.
pub fn routes(coordinator: watch::Receiver<CurrentCoordinator>) -> Router {
    let last = Arc::default();
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(Numbers { coordinator, last })
}

async fn metrics(
    State(Numbers { coordinator, last }): State<Numbers>,
    headers: HeaderMap,
) -> Response {
    let mut last = last.lock().await;
    if let Some((at, text)) = &*last
        && at.elapsed() < FRESH
    {
        return answer(&headers, text);
    }
    let client = coordinator.borrow().clone();
    let Some(mut client) = client else {
        return (StatusCode::SERVICE_UNAVAILABLE, "no coordinator yet\n").into_response();
    };
    let text = match client.roster(RosterRequest {}).await {
        Ok(roster) => text(&roster.into_inner()),
        Err(status) => {
            let reason = format!("the coordinator does not answer: {}\n", status.message());
            return (StatusCode::SERVICE_UNAVAILABLE, reason).into_response();
        }
    };
    match text {
        Ok(text) => {
            let response = answer(&headers, &text);
            *last = Some((Instant::now(), text));
            response
        }
        Err(fmt::Error) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Returns an answer with numbers in the format that a request asks for.
pub(crate) fn answer(headers: &HeaderMap, text: &str) -> Response {
    let accepted = headers.get_all(header::ACCEPT).into_iter();
    let mut accepted = accepted.filter_map(|types| types.to_str().ok());
    let (kind, text) = match accepted.any(|types| types.contains(OPEN_METRICS)) {
        true => (OPEN_METRICS_TYPE, text.to_owned()),
        false => (CLASSIC_TYPE, classic(text)),
    };
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// Turns numbers in the newer format into the older one, where the type of a counter is that of its one line.
fn classic(text: &str) -> String {
    let counters: HashSet<&str> = (text.lines())
        .filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter"))
        .collect();
    let mut classic = String::with_capacity(text.len());
    for line in text.lines().filter(|line| *line != "# EOF") {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some(kind), Some(name), Some(rest)) if counters.contains(name) => {
                classic += &format!("# {kind} {name}_total {rest}");
            }
            _ => classic += line,
        }
        classic.push('\n');
    }
    classic
}

/// Writes the numbers of an experiment's state, as its page has it: among them the open pairs, by which runners can be
/// started and stopped.
pub(crate) fn experiment_text(state: &Value) -> Result<String, fmt::Error> {
    let mut registry = Registry::with_prefix("monju_experiment");
    let labels: Labels = vec![(
        "experiment",
        state["name"].as_str().unwrap_or("").to_owned(),
    )];
    let finished = state["cells"].as_array().into_iter().flatten();
    let finished: f64 = finished.filter_map(|cell| cell["finished"].as_f64()).sum();
    let number = |key: &str| state[key].as_f64().unwrap_or(0.0);
    let numbers = [
        (
            "pairs_open",
            "Pairs that a further runner could play",
            number("open"),
        ),
        ("pairs_leased", "Pairs that runners play", number("leased")),
        ("pairs_finished", "Finished pairs that count", finished),
        (
            "pairs_given_up",
            "Pairs that failed three times",
            number("given_up"),
        ),
        ("runners", "Runners that hold a pair", number("runners")),
        (
            "pairs_per_hour",
            "Pairs an hour in the last 20 minutes, or over the last ten pairs",
            number("pairs_per_hour"),
        ),
    ];
    for (name, help, value) in numbers {
        let family = Gauges::default();
        family.get_or_create(&labels).set(value);
        registry.register(name, help, family);
    }
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

/// Writes the numbers of a roster.
pub(crate) fn text(roster: &RosterResponse) -> Result<String, fmt::Error> {
    let mut registry = Registry::with_prefix("monju");
    let mut gauges = |name: &str, help: &str| {
        let family = Gauges::default();
        registry.register(name, help, family.clone());
        family
    };
    let up = gauges("uptime_seconds", "Time since the coordinator began");
    let held = gauges(
        "players_held",
        "1 while a session holds the players through this coordinator",
    );
    let connected = gauges("worker_connected", "1 while the worker is connected");
    let round_trip = gauges("worker_round_trip_seconds", "Mean round trip to the worker");
    let jitter = gauges(
        "worker_jitter_seconds",
        "Mean deviation of the round trips from their mean",
    );
    let asked = gauges("player_asked", "Questions to the player among its last 50");
    let in_time = gauges(
        "player_in_time",
        "Those of them that had a vote by the deadline",
    );
    let speed = gauges(
        "player_nodes_per_second",
        "Nodes per second of the player's last search",
    );
    let counter = |registry: &mut Registry, name: &str, help: &str, value: u64| {
        let counter = Counter::<u64>::default();
        counter.inc_by(value);
        registry.register(name, help, counter);
    };
    up.get_or_create(&Vec::new())
        .set(roster.up_ms as f64 / 1_000.0);
    let is_held = !roster.held_by.is_empty();
    held.get_or_create(&Vec::new())
        .set(f64::from(u8::from(is_held)));
    for worker in &roster.workers {
        let labels: Labels = vec![
            ("worker", worker.name.clone()),
            ("address", worker.address.clone()),
        ];
        connected
            .get_or_create(&labels)
            .set(f64::from(u8::from(worker.connected)));
        round_trip
            .get_or_create(&labels)
            .set(worker.round_trip_us as f64 / 1e6);
        jitter
            .get_or_create(&labels)
            .set(worker.jitter_us as f64 / 1e6);
    }
    for player in &roster.attendance {
        let labels: Labels = vec![("player", player.player.clone())];
        asked.get_or_create(&labels).set(player.asked.into());
        in_time.get_or_create(&labels).set(player.in_time.into());
        speed
            .get_or_create(&labels)
            .set(player.nodes_per_second as f64);
    }
    counter(
        &mut registry,
        "decisions",
        "Decisions since the coordinator began",
        roster.decisions,
    );
    let help = "Decisions of the fallback search, without a vote";
    counter(&mut registry, "fallbacks", help, roster.fallbacks);
    let mut text = String::new();
    encode(&mut text, &registry)?;
    // The names of workers and players are those that the coordinator tells.
    Ok(plain_lines(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{PlayerAttendance, WorkerStatus};

    #[test]
    fn an_experiment_tells_its_open_pairs() {
        let state = serde_json::json!({
            "name": "table 1", "open": 12, "leased": 3, "runners": 2,
            "cells": [{ "finished": 4 }, { "finished": 5 }],
        });
        let text = experiment_text(&state).expect("text");
        for line in [
            "monju_experiment_pairs_open{experiment=\"table 1\"} 12.0",
            "monju_experiment_pairs_finished{experiment=\"table 1\"} 9.0",
            "monju_experiment_runners{experiment=\"table 1\"} 2.0",
        ] {
            assert!(text.lines().any(|one| one == line), "no {line} in\n{text}");
        }
    }

    #[test]
    fn every_number_has_a_line_with_its_labels() {
        let roster = RosterResponse {
            workers: vec![WorkerStatus {
                name: "desk\"1".to_owned(),
                address: "in-process".to_owned(),
                connected: true,
                round_trip_us: 1_500,
                ..WorkerStatus::default()
            }],
            attendance: vec![PlayerAttendance {
                player: "one#2".to_owned(),
                asked: 50,
                in_time: 49,
                nodes_per_second: 400_000,
                ..PlayerAttendance::default()
            }],
            decisions: 70,
            fallbacks: 1,
            held_by: "a game".to_owned(),
            ..RosterResponse::default()
        };
        let text = text(&roster).expect("text");
        for line in [
            "monju_worker_connected{worker=\"desk\\\"1\",address=\"in-process\"} 1.0",
            "monju_worker_round_trip_seconds{worker=\"desk\\\"1\",address=\"in-process\"} 0.0015",
            "monju_player_in_time{player=\"one#2\"} 49.0",
            "monju_players_held 1.0",
            "monju_decisions_total 70",
            "monju_fallbacks_total 1",
            "# EOF",
        ] {
            assert!(text.lines().any(|one| one == line), "no {line} in\n{text}");
        }
        let classic = classic(&text);
        for lines in [
            "# HELP monju_decisions_total Decisions since the coordinator began.\n# TYPE monju_decisions_total counter\n\
             monju_decisions_total 70\n",
            "# TYPE monju_players_held gauge\nmonju_players_held 1.0\n",
        ] {
            assert!(classic.contains(lines), "no {lines} in\n{classic}");
        }
        assert!(!classic.contains("# EOF"), "{classic}");
        assert_eq!(classic.lines().count() + 1, text.lines().count());
    }

    #[test]
    fn who_asks_for_the_newer_format_gets_it_and_others_the_older_one() {
        for (accepted, kind) in [
            (None, CLASSIC_TYPE),
            (Some("*/*"), CLASSIC_TYPE),
            (Some("text/plain;version=0.0.4"), CLASSIC_TYPE),
            (
                Some(
                    "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2",
                ),
                OPEN_METRICS_TYPE,
            ),
        ] {
            let accepted = accepted.map(|types| (header::ACCEPT, types.parse().expect("types")));
            let headers = HeaderMap::from_iter(accepted);
            let response = answer(&headers, "# EOF\n");
            assert_eq!(
                response.headers()[header::CONTENT_TYPE],
                kind,
                "{headers:?}"
            );
        }
    }
}
