//! The GUI's side of a simulated proxy.

use crate::{cluster::front_endpoint, network::Edge};
use monju_engine::{Answer, Bound, Control, Game, Limits, Line, Outcome, Score};
use monju_host::{
    BuildError, PlayerChoice,
    fallback::FallbackSearch,
    searcher::{BuiltPlayer, Searcher},
};
use monju_team::team;
use monju_usi::simulation::SimulatedSession;
use std::time::Duration;

/// A fallback player that plays the first move that the rules allow: a search would end by the real clock.
struct FirstMove;

impl Searcher for FirstMove {
    fn new_game(&mut self, _: u64) {}

    fn think(&mut self, game: &Game, _: &Limits, _: &Control, _: &mut dyn FnMut(&Line)) -> Outcome {
        let answer = Answer::any(game);
        Outcome {
            answer,
            line: Line {
                pv: answer.as_move().into_iter().collect(),
                score: Score::Cp(0),
                bound: Bound::Exact,
                depth: 1,
                selective_depth: 1,
                nodes: 1,
                time: Duration::ZERO,
                hash_full: None,
                candidates: Vec::new(),
                ranked_depth: 0,
                lanes: Vec::new(),
                ends_iteration: true,
                best_move_effort: None,
            },
        }
    }

    fn ponder(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome {
        self.think(game, limits, control, progress)
    }
}

/// Starts a proxy that reaches its coordinator over an edge.
pub fn start_proxy(front: &Edge) -> SimulatedSession {
    let build = |_: &PlayerChoice| Ok::<_, BuildError>(BuiltPlayer::as_chosen(FirstMove));
    let fallback = FallbackSearch::start_with(build).expect("a thread");
    let front = front.clone();
    SimulatedSession::start(fallback, move |choices| {
        let channel = front.channel(&front_endpoint());
        async move { team::connect_over("http://coordinator:7410", channel, &choices).await }
    })
}
