//! A player as an actor: one search at a time, steered while it runs.

use crate::{searcher::SearchFailure, usi_child::ChildError};
use monju_engine::{Game, Limits};
use monju_proto::v1;
use std::{
    collections::VecDeque,
    future::{Future, pending},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep_until},
};

/// Searches that may wait for the one that is running; more are refused at once.
const WAITING_ROOM: usize = 16;

/// A search that a player is asked for.
#[derive(Debug)]
pub struct Order {
    /// The game; another id than before implies a new game.
    pub game_id: String,
    /// The position with its history.
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// The limits wait for the ponder hit.
    pub ponder: bool,
    /// The opponent is to move: the search fills the memory, and its result is no vote.
    pub opponents_turn: bool,
    /// Seed of the noise in this game.
    pub noise_seed: u64,
    /// Time of the order, or of the ponder hit, from which time counts.
    pub since: Instant,
}

impl Order {
    /// Takes the limits of a ponder hit, but for the moves to choose from; a second hit changes nothing.
    pub fn hit(&mut self, limits: Limits, at: Instant) {
        if self.ponder {
            self.ponder = false;
            self.limits = Limits {
                search_moves: std::mem::take(&mut self.limits.search_moves),
                ..limits
            };
            self.since = at;
        }
    }

    /// Returns the end of its time; `None` while pondering, and without a time limit.
    fn deadline(&self) -> Option<Instant> {
        let time = self.limits.time.filter(|_| !self.ponder)?;
        self.since.checked_add(time)
    }

    /// Returns limits with the time that is left.
    pub fn remaining(&self, limits: Limits) -> Limits {
        Limits {
            time: limits
                .time
                .map(|time| time.saturating_sub(self.since.elapsed())),
            ..limits
        }
    }
}

/// A message to a running search.
#[derive(Debug)]
pub enum Steer {
    /// Answer now.
    Stop,
    /// The pondered move was played: obey limits from now on.
    PonderHit {
        /// The limits.
        limits: Limits,
        /// Time of the move.
        at: Instant,
    },
}

/// The answer of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerAnswer {
    /// The move, and the player's view of the position.
    pub line: v1::Line,
    /// The noise seed that was in force.
    pub noise_seed: Option<u64>,
}

