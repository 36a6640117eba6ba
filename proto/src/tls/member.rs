//! The connection to a member, which ends when its certificate is revoked.

use super::{error::Revoked, live::LiveFolder};
use crate::{
    role::Role,
    watched_stream::{WatchedStream, Watcher},
};
use std::{io, sync::Arc};
use tokio_rustls::server::TlsStream;
use tonic::transport::server::{Connected, TcpConnectInfo};

/// The other end of a connection, by its certificate.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub role: Role,
    /// The serial number of its certificate.
    pub serial: Vec<u8>,
}

/// The member behind a call.
#[derive(Clone)]
pub struct MemberInfo {
    /// Its address.
    pub tcp: TcpConnectInfo,
    /// Its role.
    pub role: Role,
    serial: Vec<u8>,
    team: Arc<LiveFolder>,
}

impl MemberInfo {
    /// Checks that it still belongs to the team.
    ///
    /// # Errors
    /// Its certificate has been revoked.
    pub fn check(&self) -> Result<(), Revoked> {
        self.team.check(&self.serial)
    }
}

/// An encrypted connection to a member.
pub type MemberStream<S> = WatchedStream<S, Membership>;

/// The membership of the other end.
pub struct Membership {
    team: Arc<LiveFolder>,
    peer: Peer,
    /// Number of changes of the folder at the last check; `None` before it, and once the peer is revoked.
    checked: Option<u64>,
}

impl<S> MemberStream<S> {
    /// A connection to a peer, unless its certificate is revoked.
    pub(super) fn new(stream: S, team: Arc<LiveFolder>, peer: Peer) -> io::Result<Self> {
        let mut watcher = Membership {
            checked: None,
            team,
            peer,
        };
        watcher.before()?;
        Ok(Self { stream, watcher })
    }
}

impl Watcher for Membership {
    fn before(&mut self) -> io::Result<()> {
        let changes = Some(self.team.changes());
        if changes != self.checked {
            let denied = |revoked| io::Error::new(io::ErrorKind::PermissionDenied, revoked);
            self.checked = None;
            self.team.check(&self.peer.serial).map_err(denied)?;
            self.checked = changes;
        }
        Ok(())
    }
}

impl<S> Connected for MemberStream<TlsStream<S>>
where
    S: Connected<ConnectInfo = TcpConnectInfo>,
{
    type ConnectInfo = MemberInfo;

    fn connect_info(&self) -> MemberInfo {
        let Membership { team, peer, .. } = &self.watcher;
        MemberInfo {
            tcp: self.stream.get_ref().0.connect_info(),
            role: peer.role,
            serial: peer.serial.clone(),
            team: Arc::clone(team),
        }
    }
}
