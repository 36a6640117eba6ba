//! `monju consult`: one consultation, its ballot as a table or as JSON.

mod live;
mod table;

use crate::{
    output::{print, terminal_columns},
    runtime,
};
use anyhow::{Context, bail};
use live::LiveVotes;
use monju_coordinator::{ballot::names, record::schema::BallotRecord};
use monju_engine::Game;
use monju_proto::{
    client::{ConsultationClient, ConsultationEvent, reason},
    v1::{
        Arrival, Ballot, Begin, Limits, PrepareGameRequest, RosterRequest, RosterResponse, TieBreak,
    },
};
use monju_team::team::{self, Choices, Team};
use std::{
    process,
    time::{SystemTime, UNIX_EPOCH},
};

/// Thinking time of a consultation without any limit, in milliseconds.
pub const DEFAULT_TIME_MS: u64 = 1_000;

/// One consultation and its output.
#[derive(Clone, Debug)]
pub struct Consult {
    /// The position with its history.
    pub game: Game,
    /// The players.
    pub choices: Choices,
    /// Seed of ties and noise.
    pub seed: u64,
    /// Nodes per player.
    pub nodes: Option<u64>,
    /// Iterations per player.
    pub depth: Option<u32>,
    /// Thinking time in milliseconds.
    pub time_ms: Option<u64>,
    /// One JSON object instead of a table.
    pub json: bool,
}

impl Consult {
    /// Consults once and prints the ballot to standard output.
    ///
    /// # Errors
    /// A choice is wrong, a configured worker is missing, or there is no vote.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on_unless_interrupted(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let game = &self.game;
        let mut team = team::assemble(&self.choices).await?;
        let outcome = self.ask(&mut team).await;
        let unwritten = match team.log() {
            Some(log) if !team.is_logged() => Some(log.display().to_string()),
            _ => None,
        };
        team.close().await;
        let (ballot, roster, problems) = outcome?;
        let decision = ballot.decision.as_ref();
        if decision.is_none_or(|decision| decision.tie_break() == TieBreak::Fallback) {
            bail!("{}", why_no_votes(&ballot, &roster, &problems));
        }
        let text = if self.json {
            let record = serde_json::to_string_pretty(&BallotRecord::of(game, &ballot));
            record.context("the ballot cannot be written as JSON")? + "\n"
        } else {
            table::render(game, &ballot, terminal_columns())
        };
        print(&text)?;
        match unwritten {
            Some(log) => {
                bail!("the ballot is not in {log}; make room there, or choose another --log")
            }
            None => Ok(()),
        }
    }

    /// Returns the ballot, the roster, and the problems of the preparation.
    async fn ask(&self, team: &mut Team) -> anyhow::Result<(Ballot, RosterResponse, Vec<String>)> {
        let Prepared {
            game_id,
            roster,
            problems,
        } = prepare(team, &self.choices).await?;
        let limits = match (self.nodes, self.depth, self.time_ms) {
            (None, None, None) => Limits {
                time_ms: Some(DEFAULT_TIME_MS),
                ..Limits::default()
            },
            (nodes, depth, time_ms) => Limits {
                nodes,
                depth,
                time_ms,
                ..Limits::default()
            },
        };
        let begin = team.consultation.named_in(Begin {
            game_id,
            position: Some((&self.game).into()),
            limits: Some(limits),
            seed: self.seed,
            ..Begin::default()
        });
        let mut consultation = ConsultationClient::begin(team.client.clone(), begin);
        let votes = LiveVotes::begin();
        let ballot = loop {
            match consultation.next().await {
                ConsultationEvent::Standing(ballot) => votes.show(&self.game, &ballot),
                ConsultationEvent::Decided(ballot) => break ballot,
                ConsultationEvent::Broken(error) => {
                    let name = &team.name;
                    let lost = || format!("the coordinator ({name}) was lost in the consultation");
                    return Err(error).with_context(lost);
                }
            }
        };
        Ok((ballot, roster, problems))
    }
}

/// A team that is ready for a game.
pub struct Prepared {
    /// The id of the game.
    pub game_id: String,
    /// The workers and players.
    pub roster: RosterResponse,
    /// Workers and players that are missing, each with the reason.
    pub problems: Vec<String>,
}

/// Returns the workers and players of a team.
///
/// # Errors
/// A configured worker is missing, or the coordinator refuses.
pub async fn present(team: &mut Team, choices: &Choices) -> anyhow::Result<RosterResponse> {
    let roster = team.client.roster(RosterRequest {}).await;
    let roster = roster.map_err(refusal)?.into_inner();
    // A coordinator elsewhere can do without a worker; an own configuration that names a missing one is
    // most likely wrong.
    if choices.coordinator.is_none()
        && let Some(lost) = roster.workers.iter().find(|worker| !worker.connected)
    {
        bail!(
            "no worker at {}: {}; start it with 'monju worker', or correct the configuration",
            lost.address,
            lost.failure
        );
    }
    Ok(roster)
}

/// Prepares a team for a game.
///
/// # Errors
/// A configured worker is missing, or the coordinator refuses.
pub async fn prepare(team: &mut Team, choices: &Choices) -> anyhow::Result<Prepared> {
    let roster = present(team, choices).await?;
    let game_id = fresh_game_id();
    // Without a claim: a look takes what nobody holds.
    let prepare = PrepareGameRequest {
        game_id: game_id.clone(),
        claim: None,
    };
    let prepared = team.client.prepare_game(prepare).await.map_err(refusal)?;
    Ok(Prepared {
        game_id,
        roster,
        problems: prepared.into_inner().problems,
    })
}

/// Turns a refused call into the one line that the service gave as its reason.
fn refusal(status: tonic::Status) -> anyhow::Error {
    anyhow::anyhow!("{}", reason(&status))
}

/// Returns a new id in every consultation, so that players begin each with empty tables.
fn fresh_game_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |since| since.as_nanos());
    format!("consult-{}-{nanoseconds}", process::id())
}

/// Explains why there is no vote, player by player and worker by worker.
pub fn why_no_votes(ballot: &Ballot, roster: &RosterResponse, problems: &[String]) -> String {
    let lost = roster.workers.iter().filter(|worker| !worker.connected);
    let mut reasons: Vec<String> = lost
        .map(|worker| {
            format!(
                "worker {} is not connected: {}",
                worker.address, worker.failure
            )
        })
        .collect();
    for vote in &ballot.votes {
        let Some(player) = &vote.player else { continue };
        let worker_is_lost = roster
            .workers
            .iter()
            .any(|worker| worker.name == player.worker && !worker.connected);
        if worker_is_lost {
            continue;
        }
        reasons.push(match (vote.arrival(), vote.failure.as_str()) {
            (Arrival::Late, _) => format!("{} is late; give it more time", player.name),
            (arrival, "") => format!("{}: {}", player.name, names::arrival(arrival)),
            (_, failure) if vote.counted => {
                format!(
                    "{} was lost after its vote for {}: {failure}",
                    player.name,
                    vote.chosen()
                )
            }
            (_, failure) => format!("{}: {failure}", player.name),
        });
    }
    for problem in problems {
        if !reasons.iter().any(|reason| problem.contains(reason)) {
            reasons.push(problem.clone());
        }
    }
    if reasons.is_empty() {
        reasons.push("there are no players".to_owned());
    }
    let what = match ballot.votes.iter().any(|vote| vote.counted) {
        true => "all players were lost",
        false => "no player has a vote",
    };
    format!("{what}: {}", reasons.join("; "))
}

#[cfg(test)]
mod tests;
