//! One search for each evaluator: the only place where players of different evaluators part.

use super::PlayerSettings;
use crate::{
    eval::{Evaluator, Material, Model, Nnue, Noise},
    rules::{Game, Move},
    search::{Control, Limits, Line, Memory, search},
};
use std::{collections::TryReserveError, sync::Arc};

/// What a player carries from search to search, by its evaluator.
pub(super) enum Memories {
    Material(Memory<Material>),
    Nnue(Memory<Nnue>),
}

impl Memories {
    /// Allocates the table, and what each thread needs.
    pub fn new(settings: &PlayerSettings) -> Result<Self, TryReserveError> {
        Ok(match &settings.evaluator {
            Model::Material => Self::Material(memory(settings, &Material::default())?),
            Model::Nnue(network) => Self::Nnue(memory(settings, &Nnue::new(Arc::clone(network)))?),
        })
    }

    /// Adds noise to every weight of the evaluator that the player was made with.
    pub fn perturb(&mut self, noise: &Noise) {
        match self {
            Self::Material(memory) => memory.set_evaluator(&Material::perturbed(noise)),
            Self::Nnue(memory) => {
                let network = Arc::clone(memory.evaluator().network());
                memory.set_evaluator(&Nnue::perturbed(network, noise));
            }
        }
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        match self {
            Self::Material(memory) => memory.clear(),
            Self::Nnue(memory) => memory.clear(),
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
            Self::Nnue(memory) => search(game, legal, limits, control, memory, noise, progress),
        }
    }
}

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
