//! Games of a player against itself whose every search is logged.

use super::log::{LoggedGame, LoggedSearch};
use crate::random::SplitMix64;
use monju_engine::{
    player::{Answer, Player, PlayerError, PlayerSettings},
    rules::{Color, Game, GameError, Repetition},
    search::{Control, Limits, MoveJudgement},
};

/// Settings of the games.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchGamesSettings {
    /// Player of both sides, which has a table for each of them.
    pub player: PlayerSettings,
    /// Nodes of a search.
    pub nodes: u64,
    /// Seed of the order of the openings.
    pub seed: u64,
    /// Length in plies at which a game ends.
    pub maximum_plies: usize,
    /// Samples of moves that the searches take, if any.
    pub sampling: Option<Sampling>,
    /// Lead in centipawns that ends a game when the last searches of both sides agree on it.
    pub decided_score: i32,
}

/// Samples of moves to learn a judgement from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The judgement.
    pub judgement: MoveJudgement,
    /// Number of moves of which one is taken.
    pub every: u32,
}

impl Default for SearchGamesSettings {
    fn default() -> Self {
        Self {
            player: PlayerSettings {
                hash_mib: 16,
                ..PlayerSettings::default()
            },
            nodes: 2_000_000,
            seed: 1,
            maximum_plies: 256,
            sampling: None,
            decided_score: 3_000,
        }
    }
}

/// Error of starting the games.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum SearchGamesError {
    /// The player cannot be created.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// An opening is no game.
    #[error("line {number} of the openings")]
    Opening {
        /// Number of its line, counted from 1.
        number: usize,
        /// Reason.
        source: GameError,
    },
    /// There are no openings.
    #[error("there are no openings; one 'startpos moves …' a line is expected")]
    NoOpenings,
}

/// A player that plays games against itself.
#[derive(Debug)]
pub struct SearchGames {
    settings: SearchGamesSettings,
    openings: Vec<Game>,
    players: [Player; 2],
}

impl SearchGames {
    /// Creates the players. `openings` has one `startpos moves …` a line.
    ///
    /// # Errors
    /// The settings are unsuitable, or an opening is no game.
    pub fn new(settings: SearchGamesSettings, openings: &str) -> Result<Self, SearchGamesError> {
        let lines = openings.lines().enumerate();
        let mut openings = lines
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
            .map(|(index, line)| {
                Game::from_usi(line).map_err(|source| SearchGamesError::Opening {
                    number: index + 1,
                    source,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        if openings.is_empty() {
            return Err(SearchGamesError::NoOpenings);
        }
        SplitMix64::new(settings.seed, 0).shuffle(&mut openings);
        let player = || {
            let mut player = Player::new(settings.player.clone())?;
            if let Some(Sampling { judgement, every }) = settings.sampling {
                player.begin_sampling(judgement, every);
            }
            Ok::<_, PlayerError>(player)
        };
        Ok(Self {
            players: [player()?, player()?],
            settings,
            openings,
        })
    }

    /// Returns the number of games, one for each opening.
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// Returns true without openings, which [`SearchGames::new`] refuses.
    pub fn is_empty(&self) -> bool {
        self.openings.is_empty()
    }

    /// Plays a game, which depends on the settings and its number alone. Needs a thread with a stack of
    /// [`STACK_BYTES`](monju_engine::STACK_BYTES).
    pub fn play(&mut self, number: usize) -> LoggedGame {
        let mut game = self.openings[number % self.openings.len()].clone();
        let limits = Limits {
            nodes: Some(self.settings.nodes),
            ..Limits::default()
        };
        for player in &mut self.players {
            player.new_game(number as u64);
        }
        let mut searches = Vec::new();
        let mut decided = 0;
        while game.moves().len() < self.settings.maximum_plies
            && game.repetition() == Repetition::None
        {
            let side = game.position().side_to_move();
            let mut iterations = Vec::new();
            let player = &mut self.players[usize::from(side == Color::White)];
            let outcome = player.think(&game, &limits, &Control::new(), &mut |line| {
                iterations.extend(LoggedSearch::iteration(line))
            });
            let samples = player.take_samples();
            let Answer::Move(mv) = outcome.answer else {
                break;
            };
            let ply = game.moves().len();
            if game.play(mv).is_err() {
                break;
            }
            searches.push(LoggedSearch {
                ply,
                nodes: outcome.line.nodes,
                mv,
                iterations,
                samples,
            });
            let lead = outcome.line.score.to_centipawns().abs();
            decided = match lead >= self.settings.decided_score {
                true => decided + 1,
                false => 0,
            };
            if decided == 4 {
                break;
            }
        }
        LoggedGame { game, searches }
    }
}
