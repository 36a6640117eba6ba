//! The connection to a member, which ends when its certificate is revoked.

use super::{error::Revoked, live::LiveFolder};
use crate::role::Role;
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
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
pub struct MemberStream<S> {
    stream: S,
    team: Arc<LiveFolder>,
    peer: Peer,
    /// Number of changes of the folder at the last check; `None` before it, and once the peer is revoked.
    checked: Option<u64>,
}

impl<S> MemberStream<S> {
    /// A connection to a peer, unless its certificate is revoked.
    pub(super) fn new(stream: S, team: Arc<LiveFolder>, peer: Peer) -> io::Result<Self> {
        let mut stream = Self {
            checked: None,
            stream,
            team,
            peer,
        };
        stream.check()?;
        Ok(stream)
    }

    fn check(&mut self) -> io::Result<()> {
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
        MemberInfo {
            tcp: self.stream.get_ref().0.connect_info(),
            role: self.peer.role,
            serial: self.peer.serial.clone(),
            team: Arc::clone(&self.team),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for MemberStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Err(revoked) = self.check() {
            return Poll::Ready(Err(revoked));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for MemberStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Err(revoked) = self.check() {
            return Poll::Ready(Err(revoked));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let Err(revoked) = self.check() {
            return Poll::Ready(Err(revoked));
        }
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
