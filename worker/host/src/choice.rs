//! Native players before they are built: their settings, with an evaluator that is yet to be loaded.

use crate::evaluator::{EvaluatorError, load_evaluator};
use monju_engine::{
    EvaluatorChoice, Model, Player, PlayerError, PlayerSettings, SearchChoices,
    eval::{NoiseModel, Sigma},
};

/// Largest table of a player of the defaults, in MiB.
const DEFAULT_TABLE_MIB: u32 = 64;

/// Everything that a native player is built from, except the seed of its noise.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerChoice {
    /// The static evaluation.
    pub evaluator: EvaluatorChoice,
    /// Standard deviation of the evaluation noise.
    pub sigma: Sigma,
    /// The noise is added to evaluations, or to weights.
    pub noise_model: NoiseModel,
    /// Transposition table in MiB.
    pub hash_mib: u32,
    /// Threads that search together.
    pub threads: u32,
    /// Virtual players of one search, each with a vote of its own.
    pub lanes: u32,
    /// Switches and numbers of the search.
    pub search: SearchChoices,
}

impl Default for PlayerChoice {
    fn default() -> Self {
        Self {
            evaluator: EvaluatorChoice::default(),
            sigma: Sigma::ZERO,
            noise_model: NoiseModel::default(),
            hash_mib: DEFAULT_TABLE_MIB,
            threads: 1,
            lanes: 1,
            search: SearchChoices::NONE,
        }
    }
}

impl PlayerChoice {
    /// The settings of the player, whose evaluator has been loaded.
    pub fn settings(&self, evaluator: Model) -> PlayerSettings {
        PlayerSettings {
            sigma: self.sigma.in_centipawns(&evaluator),
            evaluator,
            noise_model: self.noise_model,
            hash_mib: self.hash_mib as usize,
            threads: self.threads as usize,
            lanes: self.lanes as usize,
            search: self.search,
        }
    }

    /// Loads the evaluator and builds the player.
    ///
    /// # Errors
    /// The evaluator cannot be loaded, or the engine refuses a setting.
    pub fn build(&self) -> Result<Player, BuildError> {
        let evaluator = load_evaluator(&self.evaluator)?;
        Ok(Player::new(self.settings(evaluator))?)
    }

    /// The player of the defaults that plays while this one cannot be built.
    pub fn stand_in(&self) -> Self {
        Self {
            hash_mib: self.hash_mib.min(DEFAULT_TABLE_MIB),
            ..Self::default()
        }
    }
}

/// Why a native player cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Its evaluator cannot be loaded.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// The engine refuses a setting.
    #[error(transparent)]
    Player(#[from] PlayerError),
}