/// Reason why a player did not answer.
#[derive(Debug, thiserror::Error)]
pub enum ThinkFailure {
    /// The player thought about another game as long as there was time for this one.
    #[error(
        "the player was busy with game '{0}' until the time for this move was over; wait until that game ends, or \
         use workers of your own"
    )]
    Busy(String),
    /// The player was asked anew before it came to this.
    #[error("the player was asked something else in the same game meanwhile")]
    Superseded,
    /// The engine has not finished its handshake.
    #[error(
        "the engine was still starting: it has not answered usi or isready yet; is it a USI engine?"
    )]
    Starting,
    /// The engine ended before, and waits to be started again.
    #[error("the engine is down and starts again in {}.{} s: {why}", .wait.as_secs(), .wait.subsec_millis() / 100)]
    Down {
        /// Time until the next start.
        wait: Duration,
        /// The error that ended it.
        #[source]
        why: Arc<ChildError>,
    },
    /// The engine ended, or had to be ended, in mid-search.
    #[error(transparent)]
    Engine(#[from] Arc<ChildError>),
    /// The native search panicked, or its player could not be built again.
    #[error(transparent)]
    Native(#[from] SearchFailure),
    /// The worker is going down.
    #[error("the worker is shutting down")]
    Closing,
}

/// Reason why a player is not ready for a game.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    /// The native player could not be prepared.
    #[error(transparent)]
    Native(#[from] Arc<SearchFailure>),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] Arc<ChildError>),
}

/// A search under way. Dropping it stops the search and discards its answer.
#[derive(Debug)]
pub struct Thinking {
    /// Stop and ponder hit go here; a player takes the first of each.
    pub steers: mpsc::Sender<Steer>,
    /// The latest line; earlier ones that were not read are lost.
    pub progress: watch::Receiver<v1::Line>,
    /// The answer; closed without a value when the worker goes down.
    pub answer: oneshot::Receiver<Result<PlayerAnswer, ThinkFailure>>,
}

/// The near end of a player.
#[derive(Clone, Debug)]
pub struct PlayerStub {
    commands: mpsc::Sender<PlayerCommand>,
}

impl PlayerStub {
    /// Prepares for a game before its first search. Returns the errors that the player has told since the last game
    /// that it was prepared for, or since its start, in its own words: it plays all the same.
    ///
    /// # Errors
    /// The player is not ready.
    pub async fn new_game(&self, game_id: String) -> Result<Vec<String>, NotReady> {
        let (done, prepared) = oneshot::channel();
        // A closed channel belongs to a worker that goes down: there is nothing left to prepare.
        let command = PlayerCommand::NewGame { game_id, done };
        match self.commands.send(command).await {
            Ok(()) => prepared.await.unwrap_or_else(|_| Ok(Vec::new())),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Starts a search. One that is still running, and still wanted, is waited for if it is about another
    /// game: no client takes away the search of another one.
    ///
    /// # Errors
    /// The worker is going down.
    pub async fn think(&self, order: Order) -> Result<Thinking, ThinkFailure> {
        let (steers, steered) = mpsc::channel(4);
        let (progress, latest) = watch::channel(v1::Line::default());
        let (answer, answered) = oneshot::channel();
        let think = QueuedThink {
            order,
            steers: steered,
            progress,
            answer,
        };
        self.commands
            .send(PlayerCommand::Think(Box::new(think)))
            .await
            .map_err(|_| ThinkFailure::Closing)?;
        Ok(Thinking {
            steers,
            progress: latest,
            answer: answered,
        })
    }
}

#[derive(Debug)]
enum PlayerCommand {
    NewGame {
        game_id: String,
        done: oneshot::Sender<Result<Vec<String>, NotReady>>,
    },
    Think(Box<QueuedThink>),
}

#[derive(Debug)]
struct QueuedThink {
    order: Order,
    steers: mpsc::Receiver<Steer>,
    progress: watch::Sender<v1::Line>,
    answer: oneshot::Sender<Result<PlayerAnswer, ThinkFailure>>,
}

/// The engine behind an actor.
///
/// All futures but [`PlayerBackend::close`] may be dropped at any await, and only `close` follows then.
pub trait PlayerBackend: Send + 'static {
    /// Does the work between searches. Called again and again, and dropped when a command comes.
    fn tend(&mut self) -> impl Future<Output = ()> + Send;

    /// Forgets the last game and prepares for the next. Returns the errors that the engine has told, in its own words.
    fn new_game(
        &mut self,
        game_id: &str,
    ) -> impl Future<Output = Result<Vec<String>, NotReady>> + Send;

    /// Searches until a limit is reached or a stop comes; a pondering search waits for a stop or a ponder
    /// hit.
    fn think(
        &mut self,
        order: Order,
        progress: &watch::Sender<v1::Line>,
        steering: &mut Steering<'_>,
    ) -> impl Future<Output = Result<PlayerAnswer, ThinkFailure>> + Send;

    /// Ends its threads and processes.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// Makes the two ends of a player. The actor runs until `closing` turns true or loses its sender.
pub fn channel<H: PlayerBackend>(
    host: H,
    closing: watch::Receiver<bool>,
) -> (PlayerStub, impl Future<Output = ()> + Send + 'static) {
    let (commands, received) = mpsc::channel(8);
    (PlayerStub { commands }, run(host, received, closing))
}

async fn run<H: PlayerBackend>(
    mut host: H,
    mut commands: mpsc::Receiver<PlayerCommand>,
    mut closing: watch::Receiver<bool>,
) {
    tokio::select! {
        _ = closing.wait_for(|closing| *closing) => {}
        () = handle_commands(&mut host, &mut commands) => {}
    }
    host.close().await;
}

async fn handle_commands<H: PlayerBackend>(
    host: &mut H,
    commands: &mut mpsc::Receiver<PlayerCommand>,
) {
    let mut waiting = VecDeque::new();
    loop {
        let command = match waiting.pop_front() {
            Some(command) => command,
            None => tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => command,
                    None => return,
                },
                () = host.tend() => continue,
            },
        };
        match command {
            PlayerCommand::NewGame { game_id, done } => {
                // The client has given up waiting, and the first search of a game prepares for it, too.
                if done.is_closed() {
                    continue;
                }
                let prepared = host.new_game(&game_id).await;
                let _ = done.send(prepared);
            }
            PlayerCommand::Think(think) => {
                let QueuedThink {
                    order,
                    steers,
                    progress,
                    mut answer,
                } = *think;
                if answer.is_closed() {
                    continue;
                }
                if has_later_question(&waiting, &order) {
                    let _ = answer.send(Err(ThinkFailure::Superseded));
                    continue;
                }
                let mut steering = Steering {
                    game_id: order.game_id.clone(),
                    plies: order.game.moves().len(),
                    steers: Some(steers),
                    unwanted: &mut answer,
                    commands,
                    waiting: &mut waiting,
                    stopped: false,
                };
                let result = host.think(order, &progress, &mut steering).await;
                let _ = answer.send(result);
            }
        }
    }
}

/// Tells whether another search of the same game waits, which replaces this one.
fn has_later_question(waiting: &VecDeque<PlayerCommand>, order: &Order) -> bool {
    let mut others = waiting.iter();
    others.any(|command| command.replaces(&order.game_id, order.game.moves().len()))
}

impl PlayerCommand {
    /// Tells whether this takes the place of a search of a game with so many moves: the client of that search has
    /// lost it, perhaps with a connection that still looks alive here. A question about an earlier position may
    /// have been on its way for long, and replaces none; nor does one whose client has gone.
    fn replaces(&self, game: &str, plies: usize) -> bool {
        match self {
            Self::NewGame { .. } => false,
            Self::Think(think) => {
                !game.is_empty()
                    && think.order.game_id == game
                    && think.order.game.moves().len() >= plies
                    && !think.answer.is_closed()
            }
        }
    }
}

/// The events that can change a running search: a message of its client, the end of its client, and another
/// search of the same game. All other commands wait.
pub struct Steering<'a> {
    /// The game of the search.
    game_id: String,
    /// The moves of its game so far.
    plies: usize,
    steers: Option<mpsc::Receiver<Steer>>,
    unwanted: &'a mut oneshot::Sender<Result<PlayerAnswer, ThinkFailure>>,
    commands: &'a mut mpsc::Receiver<PlayerCommand>,
    waiting: &'a mut VecDeque<PlayerCommand>,
    stopped: bool,
}

