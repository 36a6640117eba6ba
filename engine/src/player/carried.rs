//! One search for each evaluator, alone or with several virtual players: the only place where
//! players of different kinds part.

use super::PlayerSettings;
use crate::{
    eval::{Erased, Evaluator, Linear, Material, Model, Nnue, Noise},
    rules::{Game, Move},
    search::{Control, Lanes, Limits, Line, Memory, SearchOptions, Values, search},
};
use std::{collections::TryReserveError, sync::Arc};

/// What is to be searched.
pub(super) struct Task<'a> {
    pub game: &'a Game,
    pub legal: &'a [Move],
    pub limits: &'a Limits,
    pub control: &'a Control,
    /// One for each virtual player.
    pub noises: &'a [Noise],
}

/// What a player carries from search to search, whatever its evaluator and its number of virtual
/// players. Each search runs code that was compiled for the two.
pub(super) trait Carried: Send {
    /// Adds noise to every weight of the evaluator that the player was made with.
    fn perturb(&mut self, noise: &Noise);
    /// Forgets the last game.
    fn clear(&mut self);
    /// The searches from now on record best moves for those after them.
    fn record_replies(&mut self) -> Result<(), TryReserveError>;
    /// The searches from now on only read what was recorded.
    fn read_replies(&mut self);
    fn search(&mut self, task: &Task, progress: &mut dyn FnMut(&Line)) -> Line;
}

/// Allocates the table, and what each thread needs.
pub(super) fn carry(settings: &PlayerSettings) -> Result<Box<dyn Carried>, TryReserveError> {
    match &settings.evaluator {
        Model::Material(weights) => {
            let original = Arc::clone(weights);
            let perturbed = move |noise: &Noise| Material::perturbed(&original, noise);
            by_lanes(settings, &Material::new(Arc::clone(weights)), perturbed)
        }
        Model::Linear(weights) => {
            let original = Arc::clone(weights);
            let perturbed = move |noise: &Noise| Linear::new(Arc::new(original.perturbed(noise)));
            by_lanes(settings, &Linear::new(Arc::clone(weights)), perturbed)
        }
        Model::Nnue(network) => {
            let original = Arc::clone(network);
            let perturbed = move |noise: &Noise| Nnue::perturbed(Arc::clone(&original), noise);
            by_lanes(settings, &Nnue::new(Arc::clone(network)), perturbed)
        }
    }
}

fn by_lanes<E: Evaluator + Clone + 'static>(
    settings: &PlayerSettings,
    evaluator: &E,
    perturbed: impl Fn(&Noise) -> E + Send + 'static,
) -> Result<Box<dyn Carried>, TryReserveError> {
    Ok(if settings.lanes == 1 {
        Box::new(Held::<_, i32, _>::new(settings, evaluator, perturbed)?)
    } else {
        // Several players share the cost of an evaluation, so its calls may cost a little more.
        let perturbed = move |noise: &Noise| Erased::new(&perturbed(noise));
        Box::new(Held::<_, Lanes, _>::new(
            settings,
            &Erased::new(evaluator),
            perturbed,
        )?)
    })
}

struct Held<E, V: Values, P> {
    memory: Memory<E, V>,
    perturbed: P,
}

impl<E: Evaluator + Clone, V: Values, P> Held<E, V, P> {
    fn new(
        settings: &PlayerSettings,
        evaluator: &E,
        perturbed: P,
    ) -> Result<Self, TryReserveError> {
        let (hash_mib, threads) = (settings.hash_mib, settings.threads);
        let options = SearchOptions::of(settings.evaluator.kind());
        let options = settings.search.over(options);
        Ok(Self {
            memory: Memory::new(hash_mib, threads, evaluator, options)?,
            perturbed,
        })
    }
}

impl<E, V, P> Carried for Held<E, V, P>
where
    E: Evaluator + Clone,
    V: Values,
    P: Fn(&Noise) -> E + Send,
{
    fn perturb(&mut self, noise: &Noise) {
        self.memory.set_evaluator(&(self.perturbed)(noise));
    }

    fn clear(&mut self) {
        self.memory.clear();
    }

    fn record_replies(&mut self) -> Result<(), TryReserveError> {
        self.memory.record_replies()
    }

    fn read_replies(&mut self) {
        self.memory.read_replies();
    }

    fn search(&mut self, task: &Task, progress: &mut dyn FnMut(&Line)) -> Line {
        let noise = (V::noise_of(task.noises), task.noises.len());
        let memory = &mut self.memory;
        search(
            task.game,
            task.legal,
            task.limits,
            task.control,
            memory,
            noise,
            progress,
        )
    }
}
