//! A worker's way into the rosters of the coordinators that its configuration names.

use monju_coordinator::roster::{self, AddressError, first_reason};
use monju_proto::{
    client::coordinator_client,
    serve::is_loopback,
    tls::Tls,
    v1::{EnrolRequest, coordinator_client::CoordinatorClient},
};
use std::{
    convert::Infallible,
    future,
    net::{IpAddr, SocketAddr},
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};
use tonic::transport::{Channel, Uri};
use tracing::{info, warn};

/// Interval at which a worker enrols itself again: a coordinator that was started again knows nothing of it.
const INTERVAL: Duration = Duration::from_secs(2);

/// Time of a coordinator to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The enrolment of a worker with its coordinators, which are not told yet.
#[derive(Debug)]
pub struct Enrolment {
    coordinators: Vec<(String, CoordinatorClient<Channel>)>,
}

impl Enrolment {
    /// Prepares the connections to these coordinators.
    ///
    /// # Errors
    /// An address is wrong.
    pub fn new(urls: &[String], tls: Option<&Tls>) -> Result<Self, AddressError> {
        let client = |url: &String| {
            let channel = roster::channel(url, tls)?;
            Ok((url.clone(), coordinator_client(channel)))
        };
        Ok(Self {
            coordinators: urls.iter().map(client).collect::<Result<_, _>>()?,
        })
    }

    /// Warns of coordinators that do not reach the worker at the address from which it calls them: those on other
    /// machines, where it listens on loopback, and those called on loopback, where it does not listen there.
    pub fn check(&self, listens_at: SocketAddr) {
        for (url, _) in &self.coordinators {
            if let Some(problem) = problem_between(url, listens_at.ip()) {
                warn!(coordinator = url, %listens_at, "{problem}");
            }
        }
    }

    /// Enrols the worker that listens at `port`, again and again for ever.
    pub async fn keep(self, port: u16) -> Infallible {
        let mut tasks = JoinSet::new();
        for (url, client) in self.coordinators {
            tasks.spawn(enrol_at(url, client, port));
        }
        // The tasks end with this future.
        future::pending().await
    }
}

/// Returns why the coordinator of this URL would not reach a worker that listens at an address, if it would not.
fn problem_between(url: &str, listens_at: IpAddr) -> Option<&'static str> {
    match (is_on_loopback(url), listens_at.is_loopback()) {
        (false, true) => Some(
            "this coordinator does not reach a worker on loopback: let listen name an address of this machine",
        ),
        (true, false) if !listens_at.is_unspecified() => Some(
            "this coordinator would look for the worker on loopback, where it does not listen: name the coordinator by an \
             address of this machine, or listen at 0.0.0.0",
        ),
        _ => None,
    }
}

/// Tells whether the URL of a coordinator is one of this machine alone.
fn is_on_loopback(url: &str) -> bool {
    let uri: Option<Uri> = url.parse().ok();
    (uri.as_ref().and_then(Uri::host)).is_some_and(is_loopback)
}

/// Reason for which a worker is not enrolled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum EnrolmentError {
    /// The coordinator refuses it, or is out of reach.
    #[error("{0}")]
    Refused(String),
    /// The coordinator says nothing.
    #[error("no answer within {} s", PATIENCE.as_secs())]
    NoAnswer,
}

async fn enrol_at(url: String, mut client: CoordinatorClient<Channel>, port: u16) {
    let mut last: Option<Result<(), EnrolmentError>> = None;
    loop {
        let request = EnrolRequest { port: port.into() };
        let enrolled = match timeout(PATIENCE, client.enrol(request)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(status)) => Err(EnrolmentError::Refused(first_reason(&status))),
            Err(_) => Err(EnrolmentError::NoAnswer),
        };
        if last.as_ref() != Some(&enrolled) {
            match &enrolled {
                Ok(()) => info!(coordinator = url, "enrolled"),
                Err(reason) => warn!(coordinator = url, %reason, "not enrolled"),
            }
            last = Some(enrolled);
        }
        sleep(INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinator_that_would_not_reach_the_worker_is_warned_of() {
        let is_warned_of = |url, listens_at: &str| {
            let listens_at = listens_at.parse().expect("an address");
            problem_between(url, listens_at).is_some()
        };
        let (here, there) = ("https://127.0.0.1:7410", "https://192.168.0.10:7410");
        assert!(is_warned_of(here, "192.168.0.11") && is_warned_of(there, "127.0.0.1"));
        assert!(!is_warned_of(there, "192.168.0.11") && !is_warned_of(here, "127.0.0.1"));
        for everywhere in ["0.0.0.0", "::"] {
            assert!(!is_warned_of(here, everywhere) && !is_warned_of(there, everywhere));
        }
    }

    #[test]
    fn a_coordinator_of_this_machine_is_known_by_its_url() {
        for (url, expected) in [
            ("http://127.0.0.1:7410", true),
            ("https://localhost:7410", true),
            ("http://[::1]:7410", true),
            ("https://192.168.0.10:7410", false),
            ("https://pc1:7410", false),
        ] {
            assert_eq!(is_on_loopback(url), expected, "{url}");
        }
    }
}
