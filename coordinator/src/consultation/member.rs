//! One player's part in a consultation: a `Think` stream.

use crate::roster::reason;
use monju_proto::v1::{
    Go, Limits, Line, PonderHit, Stop, ThinkRequest, ThinkResult, think_request,
    think_response::Message, worker_client::WorkerClient,
};
use tokio::{sync::mpsc, task::AbortHandle};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, transport::Channel};

/// Go, ponder hit and stop: no more is ever sent upstream.
const UPSTREAM: usize = 3;

/// What a player lets the consultation know.
#[derive(Debug)]
pub enum Event {
    /// A new best move, or a finished iteration.
    Progress(Line),
    /// The end of its thinking.
    Result(ThinkResult),
    /// It will say nothing more, and why.
    Failed(String),
}

/// One player's `Think` stream. Dropping it closes the stream, which cancels the search.
#[derive(Debug)]
pub struct Member {
    upstream: mpsc::Sender<ThinkRequest>,
    downstream: AbortHandle,
}

impl Drop for Member {
    fn drop(&mut self) {
        self.downstream.abort();
    }
}

impl Member {
    /// Asks a player to think. Its events come through `events` under `number`.
    pub fn ask(channel: Channel, go: Go, number: u64, events: mpsc::Sender<(u64, Event)>) -> Self {
        let (upstream, requests) = mpsc::channel(UPSTREAM);
        let downstream = tokio::spawn(async move {
            let end = match think(channel, requests, number, &events).await {
                Ok(result) => Event::Result(result),
                Err(status) => Event::Failed(reason(&status)),
            };
            // Nobody listens any more when the decision has fallen.
            let _ = events.send((number, end)).await;
        });
        let member = Self {
            upstream,
            downstream: downstream.abort_handle(),
        };
        member.send(think_request::Message::Go(go));
        member
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
        // There is room for every message that is ever sent; a closed stream reports itself.
        let _ = self.upstream.try_send(ThinkRequest {
            message: Some(message),
        });
    }
}

async fn think(
    channel: Channel,
    requests: mpsc::Receiver<ThinkRequest>,
    number: u64,
    events: &mpsc::Sender<(u64, Event)>,
) -> Result<ThinkResult, Status> {
    let mut client = WorkerClient::new(channel);
    let mut stream = client
        .think(ReceiverStream::new(requests))
        .await?
        .into_inner();
    while let Some(response) = stream.message().await? {
        match response.message {
            Some(Message::Progress(line)) => {
                let _ = events.send((number, Event::Progress(line))).await;
            }
            Some(Message::Result(result)) => return Ok(result),
            None => {}
        }
    }
    Err(Status::aborted("the stream ended without a vote"))
}
