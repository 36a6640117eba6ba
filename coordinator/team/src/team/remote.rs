//! A coordinator in another process.

use super::{
    choices::Choices,
    embedded::unknown_primary,
    error::{AssembleError, IgnoredChoice},
    handle::Team,
};
use crate::config::Config;
use monju_coordinator::{
    roster::{self, ReachError},
    voting::Rule,
};
use monju_proto::v1::{RosterRequest, coordinator_client::CoordinatorClient};
use std::time::Duration;
use tokio::time::timeout;
use tonic::transport::Channel;

/// Time for a coordinator to answer the first call.
const ANSWER_PATIENCE: Duration = Duration::from_secs(3);

/// Connects to a coordinator, and ignores choices that it makes itself.
///
/// # Errors
/// The configuration or the address is wrong, or the coordinator does not answer.
pub(super) async fn connect(url: &str, choices: &Choices) -> Result<Team, AssembleError> {
    let tls = Config::load(choices.config.as_deref())?.tls(choices.tls.as_deref())?;
    let channel = roster::channel(url, tls.as_ref())?;
    connect_over(url, channel, choices).await
}

/// Connects to a coordinator over a connection that is made elsewhere, and ignores choices that it makes
/// itself.
///
/// # Errors
/// The coordinator does not answer.
pub async fn connect_over(
    url: &str,
    channel: Channel,
    choices: &Choices,
) -> Result<Team, AssembleError> {
    let remote = |what| IgnoredChoice::Remote {
        what,
        url: url.to_owned(),
    };
    let mut ignored: Vec<_> = choices.only_embedded().into_iter().map(remote).collect();
    let mut client = CoordinatorClient::new(channel);
    let answer = match timeout(ANSWER_PATIENCE, client.roster(RosterRequest {})).await {
        Ok(Ok(answer)) => Ok(answer.into_inner()),
        Ok(Err(status)) => Err(ReachError::First(Box::new(status))),
        Err(_) => Err(ReachError::Silent(ANSWER_PATIENCE)),
    };
    let roster = answer.map_err(|source| AssembleError::Unreachable {
        url: url.to_owned(),
        source,
    })?;
    let mut consultation = choices.consultation.clone();
    // A player of a missing worker may still come.
    if roster.workers.iter().all(|worker| worker.connected) {
        let players = roster.workers.iter().flat_map(|worker| &worker.players);
        let names = players.map(|player| &*player.name);
        ignored.extend(unknown_primary(&mut consultation.primary, names));
    }
    if roster.primary.is_empty()
        && consultation.primary.is_none()
        && let Some(rule) = consultation.rule.take_if(|rule| Rule::needs_primary(*rule))
    {
        ignored.push(IgnoredChoice::NoRemotePrimary {
            rule,
            url: url.to_owned(),
            instead: roster.rule,
        });
    }
    Ok(Team {
        client,
        consultation,
        overhead: Duration::from_millis(roster.overhead_ms.into()),
        ignored,
        embedded: None,
    })
}
