//! A team that has been assembled, and the coordinator that speaks for it.

use super::{
    coordinators::{Asked, CoordinatorWatchers, Coordinators},
    team_claim::TeamClaim,
};
use monju_coordinator::choices::ConsultationChoices;
use monju_proto::v1::PrepareGameRequest;
use monju_team::team::{IgnoredChoice, Team};
use std::{future::Future, pin::Pin, time::Duration};
use tokio::{task::JoinHandle, time::timeout};
use tonic::Code;

/// Time that the players get to prepare for a game; without an answer the game is tried anyway.
const PREPARATION: Duration = Duration::from_secs(30);

/// The way to a coordinator, with the settings that consultations name.
#[derive(Clone, Debug)]
pub struct Contact {
    /// The coordinators.
    pub coordinators: Coordinators,
    /// The choices to name in consultations.
    pub consultation: ConsultationChoices,
    /// Time that the coordinator sets aside of every clock.
    pub overhead: Duration,
    /// The session's claim on the players.
    pub claim: TeamClaim,
}

/// A team and the future that closes it. Dropping it also closes the team, without waiting.
pub struct AssembledTeam {
    contact: Contact,
    /// Choices that do not hold, to be reported to the user.
    notes: Vec<String>,
    close: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// The game that the players are prepared for.
    prepared_game: Option<String>,
    /// Renews the claim on the players.
    renewal: JoinHandle<()>,
}

impl Drop for AssembledTeam {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

/// The reason why players are not prepared for a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// Another session holds the players.
    #[error("one player answers alone: {0}")]
    Held(String),
    /// The coordinator answered with an error.
    #[error("the players could not prepare for the game: {0}")]
    Refused(String),
    /// The coordinator did not answer.
    #[error("the players took more than {} s to prepare for the game", PREPARATION.as_secs())]
    Slow,
}

impl AssembledTeam {
    /// Keeps a team. `notes` are reported to the user; `close` owns the team and closes it when it
    /// is run.
    pub fn new(
        contact: Contact,
        notes: Vec<String>,
        close: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let renewal = contact.claim.clone().keep(contact.coordinators.clone());
        Self {
            renewal: tokio::spawn(renewal),
            contact,
            notes,
            close: Box::pin(close),
            prepared_game: None,
        }
    }

    /// Keeps a team that a session claims. `observers` hear which coordinator speaks for it.
    pub fn of(team: Team, claim: TeamClaim, observers: CoordinatorWatchers) -> Self {
        let contact = Contact {
            coordinators: Coordinators::new(
                (team.name.clone(), team.client.clone()),
                team.others.clone(),
            )
            .observed_by(observers),
            consultation: team.consultation.clone(),
            overhead: team.overhead,
            claim,
        };
        let notes = team.ignored.iter().map(IgnoredChoice::note).collect();
        Self::new(contact, notes, team.close())
    }

    /// Returns the way to the coordinator.
    pub fn contact(&self) -> &Contact {
        &self.contact
    }

    /// Prepares the players for a game: once, and again if they have been given up since. Returns the problems that
    /// do not keep the game from being played.
    ///
    /// # Errors
    /// The coordinator refused, or did not answer in time.
    pub async fn prepare(&mut self, game_id: &str) -> Result<Vec<String>, PrepareError> {
        if self.prepared_game.as_deref() == Some(game_id) && self.contact.claim.is_made() {
            return Ok(Vec::new());
        }
        let mut others = self.contact.coordinators.len() - 1;
        loop {
            let asked = self.contact.coordinators.asked();
            match self.prepare_by(&asked, game_id).await {
                Err(PrepareError::Refused(reason)) if others > 0 => {
                    others -= 1;
                    let next = self.contact.coordinators.take_over(&asked);
                    tracing::warn!(reason, next, "another coordinator takes over");
                }
                outcome => return outcome,
            }
        }
    }

    async fn prepare_by(
        &mut self,
        asked: &Asked,
        game_id: &str,
    ) -> Result<Vec<String>, PrepareError> {
        let request = PrepareGameRequest {
            game_id: game_id.to_owned(),
            claim: Some(self.contact.claim.of_game().await),
        };
        let mut client = asked.client.clone();
        match timeout(PREPARATION, client.prepare_game(request)).await {
            Ok(Ok(response)) => {
                self.prepared_game = Some(game_id.to_owned());
                let notes = self.notes.iter().cloned();
                Ok(notes.chain(response.into_inner().problems).collect())
            }
            Ok(Err(status)) if status.code() == Code::FailedPrecondition => {
                self.contact.claim.refused();
                Err(PrepareError::Held(status.message().to_owned()))
            }
            Ok(Err(status)) => Err(PrepareError::Refused(status.message().to_owned())),
            Err(_) => Err(PrepareError::Slow),
        }
    }

    /// Lets others have the players, and closes the team.
    pub async fn close(mut self) {
        self.renewal.abort();
        let mut client = self.contact.coordinators.asked().client;
        let claim = &self.contact.claim;
        claim.release(claim.number(), &mut client).await;
        (&mut self.close).await;
    }
}
