//! `monju csa`: an engine on a server of the CSA protocol, version 1.2.1.
//!
//! One login serves for as many games as the server offers with it; where the server ends the connection with a
//! game, as floodgate's does, the next one has a login of its own. A connection that breaks is made again. In
//! mid-game, the game goes on where the server says that it stands; a game that cannot go on is broken off, and the
//! next one follows. So it does where the server drops a game without a result and offers another one.
//!
//! The first interrupt (SIGINT or SIGTERM) makes the game under way the last one, and the second one leaves it. A
//! terminal that goes away (SIGHUP) changes nothing: the games are played to the end, as under `nohup`.

mod asleep;
mod clock;
mod comment;
mod connection;
mod login;
mod patience;
mod play;
mod result;
mod server;
mod start;
mod substitute;
mod summary;
#[cfg(test)]
mod testing;

pub use login::Login;

use crate::{output::Teller, runtime};
use anyhow::{Context, bail};
use connection::{ConnectionError, CsaConnection};
use monju_engine::counted;
use monju_host::{OptionValue, UsiSpec, usi_child::UsiChild};
use monju_proto::text::plain_lines;
use monju_team::signals;
use patience::{LONGEST_WAIT, Patience};
use play::{Board, Left, interrupt};
use result::{Played, RecordFolder, ResultTally};
use server::{AtHand, Server};
use std::{path::PathBuf, pin::pin};
use summary::GameSummary;
use tokio::{sync::mpsc::UnboundedReceiver, time::Instant};

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
    pub fn run(self) -> anyhow::Result<()> {
        let _teller = Teller::start();
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        RecordFolder(&self.records).prepare()?;
        let mut interrupts = signals::terminations_beyond_terminal();
        let spec = self.told_engine();
        let engine = UsiChild::start("csa".to_owned(), spec.clone()).await;
        let board = Board::new(engine?, spec, self.ponders, self.comments);
        let mut board = board.context("the search that stands in for the engine")?;
        board.tell_reports();
        let outcome = self.play_all(&mut board, &mut interrupts).await;
        board.close().await;
        outcome
    }

    /// Returns the engine, which is told whether it will be asked to ponder: some divide their time by that.
    fn told_engine(&self) -> UsiSpec {
        let mut engine = self.engine.clone();
        let ponders = OptionValue::Switch(self.ponders);
        engine.options.set_unless_named("USI_Ponder", ponders);
        engine
    }

    async fn play_all(
        &self,
        board: &mut Board,
        interrupts: &mut UnboundedReceiver<()>,
    ) -> anyhow::Result<()> {
        let mut tally = ResultTally::default();
        let mut server = Server::new(&self.login);
        let mut at_hand = None;
        let (mut unwritten, mut unplayed) = (0, 0);
        for number in 1..=self.games {
            let begun = tokio::select! {
                begun = self.begin(&mut server, board, at_hand.take(), number) => begun?,
                _ = interrupts.recv() => bail!("interrupted before game {number}; {tally}"),
            };
            let (connection, summary) = begun;
            let mut is_last = false;
            let EndedGame {
                played,
                at_hand: left,
                is_abandoned,
            } = self
                .play(
                    &mut server,
                    board,
                    connection,
                    &summary,
                    interrupts,
                    &mut is_last,
                )
                .await;
            at_hand = left;
            tally.count(&played);
            unplayed += u32::from(is_abandoned);
            let over = format!("game {number} of {}: {played}; {tally}", self.games);
            let record = played.csa(&summary);
            let text = match &record {
                Ok(text) => text.clone(),
                Err(_) => played.game.to_usi(),
            };
            let folder = RecordFolder(&self.records);
            match record.and_then(|record| folder.write(&summary.id, &record)) {
                Ok(path) => tell!("{over}; {}", path.display()),
                // The other games are played all the same, and this one is not lost.
                Err(error) => {
                    tell!("{over}; {error:#}; its record:\n{}", plain_lines(&text));
                    unwritten += 1;
                }
            }
            if is_last && number < self.games {
                leave(at_hand).await;
                bail!("interrupted after game {number} of {}", self.games);
            }
        }
        leave(at_hand).await;
        let mut faults = Vec::new();
        if unplayed > 0 {
            faults.push(format!(
                "{} could not be played to the end",
                counted(unplayed, "game")
            ));
        }
        if unwritten > 0 {
            let records = counted(unwritten, "record");
            faults.push(format!(
                "{records} could not be written: the text stands behind the result of the game"
            ));
        }
        match faults.is_empty() {
            true => Ok(()),
            false => bail!("{}, see above", faults.join("; ")),
        }
    }

    /// Waits for a game and its start, through as many connections as it takes.
    async fn begin(
        &self,
        server: &mut Server<'_>,
        board: &mut Board,
        mut at_hand: Option<AtHand>,
        number: u32,
    ) -> anyhow::Result<(CsaConnection, GameSummary)> {
        let mut patience = Patience::new();
        loop {
            let is_kept = at_hand.is_some();
            let AtHand {
                mut connection,
                offer,
            } = match at_hand.take() {
                Some(at_hand) => at_hand,
                None => server.connect(&patience).await?.into(),
            };
            tell!(
                "logged in as {:?}, waiting for game {number} of {}",
                self.login,
                self.games
            );
            let since = Instant::now();
            match agree(board, &mut connection, offer).await? {
                Ok(summary) => return Ok((connection, summary)),
                Err(error) if !error.is_broken() => return Err(error.into()),
                // The server ends a login with its game: nothing is wrong, and the loss begins now.
                Err(_) if is_kept => patience = Patience::new(),
                Err(error) => {
                    // A connection that has held for a while is a new loss.
                    if since.elapsed() > LONGEST_WAIT {
                        patience = Patience::new();
                    }
                    patience.wait_after(error).await?;
                }
            }
        }
    }

    /// Plays one game, through as many connections as it takes. A game that cannot go on is broken off.
    async fn play(
        &self,
        server: &mut Server<'_>,
        board: &mut Board,
        mut connection: CsaConnection,
        summary: &GameSummary,
        interrupts: &mut UnboundedReceiver<()>,
        is_last: &mut bool,
    ) -> EndedGame {
        let mut left = board.play(&mut connection, interrupts, is_last).await;
        loop {
            let error = match left {
                Left::Over(played) => {
                    return EndedGame {
                        played: *played,
                        at_hand: Some(connection.into()),
                        is_abandoned: false,
                    };
                }
                Left::Unplayable(reason) => {
                    drop(connection);
                    return abandon(board, summary, &reason).await;
                }
                Left::Replaced => {
                    let game = &summary.id;
                    tell!("the server has dropped the game {game}, and offers another one");
                    return EndedGame {
                        played: board.break_off().await,
                        at_hand: AtHand::with_offer(connection).await,
                        is_abandoned: false,
                    };
                }
                Left::Lost(error) => error,
            };
            tell!("the connection is lost: {error}; connecting again");
            let now = Instant::now();
            let lost = now.checked_sub(error.dead_for()).unwrap_or(now);
            let again = {
                let mut again = pin!(server.connect_again(&summary.id));
                loop {
                    tokio::select! {
                        again = &mut again => break Ok(again),
                        Some(()) = interrupts.recv() => if let Err(reason) = interrupt(is_last) {
                            break Err(reason);
                        },
                    }
                }
            };
            let again = match again {
                Ok(again) => again,
                Err(reason) => return abandon(board, summary, &reason).await,
            };
            let (at_hand, is_abandoned) = match again {
                Ok(AtHand {
                    connection: again,
                    offer: Some(state),
                }) if state.id == summary.id => {
                    connection = again;
                    board.resume(&state, lost).await;
                    left = board.play(&mut connection, interrupts, is_last).await;
                    continue;
                }
                Ok(at_hand) => {
                    tell!("the server has ended the game {}", summary.id);
                    (Some(at_hand), false)
                }
                Err(error) => {
                    tell!(
                        "the game {} is lost with its connection: {error}",
                        summary.id
                    );
                    (None, true)
                }
            };
            return EndedGame {
                played: board.break_off().await,
                at_hand,
                is_abandoned,
            };
        }
    }
}

