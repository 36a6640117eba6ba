//! Values that belong to one side of one game.

use monju_engine::Color;
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Number of sides that are remembered; a coordinator plays few games at a time.
const SIDES: usize = 256;

/// A side of a game; one coordinator may think for both sides.
type GameSide = (String, Color);

/// A value for each side; the least recently updated one is forgotten first.
#[derive(Debug)]
pub struct PerSide<T> {
    /// The last updated side comes last.
    sides: Mutex<VecDeque<(GameSide, T)>>,
}

impl<T> Default for PerSide<T> {
    fn default() -> Self {
        Self {
            sides: Mutex::default(),
        }
    }
}

impl<T: Clone> PerSide<T> {
    /// Returns the value of a side.
    pub fn get(&self, game: &str, side: Color) -> Option<T> {
        let sides = self.lock();
        let known = sides.iter().find(|(known, _)| is(known, game, side));
        known.map(|(_, value)| value.clone())
    }

    /// Replaces the value of a side by one computed from it, and returns the new one.
    pub fn update(&self, game: &str, side: Color, next: impl FnOnce(Option<T>) -> T) -> T {
        let mut sides = self.lock();
        let known = sides.iter().position(|(known, _)| is(known, game, side));
        let before = known.and_then(|index| sides.remove(index));
        let value = next(before.map(|(_, value)| value));
        if sides.len() == SIDES {
            sides.pop_front();
        }
        sides.push_back(((game.to_owned(), side), value.clone()));
        value
    }

    /// Forgets both sides of a game.
    pub fn forget(&self, game: &str) {
        self.lock().retain(|((known, _), _)| known != game);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(GameSide, T)>> {
        self.sides.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is(known: &GameSide, game: &str, side: Color) -> bool {
    known.0 == game && known.1 == side
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_have_their_own_values_and_old_ones_are_forgotten() {
        let counts = PerSide::default();
        let count = |game: &str, side| {
            counts.update(game, side, |count: Option<u32>| count.unwrap_or(0) + 1)
        };
        let [black, white] = Color::ALL;
        assert_eq!((count("old", black), count("old", black)), (1, 2));
        assert_eq!((count("old", white), count("b", black)), (1, 1));
        for number in 0..SIDES - 2 {
            count(&number.to_string(), white);
        }
        assert_eq!(counts.get("old", black), None);
        assert_eq!(counts.get("old", white), Some(1));
        counts.forget("old");
        assert_eq!(counts.get("old", white), None);
        assert_eq!(counts.get("0", white), Some(1));
    }
}
