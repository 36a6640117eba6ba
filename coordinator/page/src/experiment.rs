//! The page of an experiment: progress and intervals of every cell, the games under way, incidents, the whole report,
//! and its numbers for Prometheus.

use crate::{
    BOARD, PARTS, STYLE,
    metrics::{self, experiment_text},
    server::json_text,
};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{
        Html, IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::get,
};
use serde_json::Value;
use std::{convert::Infallible, error::Error, future::Future, pin::Pin, sync::Arc};
use tokio::sync::watch;
use tokio_stream::{Stream, StreamExt, wrappers::WatchStream};

/// Makes the report as a page.
pub type Reporter =
    Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ReportResult> + Send>> + Send + Sync>;

/// The report as a page, or the reason why there is none.
pub type ReportResult = Result<String, Box<dyn Error + Send + Sync>>;

/// Key of the state for a store that does not answer: the moment, as `since_ms` of 1970, and the `reason`. The rest of
/// the state is what was known then.
pub const LOST: &str = "lost";

/// The page; the style and the state stand in it as marks.
const PAGE: &str = include_str!("experiment.html");

/// The contents of the page. Clones show the same.
#[derive(Clone)]
pub struct ExperimentPage {
    /// The state as `monju experiment status --json` has it, with `title`, `pairs_per_hour`, `incidents`, `runners` and
    /// `under_way`.
    pub state: watch::Receiver<Value>,
    /// Makes the report.
    pub reporter: Reporter,
}

impl std::fmt::Debug for ExperimentPage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ExperimentPage")
            .finish_non_exhaustive()
    }
}

impl ExperimentPage {
    /// Returns the routes of the page.
    pub fn routes(self) -> Router {
        Router::new()
            .route("/", get(page))
            .route("/state", get(state))
            .route("/events", get(events))
            .route("/report", get(report))
            .route("/metrics", get(metrics))
            .with_state(self)
    }

    fn text(&self) -> String {
        json_text(&self.state.borrow())
    }
}

async fn page(State(page): State<ExperimentPage>) -> Html<String> {
    // In a script, no text of the state may look like the end of it.
    let state = page.text().replace('<', "\\u003c");
    Html(
        PAGE.replacen("STYLE", STYLE, 1)
            .replacen("PARTS", PARTS, 1)
            .replacen("BOARD", BOARD, 1)
            .replacen("\"STATE\"", &state, 1),
    )
}

async fn state(State(page): State<ExperimentPage>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], page.text()).into_response()
}

async fn events(
    State(page): State<ExperimentPage>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    // The state of now comes first: it may be newer than the page.
    let states = WatchStream::new(page.state);
    let events = states.map(|state| Ok(Event::default().data(json_text(&state))));
    Sse::new(events).keep_alive(KeepAlive::default())
}

async fn metrics(State(page): State<ExperimentPage>, headers: HeaderMap) -> Response {
    let text = {
        let state = page.state.borrow();
        // Numbers of the past would be taken for those of now.
        if state.get(LOST).is_some() {
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        experiment_text(&state)
    };
    match text {
        Ok(text) => metrics::answer(&headers, &text),
        Err(std::fmt::Error) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn report(State(page): State<ExperimentPage>) -> Response {
    match (page.reporter)().await {
        Ok(report) => Html(report).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}
