//! A coordinator with its players as a contestant.

use super::{
    error::ContestantError,
    turn::{Question, TurnAnswer},
};
use crate::specification::{Ensemble, Members};
use monju_proto::v1::{
    Begin, ConsultRequest, Position, PrepareGameRequest, consult_request, consult_response::Message,
};
use monju_team::{
    config::{Config, EnsembleConfig},
    team::{self, Choices, Team},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Semaphore, mpsc},
    time::{Instant, timeout},
};
use tokio_stream::wrappers::ReceiverStream;

/// Longest silence of a coordinator, which reports standings while its players think.
const SILENCE: Duration = Duration::from_secs(30 * 60);

/// A coordinator with its players.
#[derive(Debug)]
pub struct TeamContestant {
    team: Team,
    ensemble: Ensemble,
}

impl TeamContestant {
    /// Starts the players of an ensemble, or connects to its coordinator. Players whose effort is not
    /// measured in time take turns by `turns`.
    ///
    /// # Errors
    /// They cannot be started or reached.
    pub async fn start(
        ensemble: &Ensemble,
        turns: &Arc<Semaphore>,
    ) -> Result<Self, ContestantError> {
        let team = match &ensemble.members {
            Members::Remote { url, rule, tls } => {
                let choices = Choices {
                    coordinator: Some(url.clone()),
                    rule: (!rule.is_empty()).then(|| rule.clone()),
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
                if let Members::Embedded { rule, primary, .. } = members {
                    config.ensemble = EnsembleConfig {
                        rule: *rule,
                        primary: primary.clone(),
                        ..EnsembleConfig::default()
                    };
                }
                let turns = (!ensemble.is_timed()).then(|| Arc::clone(turns));
                team::host(config, &Choices::default(), turns).await
            }
        };
        Ok(Self {
            team: team.map_err(ContestantError::Start)?,
            ensemble: ensemble.clone(),
        })
    }

    /// Its ensemble.
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// Takes the limits of another ensemble with the same members.
    pub fn adopt(&mut self, ensemble: &Ensemble) {
        self.ensemble = ensemble.clone();
    }

    /// Prepares for a game: tables are cleared, engines are told.
    ///
    /// # Errors
    /// The coordinator is gone.
    pub async fn new_game(&mut self, game_id: &str) -> Result<(), ContestantError> {
        let request = PrepareGameRequest {
            game_id: game_id.to_owned(),
        };
        let answer = timeout(SILENCE, self.team.client.prepare_game(request)).await;
        let answer = answer.map_err(|_| ContestantError::Silent(SILENCE))?;
        answer.map(|_| ()).map_err(refusal)
    }

    /// Asks for a move.
    ///
    /// # Errors
    /// The coordinator is gone.
    pub async fn ask(&mut self, question: &Question<'_>) -> Result<TurnAnswer, ContestantError> {
        let silent = |_| ContestantError::Silent(SILENCE);
        let asked = Instant::now();
        let game = question.game;
        let begin = Begin {
            game_id: question.game_id.to_owned(),
            position: Some(Position {
                start: game.start().to_owned(),
                moves: game.moves().iter().map(ToString::to_string).collect(),
            }),
            limits: Some(self.ensemble.limits),
            seed: question.seed,
            rule: self.team.rule.clone(),
            // Without a margin the coordinator would treat the question as a GUI's, and ask lost players again.
            margin_ms: u32::try_from(self.ensemble.margin.as_millis())
                .unwrap_or(u32::MAX)
                .max(1),
            ..Begin::default()
        };
        // The sender stays open until the answer: closing it would end the consultation.
        let (sender, requests) = mpsc::channel(1);
        let message = Some(consult_request::Message::Begin(begin));
        let _ = sender.send(ConsultRequest { message }).await;
        let answers = self.team.client.consult(ReceiverStream::new(requests));
        let answers = timeout(SILENCE, answers).await.map_err(silent)?;
        let mut answers = answers.map_err(refusal)?.into_inner();
        loop {
            let answer = timeout(SILENCE, answers.message()).await;
            let Some(answer) = answer.map_err(silent)?.map_err(refusal)? else {
                return Err(ContestantError::NoDecision);
            };
            if let Some(Message::Ballot(ballot)) = answer.message {
                return Ok(TurnAnswer {
                    ballot,
                    elapsed: asked.elapsed(),
                });
            }
        }
    }

    /// Ends everything that was started for it.
    pub async fn close(self) {
        self.team.close().await;
    }
}

fn refusal(status: tonic::Status) -> ContestantError {
    ContestantError::Coordinator(Box::new(status))
}
