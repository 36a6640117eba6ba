//! Games of a player against itself whose every search is logged.

use super::log::{LoggedGame, LoggedSearch};
use crate::lead::DecisiveLead;
use monju_engine::random::SplitMix64;
use monju_engine::{
    player::{Answer, Player, PlayerError, PlayerSettings},
    rules::{Color, Game, GameError, Move, Repetition},
    search::{Control, Limits, MoveJudgement},
};

/// Consecutive searches with a decisive lead that end a game.
const DECIDED_SEARCHES: usize = 4;

/// Settings of the games.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchGamesSettings {
    /// Player of both sides, which has a table for each of them.
    pub player: PlayerSettings,
    /// Number of such players that a side asks, each with noise of its own: the move that most of them name is played.
    pub players: usize,
    /// Nodes of a search.
    pub nodes: u64,
    /// Seed of the order of the openings.
    pub seed: u64,
    /// Length in plies at which a game ends.
    pub maximum_plies: usize,
    /// Samples of moves that the searches take, if any.
    pub sampling: Option<Sampling>,
    /// Lead in centipawns that ends a game when four searches in a row, of both sides, agree on it; 0 for none.
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
            players: 1,
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
    /// The players of a side would all name the same move.
    #[error("the players of a team would all play alike: give --sigma, such as --sigma 50")]
    EqualPlayers,
    /// There are no openings.
    #[error("there are no openings; one 'startpos moves …' a line is expected")]
    NoOpenings,
}

/// A player that plays games against itself.
#[derive(Debug)]
pub struct SearchGames {
    settings: SearchGamesSettings,
    openings: Vec<Game>,
    /// The players of each side.
    sides: [Vec<Player>; 2],
}

impl SearchGames {
    /// Creates the players. `openings` has one `startpos moves …` a line.
    ///
    /// # Errors
    /// The settings are unsuitable, or an opening is no game.
    pub fn new(settings: SearchGamesSettings, openings: &str) -> Result<Self, SearchGamesError> {
        // Some editors put a mark before a text in UTF-8.
        let lines = openings.trim_start_matches('\u{feff}').lines().enumerate();
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
        if settings.players > 1 && settings.player.sigma == 0.0 {
            return Err(SearchGamesError::EqualPlayers);
        }
        SplitMix64::new(settings.seed, 0).shuffle(&mut openings);
        let player = || {
            let mut player = Player::new(settings.player.clone())?;
            if let Some(Sampling { judgement, every }) = settings.sampling {
                player.begin_sampling(judgement, every);
            }
            Ok::<_, PlayerError>(player)
        };
        let side = || {
            let players = (0..settings.players).map(|_| player());
            players.collect::<Result<Vec<_>, PlayerError>>()
        };
        Ok(Self {
            sides: [side()?, side()?],
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
        for side in &mut self.sides {
            for (index, player) in side.iter_mut().enumerate() {
                player.new_game((number as u64).wrapping_add((index as u64) << 32));
            }
        }
        let mut searches = Vec::new();
        let mut lead = DecisiveLead::new(self.settings.decided_score, DECIDED_SEARCHES);
        while game.moves().len() < self.settings.maximum_plies
            && game.repetition() == Repetition::None
        {
            let side = game.position().side_to_move();
            let mut votes = SideVotes::default();
            for player in &mut self.sides[usize::from(side == Color::White)] {
                let mut iterations = Vec::new();
                let outcome = player.think(&game, &limits, &Control::new(), &mut |line| {
                    iterations.extend(LoggedSearch::iteration(line))
                });
                let samples = player.take_samples();
                let Answer::Move(mv) = outcome.answer else {
                    continue;
                };
                votes.add(mv, outcome.line.score.to_centipawns());
                searches.push(LoggedSearch {
                    ply: game.moves().len(),
                    nodes: outcome.line.nodes,
                    mv,
                    iterations,
                    samples,
                });
            }
            let Some((mv, score)) = votes.winner() else {
                break;
            };
            if game.play(mv).is_err() {
                break;
            }
            if lead.after(side, score).is_some() {
                break;
            }
        }
        LoggedGame { game, searches }
    }
}

/// Votes of the players of a side, with the score of each.
#[derive(Debug, Default)]
struct SideVotes(Vec<(Move, i32)>);

impl SideVotes {
    fn add(&mut self, mv: Move, score: i32) {
        self.0.push((mv, score));
    }

    /// Returns the move with most votes, the first of equals, with the score of its first player.
    fn winner(&self) -> Option<(Move, i32)> {
        let count = |mv| self.0.iter().filter(|(other, _)| *other == mv).count();
        // The last of equals is the greatest.
        (self.0.iter().rev().copied()).max_by_key(|&(mv, _)| count(mv))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_votes_win_and_the_first_of_equals() {
        let winner = |moves: &[&str]| {
            let mut votes = SideVotes::default();
            for (score, mv) in (0..).zip(moves) {
                votes.add(mv.parse().expect("a move"), score);
            }
            votes.winner().map(|(mv, score)| (mv.to_string(), score))
        };
        let found = |mv: &str, score| Some((mv.to_owned(), score));
        assert_eq!(winner(&["7g7f", "2g2f", "2g2f"]), found("2g2f", 1));
        assert_eq!(winner(&["7g7f", "2g2f", "6g6f"]), found("7g7f", 0));
        assert_eq!(winner(&[]), None);
    }

    #[test]
    fn equal_players_are_no_team() {
        let settings = SearchGamesSettings {
            players: 2,
            ..SearchGamesSettings::default()
        };
        let error = SearchGames::new(settings, "startpos moves 7g7f").expect_err("equal");
        assert_eq!(error, SearchGamesError::EqualPlayers);
    }
}
