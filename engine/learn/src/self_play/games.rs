//! Games of a player against itself, as training examples.

use super::settings::SelfPlaySettings;
use crate::{example::TrainingExample, lead::DecisiveLead};
use monju_engine::random::SplitMix64;
use monju_engine::{
    player::{Answer, Player, PlayerError},
    rules::{Color, Game, GameError, Move, Repetition},
    search::{Control, Limits},
};

/// Error of starting self-play.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum SelfPlayError {
    /// The player cannot be created.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The player has several threads, with which no game can be repeated.
    #[error("self-play needs players of one thread, not {0}")]
    Threads(usize),
    /// The games may have no moves.
    #[error("self-play needs games of at least one ply")]
    MaximumPlies,
    /// The searches may visit no node.
    #[error("self-play needs at least one node a move")]
    Nodes,
    /// An opening is no game.
    #[error("line {number}")]
    Opening {
        /// Number of its line, counted from 1.
        number: usize,
        /// Reason.
        source: GameError,
    },
    /// An opening begins at another position.
    #[error("line {number}: expected 'startpos moves …'")]
    OpeningStart {
        /// Number of its line, counted from 1.
        number: usize,
    },
}

/// A player that plays games against itself.
#[derive(Debug)]
pub struct SelfPlay<'a> {
    settings: &'a SelfPlaySettings,
    openings: &'a [Vec<Move>],
    player: Player,
}

impl<'a> SelfPlay<'a> {
    /// Creates a player with its own transposition table, for one thread. `openings` may be empty.
    ///
    /// # Errors
    /// The settings are unsuitable.
    pub fn new(
        settings: &'a SelfPlaySettings,
        openings: &'a [Vec<Move>],
    ) -> Result<Self, SelfPlayError> {
        if settings.player.threads != 1 {
            return Err(SelfPlayError::Threads(settings.player.threads));
        }
        if settings.nodes == 0 {
            return Err(SelfPlayError::Nodes);
        }
        if settings.maximum_plies == 0 {
            return Err(SelfPlayError::MaximumPlies);
        }
        Ok(Self {
            settings,
            openings,
            player: Player::new(settings.player.clone())?,
        })
    }

    /// Parses openings, one `startpos moves …` a line; empty lines and those that begin with `#` are
    /// skipped.
    ///
    /// # Errors
    /// A line is no game from the start position.
    pub fn openings(text: &str) -> Result<Vec<Vec<Move>>, SelfPlayError> {
        // Some editors put a mark before a text in UTF-8.
        let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
        lines
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
            .map(|(index, line)| {
                let number = index + 1;
                let game = Game::from_usi(line)
                    .map_err(|source| SelfPlayError::Opening { number, source })?;
                if game.start() != "startpos" {
                    return Err(SelfPlayError::OpeningStart { number });
                }
                Ok(game.moves().to_vec())
            })
            .collect()
    }

    /// Plays game `number`, which depends on the settings, the openings and that number alone. Needs a
    /// thread with a stack of [`STACK_BYTES`](monju_engine::STACK_BYTES).
    pub fn play(&mut self, number: u64) -> Vec<TrainingExample> {
        let mut random = SplitMix64::new(self.settings.seed, number);
        loop {
            // An opening that ends in mate leaves no positions.
            let mut game = self.opening(&mut random);
            let examples = self.play_on(&mut game, random.next());
            if !examples.is_empty() {
                return examples;
            }
        }
    }

    /// Plays a part of an opening, then random moves.
    fn opening(&self, random: &mut SplitMix64) -> Game {
        let mut game = Game::startpos();
        if !self.openings.is_empty() {
            let opening = &self.openings[random.below(self.openings.len())];
            let plies = random.below(opening.len().min(self.settings.opening_plies) + 1);
            for &mv in &opening[..plies] {
                // Legality was checked when the openings were parsed.
                let _ = game.play(mv);
            }
        }
        for _ in 0..random.below(self.settings.random_plies + 1) {
            let legal = game.legal_moves();
            if legal.is_empty() || game.play(legal[random.below(legal.len())]).is_err() {
                break;
            }
        }
        game
    }

