//! The council's page: the board, the clocks, the votes as they change, who disagrees, who is late or gone, the graph
//! of the game and the games before it, those of the ballot log too.
//!
//! An observer watches a coordinator like any other client. The page comes with the games so far; its events begin with
//! all games again, and so they do for a page that lags behind.

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
use serde_json::Value;
use std::{convert::Infallible, path::PathBuf, sync::Arc};
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

/// Sends everything first, and again to a page that has missed some events, so that nothing else is asked for that
/// could be older than what the page shows already.
async fn events(State(feed): State<Feed>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (everything, events) = feed.subscribe();
    let changes = BroadcastStream::new(events).map(move |event| match event {
        Ok(text) => text,
        Err(_) => whole(feed.json()),
    });
    let events = tokio_stream::once(whole(everything)).chain(changes);
    Sse::new(events.map(|text| Ok(Event::default().data(&*text)))).keep_alive(KeepAlive::default())
}

/// The event of everything.
fn whole(mut everything: Value) -> Arc<str> {
    everything["kind"] = "all".into();
    everything.to_string().into()
}
