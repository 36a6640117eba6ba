//! The council's page: the board, the clocks, the votes as they change, who disagrees, who is late or gone, the graph
//! of the game and the games before it, those of the ballot log too.
//!
//! An observer watches a coordinator like any other client. The page comes with the present game and the names of
//! those before it, whose positions it asks for when one is chosen; its events begin with the same again, and so they
//! do for a page that lags behind.

mod archive;
mod feed;
mod history;
mod observer;

pub use feed::CurrentCoordinator;
pub(crate) use history::CouncilHistory;

use crate::{BOARD, PARTS, STYLE, server};
use archive::Archive;
use axum::{
    Router,
    extract::{Path, State},
    http::StatusCode,
    response::{
        Html, IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::get,
};
use feed::Feed;
use serde_json::Value;
use std::{convert::Infallible, path::PathBuf, sync::Arc};
use tokio::sync::{broadcast::error::RecvError, mpsc, watch};
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};

/// The page; style and board stand in it as marks.
const PAGE: &str = include_str!("council.html");

/// The contents of the page. Clones show the same.
#[derive(Clone, Debug)]
pub struct Council {
    feed: Feed,
    archive: Archive,
}

impl Council {
    /// Watches the coordinator, and the next one when it changes, for as long as the sender lives. Past games are read
    /// from the ballot log that is in use, if there is one.
    pub fn watch(
        coordinator: watch::Receiver<CurrentCoordinator>,
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
            .route("/games/{id}", get(game))
            .with_state(self.feed)
            .merge(self.archive.routes())
    }
}

async fn page(State(feed): State<Feed>) -> Html<String> {
    // In a script, no text of the state may look like the end of it.
    let state = server::json_text(&feed.json()).replace('<', "\\u003c");
    let page = PAGE
        .replacen("STYLE", STYLE, 1)
        .replacen("PARTS", PARTS, 1)
        .replacen("BOARD", BOARD, 1);
    Html(page.replacen("\"STATE\"", &state, 1))
}

async fn state(State(feed): State<Feed>) -> Response {
    server::json(&feed.json())
}

async fn game(State(feed): State<Feed>, Path(id): Path<String>) -> Response {
    match feed.game(&id) {
        Some(game) => server::json(&game),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Sends everything first, and again to a page that has missed some events, so that nothing else is asked for that
/// could be older than what the page shows already.
async fn events(State(feed): State<Feed>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (sender, events) = mpsc::channel(1);
    tokio::spawn(async move {
        tokio::select! {
            () = sender.closed() => {}
            () = send_events(&feed, &sender) => {}
        }
    });
    let events = ReceiverStream::new(events);
    Sse::new(events.map(|text: Arc<str>| Ok(Event::default().data(&*text))))
        .keep_alive(KeepAlive::default())
}

/// Sends events to one page until it, or the feed, is gone.
async fn send_events(feed: &Feed, page: &mpsc::Sender<Arc<str>>) {
    loop {
        let (everything, mut changes) = feed.subscribe();
        let mut text = whole(everything);
        loop {
            if page.send(text).await.is_err() {
                return;
            }
            text = match changes.recv().await {
                Ok(text) => text,
                // What is left of the old events is older than everything, which comes next.
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return,
            };
        }
    }
}

/// The event of everything.
fn whole(mut everything: Value) -> Arc<str> {
    everything["kind"] = "all".into();
    server::json_text(&everything).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn no_name_turns_or_hides_the_text_around_it() {
        let feed = Feed::default();
        let (_, mut events) = feed.subscribe();
        feed.note(|_| Some(json!({ "name": "a\u{202e}b\u{200b}\u{9b}c" })));
        let event = events.recv().await.expect("an event");
        assert_eq!(&*event, r#"{"name":"a b  c"}"#);
    }

    #[tokio::test]
    async fn a_page_that_lags_gets_everything_and_nothing_older_after_it() {
        let feed = Feed::default();
        let (sender, mut events) = mpsc::channel(1);
        let sending = {
            let feed = feed.clone();
            tokio::spawn(async move { send_events(&feed, &sender).await })
        };
        let mut next = async || {
            let text = events.recv().await.expect("an event");
            let event: Value = serde_json::from_str(&text).expect("JSON");
            (event["kind"].clone(), event["number"].clone())
        };
        assert_eq!(next().await, (json!("all"), Value::Null));
        // More than are kept, while nothing is sent on.
        for number in 0..200 {
            feed.note(|_| Some(json!({ "kind": "change", "number": number })));
        }
        assert_eq!(next().await, (json!("all"), Value::Null));
        feed.note(|_| Some(json!({ "kind": "change", "number": 200 })));
        assert_eq!(next().await, (json!("change"), json!(200)));
        sending.abort();
    }
}
