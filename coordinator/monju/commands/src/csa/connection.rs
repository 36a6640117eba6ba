//! The connection to a server: bounded lines, a login, and signs of life.

use super::{
    login::Login,
    summary::{GameSummary, SummaryError},
};
use monju_proto::text::excerpt;
use std::{io, pin::pin, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, sleep_until, timeout},
};

/// Greatest length of a line. The longest are moves with comments.
const LONGEST_LINE: usize = 8_192;

/// First line of an offer, before the conditions of its game.
pub const OFFER: &str = "BEGIN Game_Summary";

/// Greatest number of lines of a game's conditions.
const LONGEST_SUMMARY: usize = 2_000;

/// Time for a connection, and for the answer to a login.
const PATIENCE: Duration = Duration::from_secs(20);

/// Silence of ours after which an empty line shows that we are there; servers allow one in 30 s.
const SIGN_OF_LIFE: Duration = Duration::from_secs(45);

/// Time after which the system asks a silent server for a sign of life, and asks again.
const SILENCE: Duration = Duration::from_secs(10);

/// Signs of life that a server may owe.
const MOST_OWED: u32 = 5;

/// Time in which what is sent has to be confirmed. A network that is back by then has lost nothing, where a server that
/// ends a game with its connection would take a new one for a loss.
const CONFIRMATION: Duration = Duration::from_secs(60);

/// Time after the last sign of life in which the system ends a connection that has died without a word.
/// A sign of life of ours that is on its way then has time to be confirmed.
const MOST_SILENCE: Duration = SIGN_OF_LIFE.saturating_add(CONFIRMATION);

/// Reason why a connection cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The server cannot be reached, or the connection broke.
    #[error("{server}: {source}")]
    Broken {
        /// `host:port`.
        server: String,
        /// Error of the system.
        source: io::Error,
    },
    /// The server does not know the account.
    #[error("the server refuses the login of {0}; check the name and the password's file")]
    Refused(String),
    /// The server says something that the protocol has not.
    #[error("the server {0}")]
    Nonsense(String),
    /// The conditions of a game make no sense.
    #[error("the server offers a game that makes no sense: {0}")]
    Offer(#[from] SummaryError),
}

impl ConnectionError {
    /// Returns true where another connection may do better; what makes no sense would come again.
    pub fn is_broken(&self) -> bool {
        matches!(self, Self::Broken { .. })
    }

    /// Returns the longest time for which the connection may have been dead when the error came.
    pub fn dead_for(&self) -> Duration {
        match self {
            Self::Broken { source, .. } if source.kind() == io::ErrorKind::TimedOut => MOST_SILENCE,
            _ => Duration::ZERO,
        }
    }
}

/// A connection after its login.
#[derive(Debug)]
pub struct CsaConnection {
    server: String,
    stream: TcpStream,
    /// The bytes that were read and are no whole line yet.
    rest: Vec<u8>,
    last_sent: Instant,
}

impl CsaConnection {
    /// Connects and logs in.
    ///
    /// # Errors
    /// The server cannot be reached or refuses the account.
    pub async fn log_in(login: &Login) -> Result<Self, ConnectionError> {
        let broken = |source| ConnectionError::Broken {
            server: login.server.clone(),
            source,
        };
        let silent = || broken(io::ErrorKind::TimedOut.into());
        let stream = timeout(PATIENCE, TcpStream::connect(&login.server)).await;
        let stream = stream.map_err(|_| silent())?.map_err(broken)?;
        // A move leaves at once.
        let _ = stream.set_nodelay(true);
        if let Err(error) = end_in_silence(&stream) {
            tracing::debug!(%error, "a connection that dies without a word may be taken for a silent one");
        }
        let mut connection = Self {
            server: login.server.clone(),
            stream,
            rest: Vec::new(),
            last_sent: Instant::now(),
        };
        connection
            .send(&format!("LOGIN {} {}", login.user, login.password))
            .await?;
        let answered = async {
            loop {
                let line = connection.next().await?;
                if line == "LOGIN:incorrect" {
                    return Err(ConnectionError::Refused(login.user.clone()));
                } else if line == format!("LOGIN:{} OK", login.user) {
                    return Ok(());
                }
            }
        };
        timeout(PATIENCE, answered).await.map_err(|_| silent())??;
        Ok(connection)
    }

