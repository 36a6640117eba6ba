//! `monju csa`: an engine on a server of the CSA protocol, version 1.2.1.
//!
//! Each game has a login of its own, which every server understands. A connection that breaks in mid-game is made
//! again, and the game goes on where the server says that it stands.

mod clock;
mod comment;
mod connection;
mod login;
mod play;
mod result;
mod summary;

pub use login::Login;

use anyhow::{Context, bail};
use connection::{Connection, ConnectionError};
use monju_host::{UsiSpec, usi_child::UsiChild};
use monju_team::signals;
use play::{Board, Left};
use result::Tally;
use std::{fs, path::PathBuf, time::Duration};
use summary::GameSummary;
use tokio::{
    sync::mpsc::UnboundedReceiver,
    time::{Instant, sleep},
};

/// Waits between two attempts to connect, the last one for all further ones.
const RETRIES: [Duration; 4] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(20),
];

/// Time for which a broken connection is made again.
const RECONNECTION: Duration = Duration::from_secs(600);

/// An engine that plays on a server.
#[derive(Debug)]
pub struct Csa {
    /// The account.
    pub login: Login,
    /// Number of games.
    pub games: u32,
    /// Folder of the games' records.
    pub records: PathBuf,
    /// The engine.
    pub engine: UsiSpec,
    /// Thinks on the opponent's time.
    pub ponders: bool,
    /// Sends scores with the moves.
    pub comments: bool,
}

impl Csa {
    /// Plays the games.
    ///
    /// # Errors
    /// The engine or the server cannot be used, or a record cannot be written.
    pub async fn run(self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.records)
            .with_context(|| format!("cannot make the folder {}", self.records.display()))?;
        let mut interrupts = signals::terminations();
        let engine = UsiChild::start("csa".to_owned(), self.engine.clone()).await;
        let mut board = Board::new(engine?, self.engine.clone(), self.ponders, self.comments);
        let outcome = self.play_all(&mut board, &mut interrupts).await;
        board.close().await;
        outcome
    }

    async fn play_all(
        &self,
        board: &mut Board,
        interrupts: &mut UnboundedReceiver<()>,
    ) -> anyhow::Result<()> {
        let mut tally = Tally::default();
        for number in 1..=self.games {
            let connected = async {
                let mut connection = self.connect(number > 1).await?;
                eprintln!(
                    "logged in as {:?}, waiting for game {number} of {}",
                    self.login, self.games
                );
                let summary = agree(board, &mut connection).await?;
                anyhow::Ok((connection, summary))
            };
            let (connection, summary) = tokio::select! {
                connected = connected => connected?,
                _ = interrupts.recv() => bail!("interrupted before game {number}; {tally}"),
            };
            let mut is_last = false;
            let played = self
                .play(board, connection, &summary, interrupts, &mut is_last)
                .await?;
            let path = played.write(&self.records, &summary)?;
            tally.count(&played);
            eprintln!(
                "game {number} of {}: {played}; {tally}; {}",
                self.games,
                path.display()
            );
            if is_last && number < self.games {
                bail!("interrupted after game {number} of {}", self.games);
            }
        }
        Ok(())
    }

    /// Plays one game, through as many connections as it takes.
    async fn play(
        &self,
        board: &mut Board,
        mut connection: Connection,
        summary: &GameSummary,
        interrupts: &mut UnboundedReceiver<()>,
        is_last: &mut bool,
    ) -> anyhow::Result<result::Played> {
        loop {
            match board.play(&mut connection, interrupts, is_last).await? {
                Left::Over(played) => {
                    connection.log_out().await;
                    return Ok(*played);
                }
                Left::Lost(error) => {
                    eprintln!("the connection is lost: {error}; connecting again");
                    let again = async {
                        let mut again = self.connect(true).await?;
                        let state = again.offer().await?;
                        again.go_on(&state.id).await?;
                        anyhow::Ok((again, state))
                    };
                    let (again, state) = tokio::time::timeout(RECONNECTION, again)
                        .await
                        .with_context(|| {
                            format!("the game {} is lost with its connection", summary.id)
                        })??;
                    if state.id != summary.id {
                        bail!(
                            "the game {} is over at the server, which offers {}",
                            summary.id,
                            state.id
                        );
                    }
                    connection = again;
                    board.resume(&state).await?;
                }
            }
        }
    }

    /// Connects and logs in. Only a first connection fails at once.
    async fn connect(&self, is_later: bool) -> anyhow::Result<Connection> {
        let begun = Instant::now();
        for attempt in 0.. {
            match Connection::log_in(&self.login).await {
                Ok(connection) => return Ok(connection),
                Err(error @ ConnectionError::Refused(_)) => return Err(error.into()),
                Err(error) if !is_later || begun.elapsed() > RECONNECTION => {
                    return Err(error.into());
                }
                Err(error) => eprintln!("{error}; trying again"),
            }
            sleep(RETRIES[RETRIES.len().min(attempt + 1) - 1]).await;
        }
        bail!("no connection")
    }
}

/// Waits for a game and its start. The server hears that we agree when the engine is ready, because the clock runs
/// from the start on.
async fn agree(board: &mut Board, connection: &mut Connection) -> anyhow::Result<GameSummary> {
    loop {
        let summary = connection.offer().await?;
        eprintln!("{}", summary.heading());
        connection.beside(board.prepare(&summary)).await?;
        if let Some(start) = connection.agree(&summary.id).await? {
            board.begin(start);
            return Ok(summary);
        }
    }
}
