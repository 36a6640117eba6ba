//! A session whose connections and clock belong to a simulation.

use crate::{
    command::ReadCommand,
    output::Output,
    proxy::{
        Proxy, assembled_team::AssembledTeam, connection::TeamConnection,
        coordinators::CoordinatorWatchers, team_claim::TeamClaim,
    },
    scheduling_delay::SchedulingDelay,
    session::UsiSession,
};
use monju_host::fallback::FallbackSearch;
use monju_team::team::{AssembleError, Choices, Team};
use std::future::Future;
use tokio::{sync::mpsc, task::JoinHandle};

/// The GUI's side of a session. Dropping it ends the session as a kill does.
#[derive(Debug)]
pub struct SimulatedSession {
    commands: mpsc::UnboundedSender<ReadCommand>,
    /// The lines to the GUI.
    pub lines: mpsc::UnboundedReceiver<String>,
    session: JoinHandle<()>,
}

impl SimulatedSession {
    /// Starts a session of the proxy whose team `assemble` connects to.
    pub fn start<F, Fut>(fallback: FallbackSearch, assemble: F) -> Self
    where
        F: Fn(Choices) -> Fut + Clone + Send + 'static,
        Fut: Future<Output = Result<Team, AssembleError>> + Send + 'static,
    {
        let (output, lines) = Output::channel();
        let (commands, receiver) = mpsc::unbounded_channel();
        let claim = TeamClaim::new();
        let connection = TeamConnection::start(move |choices| {
            let (assemble, claim) = (assemble.clone(), claim.clone());
            async move {
                let team = assemble(choices).await?;
                Ok(AssembledTeam::of(
                    team,
                    claim,
                    CoordinatorWatchers::new(None),
                ))
            }
        });
        let delay = SchedulingDelay::default();
        let proxy = Proxy::new(Choices::default(), connection, fallback, delay);
        Self {
            commands,
            lines,
            session: tokio::spawn(UsiSession::new(proxy, output).run(receiver)),
        }
    }

    /// Sends a line of the GUI.
    pub fn say(&self, line: &str) {
        // A session that has ended says nothing more, which the GUI notices.
        let _ = self.commands.send(ReadCommand::parse(line));
    }
}

impl Drop for SimulatedSession {
    fn drop(&mut self) {
        self.session.abort();
    }
}
