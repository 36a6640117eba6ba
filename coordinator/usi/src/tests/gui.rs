//! For tests: the GUI's side of a session with a scripted coordinator.

use super::fake::{Fake, Seen, Step};
use crate::{command::Command, keeper::Keeper, output::Output, proxy::Proxy, session::Session};
use monju_coordinator::roster::ReachError;
use monju_host::fallback::FallbackSearch;
use monju_proto::v1::Begin;
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

/// How a team comes into being in a test.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// How long it takes.
    pub time: Duration,
    /// How long the players prepare for a game.
    pub preparation: Duration,
    /// The number of the preparation that fails, from 0.
    pub lost_at: Option<usize>,
    /// What the coordinator says of every preparation.
    pub problems: Vec<String>,
    /// Whose choices fail.
    pub fails: Option<fn(&Choices) -> bool>,
    /// The choices of the command line.
    pub choices: Choices,
}

/// The GUI's side of a session with a fake coordinator.
pub struct Gui {
    commands: Option<mpsc::UnboundedSender<Command>>,
    lines: mpsc::UnboundedReceiver<String>,
    seen: mpsc::UnboundedReceiver<Seen>,
    assembled: mpsc::UnboundedReceiver<Choices>,
    let_go: Arc<AtomicUsize>,
    session: JoinHandle<()>,
}

impl Gui {
    /// A session whose coordinator follows the same steps in every consultation.
    pub fn new(steps: Vec<Step>) -> Self {
        Self::with(Assembly::default(), move |_| steps.clone())
    }

    /// A session whose coordinator follows `script`.
    pub fn with(
        assembly: Assembly,
        script: impl Fn(&Begin) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let (output, lines) = Output::channel();
        let (commands, receiver) = mpsc::unbounded_channel();
        let (seen_sender, seen) = mpsc::unbounded_channel();
        let (assembled_sender, assembled) = mpsc::unbounded_channel();
        let let_go = Arc::<AtomicUsize>::default();
        let fake = Fake {
            script: Arc::new(script),
            seen: seen_sender,
            preparation: assembly.preparation,
            preparations: Arc::default(),
            problems: assembly.problems.clone(),
            lost_at: assembly.lost_at,
            let_go: let_go.clone(),
        };
        let choices = assembly.choices.clone();
        let keeper = Keeper::start(move |choices| {
            let (fake, assembly) = (fake.clone(), assembly.clone());
            let _ = assembled_sender.send(choices.clone());
            async move {
                sleep(assembly.time).await;
                match assembly.fails {
                    Some(fails) if fails(&choices) => Err(AssembleError::Unreachable {
                        url: "example".to_owned(),
                        source: ReachError::NotConnected,
                    }),
                    _ => Ok(fake.connect(choices.consultation)),
                }
            }
        });
        let fallback = FallbackSearch::start().expect("a thread");
        let proxy = Proxy::new(choices, keeper, fallback);
        Self {
            commands: Some(commands),
            lines,
            seen,
            assembled,
            let_go,
            session: tokio::spawn(Session::new(proxy, output).run(receiver)),
        }
    }

    /// Says lines, one after the other.
    pub fn say(&self, lines: &str) {
        for line in lines.lines() {
            if let Some(commands) = &self.commands {
                commands
                    .send(Command::parse(line))
                    .expect("the session listens");
            }
        }
    }

    /// Ends the input.
    pub fn hang_up(&mut self) {
        self.commands = None;
    }

    /// The next line.
    pub async fn hear(&mut self) -> String {
        timeout(Duration::from_secs(3_600), self.lines.recv())
            .await
            .expect("the session says something")
            .expect("the session goes on")
    }

    /// Every line up to the first that starts with `prefix`, which is the last.
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

    /// The next `bestmove`, after nothing but `info` lines.
    pub async fn best_move(&mut self) -> String {
        let mut lines = self.hear_until("bestmove").await;
        let last = lines.pop().expect("a line");
        assert!(
            lines.iter().all(|line| line.starts_with("info ")),
            "{lines:?}"
        );
        last
    }

    /// Lets time pass, and gives back what was said in it.
    pub async fn wait(&mut self, seconds: u64) -> Vec<String> {
        sleep(Duration::from_secs(seconds)).await;
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.try_recv() {
            lines.push(line);
        }
        lines
    }

    /// Gets the session ready for a game.
    pub async fn ready(&mut self) {
        self.say("usi\nisready");
        self.hear_until("readyok").await;
        self.say("usinewgame");
    }

    /// What the coordinator was told since the last call.
    pub fn seen(&mut self) -> Vec<Seen> {
        let mut all = Vec::new();
        while let Ok(seen) = self.seen.try_recv() {
            all.push(seen);
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

    /// The next consultation that the coordinator was asked for.
    pub async fn next_begin(&mut self) -> Begin {
        loop {
            if let Seen::Begin(begin) = self.seen.recv().await.expect("a consultation") {
                return *begin;
            }
        }
    }

    /// The choices that teams were assembled from since the last call.
    pub fn assembled(&mut self) -> Vec<Choices> {
        let mut all = Vec::new();
        while let Ok(choices) = self.assembled.try_recv() {
            all.push(choices);
        }
        all
    }

    /// How many teams have been let go so far.
    pub fn let_go(&self) -> usize {
        self.let_go.load(Ordering::Relaxed)
    }

    /// Waits for the session's end; gives back what it said until then.
    pub async fn end(mut self) -> Vec<String> {
        self.ended().await;
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.try_recv() {
            lines.push(line);
        }
        lines
    }
}
