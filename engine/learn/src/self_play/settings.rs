//! Settings of self-play.

use monju_engine::PlayerSettings;

/// Settings of self-play.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlaySettings {
    /// Player of both sides.
    pub player: PlayerSettings,
    /// Nodes of a search.
    pub nodes: u64,
    /// Seed; a game depends on it and on the game's number alone.
    pub seed: u64,
    /// Largest number of random moves after the opening.
    pub random_plies: usize,
    /// Largest number of opening moves; each game draws its own.
    pub opening_plies: usize,
    /// Length in plies at which a game is drawn.
    pub maximum_plies: usize,
    /// Lead in centipawns that decides a game when it lasts for [`SelfPlaySettings::decided_plies`]; 0 for none.
    pub decided_score: i32,
    /// Consecutive searches with a decisive lead that end a game.
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
