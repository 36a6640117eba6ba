//! The one client of a consultation: a begun stream, its standings, and its decision.

use crate::text::brief;
use crate::v1::{
    Ballot, Begin, Clock, ConsultRequest, ConsultResponse, ConsultationPonderHit, StopConsultation,
    consult_request, consult_response::Message, coordinator_client::CoordinatorClient,
};
use std::error::Error;
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Status, Streaming, transport::Channel};

/// Greatest message of a coordinator, in bytes: a ballot of as many votes as a team may have, each with what
/// workers are allowed to say.
const LONGEST_MESSAGE: usize = 64 << 20;

/// Returns the client of a coordinator.
pub fn coordinator_client(channel: Channel) -> CoordinatorClient<Channel> {
    CoordinatorClient::new(channel).max_decoding_message_size(LONGEST_MESSAGE)
}

/// News of a consultation.
#[derive(Debug)]
pub enum ConsultationEvent {
    /// The votes as they stand.
    Standing(Ballot),
    /// The decided ballot; nothing follows.
    Decided(Ballot),
    /// The stream broke; nothing follows.
    Broken(ConsultationError),
}

/// Why a consultation ended without a decision. It has no source: its text names the cause in plain words.
#[derive(Debug, thiserror::Error)]
pub enum ConsultationError {
    /// The call failed.
    #[error("{}", reason(.0))]
    Call(Status),
    /// The coordinator closed the stream.
    #[error("the coordinator ended the consultation without a decision")]
    Undecided,
}

impl From<Status> for ConsultationError {
    fn from(status: Status) -> Self {
        Self::Call(status)
    }
}

/// A running consultation. Dropping it cancels the consultation.
#[derive(Debug)]
pub struct ConsultationClient {
    requests: mpsc::UnboundedSender<ConsultRequest>,
    events: mpsc::UnboundedReceiver<ConsultationEvent>,
    task: JoinHandle<()>,
}

impl ConsultationClient {
    /// Begins a consultation. Stop and ponder hit may follow before the coordinator has answered.
    pub fn begin(client: CoordinatorClient<Channel>, begin: Begin) -> Self {
        // The sender stays open: its end would tell the coordinator that no stop can follow.
        let (requests, upstream) = mpsc::unbounded_channel();
        let (sender, events) = mpsc::unbounded_channel();
        let consultation = Self {
            requests,
            events,
            task: tokio::spawn(listen(client, upstream, sender)),
        };
        consultation.send(consult_request::Message::Begin(begin));
        consultation
    }

    /// Asks for the decision now.
    pub fn stop(&self) {
        self.send(consult_request::Message::Stop(StopConsultation {}));
    }

    /// Tells the coordinator that the pondered move was played, the clock as it stands now, and the time to set aside
    /// of it in milliseconds.
    pub fn ponder_hit(&self, clock: Option<Clock>, overhead_ms: Option<u32>) {
        let hit = ConsultationPonderHit { clock, overhead_ms };
        self.send(consult_request::Message::PonderHit(hit));
    }

    /// Waits for the next event. Safe to drop and call again.
    pub async fn next(&mut self) -> ConsultationEvent {
        let event = self.events.recv().await;
        event.unwrap_or(ConsultationEvent::Broken(ConsultationError::Undecided))
    }

    /// Returns the next event that has arrived already.
    pub fn arrived(&mut self) -> Option<ConsultationEvent> {
        self.events.try_recv().ok()
    }

    /// Waits for the decided ballot and passes over the standings.
    ///
    /// # Errors
    /// The stream broke.
    pub async fn decided(mut self) -> Result<Ballot, ConsultationError> {
        loop {
            match self.next().await {
                ConsultationEvent::Standing(_) => {}
                ConsultationEvent::Decided(ballot) => return Ok(ballot),
                ConsultationEvent::Broken(error) => return Err(error),
            }
        }
    }

    fn send(&self, message: consult_request::Message) {
        // A broken stream is reported by `next`.
        let _ = self.requests.send(ConsultRequest {
            message: Some(message),
        });
    }
}

impl Drop for ConsultationClient {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(
    mut client: CoordinatorClient<Channel>,
    upstream: mpsc::UnboundedReceiver<ConsultRequest>,
    events: mpsc::UnboundedSender<ConsultationEvent>,
) {
    let end = match client.consult(UnboundedReceiverStream::new(upstream)).await {
        Ok(response) => forward(response.into_inner(), &events).await,
        Err(status) => Err(status.into()),
    };
    // The receiver is gone when the consultation was dropped.
    let _ = events.send(match end {
        Ok(ballot) => ConsultationEvent::Decided(ballot),
        Err(error) => ConsultationEvent::Broken(error),
    });
}

/// Passes standings on until the decision.
async fn forward(
    mut stream: Streaming<ConsultResponse>,
    events: &mpsc::UnboundedSender<ConsultationEvent>,
) -> Result<Ballot, ConsultationError> {
    while let Some(response) = stream.message().await? {
        match response.message {
            Some(Message::Standing(ballot)) => {
                let _ = events.send(ConsultationEvent::Standing(ballot));
            }
            Some(Message::Ballot(ballot)) => return Ok(ballot),
            None => {}
        }
    }
    Err(ConsultationError::Undecided)
}

/// The end of an encrypted connection that nobody has announced.
const CLOSED: &str = "the other side has closed the connection: it has ended, or our certificate may have been revoked";

/// Returns the innermost cause of a failed call, as one line of plain text: the other side may have written it.
pub fn reason(status: &Status) -> String {
    let reason = match (status.source(), status.message()) {
        // The library says it with the address of its manual.
        (Some(cause), _) if innermost(cause).to_string().contains("close_notify") => CLOSED,
        (Some(cause), _) => &innermost(cause).to_string(),
        (None, "") => status.code().description(),
        (None, message) => message,
    };
    brief(reason)
}

/// Returns the innermost cause of an error, which may be the error itself.
pub fn innermost<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut innermost = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io, sync::Arc};

    #[test]
    fn a_connection_that_is_closed_without_a_word_may_be_that_of_a_revoked_certificate() {
        let text =
            "peer closed connection without sending TLS close_notify: https://docs.rs/rustls";
        let status = |text: &str| {
            let mut status = Status::unavailable("transport error");
            status.set_source(Arc::new(io::Error::other(text.to_owned())));
            reason(&status)
        };
        assert_eq!(status(text), CLOSED);
        assert_eq!(status("connection refused"), "connection refused");
    }
}
