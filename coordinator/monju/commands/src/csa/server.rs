//! The server with our account, and the connections to it.

use super::{
    connection::{ConnectionError, CsaConnection},
    login::Login,
    patience::Patience,
    summary::GameSummary,
};
use std::time::Duration;
use tokio::time::timeout;

/// Longest time from the first line of an offer to its last one.
const OFFER_PATIENCE: Duration = Duration::from_secs(20);

/// A connection, and the game that is on offer there.
#[derive(Debug)]
pub struct AtHand {
    /// The connection.
    pub connection: CsaConnection,
    /// Conditions of a game that has not been agreed to.
    pub offer: Option<GameSummary>,
}

impl AtHand {
    /// Reads the offer whose first line has come. A connection where that fails is closed: the next login is offered a
    /// game anew.
    pub async fn with_offer(mut connection: CsaConnection) -> Option<Self> {
        let error = match timeout(OFFER_PATIENCE, connection.rest_of_offer()).await {
            Ok(Ok(offer)) => {
                return Some(Self {
                    connection,
                    offer: Some(offer),
                });
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it has no end".to_owned(),
        };
        tell!("the offer of the next game cannot be read: {error}");
        None
    }
}

impl From<CsaConnection> for AtHand {
    fn from(connection: CsaConnection) -> Self {
        Self {
            connection,
            offer: None,
        }
    }
}

/// A server, and our account there.
#[derive(Debug)]
pub struct Server<'a> {
    login: &'a Login,
    /// The password is right: a later refusal means that the server still counts an old connection.
    has_let_in: bool,
}

impl<'a> Server<'a> {
    /// A server that has not been asked yet.
    pub fn new(login: &'a Login) -> Self {
        Self {
            login,
            has_let_in: false,
        }
    }

    /// Connects and logs in. Only the very first connection fails at once.
    ///
    /// # Errors
    /// The server cannot be reached or refuses the account, and the patience is over.
    pub async fn connect(&mut self, patience: &Patience) -> Result<CsaConnection, ConnectionError> {
        loop {
            match CsaConnection::log_in(self.login).await {
                Ok(connection) => {
                    self.has_let_in = true;
                    return Ok(connection);
                }
                Err(error) if !self.has_let_in => return Err(error),
                Err(error) => patience.wait_after(error).await?,
            }
        }
    }

    /// Connects again in mid-game, and waits for an offer. If it is the game, the server hears that we go on; another
    /// one is not agreed to yet. There is none where the server offers nothing while the patience lasts.
    ///
    /// # Errors
    /// There is no connection, and the patience is over.
    pub async fn connect_again(&mut self, game: &str) -> Result<AtHand, ConnectionError> {
        let patience = Patience::new();
        loop {
            let mut connection = self.connect(&patience).await?;
            let offered = async {
                let summary = connection.offer().await?;
                if summary.id == game {
                    connection.go_on(game).await?;
                }
                Ok(summary)
            };
            let offer = match timeout(patience.left(), offered).await {
                Ok(Err(error)) => {
                    patience.wait_after(error).await?;
                    continue;
                }
                Ok(Ok(summary)) => Some(summary),
                Err(_) => None,
            };
            return Ok(AtHand { connection, offer });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing, *};

    #[tokio::test]
    async fn a_server_that_is_gone_for_good_is_given_up() {
        let (listener, login) = testing::server().await;
        let mut server = Server::new(&login);
        let patience = Patience::new();
        let let_in = testing::let_in(&listener);
        let (connected, end) = tokio::join!(server.connect(&patience), let_in);
        connected.expect("a login");
        drop((listener, end));
        tokio::time::pause();
        let gone = server.connect_again("game").await;
        assert!(
            matches!(gone, Err(ConnectionError::Broken { .. })),
            "{gone:?}"
        );
        // Without a login before, the first failure is the last.
        let begun = tokio::time::Instant::now();
        let refused = Server::new(&login).connect(&Patience::new()).await;
        assert!(refused.is_err());
        assert!(begun.elapsed() < Patience::new().left() / 2);
    }
}
