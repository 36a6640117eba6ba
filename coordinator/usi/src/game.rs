//! Names and seeds of the games of a session.

use monju_coordinator::seed;
use std::{
    process,
    time::{SystemTime, UNIX_EPOCH},
};

/// Name and number of one game.
#[derive(Clone, Debug)]
pub struct GameName {
    /// Tells this session from all others.
    session: u64,
    /// Number of the game within the session, from 1.
    number: u64,
    /// True once a move was searched in this game.
    pub used: bool,
}

impl GameName {
    /// Returns the first game of a session.
    pub fn first() -> Self {
        let nanoseconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos());
        // The low bits of the time differ between sessions; the cast drops the others on purpose.
        let session = seed::derive(nanoseconds as u64, &format!("process {}", process::id()));
        Self {
            session,
            number: 1,
            used: false,
        }
    }

    /// Moves on to the next game, unless this one is unused.
    pub fn advance(&mut self) {
        if self.used {
            self.number += 1;
            self.used = false;
        }
    }

    /// Returns the game's id, unique among all sessions on all machines.
    pub fn id(&self) -> String {
        format!("usi-{:016x}-{}", self.session, self.number)
    }

    /// Returns the game's seed, which repeats if the user chose a seed for the session.
    pub fn seed(&self, chosen: Option<u64>) -> u64 {
        let session = chosen.unwrap_or(self.session);
        seed::derive(session, &format!("game {}", self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_used_game_is_followed_by_the_next() {
        let mut game = GameName::first();
        let first = game.id();
        game.advance();
        assert_eq!(game.id(), first);
        game.used = true;
        game.advance();
        assert_ne!(game.id(), first);
        assert!(!game.used);
    }

    #[test]
    fn a_chosen_seed_repeats_seeds_but_not_ids() {
        let (mut one, mut other) = (GameName::first(), GameName::first());
        other.session = !one.session;
        let mut seeds = Vec::new();
        for _ in 0..3 {
            assert_eq!(one.seed(Some(7)), other.seed(Some(7)));
            assert_ne!(one.seed(None), other.seed(None));
            assert_ne!(one.seed(Some(7)), one.seed(Some(8)));
            assert_ne!(one.id(), other.id());
            seeds.push(one.seed(Some(7)));
            for game in [&mut one, &mut other] {
                game.used = true;
                game.advance();
            }
        }
        seeds.dedup();
        assert_eq!(seeds.len(), 3);
    }
}