    /// Sends a line.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn send(&mut self, line: &str) -> Result<(), ConnectionError> {
        self.last_sent = Instant::now();
        let text = format!("{line}\n");
        let sent = timeout(PATIENCE, self.stream.write_all(text.as_bytes())).await;
        let sent = sent.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        sent.map_err(|source| self.broken(source))
    }

    /// Waits for a line, and shows meanwhile that we are there. Safe to drop and call again.
    ///
    /// # Errors
    /// The connection is broken, or the line too long.
    pub async fn next(&mut self) -> Result<String, ConnectionError> {
        loop {
            if let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line).trim_end().to_owned();
                tracing::debug!(line, "from the server");
                return Ok(line);
            }
            if self.rest.len() > LONGEST_LINE {
                let what = format!("sent a line of more than {LONGEST_LINE} bytes");
                return Err(ConnectionError::Nonsense(what));
            }
            tokio::select! {
                read = self.stream.read_buf(&mut self.rest) => match read {
                    Ok(0) => return Err(self.broken(io::ErrorKind::UnexpectedEof.into())),
                    Ok(_) => {}
                    Err(source) => return Err(self.broken(source)),
                },
                () = sleep_until(self.last_sent + SIGN_OF_LIFE) => self.send("").await?,
            }
        }
    }

    /// Does work of ours, and shows meanwhile that we are there. A broken connection is told by the next use of it.
    pub async fn beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = sleep_until(self.last_sent + SIGN_OF_LIFE) => {
                    let _ = self.send("").await;
                }
            }
        }
    }

    /// Waits for the conditions of a game.
    ///
    /// # Errors
    /// The connection is broken, or the conditions make no sense.
    pub async fn offer(&mut self) -> Result<GameSummary, ConnectionError> {
        while self.next().await? != OFFER {}
        self.rest_of_offer().await
    }

    /// Waits for the conditions of a game behind the first line of an offer.
    ///
    /// # Errors
    /// As those of [`CsaConnection::offer`].
    pub async fn rest_of_offer(&mut self) -> Result<GameSummary, ConnectionError> {
        let mut lines = Vec::new();
        loop {
            let line = self.next().await?;
            if line == "END Game_Summary" {
                break;
            }
            if lines.len() == LONGEST_SUMMARY {
                let what = format!("sent conditions of more than {LONGEST_SUMMARY} lines");
                return Err(ConnectionError::Nonsense(what));
            }
            lines.push(line);
        }
        Ok(GameSummary::parse(&lines)?)
    }

    /// Agrees to a game that has begun already: the server may go on with it at once.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn go_on(&mut self, game: &str) -> Result<(), ConnectionError> {
        self.send(&format!("AGREE {game}")).await
    }

    /// Agrees to a game and waits for its start, whose time is returned; `None` for a game that is called off. A line
    /// of the game, as of one that has begun already, is a start, too, and an offer calls off the game before it: both
    /// stay to be read.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn agree(&mut self, game: &str) -> Result<Option<Instant>, ConnectionError> {
        self.send(&format!("AGREE {game}")).await?;
        loop {
            let line = self.next().await?;
            if line.starts_with("START:") {
                return Ok(Some(Instant::now()));
            } else if line.starts_with("REJECT:") {
                tell!("no game: {}", excerpt(&line, 200));
                return Ok(None);
            } else if line == OFFER {
                tell!("no game: the server offers another one in its place");
                self.put_back(&line);
                return Ok(None);
            }
            // Two of these signs begin words of the server to all.
            if line.starts_with(['+', '-', '%', '#']) && !line.starts_with("##") {
                self.put_back(&line);
                return Ok(Some(Instant::now()));
            }
        }
    }

    /// Lets a line be read again.
    fn put_back(&mut self, line: &str) {
        self.rest.splice(0..0, format!("{line}\n").into_bytes());
    }

    /// Calls off a game that is on offer.
    pub async fn reject(&mut self, game: &str) {
        // A broken connection calls it off as well.
        let _ = self.send(&format!("REJECT {game}")).await;
    }

    /// Logs out; the server closes the connection.
    pub async fn log_out(&mut self) {
        if self.send("LOGOUT").await.is_ok() {
            let closed = async {
                while self
                    .next()
                    .await
                    .is_ok_and(|line| line != "LOGOUT:completed")
                {}
            };
            let _ = timeout(Duration::from_secs(2), closed).await;
        }
    }

    fn broken(&self, source: io::Error) -> ConnectionError {
        ConnectionError::Broken {
            server: self.server.clone(),
            source,
        }
    }
}

