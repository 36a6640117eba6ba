//! Games that a player plays against itself, as positions to learn from.

use super::{Sample, random::Random};
use monju_engine::{
    player::{Answer, Player, PlayerError, PlayerSettings},
    rules::{Color, Game, Move, Repetition},
    search::{Control, Limits, Score},
};

/// What a mate in 0 plies is worth in a sample, in centipawns; each ply to it takes one away.
const MATE: i32 = 32_000;

/// How self-play is played.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlaySettings {
    /// The player of both sides.
    pub player: PlayerSettings,
    /// Nodes of each search.
    pub nodes: u64,
    /// Every game is a function of this and its number.
    pub seed: u64,
    /// Games begin with up to this many random moves, after the opening.
    pub random_plies: usize,
    /// Openings are followed up to this many plies; each game draws how far.
    pub opening_plies: usize,
    /// Games with so many plies are drawn.
    pub maximum_plies: usize,
    /// A game is decided when one side has been so many centipawns ahead …
    pub decided_score: i32,
    /// … for so many searches in a row.
    pub decided_plies: usize,
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        Self {
            player: PlayerSettings {
                sigma: 20.0,
                hash_mib: 4,
                ..PlayerSettings::default()
            },
            nodes: 4000,
            seed: 1,
            random_plies: 8,
            opening_plies: 24,
            maximum_plies: 320,
            decided_score: 3000,
            decided_plies: 4,
        }
    }
}

/// Why there is no self-play.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum SelfPlayError {
    /// The player cannot be made.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// Several threads never play the same game twice.
    #[error("self-play needs players of one thread, not {0}")]
    Threads(usize),
    /// Games that end before they begin.
    #[error("self-play needs games of at least one ply")]
    MaximumPlies,
    /// A search that may visit no node.
    #[error("self-play needs at least one node a move")]
    Nodes,
    /// An opening that does not begin at the start position, or is none.
    #[error("line {number}: {reason}")]
    Opening {
        /// The line in which it stands, counted from 1.
        number: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Plays games, one after the other.
#[derive(Debug)]
pub struct SelfPlay<'a> {
    settings: &'a SelfPlaySettings,
    openings: &'a [Vec<Move>],
    player: Player,
}

impl<'a> SelfPlay<'a> {
    /// A player with its table; each thread needs one. `openings` may be empty.
    ///
    /// # Errors
    /// The settings make no sense.
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

    /// Reads openings, one `startpos moves …` a line; empty lines and those after `#` are none.
    ///
    /// # Errors
    /// Says which line is no game from the start position.
    pub fn openings(text: &str) -> Result<Vec<Vec<Move>>, SelfPlayError> {
        let lines = text.lines().enumerate();
        lines
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
            .map(|(index, line)| {
                let bad = |reason: String| SelfPlayError::Opening {
                    number: index + 1,
                    reason,
                };
                let game = Game::from_usi(line).map_err(|error| bad(error.to_string()))?;
                if game.start() != "startpos" {
                    return Err(bad("expected 'startpos moves …'".to_owned()));
                }
                Ok(game.moves().to_vec())
            })
            .collect()
    }

    /// Plays game number `number`: a function of the settings, the openings and that number alone.
    /// Blocks; run it on a thread with a stack of 16 MiB.
    pub fn play(&mut self, number: u64) -> Vec<Sample> {
        let mut random = Random::new(self.settings.seed, number);
        loop {
            // An opening may end in a mate, and then there is nothing to learn.
            let mut game = self.opening(&mut random);
            let samples = self.play_on(&mut game, random.next());
            if !samples.is_empty() {
                return samples;
            }
        }
    }

    /// Part of an opening, then random moves.
    fn opening(&self, random: &mut Random) -> Game {
        let mut game = Game::startpos();
        if !self.openings.is_empty() {
            let opening = &self.openings[random.below(self.openings.len())];
            let plies = random.below(opening.len().min(self.settings.opening_plies) + 1);
            for &mv in &opening[..plies] {
                // They were legal when they were read.
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

    /// Plays until the game is over.
    fn play_on(&mut self, game: &mut Game, noise_seed: u64) -> Vec<Sample> {
        let settings = self.settings;
        self.player.new_game(noise_seed);
        let limits = Limits {
            nodes: Some(settings.nodes),
            ..Limits::default()
        };
        let mut samples: Vec<(Sample, Color)> = Vec::new();
        // Searches in a row that see this side far ahead.
        let mut ahead = (Color::Black, 0);
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
            let score = match outcome.line.score {
                Score::Cp(cp) => cp,
                Score::Mate(plies) if plies > 0 => MATE - plies,
                Score::Mate(plies) => -MATE - plies,
            };
            let Ok(position) = game.position().to_packed() else {
                unreachable!("games from the start position have complete sets");
            };
            samples.push((
                Sample {
                    position,
                    score: score as i16,
                    best_move,
                    ply: game.position().ply() as u16,
                    result: 0,
                    is_last: false,
                },
                us,
            ));
            let leader = if score > 0 { us } else { !us };
            if score.abs() < settings.decided_score {
                ahead.1 = 0;
            } else if ahead.0 == leader {
                ahead.1 += 1;
            } else {
                ahead = (leader, 1);
            }
            if ahead.1 >= settings.decided_plies {
                break Some(leader);
            }
            if game.play(best_move).is_err() {
                unreachable!("a player's moves are legal");
            }
        };
        if let Some((last, _)) = samples.last_mut() {
            last.is_last = true;
        }
        let result = |color| match winner {
            None => 0,
            Some(winner) if winner == color => 1,
            Some(_) => -1,
        };
        samples
            .into_iter()
            .map(|(sample, color)| Sample {
                result: result(color),
                ..sample
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn samples_are_those_of_a_game() {
        let settings = settings();
        let games = on_search_stack(|| {
            let mut player = SelfPlay::new(&settings, &[]).unwrap();
            (0..4).map(|number| player.play(number)).collect::<Vec<_>>()
        });
        for samples in games {
            let (last, rest) = samples.split_last().expect("a game has positions");
            assert!(last.is_last && rest.iter().all(|sample| !sample.is_last));
            for pair in samples.windows(2) {
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
    fn nonsense_is_refused() {
        assert!(SelfPlay::openings("startpos moves 7g7e").is_err());
        assert!(SelfPlay::openings("sfen 8k/9/7G1/9/9/9/9/9/K8 b G 1").is_err());
        let mut settings = settings();
        settings.player.threads = 2;
        let made = SelfPlay::new(&settings, &[]);
        assert_eq!(made.err(), Some(SelfPlayError::Threads(2)));
    }
}
