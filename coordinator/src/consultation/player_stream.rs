//! One player's `Think` stream.

use crate::door;
use monju_proto::client::reason;
use monju_proto::v1::{
    Go, Limits, Line, PonderHit, Stop, ThinkRequest, ThinkResult, think_request,
    think_response::Message,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::{sync::mpsc, task::AbortHandle};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, transport::Channel};

/// Number of messages upstream: go, ponder hit, and stop from a laggard's time and from the end of all.
const UPSTREAM: usize = 4;

/// A message of a player to the consultation.
#[derive(Debug)]
pub enum PlayerEvent {
    /// A new best move, or a finished iteration.
    Progress(LatestLine),
    /// Its final line.
    Result(ThinkResult),
    /// The end of the stream without a result, with the reason.
    Failed(String),
}

/// The place of a player's last line that was not read yet. However many lines come, one event waits to be entered,
/// so that no player keeps the others from being heard.
#[derive(Clone, Debug, Default)]
pub struct LatestLine(Arc<Mutex<Option<Line>>>);

impl LatestLine {
    /// Puts a line there; returns true if an event has to tell of it.
    fn put(&self, line: Line) -> bool {
        self.place().replace(line).is_none()
    }

    /// Takes the line.
    pub fn take(&self) -> Option<Line> {
        self.place().take()
    }

    fn place(&self) -> MutexGuard<'_, Option<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One player's `Think` stream. Dropping it closes the stream, which cancels the search.
#[derive(Debug)]
pub struct PlayerStream {
    upstream: mpsc::Sender<ThinkRequest>,
    downstream: AbortHandle,
}

impl Drop for PlayerStream {
    fn drop(&mut self) {
        self.downstream.abort();
    }
}

impl PlayerStream {
    /// Asks a player to think; its events arrive through `events` under `number`.
    pub fn ask(
        channel: Channel,
        go: Go,
        number: u64,
        events: mpsc::Sender<(u64, PlayerEvent)>,
    ) -> Self {
        let (upstream, requests) = mpsc::channel(UPSTREAM);
        let downstream = tokio::spawn(async move {
            let end = match think(channel, requests, number, &events).await {
                Ok(result) => PlayerEvent::Result(result),
                Err(status) => PlayerEvent::Failed(reason(&status)),
            };
            // The receiver is gone after the decision.
            let _ = events.send((number, end)).await;
        });
        let stream = Self {
            upstream,
            downstream: downstream.abort_handle(),
        };
        stream.send(think_request::Message::Go(go));
        stream
    }

    /// Tells the player to name its move now.
    pub fn stop(&self) {
        self.send(think_request::Message::Stop(Stop {}));
    }

    /// Tells the player that the pondered move was played.
    pub fn ponder_hit(&self, limits: Limits) {
        self.send(think_request::Message::PonderHit(PonderHit {
            limits: Some(limits),
        }));
    }

    fn send(&self, message: think_request::Message) {
        // There is room for every message; a closed stream reports its end as an event.
        let _ = self.upstream.try_send(ThinkRequest {
            message: Some(message),
        });
    }
}

async fn think(
    channel: Channel,
    requests: mpsc::Receiver<ThinkRequest>,
    number: u64,
    events: &mpsc::Sender<(u64, PlayerEvent)>,
) -> Result<ThinkResult, Status> {
    let mut stream = door::search_client(channel)
        .think(ReceiverStream::new(requests))
        .await?
        .into_inner();
    let latest = LatestLine::default();
    while let Some(response) = stream.message().await? {
        match response.message {
            Some(Message::Progress(line)) => {
                let is_untold = latest.put(door::line_within(line)?);
                if is_untold {
                    let event = PlayerEvent::Progress(latest.clone());
                    let _ = events.send((number, event)).await;
                }
            }
            Some(Message::Result(result)) => {
                return Ok(door::result(result)?);
            }
            None => {}
        }
    }
    Err(Status::aborted("the stream ended without a vote"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_event_waits_however_many_lines_come() {
        let line = |depth| Line {
            depth,
            ..Line::default()
        };
        let (latest, reader) = {
            let latest = LatestLine::default();
            (latest.clone(), latest)
        };
        assert!(latest.put(line(1)), "an event tells of it");
        assert!(!latest.put(line(2)) && !latest.put(line(3)));
        assert_eq!(reader.take(), Some(line(3)));
        assert_eq!(reader.take(), None);
        assert!(latest.put(line(4)), "and one of the next");
    }
}
