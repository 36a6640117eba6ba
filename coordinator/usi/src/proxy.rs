//! The team behind a session: one engine to the GUI, many players behind it.

pub mod assembled_team;
pub mod ballot_lines;
pub mod connection;
mod connection_task;
pub mod coordinators;
mod deadline;
pub mod options;
mod search;
mod search_clock;
pub mod steady_scores;
pub mod team_claim;

use super::{
    backend::{Backend, GoRequest, SearchControl},
    best_move::BestMove,
    game::GameName,
    option_table::{self, HASH_DEFAULT, OptionError},
    output::Output,
};
use crate::{clock_options::ClockOptions, scheduling_delay::SchedulingDelay};
use connection::TeamConnection;
use monju_coordinator::clock::TimePolicy;
use monju_engine::GameRules;
use monju_host::{PlayerChoice, fallback::FallbackSearch};
use monju_proto::v1::GameOutcome;
use monju_team::team::Choices;
use options::{OPTIONS, ProxyOptions, UsiRole};
use search::{FallbackSetup, TeamQuestion, TeamSearch};
use tokio::{sync::mpsc, task::JoinHandle};

/// Table of the fallback player without a team and without a chosen size, in MiB.
const ALONE_HASH_MIB: u32 = 64;

/// A team that is assembled on demand.
#[derive(Debug)]
pub struct Proxy {
    choices: Choices,
    options: ProxyOptions,
    connection: TeamConnection,
    fallback: FallbackSearch,
    delay: SchedulingDelay,
    game: GameName,
}

impl Proxy {
    /// Creates a proxy without a team. `choices` are those of the command line.
    pub fn new(
        choices: Choices,
        connection: TeamConnection,
        fallback: FallbackSearch,
        delay: SchedulingDelay,
    ) -> Self {
        Self {
            choices,
            options: ProxyOptions::default(),
            connection,
            fallback,
            delay,
            game: GameName::first(),
        }
    }

    /// Returns the role that the GUI has chosen.
    pub fn role(&self) -> UsiRole {
        self.options.role()
    }

    /// Returns the delay of the timers of this process.
    pub fn delay(&self) -> SchedulingDelay {
        self.delay.clone()
    }

    /// Returns the choices of the command line and of the GUI.
    pub fn choices(&self) -> Choices {
        self.options.over(&self.choices)
    }

    fn prepare_team(&mut self) {
        let choices = self.options.over(&self.choices);
        let player = fallback_player(&choices, true);
        self.fallback.prepare(player, self.game.id());
        self.connection.prepare(choices, self.game.id());
    }

    /// Rebuilds the fallback player before the first move, if there is no team after all.
    fn prepare_fallback(&mut self) {
        let choices = self.options.over(&self.choices);
        let player = fallback_player(&choices, self.connection.has_team());
        if self.connection.is_settled() && !self.game.used && !self.fallback.is_prepared(&player) {
            self.fallback.prepare(player, self.game.id());
        }
    }
}

/// Returns the time policy of a fallback player that plays alone.
fn time_policy(choices: &Choices) -> TimePolicy {
    choices.consultation.time_policy.unwrap_or_default()
}

/// Returns the fallback player beside a team of these choices or, without a team, the one that plays
/// alone with the memory that the team would have had.
fn fallback_player(choices: &Choices, has_team: bool) -> PlayerChoice {
    let beside = FallbackSearch::beside_a_team();
    PlayerChoice {
        evaluator: choices.evaluator.clone().unwrap_or_default(),
        hash_mib: match has_team {
            true => beside.hash_mib,
            false => choices.hash_mib.unwrap_or(ALONE_HASH_MIB),
        },
        ..beside
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

    fn clock_options(&self) -> &ClockOptions {
        self.options.clock()
    }

    fn game_rules(&self) -> GameRules {
        self.options.rules()
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
        } else if self.connection.has_team() && self.connection.is_after_its_game() {
            // It came back when the last game was over, and was not prepared.
            self.prepare_team();
        }
    }

    fn is_ready(&self) -> bool {
        self.connection.is_settled() && self.fallback.is_settled()
    }

    fn failure(&self) -> Option<String> {
        self.connection.failure()
    }

    async fn changed(&mut self) {
        tokio::select! {
            () = self.connection.changed() => {}
            () = self.fallback.changed() => {}
        }
        self.prepare_fallback();
    }

    fn search(
        &mut self,
        request: GoRequest,
        controls: mpsc::UnboundedReceiver<SearchControl>,
        output: Output,
    ) -> JoinHandle<BestMove> {
        let choices = self.options.over(&self.choices);
        if self.connection.should_prepare(&choices) {
            self.prepare_team();
        }
        self.game.used = true;
        let question = TeamQuestion {
            request,
            game_id: self.game.id(),
            game_seed: self.game.seed(self.options.seed()),
            multi_pv: self.options.multi_pv(),
        };
        let search = TeamSearch::new(
            question,
            self.connection.handle(),
            FallbackSetup {
                player: self.fallback.handle(),
                time_policy: time_policy(&choices),
                delay: self.delay.clone(),
            },
            output,
            controls,
        );
        tokio::spawn(search.run())
    }

    fn game_over(&mut self, outcome: Option<GameOutcome>) {
        let outcome = outcome.filter(|_| self.game.used);
        self.connection.finish_game(self.game.id(), outcome);
    }

    async fn close(self) {
        self.connection.close().await;
    }
}
