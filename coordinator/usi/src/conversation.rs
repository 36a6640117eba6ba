//! One consultation over gRPC, as a stream of events.

use super::proxy::assembled_team::Client;
use monju_proto::v1::{
    Ballot, Begin, Clock, ConsultRequest, ConsultationPonderHit, StopConsultation, consult_request,
    consult_response,
};
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::Streaming;

/// What the coordinator tells.
#[derive(Debug)]
pub enum Event {
    /// The votes as they stand.
    Standing(Ballot),
    /// The decided ballot; nothing follows.
    Decided(Ballot),
    /// The stream broke, in one line; nothing follows.
    Broken(String),
}

/// A running consultation. Dropping it cancels the consultation.
#[derive(Debug)]
pub struct Conversation {
    requests: mpsc::UnboundedSender<ConsultRequest>,
    events: mpsc::UnboundedReceiver<Event>,
    task: JoinHandle<()>,
}

impl Conversation {
    /// Begins a consultation. Stop and ponder hit may follow before the coordinator has answered.
    pub fn begin(client: Client, begin: Begin) -> Self {
        let (requests, upstream) = mpsc::unbounded_channel();
        let (sender, events) = mpsc::unbounded_channel();
        let conversation = Self {
            requests,
            events,
            task: tokio::spawn(listen(client, upstream, sender)),
        };
        conversation.send(consult_request::Message::Begin(begin));
        conversation
    }

    /// Asks for the decision now.
    pub fn stop(&self) {
        self.send(consult_request::Message::Stop(StopConsultation {}));
    }

    /// Says that the pondered move was played.
    pub fn ponder_hit(&self, clock: Option<Clock>) {
        self.send(consult_request::Message::PonderHit(ConsultationPonderHit {
            clock,
        }));
    }

    /// The next event.
    pub async fn next(&mut self) -> Event {
        self.events
            .recv()
            .await
            .unwrap_or_else(|| Event::Broken("the consultation ended unexpectedly".to_owned()))
    }

    fn send(&self, message: consult_request::Message) {
        // A broken stream is reported by `next`.
        let _ = self.requests.send(ConsultRequest {
            message: Some(message),
        });
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(
    mut client: Client,
    upstream: mpsc::UnboundedReceiver<ConsultRequest>,
    events: mpsc::UnboundedSender<Event>,
) {
    let broken = match client.consult(UnboundedReceiverStream::new(upstream)).await {
        Ok(response) => forward(response.into_inner(), &events).await,
        Err(status) => Some(status.message().to_owned()),
    };
    if let Some(reason) = broken {
        let reason = format!("the coordinator failed: {reason}");
        // Nobody listens any more when the conversation was dropped.
        let _ = events.send(Event::Broken(reason));
    }
}

/// Hands events on until the decision; otherwise says why the stream ended.
async fn forward(
    mut stream: Streaming<monju_proto::v1::ConsultResponse>,
    events: &mpsc::UnboundedSender<Event>,
) -> Option<String> {
    loop {
        match stream.message().await {
            Ok(Some(response)) => match response.message {
                Some(consult_response::Message::Standing(ballot)) => {
                    let _ = events.send(Event::Standing(ballot));
                }
                Some(consult_response::Message::Ballot(ballot)) => {
                    let _ = events.send(Event::Decided(ballot));
                    return None;
                }
                None => {}
            },
            Ok(None) => return Some("it ended the consultation without a decision".to_owned()),
            Err(status) => return Some(status.message().to_owned()),
        }
    }
}
