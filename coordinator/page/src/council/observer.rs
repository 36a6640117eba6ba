//! Watching a coordinator for the page.

use super::{
    feed::{CurrentCoordinator, Feed},
    history::CouncilHistory,
};
use monju_proto::v1::{
    RosterRequest, WatchRequest, WatchResponse, coordinator_client::CoordinatorClient,
};
use std::time::Duration;
use tokio::{
    sync::watch,
    time::{interval, sleep},
};
use tokio_stream::StreamExt;
use tonic::{Status, transport::Channel};

/// Interval of the looks at the workers.
const ROSTER_INTERVAL: Duration = Duration::from_secs(1);

/// Time until a coordinator that is gone is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Watches until the sender of coordinators is gone.
pub async fn observe(mut coordinator: watch::Receiver<CurrentCoordinator>, feed: Feed) {
    loop {
        let client = coordinator.borrow_and_update().clone();
        let observed = async {
            match client {
                Some(client) => {
                    if let Err(status) = follow(client, &feed).await {
                        tracing::debug!(%status, "the page lost its coordinator");
                    }
                    feed.note(CouncilHistory::nobody);
                    sleep(RETRY).await;
                }
                None => {
                    feed.note(CouncilHistory::nobody);
                    std::future::pending().await
                }
            }
        };
        tokio::select! {
            () = observed => {}
            changed = coordinator.changed() => if changed.is_err() {
                return;
            },
        }
    }
}

/// Enters what one coordinator says, until it is gone.
async fn follow(mut client: CoordinatorClient<Channel>, feed: &Feed) -> Result<(), Status> {
    let request = WatchRequest { standings: true };
    let mut ballots = client.watch(request).await?.into_inner();
    let mut look = interval(ROSTER_INTERVAL);
    loop {
        tokio::select! {
            ballot = ballots.next() => match ballot {
                Some(response) => {
                    let WatchResponse { ballot, missed } = response?;
                    let ballot = ballot.unwrap_or_default();
                    feed.note(|history| match missed {
                        true => history.missed(&ballot),
                        false => history.ballot(&ballot),
                    });
                }
                None => return Ok(()),
            },
            _ = look.tick() => {
                let roster = client.roster(RosterRequest {}).await?.into_inner();
                feed.note(|history| history.roster(&roster));
            }
        }
    }
}
