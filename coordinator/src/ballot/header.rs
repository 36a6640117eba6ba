//! The identity of a ballot, and the method by which it is decided.

use super::lead::Lead;
use crate::{calibration::Calibration, voting::Rule};
use std::sync::Arc;

/// The identity of a ballot, and the method by which it is decided.
#[derive(Clone, Debug)]
pub struct BallotHeader {
    /// Number of the consultation, unique in its coordinator.
    pub id: u64,
    /// The game it belongs to.
    pub game_id: String,
    /// The game's seed.
    pub seed: u64,
    /// The voting rule.
    pub rule: Rule,
    /// Ballot name of the primary player, if the ensemble has one.
    pub primary: Option<String>,
    /// The player that led the game so far, under `hand-over`.
    pub lead: Option<Lead>,
    /// Win rates of scores, which make them comparable.
    pub calibration: Arc<Calibration>,
}
