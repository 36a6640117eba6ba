//! Commands to a consultation.

use monju_proto::v1::Clock;
use std::time::Duration;

/// A command to a consultation under way.
#[derive(Clone, Debug)]
pub enum ConsultationCommand {
    /// Decide now from the votes so far.
    Stop,
    /// The pondered move was played.
    PonderHit(HitClock),
}

/// The clock with which a pondered move was played.
#[derive(Clone, Copy, Debug, Default)]
pub struct HitClock {
    /// The current clock, if it was sent.
    pub clock: Option<Clock>,
    /// Time to set aside of it, if it was sent.
    pub overhead: Option<Duration>,
}
