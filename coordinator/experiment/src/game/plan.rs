//! Settings and result of a game.

use crate::{
    record::{Incident, PlayedGame},
    specification::Adjudication,
    store::GameUnderWay,
};
use tokio::sync::watch;

/// Settings of a game, beside its two sides.
#[derive(Clone, Debug)]
pub struct GamePlan<'a> {
    /// Name, unique among all games that its players ever see.
    pub id: &'a str,
    /// 0 for the game in which the first side has Black, 1 for the other.
    pub number: u32,
    /// Position that it starts from.
    pub opening: &'a str,
    /// Seeds of the first and of the second side.
    pub seeds: [u64; 2],
    /// Rules that end it before mate or resignation.
    pub adjudication: Adjudication,
    /// True when ballots are kept.
    pub ballots: bool,
    /// Place where the game so far is told before every move.
    pub watch: Option<&'a watch::Sender<GameUnderWay>>,
}

/// A finished game with its incidents.
pub type Finished = (PlayedGame, Vec<Incident>);
