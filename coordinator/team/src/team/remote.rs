//! A coordinator in another process.

use super::{
    choices::Choices,
    embedded::unknown_primary,
    error::{AssembleError, IgnoredChoice},
    handle::Team,
};
use crate::config::{Config, host_of};
use monju_coordinator::{
    roster::{self, ReachError},
    voting::Rule,
};
use monju_proto::client::{coordinator_client, reason};
use monju_proto::v1::{RosterRequest, RosterResponse, coordinator_client::CoordinatorClient};
use std::{collections::VecDeque, iter, time::Duration};
use tokio::time::timeout;
use tonic::{Code, transport::Channel};

/// Time for a coordinator to answer the first call.
const ANSWER_PATIENCE: Duration = Duration::from_secs(3);

/// Connects to a coordinator, and ignores choices that it makes itself.
///
/// # Errors
/// The configuration or the address is wrong, or the coordinator does not answer.
pub(super) async fn connect(url: &str, choices: &Choices) -> Result<Team, AssembleError> {
    let tls = Config::load(choices.config.as_deref())?.tls(choices.tls.as_deref())?;
    let urls = iter::once(url).chain(choices.standby.iter().map(|url| &**url));
    let mut clients = VecDeque::new();
    let mut known = Vec::new();
    let mut twice = Vec::new();
    for url in urls {
        let channel = roster::channel(url, tls.as_ref())?;
        let host = host_of(url)?;
        if known.contains(&host) {
            twice.push(IgnoredChoice::Twice(url.to_owned()));
            continue;
        }
        known.push(host);
        clients.push_back((url.to_owned(), coordinator_client(channel)));
    }
    let mut team = connect_to(clients, choices).await?;
    team.ignored.extend(twice);
    Ok(team)
}

/// Connects to a coordinator over connections that are made elsewhere, to it and to those that take over, and ignores
/// choices that it makes itself.
///
/// # Errors
/// None of them answers.
pub async fn connect_over(
    channels: impl IntoIterator<Item = (String, Channel)>,
    choices: &Choices,
) -> Result<Team, AssembleError> {
    let clients = channels
        .into_iter()
        .map(|(url, channel)| (url, coordinator_client(channel)));
    connect_to(clients.collect(), choices).await
}

async fn connect_to(
    mut clients: VecDeque<(String, CoordinatorClient<Channel>)>,
    choices: &Choices,
) -> Result<Team, AssembleError> {
    let roster = first_that_answers(&mut clients).await?;
    let Some((url, client)) = clients.pop_front() else {
        // One has just answered.
        return Err(AssembleError::Unreachable {
            url: String::new(),
            source: ReachError::NotConnected,
        });
    };
    let remote = |what| IgnoredChoice::Remote {
        what,
        url: url.clone(),
    };
    let mut ignored: Vec<_> = choices.only_embedded().into_iter().map(remote).collect();
    let mut consultation = choices.consultation.clone();
    // A player of a missing worker may still come, and so may a worker that enrols itself: a primary that is not there
    // is told, and kept.
    let is_whole = !roster.workers.is_empty() && roster.workers.iter().all(|one| one.connected);
    if is_whole {
        let players = roster.workers.iter().flat_map(|worker| &worker.players);
        let names = players.map(|player| &*player.name);
        ignored.extend(unknown_primary(consultation.primary.as_deref(), names));
    }
    if roster.primary.is_empty()
        && consultation.primary.is_none()
        && let Some(rule) = consultation.rule.take_if(|rule| Rule::needs_primary(*rule))
    {
        ignored.push(IgnoredChoice::NoRemotePrimary {
            rule,
            url: url.clone(),
            instead: roster.rule,
        });
    }
    Ok(Team {
        client,
        name: url,
        others: clients.into(),
        consultation,
        overhead: Duration::from_millis(roster.overhead_ms.into()),
        ignored,
        embedded: None,
    })
}

/// Puts the first coordinator that answers in front, those before it to the end, and returns its roster.
///
/// # Errors
/// None answers: the reason of the first.
async fn first_that_answers(
    clients: &mut VecDeque<(String, CoordinatorClient<Channel>)>,
) -> Result<RosterResponse, AssembleError> {
    let mut failure = None;
    for index in 0..clients.len() {
        let (url, client) = &mut clients[index];
        let reason = match timeout(ANSWER_PATIENCE, client.roster(RosterRequest {})).await {
            Ok(Ok(answer)) => {
                clients.rotate_left(index);
                return Ok(answer.into_inner());
            }
            Ok(Err(status)) => ReachError::First(Box::new(status)),
            Err(_) => ReachError::Silent(ANSWER_PATIENCE),
        };
        failure.get_or_insert((url.clone(), reason));
    }
    let (url, source) = failure.unwrap_or((String::new(), ReachError::NotConnected));
    Err(match source {
        ReachError::First(status) if status.code() == Code::PermissionDenied => {
            let reason = reason(&status);
            AssembleError::Refused { url, reason }
        }
        source => AssembleError::Unreachable { url, source },
    })
}
