//! Encrypted connections in which both ends prove that they belong to the team.
//!
//! A folder makes a member: it holds the authorities that are trusted, a certificate with its key, and a list of
//! revoked certificates. Names and addresses of machines do not matter, so that a PC can be replaced.
//! The folder is read again while the process runs: a renewed certificate serves the next connections, and
//! connections of revoked ones end.

mod certificate;
mod error;
mod folder;
mod live;
mod member;

pub(crate) use certificate::{read_pem, role_and_serial, validity};
pub use error::{
    AUTHORITY_FILE, CERTIFICATE_FILE, KEY_FILE, MEMBER, REVOKED_FILE, Revoked, TlsError,
};
pub use member::{MemberInfo, MemberStream};

use crate::role::Role;
use hyper_util::rt::TokioIo;
use live::LiveFolder;
use member::Peer;
use std::{fmt, io, path::Path, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsAcceptor, TlsConnector, client,
    rustls::{CommonState, pki_types::ServerName},
    server,
};
use tonic::transport::{Channel, Endpoint, Uri};

/// Longest time of a handshake. A peer that froze in it would otherwise be waited for without end.
const HANDSHAKE_PATIENCE: Duration = Duration::from_secs(2);

/// The certificates of a member. Clones share them.
#[derive(Clone)]
pub struct Tls {
    live: Arc<LiveFolder>,
}

impl Tls {
    /// Reads the folder that `monju certificates` has made, and follows its changes.
    ///
    /// # Errors
    /// A file is missing, or holds something else; a certificate is out of its time; the key belongs to another
    /// one, or can be read by others.
    pub fn read(path: &Path) -> Result<Self, TlsError> {
        Ok(Self {
            live: LiveFolder::read(path)?,
        })
    }

    /// Lets a member in that connects.
    ///
    /// # Errors
    /// It is no member, or no longer one, or it is slow.
    pub async fn accept<S>(&self, stream: S) -> io::Result<MemberStream<server::TlsStream<S>>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let acceptor = TlsAcceptor::from(Arc::clone(&self.live.now().server));
        let stream = in_time(acceptor.accept(stream)).await?;
        let peer = self.peer(stream.get_ref().1)?;
        MemberStream::new(stream, Arc::clone(&self.live), peer)
    }

    /// Makes a connection at the first call, and again when it is lost, to a member at an address, whatever its
    /// name. `endpoint` has the address with `http`.
    pub fn channel(&self, endpoint: &Endpoint, patience: Duration) -> Channel {
        let tls = self.clone();
        let connect = tower::service_fn(move |uri: Uri| {
            let tls = tls.clone();
            async move { Ok::<_, io::Error>(TokioIo::new(tls.connect(&uri, patience).await?)) }
        });
        let patience = patience + HANDSHAKE_PATIENCE;
        let endpoint = endpoint.clone().connect_timeout(patience);
        endpoint.connect_with_connector_lazy(connect)
    }

    async fn connect(
        &self,
        uri: &Uri,
        patience: Duration,
    ) -> io::Result<MemberStream<client::TlsStream<TcpStream>>> {
        let (Some(host), Some(port)) = (uri.host(), uri.port_u16()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let host = host.trim_matches(['[', ']']);
        let connected = timeout(patience, TcpStream::connect((host, port))).await;
        let stream = connected.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
        // Without it, messages are only late.
        let _ = stream.set_nodelay(true);
        let connector = TlsConnector::from(Arc::clone(&self.live.now().client));
        let name = ServerName::try_from(MEMBER).map_err(io::Error::other)?;
        let stream = in_time(connector.connect(name, stream)).await?;
        let peer = self.peer(stream.get_ref().1)?;
        MemberStream::new(stream, Arc::clone(&self.live), peer)
    }

    fn peer(&self, session: &CommonState) -> io::Result<Peer> {
        let certificates = session.peer_certificates().unwrap_or_default();
        let unread = || {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "a certificate that cannot be read",
            )
        };
        let certificate = certificates.first().ok_or_else(unread)?;
        let (role, serial) = role_and_serial(certificate).ok_or_else(unread)?;
        Ok(Peer { role, serial })
    }

    /// Checks that this member may do something for which a role is needed, such as "drain workers".
    ///
    /// # Errors
    /// It has another role.
    pub fn need(&self, wanted: Role, what: &'static str) -> Result<(), TlsError> {
        match self.role() {
            Role::Member => Ok(()),
            role if role == wanted => Ok(()),
            role => Err(TlsError::Role {
                path: self.live.path().to_owned(),
                role,
                what,
                wanted,
            }),
        }
    }

    /// Returns the role of this member by its own certificate.
    pub fn role(&self) -> Role {
        self.live.now().role
    }
}

async fn in_time<T>(handshake: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    match timeout(HANDSHAKE_PATIENCE, handshake).await {
        Ok(done) => done,
        Err(_) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the handshake takes too long",
        )),
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is a secret.
        formatter.debug_struct("Tls").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
