//! One search for each evaluator: the only place where players of different evaluators part.

use super::PlayerSettings;
use crate::{
    eval::{Evaluator, Linear, Material, Model, Noise},
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
    Linear(Memory<Linear>),
}

impl Memories {
    /// Allocates the table, and what each thread needs.
    pub fn new(settings: &PlayerSettings) -> Result<Self, TryReserveError> {
        match &settings.evaluator {
            Model::Material => Ok(Self::Material(memory(settings, &Material::default())?)),
            Model::Linear(weights) => {
                let evaluator = Linear::new(Arc::clone(weights));
                Ok(Self::Linear(memory(settings, &evaluator)?))
            }
        }
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        match self {
            Self::Material(memory) => memory.clear(),
            Self::Linear(memory) => memory.clear(),
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
            Self::Linear(memory) => search(game, legal, limits, control, memory, noise, progress),
        }
    }
}
