//! The team behind a session: one engine to the GUI, many players behind it.

use super::{
    answer::Answer,
    game::GameName,
    keeper::Keeper,
    options::Options,
    output::Output,
    search::{FallbackSetup, Search},
    thinker::{Control, Question, Thinker},
    values::{HASH_DEFAULT, OptionError},
};
use monju_coordinator::clock::TimePolicy;
use monju_host::{PlayerChoice, fallback::FallbackSearch};
use monju_proto::v1::GameOutcome;
use monju_team::team::Choices;
use tokio::{sync::mpsc, task::JoinHandle};

/// Table of the fallback player where there is no team and no choice of its size, in MiB.
const ALONE_HASH_MIB: u32 = 64;

/// A team, assembled when it is needed.
#[derive(Debug)]
pub struct Proxy {
    choices: Choices,
    options: Options,
    keeper: Keeper,
    fallback: FallbackSearch,
    game: GameName,
}

impl Proxy {
    /// A proxy whose team is yet to be assembled. `choices` are those of the command line.
    pub fn new(choices: Choices, keeper: Keeper, fallback: FallbackSearch) -> Self {
        Self {
            choices,
            options: Options::default(),
            keeper,
            fallback,
            game: GameName::first(),
        }
    }

    fn prepare_team(&mut self) {
        let choices = self.options.over(&self.choices);
        self.fallback
            .prepare(fallback_player(&choices, true), self.game.id());
        self.keeper.prepare(choices, self.game.id());
    }

    /// Builds the fallback player before the first move as it will be needed: where no team has come, with
    /// the memory that the team leaves to it.
    fn prepare_fallback(&mut self) {
        let choices = self.options.over(&self.choices);
        let player = fallback_player(&choices, self.keeper.has_team());
        if self.keeper.is_settled() && !self.game.used && !self.fallback.is_prepared(&player) {
            self.fallback.prepare(player, self.game.id());
        }
    }
}

/// The chosen time policy, for a fallback player that plays in the team's place.
fn time_policy(choices: &Choices) -> TimePolicy {
    choices.consultation.time_policy.unwrap_or_default()
}

/// The fallback player beside a team of these choices, or, without a team, the one that plays in its place
/// with the memory that the team would have had.
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

impl Thinker for Proxy {
    const NAME: &str = "Monju";

    fn declarations() -> Vec<String> {
        Options::declarations()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.set(name, value)
    }

    fn hash_mib(&self) -> u32 {
        (self.options.over(&self.choices).hash_mib).unwrap_or(HASH_DEFAULT)
    }

    fn get_ready(&mut self) {
        self.game.advance();
        self.prepare_team();
    }

    /// The players are prepared here only when `isready` has not done so already.
    fn new_game(&mut self) {
        if self.game.used {
            self.game.advance();
            if self.keeper.has_team() {
                self.prepare_team();
            }
        }
    }

    fn is_ready(&self) -> bool {
        self.keeper.is_settled() && self.fallback.is_settled()
    }

    fn failure(&self) -> Option<String> {
        self.keeper.failure()
    }

    async fn changed(&mut self) {
        tokio::select! {
            () = self.keeper.changed() => {}
            () = self.fallback.changed() => {}
        }
        self.prepare_fallback();
    }

    fn think(
        &mut self,
        mut question: Question,
        controls: mpsc::UnboundedReceiver<Control>,
        output: Output,
    ) -> JoinHandle<Answer> {
        let choices = self.options.over(&self.choices);
        if self.keeper.is_worth_asking(&choices) {
            self.prepare_team();
        }
        self.game.used = true;
        question.lag = question.lag.max(self.options.move_overhead());
        let search = Search::new(
            question,
            self.game.id(),
            self.game.seed(self.options.seed()),
            self.keeper.waiter(),
            FallbackSetup {
                player: self.fallback.handle(),
                time_policy: time_policy(&choices),
            },
            output,
            controls,
        );
        tokio::spawn(search.run())
    }

    fn game_over(&mut self, outcome: GameOutcome) {
        if self.game.used {
            self.keeper.finish_game(self.game.id(), outcome);
        }
    }

    async fn close(self) {
        self.keeper.close().await;
    }
}
