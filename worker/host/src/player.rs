//! A player as an actor: one think at a time, steered while it runs.

use crate::search_thread::SearchFailure;
use monju_engine::{Game, Limits};
use monju_proto::v1;
use std::{
    collections::VecDeque,
    future::{Future, pending},
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep_until},
};

/// Thinks that may wait for the one that is running; more are refused at once.
const WAITING_ROOM: usize = 16;

/// What a player is asked to think about.
#[derive(Debug)]
pub struct Order {
    /// The game; another one than before implies a new game.
    pub game_id: String,
    /// The position with its history.
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// Whether the limits wait for the ponder hit.
    pub ponder: bool,
    /// Seed of the noise in this game.
    pub noise_seed: u64,
    /// When the order came, or the ponder hit: time counts from here, waiting included.
    pub since: Instant,
}

impl Order {
    /// Takes the limits that a ponder hit brings; a second hit changes nothing.
    pub fn hit(&mut self, hit: PonderHit) {
        if self.ponder {
            self.ponder = false;
            self.limits = hit.limits;
            self.since = hit.at;
        }
    }

    /// When its time is over; `None` while pondering, and without such a limit.
    fn deadline(&self) -> Option<Instant> {
        let time = self.limits.time.filter(|_| !self.ponder)?;
        self.since.checked_add(time)
    }

    /// The limits with the time that is left.
    pub fn remaining(&self, limits: Limits) -> Limits {
        Limits {
            time: limits
                .time
                .map(|time| time.saturating_sub(self.since.elapsed())),
            ..limits
        }
    }
}

/// The pondered move was played.
#[derive(Debug)]
pub struct PonderHit {
    /// The limits from now on.
    pub limits: Limits,
    /// When it was played.
    pub at: Instant,
}

/// What a running think can be told.
#[derive(Debug)]
pub enum Steer {
    /// Answer now.
    Stop,
    /// Start to obey limits.
    PonderHit(PonderHit),
}

/// What a player answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The move, and what the player thinks of the position.
    pub line: v1::Line,
    /// The noise seed that was in force.
    pub noise_seed: Option<u64>,
}

/// Why a player did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The player thought about another game as long as there was time for this one.
    #[error(
        "the player was busy with game '{0}' until the time for this one was over; wait until it is over, or \
         ask workers of your own"
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
        /// What ended it.
        why: String,
    },
    /// The engine ended, or had to be ended, in mid-search.
    #[error("{0}")]
    Engine(String),
    /// The native search panicked, or could not be built again after it had.
    #[error(transparent)]
    Native(#[from] SearchFailure),
    /// The worker is going down.
    #[error("the worker is shutting down")]
    Closing,
}

/// A think that was handed to a player. Dropping it is a stop whose answer nobody wants.
#[derive(Debug)]
pub struct Thinking {
    /// Stop and ponder hit go here; a player takes the first of each.
    pub steers: mpsc::Sender<Steer>,
    /// The latest thought; earlier ones that nobody has read are gone.
    pub progress: watch::Receiver<v1::Line>,
    /// The end; closed without a value when the worker goes down.
    pub answer: oneshot::Receiver<Result<Answer, Failure>>,
}

/// The near end of a player.
#[derive(Clone, Debug)]
pub struct PlayerStub {
    commands: mpsc::Sender<Command>,
}

impl PlayerStub {
    /// Prepares for a game early. Returns when that is done, or why it cannot be done, in one line.
    pub async fn new_game(&self, game_id: String) -> Result<(), String> {
        let (done, prepared) = oneshot::channel();
        // A closed channel is a worker going down: there is nothing left to prepare.
        let command = Command::NewGame { game_id, done };
        match self.commands.send(command).await {
            Ok(()) => prepared.await.unwrap_or(Ok(())),
            Err(_) => Ok(()),
        }
    }

    /// Starts a think. One that is still running, and still wanted, is waited for if it is about another
    /// game: whoever asked first must not lose its search to somebody else.
    pub async fn think(&self, order: Order) -> Result<Thinking, Failure> {
        let (steers, steered) = mpsc::channel(4);
        let (progress, latest) = watch::channel(v1::Line::default());
        let (answer, answered) = oneshot::channel();
        let think = Think {
            order,
            steers: steered,
            progress,
            answer,
        };
        self.commands
            .send(Command::Think(Box::new(think)))
            .await
            .map_err(|_| Failure::Closing)?;
        Ok(Thinking {
            steers,
            progress: latest,
            answer: answered,
        })
    }
}

#[derive(Debug)]
enum Command {
    NewGame {
        game_id: String,
        done: oneshot::Sender<Result<(), String>>,
    },
    Think(Box<Think>),
}

#[derive(Debug)]
struct Think {
    order: Order,
    steers: mpsc::Receiver<Steer>,
    progress: watch::Sender<v1::Line>,
    answer: oneshot::Sender<Result<Answer, Failure>>,
}

