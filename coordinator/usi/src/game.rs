//! The games of a session: their names and their seeds.

use monju_coordinator::seed;
use std::{
    process,
    time::{SystemTime, UNIX_EPOCH},
};

/// One game.
#[derive(Clone, Debug)]
pub struct GameName {
    /// What tells this session from every other.
    session: u64,
    /// Its number within the session, from 1.
    number: u64,
    /// Whether a search was made in it.
    pub used: bool,
}

impl GameName {
    /// The first game of a session.
    pub fn first() -> Self {
        let nanoseconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos());
        // The low bits of the time change between sessions; the rest is cut off on purpose.
        let session = seed::derive(nanoseconds as u64, &format!("process {}", process::id()));
        Self {
            session,
            number: 1,
            used: false,
        }
    }

    /// Goes on to the next game, unless nothing has happened in this one.
    pub fn advance(&mut self) {
        if self.used {
            self.number += 1;
            self.used = false;
        }
    }

    /// The game's id: unique among all sessions on all machines.
    pub fn id(&self) -> String {
        format!("usi-{:016x}-{}", self.session, self.number)
    }

    /// The game's seed: repeatable when the user chose a seed for the session.
    pub fn seed(&self, chosen: Option<u64>) -> u64 {
        let session = chosen.unwrap_or(self.session);
        seed::derive(session, &format!("game {}", self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_left_only_after_it_was_played() {
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
    fn a_chosen_seed_repeats_the_seeds_and_never_the_ids() {
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
