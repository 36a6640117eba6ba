//! Checks of values that come from a configuration or from the command line.

use monju_coordinator::roster::{self, AddressError};
use monju_proto::text::{LONGEST_NAME, is_name};

/// Error of a worker's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("name {0:?} must be one word of at most {LONGEST_NAME} characters")]
pub struct NameError(String);

/// Checks the name of a worker.
///
/// # Errors
/// It is not one word, or too long.
pub fn check_name(name: &str) -> Result<(), NameError> {
    match is_name(name) {
        true => Ok(()),
        false => Err(NameError(name.to_owned())),
    }
}

/// Tells whether a text is a place to listen at, `HOST:PORT`; the host may be a name.
pub fn is_listen_address(text: &str) -> bool {
    let parts = text.rsplit_once(':');
    parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

/// Error of a list of workers or coordinators.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkersError {
    /// An address is wrong.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Two addresses are equal.
    #[error("{what} {url} is listed twice; remove one of them")]
    Twice {
        /// The role.
        what: &'static str,
        /// The address.
        url: String,
    },
    /// There are too many.
    #[error("{count} {what}s are listed; at most {MOST} are allowed")]
    Many {
        /// The role.
        what: &'static str,
        /// Their number.
        count: usize,
    },
}

/// Greatest number of workers of a coordinator, and of coordinators of a worker.
const MOST: usize = 1_000;

/// Checks the addresses of workers.
///
/// # Errors
/// One of them is not an address, or is listed twice.
pub fn check_workers(urls: &[String]) -> Result<(), WorkersError> {
    check_urls("worker", urls)
}

/// Checks the addresses of coordinators.
///
/// # Errors
/// One of them is not an address, or is listed twice.
pub fn check_coordinators(urls: &[String]) -> Result<(), WorkersError> {
    check_urls("coordinator", urls)
}

fn check_urls(what: &'static str, urls: &[String]) -> Result<(), WorkersError> {
    if urls.len() > MOST {
        let count = urls.len();
        return Err(WorkersError::Many { what, count });
    }
    let mut known = Vec::new();
    for url in urls {
        let host = host_of(url)?;
        if known.contains(&host) {
            let url = url.clone();
            return Err(WorkersError::Twice { what, url });
        }
        known.push(host);
    }
    Ok(())
}

/// Returns host and port of an address, by which two addresses are the same.
///
/// # Errors
/// It is not an address.
pub(crate) fn host_of(url: &str) -> Result<Option<String>, AddressError> {
    let address = roster::address(url)?;
    let authority = address.authority();
    Ok(authority.map(|authority| authority.as_str().to_lowercase()))
}
