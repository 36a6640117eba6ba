//! Commands to a consultation.

use monju_proto::v1::Clock;

/// A command to a consultation under way.
#[derive(Clone, Debug)]
pub enum ConsultationCommand {
    /// Decide now from the votes so far.
    Stop,
    /// The pondered move was played; the current clock, if it was sent.
    PonderHit(Option<Clock>),
}