/// What does the thinking behind an actor.
///
/// All futures but [`Host::close`] may be dropped at any await, and only `close` follows then.
pub trait Host: Send + 'static {
    /// Does what must be done between thinks. Called again and again, and dropped when a command
    /// comes.
    fn tend(&mut self) -> impl Future<Output = ()> + Send;

    /// Forgets the last game, or says in one line why it cannot play the next.
    fn new_game(&mut self, game_id: &str) -> impl Future<Output = Result<(), String>> + Send;

    /// Thinks until a limit is reached or a stop comes; a pondering think waits for either, or for
    /// the ponder hit.
    fn think(
        &mut self,
        order: Order,
        progress: &watch::Sender<v1::Line>,
        steering: &mut Steering<'_>,
    ) -> impl Future<Output = Result<Answer, Failure>> + Send;

    /// Ends everything that was started.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// Makes the two ends of a player. The actor runs until `closing` turns true or loses its sender.
pub fn channel<H: Host>(
    host: H,
    closing: watch::Receiver<bool>,
) -> (PlayerStub, impl Future<Output = ()> + Send + 'static) {
    let (commands, received) = mpsc::channel(8);
    (PlayerStub { commands }, run(host, received, closing))
}

async fn run<H: Host>(
    mut host: H,
    mut commands: mpsc::Receiver<Command>,
    mut closing: watch::Receiver<bool>,
) {
    tokio::select! {
        _ = closing.wait_for(|closing| *closing) => {}
        () = obey(&mut host, &mut commands) => {}
    }
    host.close().await;
}

async fn obey<H: Host>(host: &mut H, commands: &mut mpsc::Receiver<Command>) {
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
            Command::NewGame { game_id, done } => {
                // Who asked waits no longer, and the first think of a game prepares for it, too.
                if done.is_closed() {
                    continue;
                }
                let prepared = host.new_game(&game_id).await;
                let _ = done.send(prepared);
            }
            Command::Think(think) => {
                let Think {
                    order,
                    steers,
                    progress,
                    mut answer,
                } = *think;
                if answer.is_closed() {
                    continue;
                }
                if has_later_question(&waiting, &order.game_id) {
                    let _ = answer.send(Err(Failure::Superseded));
                    continue;
                }
                let mut steering = Steering {
                    game_id: order.game_id.clone(),
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

/// Whether another question in the same game waits: who asked it has lost the one before.
fn has_later_question(waiting: &VecDeque<Command>, game: &str) -> bool {
    let mut others = waiting.iter();
    !game.is_empty()
        && others
            .any(|command| matches!(command, Command::Think(think) if think.order.game_id == game))
}

/// All that can change a running think: its owner's word, its owner's going away, and another question in
/// the same game. Whatever else is asked of the player meanwhile waits.
pub struct Steering<'a> {
    /// The game that is thought about.
    game_id: String,
    steers: Option<mpsc::Receiver<Steer>>,
    unwanted: &'a mut oneshot::Sender<Result<Answer, Failure>>,
    commands: &'a mut mpsc::Receiver<Command>,
    waiting: &'a mut VecDeque<Command>,
    stopped: bool,
}

impl Steering<'_> {
    /// Waits for the next word. Nothing follows a stop. Safe to drop and call again.
    pub async fn next(&mut self) -> Steer {
        if self.stopped {
            return pending().await;
        }
        let steer = loop {
            tokio::select! {
                steer = steer_of(&mut self.steers) => break steer,
                () = self.unwanted.closed() => break Steer::Stop,
                command = self.commands.recv() => match command {
                    Some(command) if self.is_of_this_game(&command) => {
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

    /// Whether it is another question in the game that is thought about: whoever asks it has lost the running
    /// search, perhaps by a connection that is not known to be dead here.
    fn is_of_this_game(&self, command: &Command) -> bool {
        matches!(command, Command::Think(think)
            if !self.game_id.is_empty() && think.order.game_id == self.game_id)
    }

    /// Lets a command wait until the running think is over.
    fn put_off(&mut self, command: Command) {
        if let Command::Think(think) = &command
            && !self.unwanted.is_closed()
        {
            tracing::warn!(
                running = self.game_id,
                waiting = think.order.game_id,
                "a search waits for another one; give every coordinator workers of its own"
            );
        }
        if self.waiting.len() < WAITING_ROOM {
            self.waiting.push_back(command);
        } else if let Command::Think(think) = command {
            self.refuse(*think);
        }
    }

    /// Tells those whose time is over that they have waited in vain.
    fn refuse_the_late(&mut self) {
        let now = Instant::now();
        for command in std::mem::take(self.waiting) {
            match command {
                Command::Think(think) if think.order.deadline().is_some_and(|at| at <= now) => {
                    self.refuse(*think);
                }
                command => self.waiting.push_back(command),
            }
        }
    }

    fn refuse(&self, think: Think) {
        // Whoever asked may have left.
        let _ = think.answer.send(Err(Failure::Busy(self.game_id.clone())));
    }
}

/// Waits until the first of those that wait has no time left; for ever when none has a limit.
async fn first_deadline(waiting: &VecDeque<Command>) {
    let deadlines = waiting.iter().filter_map(|command| match command {
        Command::Think(think) => think.order.deadline(),
        Command::NewGame { .. } => None,
    });
    match deadlines.min() {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}

/// The owner's next word; an owner that will say no more may still wait for the answer.
async fn steer_of(steers: &mut Option<mpsc::Receiver<Steer>>) -> Steer {
    if let Some(open) = steers {
        if let Some(steer) = open.recv().await {
            return steer;
        }
        *steers = None;
    }
    pending().await
}
