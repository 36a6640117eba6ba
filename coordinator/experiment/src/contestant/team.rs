//! A coordinator with its players as a contestant.

use super::{
    error::ContestantError,
    resources::BoardResources,
    stalls::StallWatch,
    turn::{MoveQuestion, TurnAnswer},
};
use crate::specification::{Members, SideEnsemble};
use monju_coordinator::choices::ConsultationChoices;
use monju_proto::{
    client::{ConsultationClient, ConsultationEvent},
    convert::short_milliseconds,
    reservation::Session,
    v1::{Begin, Claim, PrepareGameRequest, Purpose},
};
use monju_team::{
    config::{Config, EnsembleConfig},
    team::{self, Choices, Team},
};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::{Instant, timeout};

/// Longest silence of a coordinator, which reports standings while its players think.
const SILENCE: Duration = Duration::from_secs(30 * 60);

/// Time for which a runner holds the players of a coordinator elsewhere after its last call: the other side
/// thinks meanwhile.
const LEASE: Duration = Duration::from_secs(60);

/// A coordinator with its players.
#[derive(Debug)]
pub struct TeamContestant {
    team: Team,
    ensemble: SideEnsemble,
    stalls: StallWatch,
}

impl TeamContestant {
    /// Starts the players of an ensemble, or connects to its coordinator. Players whose effort is not
    /// measured in time take turns; the others are kept on the cores of the board.
    ///
    /// # Errors
    /// They cannot be started or reached.
    pub async fn start(
        ensemble: &SideEnsemble,
        board: &BoardResources,
    ) -> Result<Self, ContestantError> {
        let team = match &ensemble.members {
            Members::Remote { url, rule, tls } => {
                let choices = Choices {
                    coordinator: Some(url.clone()),
                    consultation: ConsultationChoices {
                        rule: *rule,
                        ..ConsultationChoices::default()
                    },
                    tls: tls.clone(),
                    ..Choices::default()
                };
                team::assemble(&choices).await
            }
            members => {
                let mut config = Config {
                    players: ensemble.players().to_vec(),
                    ..Config::default()
                };
                if let Members::Embedded {
                    players: _,
                    rule,
                    primary,
                    calibration,
                    book,
                } = members
                {
                    config.book = book.clone();
                    config.ensemble = EnsembleConfig {
                        rule: *rule,
                        primary: primary.clone(),
                        calibration: calibration.clone(),
                        // The referee judges games.
                        resignation: None,
                    };
                }
                let turns = match ensemble.is_timed() {
                    true => {
                        ensemble.keep_on(&board.cores, &mut config.players);
                        None
                    }
                    false => Some(Arc::clone(&board.turns)),
                };
                team::embed(config, &Choices::default(), turns).await
            }
        };
        Ok(Self {
            team: team.map_err(ContestantError::Start)?,
            ensemble: ensemble.clone(),
            stalls: StallWatch::new(ensemble, board),
        })
    }

    /// Its ensemble.
    pub fn ensemble(&self) -> &SideEnsemble {
        &self.ensemble
    }

    /// Takes the limits of another ensemble with the same members.
    pub fn adopt(&mut self, ensemble: &SideEnsemble) {
        self.ensemble = ensemble.clone();
    }

    /// Returns the claim on a coordinator elsewhere. All games of a runner share it: they may be played at once.
    fn claim(&self) -> Option<Claim> {
        static SESSION: OnceLock<Session> = OnceLock::new();
        matches!(self.ensemble.members, Members::Remote { .. }).then(|| {
            let session = SESSION.get_or_init(|| Session::new("an experiment's runner"));
            session.claim(Purpose::Game, LEASE)
        })
    }

    /// Prepares for a game: tables are cleared, engines are told.
    ///
    /// # Errors
    /// The coordinator is gone.
    pub async fn new_game(&mut self, game_id: &str) -> Result<(), ContestantError> {
        let request = PrepareGameRequest {
            game_id: game_id.to_owned(),
            claim: self.claim(),
        };
        let answer = timeout(SILENCE, self.team.client.prepare_game(request)).await;
        let answer = answer.map_err(|_| ContestantError::Silent(SILENCE))?;
        let refused = |status| ContestantError::Coordinator(Box::new(status));
        answer.map(|_| ()).map_err(refused)
    }

    /// Asks for a move.
    ///
    /// # Errors
    /// The coordinator is gone.
    pub async fn ask(
        &mut self,
        question: &MoveQuestion<'_>,
    ) -> Result<TurnAnswer, ContestantError> {
        let asked = Instant::now();
        let begin = self.team.consultation.named_in(Begin {
            game_id: question.game_id.to_owned(),
            position: Some(question.game.into()),
            limits: Some(self.ensemble.limits),
            seed: question.seed,
            // Without a margin the coordinator would treat the question as a GUI's, and ask lost players again.
            margin_ms: short_milliseconds(self.ensemble.margin).max(1),
            claim: self.claim(),
            ..Begin::default()
        });
        let mut consultation = ConsultationClient::begin(self.team.client.clone(), begin);
        loop {
            let event = timeout(SILENCE, consultation.next()).await;
            match event.map_err(|_| ContestantError::Silent(SILENCE))? {
                ConsultationEvent::Standing(_) => {}
                ConsultationEvent::Decided(ballot) => {
                    return Ok(TurnAnswer {
                        ballot,
                        elapsed: asked.elapsed(),
                        stall: self.stalls.longest_since(asked),
                    });
                }
                ConsultationEvent::Broken(error) => return Err(error.into()),
            }
        }
    }

    /// Ends everything that was started for it.
    pub async fn close(self) {
        self.team.close().await;
    }
}