    /// Plays until the game is over, and labels its positions.
    fn play_on(&mut self, game: &mut Game, noise_seed: u64) -> Vec<TrainingExample> {
        let settings = self.settings;
        self.player.new_game(noise_seed);
        let limits = Limits {
            nodes: Some(settings.nodes),
            ..Limits::default()
        };
        let mut examples: Vec<(TrainingExample, Color)> = Vec::new();
        let mut lead = DecisiveLead::new(settings.decided_score, settings.decided_plies);
        let winner = loop {
            let us = game.position().side_to_move();
            match game.repetition() {
                Repetition::None => {}
                Repetition::Draw => break None,
                Repetition::PerpetualCheckBy(color) => break Some(!color),
            }
            if game.moves().len() >= settings.maximum_plies {
                break None;
            }
            let outcome = self
                .player
                .think(game, &limits, &Control::new(), &mut |_| {});
            let best_move = match outcome.answer {
                Answer::Move(mv) => mv,
                Answer::Resign => break Some(!us),
                Answer::Win => break Some(us),
            };
            let score = outcome.line.score.to_centipawns();
            let Ok(position) = game.position().to_packed() else {
                unreachable!("games from the start position have complete sets");
            };
            examples.push((
                TrainingExample {
                    position,
                    score: score as i16,
                    best_move,
                    ply: game.position().ply() as u16,
                    result: 0,
                    is_last: false,
                },
                us,
            ));
            if let Some(leader) = lead.after(us, score) {
                break Some(leader);
            }
            if game.play(best_move).is_err() {
                unreachable!("a player's moves are legal");
            }
        };
        if let Some((last, _)) = examples.last_mut() {
            last.is_last = true;
        }
        let result = |color| match winner {
            None => 0,
            Some(winner) if winner == color => 1,
            Some(_) => -1,
        };
        examples
            .into_iter()
            .map(|(example, color)| TrainingExample {
                result: result(color),
                ..example
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::PlayerSettings;
    use std::thread;

    fn settings() -> SelfPlaySettings {
        SelfPlaySettings {
            player: PlayerSettings {
                hash_mib: 1,
                sigma: 20.0,
                ..PlayerSettings::default()
            },
            nodes: 60,
            maximum_plies: 120,
            ..SelfPlaySettings::default()
        }
    }

    fn on_search_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| {
            thread::Builder::new()
                .stack_size(monju_engine::search::STACK_BYTES)
                .spawn_scoped(scope, work)
                .expect("a thread")
                .join()
                .expect("no panic")
        })
    }

    #[test]
    fn a_game_depends_on_its_number_alone() {
        let settings = settings();
        let openings = SelfPlay::openings("# two\nstartpos moves 7g7f 3c3d\n\nstartpos").unwrap();
        assert_eq!(openings.len(), 2);
        let (forwards, backwards) = on_search_stack(|| {
            let mut first = SelfPlay::new(&settings, &openings).unwrap();
            let mut second = SelfPlay::new(&settings, &openings).unwrap();
            let forwards: Vec<_> = (0..4).map(|number| first.play(number)).collect();
            let mut backwards: Vec<_> = (0..4).rev().map(|number| second.play(number)).collect();
            backwards.reverse();
            (forwards, backwards)
        });
        assert_eq!(forwards, backwards);
        assert_ne!(forwards[0], forwards[1]);
    }

    #[test]
    fn examples_are_the_positions_of_a_game() {
        let settings = settings();
        let games = on_search_stack(|| {
            let mut player = SelfPlay::new(&settings, &[]).unwrap();
            (0..4).map(|number| player.play(number)).collect::<Vec<_>>()
        });
        for examples in games {
            let (last, rest) = examples.split_last().expect("a game has positions");
            assert!(last.is_last && rest.iter().all(|example| !example.is_last));
            for pair in examples.windows(2) {
                let mut position = pair[0].position().unwrap();
                assert!(position.is_legal(pair[0].best_move));
                position.make(pair[0].best_move);
                assert_eq!(position, pair[1].position().unwrap());
                assert_eq!(pair[0].ply + 1, pair[1].ply);
                assert_eq!(pair[0].result, -pair[1].result);
            }
        }
    }

    #[test]
    fn unsuitable_openings_and_settings_are_refused() {
        assert!(SelfPlay::openings("startpos moves 7g7e").is_err());
        assert!(SelfPlay::openings("sfen 8k/9/7G1/9/9/9/9/9/K8 b G 1").is_err());
        let mut settings = settings();
        settings.player.threads = 2;
        let made = SelfPlay::new(&settings, &[]);
        assert_eq!(made.err(), Some(SelfPlayError::Threads(2)));
    }
}
