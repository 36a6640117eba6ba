//! The team behind a session: one engine to the GUI, many players behind it.

pub mod assembled_team;
mod ballot_lines;
pub mod connection;
mod connection_task;
mod deadline;
pub mod options;
mod search;
mod search_clock;

use super::{
    backend::{Backend, SearchControl, SearchRequest},
    best_move::BestMove,
    game::GameName,
    option_table::{self, HASH_DEFAULT, OptionError},
    output::Output,
    substitute::Substitute,
};
use connection::TeamConnection;
use monju_proto::v1::GameOutcome;
use monju_team::team::Choices;
use options::{OPTIONS, ProxyOptions};
use search::TeamSearch;
use tokio::{sync::mpsc, task::JoinHandle};

/// A team that is assembled on demand.
#[derive(Debug)]
pub struct Proxy {
    choices: Choices,
    options: ProxyOptions,
    connection: TeamConnection,
    substitute: Substitute,
    game: GameName,
}

impl Proxy {
    /// Creates a proxy without a team. `choices` are those of the command line.
    pub fn new(choices: Choices, connection: TeamConnection, substitute: Substitute) -> Self {
        Self {
            choices,
            options: ProxyOptions::default(),
            connection,
            substitute,
            game: GameName::first(),
        }
    }

    fn prepare_team(&mut self) {
        let choices = self.options.over(&self.choices);
        self.substitute.prepare(&choices, true, self.game.id());
        self.connection.prepare(choices, self.game.id());
    }

    /// Remakes the fallback player before the first move, if it was made for the other case: without
    /// a team it gets the team's memory.
    fn prepare_substitute(&mut self) {
        let choices = self.options.over(&self.choices);
        let has_team = self.connection.has_team();
        if self.connection.is_settled()
            && !self.game.used
            && !self.substitute.is_prepared(&choices, has_team)
        {
            self.substitute.prepare(&choices, has_team, self.game.id());
        }
    }
}

impl Backend for Proxy {
    const NAME: &str = "Monju";

    fn declarations() -> Vec<String> {
        option_table::declarations(OPTIONS)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        option_table::set(OPTIONS, &mut self.options, name, value)
    }

    fn hash_mib(&self) -> u32 {
        (self.options.over(&self.choices).hash_mib).unwrap_or(HASH_DEFAULT)
    }

    fn get_ready(&mut self) {
        self.game.advance();
        self.prepare_team();
    }

    /// Prepares the players only if `isready` has not done so.
    fn new_game(&mut self) {
        if self.game.used {
            self.game.advance();
            if self.connection.has_team() {
                self.prepare_team();
            }
        }
    }

    fn is_ready(&self) -> bool {
        self.connection.is_settled() && self.substitute.is_ready()
    }

    fn failure(&self) -> Option<String> {
        self.connection.failure()
    }

    async fn changed(&mut self) {
        tokio::select! {
            () = self.connection.changed() => {}
            () = self.substitute.changed() => {}
        }
        self.prepare_substitute();
    }

    fn search(
        &mut self,
        mut request: SearchRequest,
        controls: mpsc::UnboundedReceiver<SearchControl>,
        output: Output,
    ) -> JoinHandle<BestMove> {
        let choices = self.options.over(&self.choices);
        if self.connection.should_prepare(&choices) {
            self.prepare_team();
        }
        self.game.used = true;
        request.lag = request.lag.max(self.options.move_overhead());
        let search = TeamSearch::new(
            request,
            self.game.id(),
            self.game.seed(self.options.seed()),
            self.connection.handle(),
            self.substitute.stand(&choices, self.game.id()),
            output,
            controls,
        );
        tokio::spawn(search.run())
    }

    fn game_over(&mut self, outcome: GameOutcome) {
        if self.game.used {
            self.connection.finish_game(self.game.id(), outcome);
        }
    }

    async fn close(self) {
        self.connection.close().await;
    }
}