impl Steering<'_> {
    /// Waits for the next message. Nothing follows a stop. Safe to drop and call again.
    pub async fn next(&mut self) -> Steer {
        if self.stopped {
            return pending().await;
        }
        let steer = loop {
            tokio::select! {
                steer = steer_of(&mut self.steers) => break steer,
                () = self.unwanted.closed() => break Steer::Stop,
                command = self.commands.recv() => match command {
                    Some(command) if command.replaces(&self.game_id, self.plies) => {
                        self.waiting.push_front(command);
                        break Steer::Stop;
                    }
                    Some(command) => self.put_off(command),
                    // The worker is going down.
                    None => break Steer::Stop,
                },
                () = first_deadline(self.waiting) => self.refuse_the_late(),
            }
        };
        self.stopped = matches!(steer, Steer::Stop);
        steer
    }

    /// Lets a command wait until the running search is over.
    fn put_off(&mut self, command: PlayerCommand) {
        if let PlayerCommand::Think(think) = &command
            && !self.unwanted.is_closed()
        {
            let (running, waiting) = (&self.game_id, &think.order.game_id);
            match running == waiting {
                true => tracing::warn!(
                    game = running,
                    "a search waits for the one before, whose end the engine has not told yet"
                ),
                false => tracing::warn!(
                    running,
                    waiting,
                    "a search waits for that of another game; games at the same time need workers of their own"
                ),
            }
        }
        if self.waiting.len() < WAITING_ROOM {
            self.waiting.push_back(command);
        } else if let PlayerCommand::Think(think) = command {
            self.refuse(*think);
        }
    }

    /// Refuses the waiting searches whose time is over.
    fn refuse_the_late(&mut self) {
        let now = Instant::now();
        for command in std::mem::take(self.waiting) {
            match command {
                PlayerCommand::Think(think)
                    if think.order.deadline().is_some_and(|at| at <= now) =>
                {
                    self.refuse(*think);
                }
                command => self.waiting.push_back(command),
            }
        }
    }

    fn refuse(&self, think: QueuedThink) {
        // The client may be gone.
        let _ = think
            .answer
            .send(Err(ThinkFailure::Busy(self.game_id.clone())));
    }
}

/// Waits until the time of a waiting search is over; for ever without any limit.
async fn first_deadline(waiting: &VecDeque<PlayerCommand>) {
    let deadlines = waiting.iter().filter_map(|command| match command {
        PlayerCommand::Think(think) => think.order.deadline(),
        PlayerCommand::NewGame { .. } => None,
    });
    match deadlines.min() {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}

/// Waits for the client's next message; a client that has closed its side may still wait for the answer.
async fn steer_of(steers: &mut Option<mpsc::Receiver<Steer>>) -> Steer {
    if let Some(open) = steers {
        if let Some(steer) = open.recv().await {
            return steer;
        }
        *steers = None;
    }
    pending().await
}
