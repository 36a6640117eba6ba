//! The council's page: the board, the clocks, the votes as they change, who disagrees, who is late or gone, the graph
//! of the game and the games before it.
//!
//! An observer watches a coordinator like any other client. The page gets the games so far as one object, then events
//! as they come; a page that lags behind loads the object again.

mod feed;
mod history;
mod observer;

pub use feed::Coordinator;

use crate::{BOARD, PARTS, STYLE};
use axum::{
    Router,
    extract::State,
    http::header,
    response::{
        Html, IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::get,
};
use feed::Feed;
use std::convert::Infallible;
use tokio::sync::watch;
use tokio_stream::{Stream, StreamExt, wrappers::BroadcastStream};

/// The page; style and board stand in it as marks.
const PAGE: &str = include_str!("council.html");

/// What the page shows. Clones show the same.
#[derive(Clone, Debug)]
pub struct Council(Feed);

impl Council {
    /// Watches the coordinator, and the next one when it changes, for as long as the sender lives.
    pub fn watch(coordinator: watch::Receiver<Coordinator>) -> Self {
        let feed = Feed::default();
        tokio::spawn(observer::observe(coordinator, feed.clone()));
        Self(feed)
    }

    /// Returns the routes of the page.
    pub fn routes(self) -> Router {
        Router::new()
            .route("/", get(page))
            .route("/state", get(state))
            .route("/events", get(events))
            .with_state(self.0)
    }
}

async fn page(State(feed): State<Feed>) -> Html<String> {
    // In a script, no text of the state may look like the end of it.
    let state = feed.json().to_string().replace('<', "\\u003c");
    let page = PAGE
        .replacen("STYLE", STYLE, 1)
        .replacen("PARTS", PARTS, 1)
        .replacen("BOARD", BOARD, 1);
    Html(page.replacen("\"STATE\"", &state, 1))
}

async fn state(State(feed): State<Feed>) -> Response {
    let text = feed.json().to_string();
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

async fn events(State(feed): State<Feed>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = BroadcastStream::new(feed.subscribe()).map(|event| {
        Ok(match event {
            Ok(text) => Event::default().data(&*text),
            // The page has missed some, and loads everything again.
            Err(_) => Event::default().data(r#"{"kind":"again"}"#),
        })
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
