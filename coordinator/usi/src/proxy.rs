//! The team behind a session: one engine to the GUI, many players behind it.

use super::{
    answer::Answer,
    game::GameName,
    keeper::Keeper,
    options::Options,
    output::Output,
    search::Search,
    substitute::Substitute,
    thinker::{Control, Question, Thinker},
    values::{HASH_DEFAULT, OptionError},
};
use monju_proto::v1::GameOutcome;
use monju_team::team::Choices;
use tokio::{sync::mpsc, task::JoinHandle};

/// A team, assembled when it is needed.
#[derive(Debug)]
pub struct Proxy {
    choices: Choices,
    options: Options,
    keeper: Keeper,
    substitute: Substitute,
    game: GameName,
}

impl Proxy {
    /// A proxy whose team is yet to be assembled. `choices` are those of the command line.
    pub fn new(choices: Choices, keeper: Keeper, substitute: Substitute) -> Self {
        Self {
            choices,
            options: Options::default(),
            keeper,
            substitute,
            game: GameName::first(),
        }
    }

    fn prepare_team(&mut self) {
        let choices = self.options.over(&self.choices);
        self.substitute.prepare(&choices, true, self.game.id());
        self.keeper.prepare(choices, self.game.id());
    }

    /// Before the first move, the substitute is made as it will be needed: where no team has come, with the
    /// memory that the team leaves to it.
    fn prepare_substitute(&mut self) {
        let choices = self.options.over(&self.choices);
        let has_team = self.keeper.has_team();
        if self.keeper.is_settled()
            && !self.game.used
            && !self.substitute.is_prepared(&choices, has_team)
        {
            self.substitute.prepare(&choices, has_team, self.game.id());
        }
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
        self.keeper.is_settled() && self.substitute.is_ready()
    }

    fn failure(&self) -> Option<String> {
        self.keeper.failure()
    }

    async fn changed(&mut self) {
        tokio::select! {
            () = self.keeper.changed() => {}
            () = self.substitute.changed() => {}
        }
        self.prepare_substitute();
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
            self.substitute.stand(&choices, self.game.id()),
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
