//! The council's page: the board, the clocks, the votes as they change, who disagrees, who is late or gone, the graph
//! of the game and the games before it, those of the ballot log too.
//!
//! An observer watches a coordinator like any other client. The page gets the games so far as one object, then events
//! as they come; a page that lags behind loads the object again.

mod archive;
mod feed;
mod history;
mod observer;

pub use feed::Coordinator;

use crate::{BOARD, PARTS, STYLE, server};
use archive::Archive;
use axum::{
    Router,
    extract::State,
    response::{
        Html, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::get,
};
use feed::Feed;
use std::{convert::Infallible, path::PathBuf};
use tokio::sync::watch;
use tokio_stream::{Stream, StreamExt, wrappers::BroadcastStream};

/// The page; style and board stand in it as marks.
const PAGE: &str = include_str!("council.html");

/// What the page shows. Clones show the same.
#[derive(Clone, Debug)]
pub struct Council {
    feed: Feed,
    archive: Archive,
}

impl Council {
    /// Watches the coordinator, and the next one when it changes, for as long as the sender lives. Past games are read
    /// from the ballot log that is in use, if there is one.
    pub fn watch(
        coordinator: watch::Receiver<Coordinator>,
        log: watch::Receiver<Option<PathBuf>>,
    ) -> Self {
        let feed = Feed::default();
        tokio::spawn(observer::observe(coordinator, feed.clone()));
        Self {
            feed,
            archive: Archive::of(log),
        }
    }

    /// Returns the routes of the page.
    pub fn routes(self) -> Router {
        Router::new()
            .route("/", get(page))
            .route("/state", get(state))
            .route("/events", get(events))
            .with_state(self.feed)
            .merge(self.archive.routes())
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
    server::json(&feed.json())
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
