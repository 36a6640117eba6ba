//! The GUI's side of a session with a scripted coordinator.

use super::scripted_coordinator::{Received, ScriptStep, ScriptedCoordinator};
use crate::{
    command::ReadCommand,
    output::Output,
    proxy::{Proxy, connection::TeamConnection},
    scheduling_delay::SchedulingDelay,
    session::UsiSession,
};
use monju_coordinator::roster::ReachError;
use monju_host::fallback::FallbackSearch;
use monju_proto::{reservation::Reservation, v1::Begin};
use monju_team::team::{AssembleError, Choices};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{sleep, timeout},
};

/// The way in which a test assembles its team.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// Time that it takes.
    pub time: Duration,
    /// Time that the players take to prepare for a game.
    pub preparation: Duration,
    /// Number of the preparation that fails, from 0.
    pub lost_at: Option<usize>,
    /// Problems that every preparation reports.
    pub problems: Vec<String>,
    /// Returns true for choices that cannot be assembled.
    pub fails: Option<fn(&Choices) -> bool>,
    /// Choices of the command line.
    pub choices: Choices,
    /// The session that holds the players.
    pub reservation: Reservation,
    /// Number of further coordinators that take over, by the same script.
    pub others: usize,
}

/// The GUI's side of a session with a scripted coordinator.
pub struct Gui {
    commands: Option<mpsc::UnboundedSender<ReadCommand>>,
    lines: mpsc::UnboundedReceiver<String>,
    received: mpsc::UnboundedReceiver<Received>,
    assembled: mpsc::UnboundedReceiver<Choices>,
    closed: Arc<AtomicUsize>,
    session: JoinHandle<()>,
}

impl Gui {
    /// Starts a session whose coordinator follows the same steps in every consultation.
    pub fn new(steps: Vec<ScriptStep>) -> Self {
        Self::with(Assembly::default(), move |_| steps.clone())
    }

    /// Starts a session whose coordinator follows `script`.
    pub fn with(
        assembly: Assembly,
        script: impl Fn(&Begin) -> Vec<ScriptStep> + Send + Sync + 'static,
    ) -> Self {
        let (output, lines) = Output::channel();
        let (commands, receiver) = mpsc::unbounded_channel();
        let (received_sender, received) = mpsc::unbounded_channel();
        let (assembled_sender, assembled) = mpsc::unbounded_channel();
        let closed = Arc::<AtomicUsize>::default();
        let coordinator = ScriptedCoordinator {
            script: Arc::new(script),
            received: received_sender,
            preparation: assembly.preparation,
            preparations: Arc::default(),
            problems: assembly.problems.clone(),
            lost_at: assembly.lost_at,
            closed: closed.clone(),
            reservation: assembly.reservation.clone(),
            others: assembly.others,
        };
        let choices = assembly.choices.clone();
        let connection = TeamConnection::start(move |choices| {
            let (coordinator, assembly) = (coordinator.clone(), assembly.clone());
            let _ = assembled_sender.send(choices.clone());
            async move {
                sleep(assembly.time).await;
                match assembly.fails {
                    Some(fails) if fails(&choices) => Err(AssembleError::Unreachable {
                        url: "example".to_owned(),
                        source: ReachError::NotConnected,
                    }),
                    _ => Ok(coordinator.connect(choices.consultation)),
                }
            }
        });
        let fallback = FallbackSearch::start().expect("a thread");
        let proxy = Proxy::new(choices, connection, fallback, SchedulingDelay::default());
        Self {
            commands: Some(commands),
            lines,
            received,
            assembled,
            closed,
            session: tokio::spawn(UsiSession::new(proxy, output).run(receiver)),
        }
    }

    /// Sends lines, one after the other.
    pub fn say(&self, lines: &str) {
        for line in lines.lines() {
            if let Some(commands) = &self.commands {
                commands
                    .send(ReadCommand::parse(line))
                    .expect("the session listens");
            }
        }
    }

    /// Ends the input.
    pub fn hang_up(&mut self) {
        self.commands = None;
    }

    /// Returns the next line.
    pub async fn hear(&mut self) -> String {
        timeout(Duration::from_secs(3_600), self.lines.recv())
            .await
            .expect("the session says something")
            .expect("the session goes on")
    }

    /// Returns all lines up to the first one that starts with `prefix`.
    pub async fn hear_until(&mut self, prefix: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.hear().await;
            lines.push(line);
            if lines[lines.len() - 1].starts_with(prefix) {
                return lines;
            }
        }
    }

    /// Returns the line about the next coordinator that takes over.
    pub async fn first_to_take_over(&mut self) -> String {
        loop {
            let line = self.hear().await;
            if line.ends_with(" takes over") {
                return line;
            }
        }
    }

    /// Returns the next `bestmove`; only `info` lines may come before it.
    pub async fn best_move(&mut self) -> String {
        let mut lines = self.hear_until("bestmove").await;
        let last = lines.pop().expect("a line");
        assert!(
            lines.iter().all(|line| line.starts_with("info ")),
            "{lines:?}"
        );
        last
    }

    /// Lets time pass, and returns the lines that came meanwhile.
    pub async fn wait(&mut self, seconds: u64) -> Vec<String> {
        sleep(Duration::from_secs(seconds)).await;
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.try_recv() {
            lines.push(line);
        }
        lines
    }

    /// Gets the session ready for a game with a client that loses next to no time.
    pub async fn ready(&mut self) {
        self.say("setoption name MoveOverhead value 1");
        self.ready_as_it_is().await;
    }

    /// Gets the session ready for a game with the default options.
    pub async fn ready_as_it_is(&mut self) {
        self.say("usi\nisready");
        self.hear_until("readyok").await;
        self.say("usinewgame");
    }

    /// Returns the messages that the coordinator received since the last call.
    pub fn received(&mut self) -> Vec<Received> {
        let mut all = Vec::new();
        while let Ok(received) = self.received.try_recv() {
            all.push(received);
        }
        all
    }

    /// Waits for the end of the session.
    pub async fn ended(&mut self) {
        timeout(Duration::from_secs(5), &mut self.session)
            .await
            .expect("the session ends within five seconds")
            .expect("it does not fail");
    }

    /// Returns the beginning of the next consultation.
    pub async fn next_begin(&mut self) -> Begin {
        loop {
            if let Received::Begin(begin) = self.received.recv().await.expect("a consultation") {
                return *begin;
            }
        }
    }

    /// Returns the choices of the teams assembled since the last call.
    pub fn assembled(&mut self) -> Vec<Choices> {
        let mut all = Vec::new();
        while let Ok(choices) = self.assembled.try_recv() {
            all.push(choices);
        }
        all
    }

    /// Returns the number of teams closed so far.
    pub fn closed_teams(&self) -> usize {
        self.closed.load(Ordering::Relaxed)
    }

    /// Waits for the end of the session, and returns the lines until then.
    pub async fn end(mut self) -> Vec<String> {
        self.ended().await;
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.try_recv() {
            lines.push(line);
        }
        lines
    }
}
