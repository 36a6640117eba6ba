//! What outlives a consultation: who expects which reply, and searches that a missed ponder left.

use crate::consultation::Kept;
use monju_proto::v1::{Ballot, Position};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::sleep;

/// A GUI asks for the next move right after a missed ponder; if it does not, the game is over.
const KEPT_FOR: Duration = Duration::from_secs(5);
/// Games of which something is remembered.
const GAMES: usize = 64;

/// What is remembered of the games that are being played. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Ponders {
    games: Arc<Mutex<VecDeque<(String, Memory)>>>,
}

#[derive(Debug, Default)]
struct Memory {
    /// The position after the decision.
    after: Position,
    /// The replies to it that players expect, by their ballot names.
    predictions: HashMap<String, String>,
    kept: Option<Kept>,
    /// Counts what was kept, so that only the same is thrown away.
    keeping: u64,
}

impl Ponders {
    /// Remembers which replies the supporters of a decision expect.
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
        self.with(&ballot.game_id, |memory| {
            memory.after = after;
            memory.predictions = predictions;
        });
    }

    /// The replies that players expect in the position that `pondered` comes from by its last move.
    pub fn predictions(&self, game_id: &str, pondered: &Position) -> HashMap<String, String> {
        let mut before = pondered.clone();
        before.moves.pop();
        self.with(game_id, |memory| match memory.after == before {
            true => memory.predictions.clone(),
            false => HashMap::new(),
        })
    }

    /// Keeps searches for the next move of the game, for a few seconds.
    pub fn keep(&self, game_id: &str, kept: Kept) {
        let keeping = self.with(game_id, |memory| {
            memory.kept = Some(kept);
            memory.keeping += 1;
            memory.keeping
        });
        let (ponders, game_id) = (self.clone(), game_id.to_owned());
        tokio::spawn(async move {
            sleep(KEPT_FOR).await;
            ponders.with(&game_id, |memory| {
                if memory.keeping == keeping {
                    memory.kept = None;
                }
            });
        });
    }

    /// What was kept for the next move of the game. What was kept for other games ends: it would
    /// be in the way.
    pub fn take(&self, game_id: &str) -> Option<Kept> {
        let kept = self.with(game_id, |memory| memory.kept.take());
        self.end_all();
        kept
    }

    /// Ends everything that was kept.
    pub fn end_all(&self) {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, memory) in games.iter_mut() {
            memory.kept = None;
        }
    }

    fn with<T>(&self, game_id: &str, action: impl FnOnce(&mut Memory) -> T) -> T {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let at = games.iter().position(|(id, _)| id == game_id);
        let game = at
            .and_then(|at| games.remove(at))
            .unwrap_or_else(|| (game_id.to_owned(), Memory::default()));
        games.push_front(game);
        games.truncate(GAMES);
        action(&mut games[0].1)
    }
}
