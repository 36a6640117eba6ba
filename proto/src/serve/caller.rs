//! Who is at the other end of a connection.

use super::pace::Pace;
use crate::{tls::MemberInfo, watched_stream::Watcher};
use tonic::transport::server::TcpConnectInfo;

/// The caller behind a connection.
#[derive(Clone)]
pub struct Caller {
    /// Who it is.
    pub origin: CallerOrigin,
    /// The pace of its calls.
    pub pace: Pace,
}

impl From<CallerOrigin> for Caller {
    fn from(origin: CallerOrigin) -> Self {
        Self {
            origin,
            pace: Pace::default(),
        }
    }
}

/// Who is at the other end of a connection.
#[derive(Clone)]
pub enum CallerOrigin {
    /// This process.
    ThisProcess,
    /// Somebody at an address, without a certificate.
    Anybody(TcpConnectInfo),
    /// A member of the team.
    Member(MemberInfo),
}

/// Nothing is left to watch: the streams inside have watchers of their own.
impl Watcher for Caller {}
