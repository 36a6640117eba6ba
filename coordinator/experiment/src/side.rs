//! One side at the board: a coordinator that is asked for moves.

use super::{
    record::Side,
    specification::{Ensemble, Members},
};
use monju_coordinator::choices::ConsultationChoices;
use monju_engine::Game;
use monju_proto::{
    client::{ConsultationClient, ConsultationEvent, reason},
    convert::short_milliseconds,
    v1::{Ballot, Begin, PrepareGameRequest},
};
use monju_team::{
    config::{Config, EnsembleConfig},
    team::{self, AssembleError, Choices, Team},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};

/// A side that has not said anything for so long will say nothing more: while it thinks, there are
/// standings.
const SILENCE: Duration = Duration::from_secs(30 * 60);

/// A side that is ready to play.
#[derive(Debug)]
pub struct Seat {
    team: Team,
    ensemble: Ensemble,
}

/// What a side answered.
#[derive(Debug)]
pub struct Answer {
    /// The decided ballot.
    pub ballot: Ballot,
    /// From question to answer.
    pub elapsed: Duration,
}

/// The coordinator did not answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);

impl Seat {
    /// Starts the players of an ensemble, or connects to its coordinator. Players whose effort is
    /// not measured in time think in `turns`.
    ///
    /// # Errors
    /// They cannot be started or reached.
    pub async fn take(ensemble: &Ensemble, turns: &Arc<Semaphore>) -> Result<Self, AssembleError> {
        let team = match &ensemble.members {
            Members::Here {
                players,
                rule,
                primary,
            } => {
                let config = Config {
                    players: players.clone(),
                    ensemble: EnsembleConfig {
                        rule: *rule,
                        primary: primary.clone(),
                        ..EnsembleConfig::default()
                    },
                    ..Config::default()
                };
                let timed = ensemble.limits.time_ms.is_some()
                    || players.iter().any(|player| player.limits.time.is_some());
                let turns = (!timed).then(|| Arc::clone(turns));
                team::embed(config, &Choices::default(), turns).await?
            }
            Members::Elsewhere { url, rule, tls } => {
                let choices = Choices {
                    coordinator: Some(url.clone()),
                    consultation: ConsultationChoices {
                        rule: *rule,
                        ..ConsultationChoices::default()
                    },
                    tls: tls.clone(),
                    ..Choices::default()
                };
                team::assemble(&choices).await?
            }
        };
        Ok(Self {
            team,
            ensemble: ensemble.clone(),
        })
    }

    /// The ensemble that sits here.
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// Takes the limits of another ensemble of the same team.
    pub fn adopt(&mut self, ensemble: &Ensemble) {
        self.ensemble = ensemble.clone();
    }

    /// Prepares for a game: tables are cleared, engines are told.
    ///
    /// # Errors
    /// The coordinator is gone.
    pub async fn new_game(&mut self, game_id: &str) -> Result<(), Lost> {
        let request = PrepareGameRequest {
            game_id: game_id.to_owned(),
        };
        let answer = timeout(SILENCE, self.team.client.prepare_game(request)).await;
        let answer = answer.map_err(|_| silent())?;
        answer.map(|_| ()).map_err(|status| Lost(reason(&status)))
    }

    /// Asks for a move.
    ///
    /// # Errors
    /// The coordinator is gone.
    pub async fn consult(&mut self, game: &Game, game_id: &str, seed: u64) -> Result<Answer, Lost> {
        let asked = Instant::now();
        let begin = self.team.consultation.named_in(Begin {
            game_id: game_id.to_owned(),
            position: Some(game.into()),
            limits: Some(self.ensemble.limits),
            seed,
            // Without any it would be taken for a GUI's question, whose lost players are asked again.
            margin_ms: short_milliseconds(self.ensemble.margin).max(1),
            ..Begin::default()
        });
        let mut consultation = ConsultationClient::begin(self.team.client.clone(), begin);
        loop {
            let event = timeout(SILENCE, consultation.next()).await;
            match event.map_err(|_| silent())? {
                ConsultationEvent::Standing(_) => {}
                ConsultationEvent::Decided(ballot) => {
                    return Ok(Answer {
                        ballot,
                        elapsed: asked.elapsed(),
                    });
                }
                ConsultationEvent::Broken(error) => return Err(Lost(error.to_string())),
            }
        }
    }

    /// Ends what was started.
    pub async fn leave(self) {
        self.team.close().await;
    }
}

fn silent() -> Lost {
    Lost(format!(
        "nothing was heard of it for {} s",
        SILENCE.as_secs()
    ))
}

/// The two sides of a board, as far as they are seated. A side that also plays the next pair stays.
#[derive(Debug, Default)]
pub struct Seats([Option<Seat>; 2]);

impl Seats {
    /// Seats both ensembles, and clears the seats of others.
    ///
    /// # Errors
    /// A side cannot be started or reached.
    pub async fn arrange(
        &mut self,
        ensembles: [&Ensemble; 2],
        turns: &Arc<Semaphore>,
    ) -> Result<[&mut Seat; 2], (Side, AssembleError)> {
        for (side, ensemble) in [Side::First, Side::Second].into_iter().zip(ensembles) {
            let seat = &mut self.0[side.index()];
            match seat {
                Some(seat) if seat.ensemble.same_team(ensemble) => seat.adopt(ensemble),
                _ => {
                    if let Some(old) = seat.take() {
                        old.leave().await;
                    }
                    let new = Seat::take(ensemble, turns).await;
                    *seat = Some(new.map_err(|error| (side, error))?);
                }
            }
        }
        let [Some(first), Some(second)] = &mut self.0 else {
            unreachable!("both sides are seated above")
        };
        Ok([first, second])
    }

    /// Ends both sides.
    pub async fn clear(&mut self) {
        for seat in &mut self.0 {
            if let Some(seat) = seat.take() {
                seat.leave().await;
            }
        }
    }
}
