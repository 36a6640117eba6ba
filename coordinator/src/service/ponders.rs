//! State between the consultations of a game: expected replies, and searches kept by a missed ponder.

use crate::consultation::KeptSearches;
use monju_proto::v1::{Ballot, Position};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::sleep;

/// Time for which searches are kept: a GUI asks for the next move right after a missed ponder, unless
/// the game is over.
const KEPT_FOR: Duration = Duration::from_secs(5);
/// Number of games that are remembered.
const GAMES: usize = 64;

/// State of the games that are being played. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Ponders {
    games: Arc<Mutex<VecDeque<(String, GameState)>>>,
}

#[derive(Debug, Default)]
struct GameState {
    /// The position after the decision.
    after: Position,
    /// The expected replies to it, by the ballot names of the players.
    predictions: HashMap<String, String>,
    kept: Option<KeptSearches>,
    /// Number of the kept searches, so that a timeout ends only its own.
    keeping: u64,
}

impl Ponders {
    /// Remembers the replies that the supporters of a decision expect.
    pub fn remember(&self, ballot: &Ballot) {
        let (Some(decision), Some(position)) = (&ballot.decision, &ballot.position) else {
            return;
        };
        let mut after = position.clone();
        after.moves.push(decision.r#move.clone());
        let expected = ballot.votes.iter().filter(|vote| vote.counted);
        let expected = expected.filter_map(|vote| match &vote.line.as_ref()?.pv[..] {
            [first, reply, ..] if *first == decision.r#move => {
                Some((vote.player.as_ref()?.name.clone(), reply.clone()))
            }
            _ => None,
        });
        let predictions = expected.collect();
        self.with(&ballot.game_id, |state| {
            state.after = after;
            state.predictions = predictions;
        });
    }

    /// Returns the expected replies in the position before the last move of `pondered`.
    pub fn predictions(&self, game_id: &str, pondered: &Position) -> HashMap<String, String> {
        let mut before = pondered.clone();
        before.moves.pop();
        // A look alone: who asks may be refused yet.
        let games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let game = games.iter().find(|(id, _)| id == game_id);
        match game {
            Some((_, state)) if state.after == before => state.predictions.clone(),
            _ => HashMap::new(),
        }
    }

    /// Keeps searches for the next move of the game, for a few seconds.
    pub fn keep(&self, game_id: &str, kept: KeptSearches) {
        let keeping = self.with(game_id, |state| {
            state.kept = Some(kept);
            state.keeping += 1;
            state.keeping
        });
        let (ponders, game_id) = (self.clone(), game_id.to_owned());
        tokio::spawn(async move {
            sleep(KEPT_FOR).await;
            ponders.with(&game_id, |state| {
                if state.keeping == keeping {
                    state.kept = None;
                }
            });
        });
    }

    /// Takes the searches kept for the next move of the game. Those of other games end, because they
    /// would take up the players.
    pub fn take(&self, game_id: &str) -> Option<KeptSearches> {
        let kept = self.with(game_id, |state| state.kept.take());
        self.end_all();
        kept
    }

    /// Ends all kept searches.
    pub fn end_all(&self) {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, state) in games.iter_mut() {
            state.kept = None;
        }
    }

    fn with<T>(&self, game_id: &str, action: impl FnOnce(&mut GameState) -> T) -> T {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let at = games.iter().position(|(id, _)| id == game_id);
        let game = at
            .and_then(|at| games.remove(at))
            .unwrap_or_else(|| (game_id.to_owned(), GameState::default()));
        games.push_front(game);
        games.truncate(GAMES);
        action(&mut games[0].1)
    }
}
