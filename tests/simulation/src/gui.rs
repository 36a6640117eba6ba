//! The GUI's side of a simulated proxy.

use crate::{cluster::front_url, network::Edge};
use monju_coordinator::roster::endpoint;
use monju_engine::{Control, Game, Limits, Line, Model, Outcome, Player, PlayerSettings};
use monju_host::{
    BuildError, PlayerChoice,
    fallback::FallbackSearch,
    searcher::{BuiltPlayer, GameSearcher},
};
use monju_team::team;
use monju_usi::simulation::SimulatedSession;
use std::time::Duration;

/// A fallback player that looks at one node, whatever its limits are: a search would end by the real clock.
struct OneNode(Player);

impl GameSearcher for OneNode {
    fn new_game(&mut self, noise_seed: u64) {
        self.0.new_game(noise_seed);
    }

    fn think(
        &mut self,
        game: &Game,
        _: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome {
        let limits = Limits {
            nodes: Some(1),
            ..Limits::default()
        };
        let timeless = |line: &Line| Line {
            time: Duration::ZERO,
            hash_full: None,
            ..line.clone()
        };
        let mut tell = |line: &Line| progress(&timeless(line));
        let outcome = self.0.think(game, &limits, control, &mut tell);
        Outcome {
            line: timeless(&outcome.line),
            ..outcome
        }
    }
}

/// Starts a proxy that reaches its coordinators, the first one first, over their edges.
pub fn start_proxy(fronts: Vec<Edge>) -> SimulatedSession {
    let build = |_: &PlayerChoice| {
        let settings = PlayerSettings {
            evaluator: Model::material(),
            hash_mib: 1,
            ..PlayerSettings::default()
        };
        let player = Player::new(settings).expect("a MiB is there");
        Ok::<_, BuildError>(BuiltPlayer::as_chosen(OneNode(player)))
    };
    let fallback = FallbackSearch::start_with(build).expect("a thread");
    SimulatedSession::start(fallback, move |choices| {
        let channels = fronts.iter().enumerate().map(|(seat, front)| {
            let url = front_url(seat);
            let endpoint = endpoint(&url, None).expect("an address");
            let channel = front.channel(&endpoint);
            (url, channel)
        });
        let channels = Vec::from_iter(channels);
        async move { team::connect_over(channels, &choices).await }
    })
}
