//! One search for each evaluator: the only place where players of different evaluators part.

use super::PlayerSettings;
use crate::{
    eval::{Evaluator, Linear, LinearWeights, Material, Model, Noise},
    rules::{Game, Move},
    search::{Control, Limits, Line, Memory, search},
};
use std::{collections::TryReserveError, sync::Arc};

fn memory<E: Evaluator + Clone>(
    settings: &PlayerSettings,
    evaluator: &E,
) -> Result<Memory<E>, TryReserveError> {
    Memory::new(
        settings.hash_mib,
        settings.threads,
        evaluator,
        settings.search,
    )
}

/// What a player carries from search to search, by its evaluator.
pub(super) enum Memories {
    Material(Memory<Material>),
    /// With the weights that it was made with, which noise may have changed since.
    Linear(Memory<Linear>, Arc<LinearWeights>),
}

impl Memories {
    /// Allocates the table, and what each thread needs.
    pub fn new(settings: &PlayerSettings) -> Result<Self, TryReserveError> {
        match &settings.evaluator {
            Model::Material => Ok(Self::Material(memory(settings, &Material::default())?)),
            Model::Linear(weights) => {
                let evaluator = Linear::new(Arc::clone(weights));
                let memory = memory(settings, &evaluator)?;
                Ok(Self::Linear(memory, Arc::clone(weights)))
            }
        }
    }

    /// Adds noise to every weight of the evaluator that the player was made with.
    pub fn perturb(&mut self, noise: &Noise) {
        match self {
            Self::Material(memory) => memory.set_evaluator(&Material::perturbed(noise)),
            Self::Linear(memory, weights) => {
                let weights = Arc::new(weights.perturbed(noise));
                memory.set_evaluator(&Linear::new(weights));
            }
        }
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        match self {
            Self::Material(memory) => memory.clear(),
            Self::Linear(memory, _) => memory.clear(),
        }
    }

    /// Searches with the code that was compiled for this evaluator.
    pub fn search(
        &mut self,
        game: &Game,
        legal: &[Move],
        limits: &Limits,
        control: &Control,
        noise: &Noise,
        progress: &mut dyn FnMut(&Line),
    ) -> Line {
        match self {
            Self::Material(memory) => search(game, legal, limits, control, memory, noise, progress),
            Self::Linear(memory, _) => {
                search(game, legal, limits, control, memory, noise, progress)
            }
        }
    }
}
