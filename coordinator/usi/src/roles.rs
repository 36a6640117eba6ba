//! The role that a GUI gives to `monju usi`: a team, a single player, or a solver of mates.

use crate::{
    backend::{Backend, GoRequest, SearchControl},
    best_move::BestMove,
    clock_options::ClockOptions,
    engine::{EngineChoices, SinglePlayer},
    option_table::OptionError,
    output::Output,
    proxy::{Proxy, options::UsiRole},
};
use monju_engine::GameRules;
use monju_host::fallback::FallbackSearch;
use monju_proto::v1::GameOutcome;
use std::future::pending;
use tokio::{sync::mpsc, task::JoinHandle};

/// The option that sizes the tables.
const HASH_OPTION: &str = "USI_Hash";

/// The team, and the single player once a role has asked for it.
pub struct Roles {
    proxy: Proxy,
    player: Option<SinglePlayer>,
    /// The options that the GUI has set, in order.
    settings: Vec<(String, String)>,
}

impl Roles {
    /// Begins in the role of the team.
    pub fn new(proxy: Proxy) -> Self {
        Self {
            proxy,
            player: None,
            settings: Vec::new(),
        }
    }

    /// Returns the single player, unless the team plays.
    fn player(&self) -> Option<&SinglePlayer> {
        self.player
            .as_ref()
            .filter(|_| self.proxy.role() != UsiRole::Team)
    }

    fn player_mut(&mut self) -> Option<&mut SinglePlayer> {
        let role = self.proxy.role();
        self.player.as_mut().filter(|_| role != UsiRole::Team)
    }

    /// Starts the single player with the options so far when a role asks for it.
    fn take_role(&mut self) -> Result<(), OptionError> {
        if self.proxy.role() == UsiRole::Team {
            return Ok(());
        }
        let choices = EngineChoices::of_team(self.proxy.choices());
        let mut player = match self.player.take() {
            Some(mut player) => {
                // An option that the GUI has taken back is that of the command line again.
                player.choose(choices);
                player
            }
            None => SinglePlayer::start(choices, self.proxy.delay()).map_err(|source| {
                OptionError::Value {
                    option: "Role",
                    source: source.into(),
                }
            })?,
        };
        for (name, value) in &self.settings {
            player.set_option_leniently(name, value);
        }
        let hash_mib = match self.proxy.role() {
            // The memory is for the mate search.
            UsiRole::Mate => FallbackSearch::beside_a_team().hash_mib,
            UsiRole::Team | UsiRole::Single => self.proxy.hash_mib(),
        };
        player.set_option_leniently(HASH_OPTION, &hash_mib.to_string());
        self.player = Some(player);
        Ok(())
    }
}

impl Backend for Roles {
    const NAME: &str = Proxy::NAME;

    fn declarations() -> Vec<String> {
        Proxy::declarations()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.proxy.set_option(name, value)?;
        self.settings
            .retain(|(set, _)| !set.eq_ignore_ascii_case(name));
        self.settings.push((name.to_owned(), value.to_owned()));
        self.take_role()
    }

    fn clock_options(&self) -> &ClockOptions {
        self.proxy.clock_options()
    }

    fn game_rules(&self) -> GameRules {
        self.proxy.game_rules()
    }

    fn hash_mib(&self) -> u32 {
        self.proxy.hash_mib()
    }

    fn mate_hash_mib(&self) -> u32 {
        match self.proxy.role() {
            UsiRole::Mate => self.hash_mib(),
            UsiRole::Team | UsiRole::Single => self.proxy.mate_hash_mib(),
        }
    }

    fn get_ready(&mut self) {
        match self.player_mut() {
            Some(player) => player.get_ready(),
            None => self.proxy.get_ready(),
        }
    }

    fn new_game(&mut self) {
        match self.player_mut() {
            Some(player) => player.new_game(),
            None => self.proxy.new_game(),
        }
    }

    fn is_ready(&self) -> bool {
        match self.player() {
            Some(player) => player.is_ready(),
            None => self.proxy.is_ready(),
        }
    }

    fn failure(&self) -> Option<String> {
        match self.player() {
            Some(player) => player.failure(),
            None => self.proxy.failure(),
        }
    }

    async fn changed(&mut self) {
        let Self { proxy, player, .. } = self;
        let of_player = async {
            match player {
                Some(player) => player.changed().await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = proxy.changed() => {}
            () = of_player => {}
        }
    }

    fn search(
        &mut self,
        request: GoRequest,
        controls: mpsc::UnboundedReceiver<SearchControl>,
        output: Output,
    ) -> JoinHandle<BestMove> {
        match self.player_mut() {
            Some(player) => player.search(request, controls, output),
            None => self.proxy.search(request, controls, output),
        }
    }

    fn game_over(&mut self, outcome: Option<GameOutcome>) {
        match self.player_mut() {
            Some(player) => player.game_over(outcome),
            None => self.proxy.game_over(outcome),
        }
    }

    async fn close(self) {
        if let Some(player) = self.player {
            player.close().await;
        }
        self.proxy.close().await;
    }
}
