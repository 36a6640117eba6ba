//! One player's `Think` stream.

use crate::door;
use monju_proto::client::reason;
use monju_proto::v1::{
    Go, Limits, Line, PonderHit, Stop, ThinkRequest, ThinkResult, think_request,
    think_response::Message,
};
use tokio::{sync::mpsc, task::AbortHandle};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, transport::Channel};

/// Number of messages upstream: go, ponder hit and stop.
const UPSTREAM: usize = 3;

/// A message of a player to the consultation.
#[derive(Debug)]
pub enum PlayerEvent {
    /// A new best move, or a finished iteration.
    Progress(Line),
    /// Its final line.
    Result(ThinkResult),
    /// The end of the stream without a result, with the reason.
    Failed(String),
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
    while let Some(response) = stream.message().await? {
        match response.message {
            Some(Message::Progress(line)) => {
                door::line(&line)?;
                let _ = events.send((number, PlayerEvent::Progress(line))).await;
            }
            Some(Message::Result(result)) => {
                door::result(&result)?;
                return Ok(result);
            }
            None => {}
        }
    }
    Err(Status::aborted("the stream ended without a vote"))
}
