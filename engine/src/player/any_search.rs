//! A search of any kind behind one trait: each evaluator, with one value or with lanes, has compiled
//! code of its own.

use super::settings::PlayerSettings;
use crate::{
    eval::{Erased, Evaluator, Linear, Material, Model, Nnue, Noise, PieceValues},
    rules::{Game, Move},
    search::{
        Control, Lanes, Limits, Line, PlayersNoise, RootSearch, Sampler, SearchMemory,
        SearchOptions, SearchSample, SearchValue, search,
    },
};
use std::{collections::TryReserveError, sync::Arc};

/// Position and limits of a search.
pub(super) struct SearchRequest<'a> {
    pub game: &'a Game,
    /// Legal moves of the position, at least one.
    pub legal: &'a [Move],
    pub limits: &'a Limits,
    pub control: &'a Control,
    /// Noise of the evaluations of each virtual player.
    pub noises: &'a [Noise],
    /// Noise of its leaves, if it has such noise.
    pub leaf_noises: Option<&'a [Noise]>,
}

/// A search with its memory, whatever its evaluator and its number of virtual players.
pub(super) trait AnySearch: Send {
    /// Replaces the evaluator by the original one with noise added to every weight.
    fn perturb(&mut self, noise: &Noise);
    /// Forgets the last game.
    fn clear(&mut self);
    /// Starts recording best moves in the ponder table.
    fn begin_recording(&mut self) -> Result<(), TryReserveError>;
    /// Stops recording; later searches read the ponder table.
    fn end_recording(&mut self);
    /// Lets searches take samples of moves.
    fn begin_sampling(&mut self, sampler: Sampler);
    /// Returns the samples since the last call.
    fn take_samples(&mut self) -> Vec<SearchSample>;
    /// Searches until a limit is reached.
    fn search(&mut self, request: &SearchRequest, progress: &mut dyn FnMut(&Line)) -> Line;
}

/// Allocates the search that the settings describe.
pub(super) fn any_search(settings: &PlayerSettings) -> Result<Box<dyn AnySearch>, TryReserveError> {
    match &settings.evaluator {
        Model::Material(weights) => {
            let original = Arc::clone(weights);
            let evaluator = PieceValues::Material(Material::new(Arc::clone(weights)));
            by_lanes(settings, &evaluator, move |noise| {
                PieceValues::Material(Material::perturbed(&original, noise))
            })
        }
        Model::Linear(weights) => {
            let original = Arc::clone(weights);
            let linear = |weights| PieceValues::Linear(Box::new(Linear::new(weights)));
            by_lanes(settings, &linear(Arc::clone(weights)), move |noise| {
                linear(Arc::new(original.perturbed(noise)))
            })
        }
        Model::Nnue(network) => {
            let original = Arc::clone(network);
            let perturbed = move |noise: &Noise| Nnue::perturbed(Arc::clone(&original), noise);
            by_lanes(settings, &Nnue::new(Arc::clone(network)), perturbed)
        }
    }
}

/// Allocates an ordinary search or a vector search.
fn by_lanes<E: Evaluator + Clone + 'static>(
    settings: &PlayerSettings,
    evaluator: &E,
    perturbed: impl Fn(&Noise) -> E + Send + 'static,
) -> Result<Box<dyn AnySearch>, TryReserveError> {
    Ok(if settings.lanes == 1 {
        Box::new(TypedSearch::<_, i32, _>::new(
            settings, evaluator, perturbed,
        )?)
    } else {
        // Several players share the cost of an evaluation, so that a call through a pointer matters
        // less.
        let perturbed = move |noise: &Noise| Erased::new(&perturbed(noise));
        Box::new(TypedSearch::<_, Lanes, _>::new(
            settings,
            &Erased::new(evaluator),
            perturbed,
        )?)
    })
}

/// A search of one kind.
struct TypedSearch<E, V: SearchValue, P> {
    memory: SearchMemory<E, V>,
    /// Makes the evaluator with noise on its weights.
    perturbed: P,
}

impl<E: Evaluator + Clone, V: SearchValue, P> TypedSearch<E, V, P> {
    fn new(
        settings: &PlayerSettings,
        evaluator: &E,
        perturbed: P,
    ) -> Result<Self, TryReserveError> {
        let (hash_mib, threads) = (settings.hash_mib, settings.threads);
        let options = SearchOptions::of(settings.evaluator.kind());
        let options = settings.search.over(options);
        Ok(Self {
            memory: SearchMemory::new(hash_mib, threads, evaluator, options)?,
            perturbed,
        })
    }
}

impl<E, V, P> AnySearch for TypedSearch<E, V, P>
where
    E: Evaluator + Clone,
    V: RootSearch,
    P: Fn(&Noise) -> E + Send,
{
    fn perturb(&mut self, noise: &Noise) {
        self.memory.set_evaluator(&(self.perturbed)(noise));
    }

    fn clear(&mut self) {
        self.memory.clear();
    }

    fn begin_recording(&mut self) -> Result<(), TryReserveError> {
        self.memory.begin_recording()
    }

    fn end_recording(&mut self) {
        self.memory.end_recording();
    }

    fn begin_sampling(&mut self, sampler: Sampler) {
        self.memory.begin_sampling(sampler);
    }

    fn take_samples(&mut self) -> Vec<SearchSample> {
        self.memory.take_samples()
    }

    fn search(&mut self, request: &SearchRequest, progress: &mut dyn FnMut(&Line)) -> Line {
        let noise = PlayersNoise {
            evaluations: V::noise_of(request.noises),
            leaves: request.leaf_noises.map(V::noise_of),
            count: request.noises.len(),
        };
        search(
            request.game,
            request.legal,
            request.limits,
            request.control,
            &mut self.memory,
            noise,
            progress,
        )
    }
}
