//! One consultation from its request to its decision.

mod calls;
mod command;
mod decision_timer;
mod failure_log;
mod fallback;
mod laggards;
mod player_stream;
mod running;
mod settled;
mod setup;
#[cfg(test)]
mod tests;

pub use calls::KeptSearches;
pub use command::{ConsultationCommand, HitClock};
pub use setup::{ConsultationSetup, PonderTargets};

use crate::{clock, roster::PlayerSlot};
use monju_proto::v1::Ballot;
use running::RunningConsultation;
use tokio::sync::{mpsc, watch};

/// The end of a consultation.
#[derive(Debug, Default)]
pub struct ConsultationOutcome {
    /// The decided ballot; `None` if the caller has hung up: the receiver of standings is gone, or the
    /// commands end during a ponder.
    pub ballot: Option<Ballot>,
    /// After a missed ponder, the searches about other replies, which go on.
    pub kept: Option<KeptSearches>,
    /// The opponent has not played to the position of the ballot.
    pub missed: bool,
}

/// Asks every player and decides.
///
/// The undecided ballot goes to `standings` while the players think. Searches in `kept` about the same
/// position go on.
pub async fn consult(
    setup: ConsultationSetup,
    slots: &[PlayerSlot],
    mut commands: mpsc::Receiver<ConsultationCommand>,
    standings: mpsc::Sender<Ballot>,
    kept: Option<KeptSearches>,
) -> ConsultationOutcome {
    let mut consultation = RunningConsultation::begin(setup, slots, kept);
    let mut listening = true;
    while !consultation.is_over() {
        tokio::select! {
            biased;
            () = clock::until(consultation.timer.decide_at()) => break,
            () = standings.closed() => return ConsultationOutcome::default(),
            command = commands.recv(), if listening => match command {
                Some(command) => consultation.handle(command),
                None if consultation.pondering => return ConsultationOutcome::default(),
                None => listening = false,
            },
            () = clock::until(consultation.timer.stop_at()) => consultation.review_and_stop(),
            () = clock::until(consultation.timer.laggards_stop_at()) => consultation.stop_laggards(),
            () = clock::until(consultation.check_at()) => consultation.search_if_silent(),
            () = consultation.fallback.ended() => consultation.end_with_fallback(),
            () = clock::until(consultation.retry_at) => consultation.ask_lost_players(),
            () = clock::until(consultation.timer.review_at()) => consultation.review(),
            () = clock::until(consultation.standing_at) => {
                // A slow reader gets the next standing instead.
                let _ = standings.try_send(consultation.standing());
            }
            // Last, so that players who never fall silent hold nothing up.
            (slot, event) = consultation.calls.next() => consultation.enter(slot, event),
        }
    }
    let kept = consultation.end_calls();
    let missed = consultation.missed;
    let (stop, stopped) = watch::channel(false);
    let decision = consultation.decide(stopped);
    tokio::pin!(decision);
    loop {
        tokio::select! {
            biased;
            ballot = &mut decision => return ConsultationOutcome { ballot: Some(ballot), kept, missed },
            () = standings.closed() => return ConsultationOutcome::default(),
            command = commands.recv(), if listening => match command {
                Some(ConsultationCommand::Stop) => {
                    stop.send_replace(true);
                }
                Some(ConsultationCommand::PonderHit(_)) => {}
                None => listening = false,
            },
        }
    }
}