/// Lets the system end a connection whose other end is gone without a word: no line is due while the opponent thinks.
#[cfg(any(target_os = "linux", target_os = "macos", windows))]
fn end_in_silence(stream: &TcpStream) -> io::Result<()> {
    use rustix::net::sockopt;
    sockopt::set_tcp_keepidle(stream, SILENCE)?;
    sockopt::set_tcp_keepintvl(stream, SILENCE)?;
    sockopt::set_tcp_keepcnt(stream, MOST_OWED)?;
    sockopt::set_socket_keepalive(stream, true)?;
    #[cfg(target_os = "linux")]
    sockopt::set_tcp_user_timeout(stream, CONFIRMATION.as_millis() as u32)?;
    Ok(())
}

/// Leaves it to the system to find out that the other end is gone.
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn end_in_silence(_: &TcpStream) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{super::testing, *};
    use rustix::net::sockopt;

    #[test]
    fn a_connection_that_timed_out_may_have_died_before() {
        let broken = |kind: io::ErrorKind| ConnectionError::Broken {
            server: "server:4081".to_owned(),
            source: kind.into(),
        };
        assert_eq!(broken(io::ErrorKind::TimedOut).dead_for(), MOST_SILENCE);
        let closed = broken(io::ErrorKind::UnexpectedEof);
        assert_eq!(closed.dead_for(), Duration::ZERO);
    }

    #[tokio::test]
    async fn a_game_that_goes_on_has_no_other_start_than_its_next_line() {
        let (mut connection, mut end) = testing::connected().await;
        let lines = b"##[HELLO] all\n-3334FU,T7\n#CHUDAN\nREJECT:one by b\n";
        end.write_all(lines).await.expect("read");
        let start = connection.agree("one").await;
        assert!(start.expect("connected").is_some());
        for line in ["-3334FU,T7", "#CHUDAN"] {
            assert_eq!(connection.next().await.expect("a line"), line);
        }
    }

    #[tokio::test]
    async fn an_offer_calls_off_the_one_before_it() {
        let (mut connection, mut end) = testing::connected().await;
        let lines = format!("{OFFER}\nGame_ID:two\nBEGIN Position\nPI\n+\n");
        end.write_all(lines.as_bytes()).await.expect("read");
        let start = connection.agree("one").await;
        assert_eq!(start.expect("connected"), None);
        assert_eq!(connection.next().await.expect("a line"), OFFER);
    }

    #[tokio::test]
    async fn a_connection_that_dies_without_a_word_is_ended_by_the_system() {
        let (connection, _end) = testing::connected().await;
        let stream = connection.stream;
        assert_eq!(sockopt::tcp_user_timeout(&stream), Ok(60_000));
        assert_eq!(sockopt::socket_keepalive(&stream), Ok(true));
        let idle = sockopt::tcp_keepidle(&stream);
        assert_eq!(idle, Ok(Duration::from_secs(10)));
        let interval = sockopt::tcp_keepintvl(&stream);
        assert_eq!(interval, Ok(Duration::from_secs(10)));
        assert_eq!(sockopt::tcp_keepcnt(&stream), Ok(5));
    }
}