/// A game that is over.
struct EndedGame {
    played: Played,
    /// The connection that can go on; none to a game that the server counts as going on.
    at_hand: Option<AtHand>,
    /// We could not play it to its end: the connection was lost for good, or the server played a foul.
    is_abandoned: bool,
}

/// Ends a game that cannot go on, for this reason. Its moves so far are its record.
async fn abandon(board: &mut Board, summary: &GameSummary, reason: &str) -> EndedGame {
    tell!("the game {} cannot go on: {reason}", summary.id);
    EndedGame {
        played: board.break_off().await,
        at_hand: None,
        is_abandoned: true,
    }
}

/// Calls off the game that is on offer, and logs out.
async fn leave(at_hand: Option<AtHand>) {
    let Some(AtHand {
        mut connection,
        offer,
    }) = at_hand
    else {
        return;
    };
    if let Some(offer) = offer {
        connection.reject(&offer.id).await;
    }
    connection.log_out().await;
}

/// Waits for a game and its start, unless one is on offer. The server hears that we agree when the engine is ready,
/// because the clock runs from the start on; a game that the engine does not get ready for is called off. The inner
/// error is that of the connection.
async fn agree(
    board: &mut Board,
    connection: &mut CsaConnection,
    mut offer: Option<GameSummary>,
) -> anyhow::Result<Result<GameSummary, ConnectionError>> {
    loop {
        let summary = match offer.take() {
            Some(summary) => summary,
            None => match connection.offer().await {
                Ok(summary) => summary,
                Err(error) => return Ok(Err(error)),
            },
        };
        tell!("{}", summary.heading());
        if let Err(error) = connection.beside(board.prepare(&summary)).await {
            connection.reject(&summary.id).await;
            return Err(error);
        }
        match connection.agree(&summary.id).await {
            Ok(Some(start)) => {
                board.begin(start);
                return Ok(Ok(summary));
            }
            Ok(None) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{convert::Infallible, future::pending, time::Duration};
    use testing::{MUTE, answer_login, board, conditions, connected, let_in, summary};
    use tokio::{
        io::{AsyncBufReadExt, AsyncWriteExt},
        sync::mpsc::unbounded_channel,
        time::sleep,
    };

    /// An engine that gets ready when it is started, and never again.
    const ONCE: &str = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok; exit ;; \
        esac; done";

    #[tokio::test]
    async fn a_game_that_the_engine_does_not_get_ready_for_is_called_off() {
        let mut board = board(&[ONCE]).await;
        let (mut connection, mut end) = connected().await;
        let offer = format!("BEGIN Game_Summary\n{}END Game_Summary\n", conditions(""));
        end.write_all(offer.as_bytes()).await.expect("read");
        let error = agree(&mut board, &mut connection, None).await;
        let error = format!("{:#}", error.expect_err("no engine"));
        assert!(
            error.contains("before the game one: the engine ended"),
            "{error}"
        );
        let mut line = String::new();
        end.read_line(&mut line).await.expect("a line");
        assert_eq!(line, "REJECT one\n");
    }

    /// A client that plays two games.
    fn client(login: Login, ponders: bool) -> Csa {
        Csa {
            login,
            games: 2,
            records: PathBuf::new(),
            engine: UsiSpec::of_program("/bin/sh"),
            ponders,
            comments: false,
        }
    }

    #[tokio::test]
    async fn the_engine_is_told_whether_it_ponders() {
        let (_, login) = testing::server().await;
        for ponders in [true, false] {
            let mut csa = client(login.clone(), ponders);
            let told = |csa: &Csa| csa.told_engine().options.0;
            let name = || "USI_Ponder".to_owned();
            assert_eq!(told(&csa), [(name(), OptionValue::Switch(ponders))]);
            // The user has the last word.
            let own = vec![(name(), OptionValue::Text("false".to_owned()))];
            csa.engine.options.0.clone_from(&own);
            assert_eq!(told(&csa), own);
        }
    }

    /// The position of the offer was taken for a foul of the server, and the connection was closed.
    #[tokio::test]
    async fn an_offer_in_mid_game_takes_the_place_of_the_game() {
        let mut board = board(&[MUTE]).await;
        let (connection, mut end) = connected().await;
        let game = summary("+7776FU,T1\n");
        board.prepare(&game).await.expect("ready");
        board.begin(Instant::now());
        let next = conditions("").replace("Game_ID:one", "Game_ID:two");
        let offer = format!("BEGIN Game_Summary\n{next}END Game_Summary\n");
        end.write_all(offer.as_bytes()).await.expect("read");
        let (_, login) = testing::server().await;
        let csa = client(login, false);
        let mut server = Server::new(&csa.login);
        let (_interrupt, mut interrupts) = unbounded_channel();
        let mut is_last = false;
        let ended = csa
            .play(
                &mut server,
                &mut board,
                connection,
                &game,
                &mut interrupts,
                &mut is_last,
            )
            .await;
        assert!(!ended.is_abandoned && ended.played.outcome.is_none());
        let AtHand {
            mut connection,
            offer,
        } = ended.at_hand.expect("the connection");
        let starts = async {
            let mut line = String::new();
            end.read_line(&mut line).await.expect("a line");
            end.write_all(b"START:two\n").await.expect("read");
            line
        };
        let agreed = agree(&mut board, &mut connection, offer);
        let (agreed, line) = tokio::join!(agreed, starts);
        assert_eq!(line, "AGREE two\n");
        let agreed = agreed.expect("an engine").expect("connected");
        assert_eq!(agreed.id, "two");
        board.close().await;
    }

    #[tokio::test]
    async fn patience_with_a_kept_login_begins_with_its_loss() {
        let mut board = board(&[MUTE]).await;
        let (listener, login) = testing::server().await;
        let csa = client(login, false);
        let mut server = Server::new(&csa.login);
        let patience = Patience::new();
        let (kept, end) = tokio::join!(server.connect(&patience), let_in(&listener));
        let kept = kept.expect("a login");
        tokio::time::pause();
        let ends_login = async {
            // No game is offered for longer than a lost connection is made again.
            sleep(Duration::from_secs(1_000)).await;
            drop(end);
            answer_login(&listener, "LOGIN:incorrect\n").await;
            let mut end = let_in(&listener).await;
            let nonsense = b"BEGIN Game_Summary\nEND Game_Summary\n";
            end.write_all(nonsense).await.expect("read");
            pending::<Infallible>().await
        };
        let begun = csa.begin(&mut server, &mut board, Some(kept.into()), 2);
        let begun = tokio::select! {
            begun = begun => begun,
            never = ends_login => match never {},
        };
        let error = begun.expect_err("an offer without conditions").to_string();
        assert!(error.contains("makes no sense"), "{error}");
        board.close().await;
    }
}
