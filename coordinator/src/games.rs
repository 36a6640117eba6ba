//! What is remembered of each game, for as long as it may go on.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Games that are remembered at a time; a coordinator plays few.
pub const GAMES: usize = 256;

/// A value a game; the game that was heard of longest ago is forgotten first.
#[derive(Debug)]
pub struct PerGame<T> {
    /// By game, the one heard of last at the end.
    games: Mutex<VecDeque<(String, T)>>,
}

impl<T> Default for PerGame<T> {
    fn default() -> Self {
        Self {
            games: Mutex::default(),
        }
    }
}

impl<T: Clone> PerGame<T> {
    /// What is remembered of a game.
    pub fn get(&self, game: &str) -> Option<T> {
        let games = self.lock();
        let known = games.iter().find(|(name, _)| name == game);
        known.map(|(_, value)| value.clone())
    }

    /// Remembers something else from now on, which may follow from what was remembered; returns it.
    pub fn update(&self, game: &str, next: impl FnOnce(Option<T>) -> T) -> T {
        let mut games = self.lock();
        let known = games.iter().position(|(name, _)| name == game);
        let before = known.and_then(|index| games.remove(index));
        let value = next(before.map(|(_, value)| value));
        if games.len() == GAMES {
            games.pop_front();
        }
        games.push_back((game.to_owned(), value.clone()));
        value
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, T)>> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_apart_and_old_ones_are_forgotten() {
        let counts = PerGame::default();
        let count = |game: &str| counts.update(game, |count| count.unwrap_or(0) + 1);
        assert_eq!((count("old"), count("old"), count("b")), (1, 2, 1));
        for number in 0..GAMES - 1 {
            count(&number.to_string());
        }
        assert_eq!(counts.get("old"), None);
        assert_eq!(counts.get("b"), Some(1));
    }
}
