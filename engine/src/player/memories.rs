//! One search for each evaluator, alone or with several virtual players: the only place where
//! players of different kinds part.

use super::PlayerSettings;
use crate::{
    eval::{Evaluator, Material, Model, Noise},
    rules::{Game, Move},
    search::{Control, Lanes, Limits, Line, Memory, search},
};
use std::collections::TryReserveError;

/// What a player carries from search to search, by its evaluator.
pub(super) enum Memories {
    Material(ByLanes<Material>),
}

/// The same for one evaluator, by whether it is an ordinary search.
pub(super) enum ByLanes<E> {
    One(Memory<E, i32>),
    Several(Memory<E, Lanes>),
}

/// What is to be searched.
pub(super) struct Task<'a> {
    pub game: &'a Game,
    pub legal: &'a [Move],
    pub limits: &'a Limits,
    pub control: &'a Control,
    /// One for each virtual player.
    pub noises: &'a [Noise],
}

impl<E: Evaluator + Clone> ByLanes<E> {
    fn new(settings: &PlayerSettings, evaluator: &E) -> Result<Self, TryReserveError> {
        let (hash_mib, threads) = (settings.hash_mib, settings.threads);
        Ok(if settings.lanes == 1 {
            Self::One(Memory::new(hash_mib, threads, evaluator, settings.search)?)
        } else {
            Self::Several(Memory::new(hash_mib, threads, evaluator, settings.search)?)
        })
    }

    fn set_evaluator(&mut self, evaluator: &E) {
        match self {
            Self::One(memory) => memory.set_evaluator(evaluator),
            Self::Several(memory) => memory.set_evaluator(evaluator),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::One(memory) => memory.clear(),
            Self::Several(memory) => memory.clear(),
        }
    }

    fn search(&mut self, task: &Task, progress: &mut dyn FnMut(&Line)) -> Line {
        let &Task {
            game,
            legal,
            limits,
            control,
            noises,
        } = task;
        match self {
            Self::One(memory) => {
                let noise = (&noises[0], 1);
                search(game, legal, limits, control, memory, noise, progress)
            }
            Self::Several(memory) => {
                let noise = (noises, noises.len());
                search(game, legal, limits, control, memory, noise, progress)
            }
        }
    }
}

impl Memories {
    /// Allocates the table, and what each thread needs.
    pub fn new(settings: &PlayerSettings) -> Result<Self, TryReserveError> {
        Ok(match &settings.evaluator {
            Model::Material => Self::Material(ByLanes::new(settings, &Material::default())?),
        })
    }

    /// Adds noise to every weight of the evaluator that the player was made with.
    pub fn perturb(&mut self, noise: &Noise) {
        match self {
            Self::Material(memory) => memory.set_evaluator(&Material::perturbed(noise)),
        }
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        match self {
            Self::Material(memory) => memory.clear(),
        }
    }

    /// Searches with the code that was compiled for this evaluator.
    pub fn search(&mut self, task: &Task, progress: &mut dyn FnMut(&Line)) -> Line {
        match self {
            Self::Material(memory) => memory.search(task, progress),
        }
    }
}
