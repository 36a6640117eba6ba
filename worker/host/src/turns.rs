//! Players that wait for their turn to think, so that many of them share a few cores.

use crate::player::{NotReady, Order, PlayerAnswer, PlayerBackend, Steering, ThinkFailure};
use monju_proto::v1;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// A player that thinks only while it holds a permit, where there are permits at all.
pub struct InTurns<H> {
    host: H,
    turns: Option<Arc<Semaphore>>,
}

impl<H> InTurns<H> {
    pub fn new(host: H, turns: Option<Arc<Semaphore>>) -> Self {
        Self { host, turns }
    }
}

impl<H: PlayerBackend> PlayerBackend for InTurns<H> {
    async fn tend(&mut self) {
        self.host.tend().await;
    }

    async fn new_game(&mut self, game_id: &str) -> Result<Vec<String>, NotReady> {
        self.host.new_game(game_id).await
    }

    async fn think(
        &mut self,
        order: Order,
        progress: &watch::Sender<v1::Line>,
        steering: &mut Steering<'_>,
    ) -> Result<PlayerAnswer, ThinkFailure> {
        // A closed semaphore hands out no turns and needs none.
        let _turn = match &self.turns {
            Some(turns) => turns.acquire().await.ok(),
            None => None,
        };
        self.host.think(order, progress, steering).await
    }

    async fn close(self) {
        self.host.close().await;
    }
}

#[cfg(test)]
mod tests {
    use crate::noise_players;
    use crate::{Players, PlayersSettings};
    use monju_engine::{Game, Limits};
    use std::{sync::Arc, time::Duration};
    use tokio::{sync::Semaphore, time};

    #[tokio::test(start_paused = true)]
    async fn a_player_waits_for_its_turn() {
        let turns = Arc::new(Semaphore::new(1));
        let settings = PlayersSettings {
            name: "w".to_owned(),
            hash_mib: 2,
            players: noise_players("n", 2, 0.0).expect("players"),
        };
        let worker = Players::start_in_turns(settings, Some(Arc::clone(&turns))).expect("a worker");
        let order = || crate::player::Order {
            game_id: "g".to_owned(),
            game: Game::startpos(),
            limits: Limits {
                nodes: Some(100),
                ..Limits::default()
            },
            ponder: false,
            opponents_turn: false,
            noise_seed: 0,
            since: time::Instant::now(),
        };
        let held = turns.acquire().await.expect("a turn");
        let mut thinking = worker.list().members[0]
            .stub
            .think(order())
            .await
            .expect("asked");
        let early = time::timeout(Duration::from_secs(60), &mut thinking.answer).await;
        assert!(early.is_err(), "it thought out of turn");
        drop(held);
        let answer = thinking.answer.await.expect("an answer").expect("a move");
        assert!(!answer.line.r#move.is_empty());
        assert_eq!(turns.available_permits(), 1, "the turn is over");
    }
}
