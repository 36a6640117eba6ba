//! Start and end of a search on one or several threads.

use super::{
    effort::RootEffort,
    history::History,
    kept_proofs::KeptProofs,
    last_search::LastSearch,
    limits::{Control, Limits},
    line::Line,
    memory::{SearchMemory, ThreadMemory},
    move_judge::{MoveJudgement, MoveJudges, Sampler},
    numbers::reduction,
    options::{Reductions, SearchOptions},
    polling::POLL_INTERVAL,
    ponder_table::PonderTable,
    repetition::recurring,
    root_search::RootSearch,
    search_value::{SearchValue, TranspositionTable},
    searcher::Searcher,
    stack::{STACK_OFFSET, StackEntry},
    thread_pool::ThreadPool,
    value::{MAX_PLY, Value, clamp_evaluation},
    votes::Votes,
};
use crate::{
    eval::Evaluator,
    rules::{Game, Move},
};
use std::{
    cell::Cell,
    num::NonZeroU32,
    thread::{self, Builder},
    time::Instant,
};

/// Stack, in bytes, of a thread on which a player thinks: a search recurses once for each ply.
/// Threads started by a search have as much.
pub const STACK_BYTES: usize = 16 << 20;

/// References that all threads of one search share.
struct SharedInputs<'a, V: SearchValue> {
    game: &'a Game,
    options: &'a SearchOptions,
    reductions: &'a Reductions,
    judges: &'a MoveJudges,
    ponder_table: &'a PonderTable,
    history: &'a History,
    table: &'a V::Transpositions,
    noise: &'a V::Noises,
    leaf_noise: Option<&'a V::Noises>,
    lane_count: usize,
    control: &'a Control,
    pool: Option<&'a ThreadPool<V>>,
}

/// Noise of the virtual players of a search.
pub(crate) struct PlayersNoise<'a, V: SearchValue> {
    /// Added to every static evaluation.
    pub evaluations: &'a V::Noises,
    /// Added once to every result of quiescence, if the players have such noise.
    pub leaves: Option<&'a V::Noises>,
    /// Number of players.
    pub count: usize,
}

impl<V: SearchValue> Clone for SharedInputs<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: SearchValue> Copy for SharedInputs<'_, V> {}

/// Searches the position of `game` until a limit is reached, with the threads of `memory`. `legal` holds the
/// legal moves, at least one.
///
/// # Panics
/// A thread has panicked; the others end first.
pub(crate) fn search<E: Evaluator + Clone, V: RootSearch>(
    game: &Game,
    legal: &[Move],
    limits: &Limits,
    control: &Control,
    memory: &mut SearchMemory<E, V>,
    players: PlayersNoise<'_, V>,
    progress: &mut dyn FnMut(&Line),
) -> Line {
    memory.obey(game);
    if memory.options.table_persistence != 0 {
        memory.table.age();
    } else {
        memory.table.clear();
    }
    memory.history.begin();
    // The choices of several lanes are not kept, nor anything where the table is not.
    let keeps = players.count == 1 && memory.options.table_persistence != 0;
    let last = memory.last.take().filter(|_| keeps);
    let resumed = last.and_then(|last| last.finished(game, limits, control.depth_limit()));
    let mut shared: SharedInputs<'_, V> = SharedInputs {
        game,
        options: &memory.options,
        reductions: &memory.reductions,
        judges: &memory.judges,
        table: &memory.table,
        ponder_table: &memory.ponder_table,
        history: &memory.history,
        noise: players.evaluations,
        leaf_noise: players.leaves,
        lane_count: players.count,
        control,
        pool: None,
    };
    let sampler = memory.sampler.as_mut();
    let mut threads = memory.threads.iter_mut();
    let Some(own) = threads.next() else {
        unreachable!("a memory has at least one thread");
    };
    if threads.len() == 0 {
        let (line, finished) =
            Searcher::new(shared, own, sampler, progress).run(limits, legal, resumed);
        memory.last = finished.map(|finished| LastSearch::new(game, limits, finished));
        return line;
    }
    let pool = ThreadPool::new(1 + threads.len());
    shared.pool = Some(&pool);
    let (line, finished) = thread::scope(|scope| {
        let _dismissal = Dismissal(&pool);
        for helper in threads {
            let serve = move || Searcher::new(shared, helper, None, &mut |_| ()).serve();
            let builder = Builder::new().stack_size(STACK_BYTES);
            if builder.spawn_scoped(scope, serve).is_err() {
                // Without further threads, the search runs on those that have started.
                break;
            }
        }
        Searcher::new(shared, own, sampler, progress).run(limits, legal, resumed)
    });
    memory.last = finished.map(|finished| LastSearch::new(game, limits, finished));
    line
}

/// Releases the helpers when dropped, even by a panic.
struct Dismissal<'a, V: SearchValue>(&'a ThreadPool<V>);

impl<V: SearchValue> Drop for Dismissal<'_, V> {
    fn drop(&mut self) {
        self.0.dismiss();
    }
}

impl<'a, E: Evaluator + Clone, V: SearchValue> Searcher<'a, E, V> {
    fn new(
        shared: SharedInputs<'a, V>,
        ThreadMemory { evaluator, mates }: &'a mut ThreadMemory<E>,
        mut sampler: Option<&'a mut Sampler>,
        progress: &'a mut dyn FnMut(&Line),
    ) -> Self {
        let SharedInputs {
            game,
            options,
            reductions,
            judges,
            table,
            ponder_table,
            history,
            noise,
            leaf_noise,
            lane_count,
            control,
            pool,
        } = shared;
        #[cfg(feature = "tuning")]
        options.install();
        evaluator.reset(game.position());
        if let Some(sampler) = &mut sampler {
            sampler.begin(game.position().key());
        }
        let samples = |judgement| (sampler.as_ref()).is_some_and(|one| one.samples(judgement));
        let examines_reductions = judges.judges_reductions() || samples(MoveJudgement::Reductions);
        let samples_margins = samples(MoveJudgement::Margins);
        let samples_order = samples(MoveJudgement::Ordering);
        Self {
            options,
            reductions,
            judges,
            sampler,
            examines_reductions,
            samples_margins,
            samples_order,
            table,
            ponder_table,
            history,
            evaluator,
            mates,
            proofs: KeptProofs::default(),
            noise,
            leaf_noise,
            position: game.position().clone(),
            key_history: game.key_history().to_vec(),
            stack: vec![StackEntry::empty(); MAX_PLY + STACK_OFFSET + 4].into_boxed_slice(),
            pv: vec![Vec::new(); MAX_PLY + 2],
            nodes: 0,
            selective_depth: 0,
            root_depth: 0,
            root_window: 1,
            null_window_reduction: reduction::window(),
            mean_square: 0,
            null_move_from: 0,
            stopped: false,
            pool,
            split: None,
            root_split: None,
            lane_count,
            votes: Votes::new(lane_count),
            ruled_out: Vec::new(),
            unlisted: Vec::new(),
            not_completed: Cell::new(None),
            found_mate: None,
            root_effort: RootEffort::default(),
            ranked: 0,
            is_forced: false,
            after_null_move: 0,
            root_length: game.key_history().len(),
            entering_king: game.rules().entering_king,
            draw_values: draw_values(game),
            maximum_plies: game.rules().maximum_plies.map_or(u32::MAX, NonZeroU32::get),
            recurring: recurring(&game.key_history()[..game.key_history().len().saturating_sub(1)]),
            spare_evaluators: Vec::new(),
            published: 0,
            node_limit: control.node_limit(),
            next_poll: POLL_INTERVAL,
            control,
            started: Instant::now(),
            progress,
            best: None,
        }
    }

    /// Helps other threads until the search is over.
    fn serve(mut self) {
        let Some(pool) = self.pool else { return };
        while let Some(split) = pool.find(None) {
            self.selective_depth = 0;
            self.help(pool, &split);
        }
    }
}

/// Returns the value of a draw at nodes with Black and with White to move. It is the value to the side to
/// move at the root that counts.
fn draw_values(game: &Game) -> [Value; 2] {
    let us = game.position().side_to_move().index();
    let worth = clamp_evaluation(game.rules().draw_values[us]);
    match us {
        0 => [worth, -worth],
        _ => [-worth, worth],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Material, MaterialValues, MaterialWeights, Noise},
        rules::{CheckInfo, Position},
        search::{
            lanes::Lanes,
            node::{Node, NodeMove},
            split_point::SplitPoint,
            testing::Watched,
            value::INFINITE,
        },
    };
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::Arc,
        time::Duration,
    };

    /// Lets `use_it` use a searcher of a position, with these options, this noise and this pool.
    fn with_searcher<V: RootSearch, R>(
        (sfen, options, noise): (&str, SearchOptions, &V::Noises),
        pool: Option<&ThreadPool<V>>,
        use_it: impl FnOnce(&mut Searcher<'_, Material, V>) -> R,
    ) -> R {
        let evaluator = Material::new(Arc::new(MaterialWeights::new(&MaterialValues::flat())));
        let mut memory = SearchMemory::<_, V>::new(1, 1, &evaluator, options).unwrap();
        let game = Game::from_usi(sfen).unwrap();
        let shared = SharedInputs {
            game: &game,
            options: &memory.options,
            reductions: &memory.reductions,
            judges: &memory.judges,
            table: &memory.table,
            ponder_table: &memory.ponder_table,
            history: &memory.history,
            noise,
            leaf_noise: None,
            lane_count: V::LANES,
            control: &Control::new(),
            pool,
        };
        let mut progress = |_: &Line| ();
        use_it(&mut Searcher::new(
            shared,
            &mut memory.threads[0],
            None,
            &mut progress,
        ))
    }

    /// Returns the evaluation that a search leaves at a root in check, where that of two plies before is 123.
    fn evaluation_kept_in_check<V: RootSearch>(noise: &V::Noises) -> Value {
        let sfen = "sfen 4k4/9/9/9/9/9/9/4r4/3GK4 b - 1";
        with_searcher((sfen, SearchOptions::default(), noise), None, |searcher| {
            searcher.stack[STACK_OFFSET - 2].evaluation = V::all(123);
            let window = (V::all(-INFINITE), V::all(INFINITE));
            let info = CheckInfo::new(&searcher.position);
            V::search_root(searcher, &info, window, 2);
            searcher.stack[STACK_OFFSET].evaluation.lane(0)
        })
    }

    /// Tells whether a table's proof of a mate in three by a move is believed in the start position of a game that is
    /// drawn after so many plies.
    fn believes_mate_by(text: &str, maximum_plies: u32) -> bool {
        let noise = Noise::new(0.0, 0).unwrap();
        let options = SearchOptions::default();
        with_searcher::<Value, _>(("startpos", options, &noise), None, |searcher| {
            let key = searcher.position.key();
            searcher.maximum_plies = maximum_plies;
            searcher.store_mate(text.parse().unwrap(), 0, 3);
            let info = CheckInfo::new(&searcher.position);
            searcher.probe_table(key, &info).is_some()
        })
    }

    #[test]
    fn a_proof_by_an_illegal_move_is_of_another_position() {
        assert!(believes_mate_by("7g7f", u32::MAX));
        assert!(!believes_mate_by("5e5d+", u32::MAX));
    }

    #[test]
    fn a_proof_of_a_mate_after_the_last_ply_is_of_an_earlier_one() {
        assert!(believes_mate_by("7g7f", 3));
        assert!(!believes_mate_by("7g7f", 2));
    }

    /// Returns the depth at which a split point's moves are searched after values between alpha and beta.
    fn depth_after(depth: i32, values: &[Value], options: SearchOptions) -> i32 {
        let noise = Noise::new(0.0, 0).unwrap();
        with_searcher::<Value, _>(("startpos", options, &noise), None, |searcher| {
            let pool = ThreadPool::new(2);
            let split = SplitPoint::sample(depth, None);
            for (&value, text) in values.iter().zip(["7g7f", "2g2f", "5g5f"]) {
                let mv: Move = text.parse().unwrap();
                let node_move = NodeMove {
                    mv,
                    key: searcher.position.key_after(mv),
                    move_count: 1,
                    noisy: false,
                    gives_check: false,
                    gain: 0,
                    extension: 0,
                };
                searcher.record_value::<false>(&pool, &split, node_move, value);
            }
            split.state().move_loop.depth
        })
    }

    #[test]
    fn a_split_point_goes_on_less_deep_after_every_better_move() {
        let options = SearchOptions::default;
        assert_eq!(depth_after(9, &[], options()), 9);
        assert_eq!(depth_after(9, &[-5], options()), 9, "no better move");
        assert_eq!(depth_after(9, &[20], options()), 7);
        assert_eq!(depth_after(9, &[20, 10, 30], options()), 5);
        assert_eq!(depth_after(20, &[20], options()), 20, "too deep");
        let unreduced = SearchOptions {
            late_move_reduction: 0,
            ..options()
        };
        assert_eq!(depth_after(9, &[20], unreduced), 9);
    }

    #[test]
    fn many_threads_do_not_wait_for_further_moves_where_a_cut_is_expected() {
        let noise = Noise::new(0.0, 0).unwrap();
        let first_shared = |threads| {
            let inputs = ("startpos", SearchOptions::default(), &noise);
            let pool = ThreadPool::new(threads);
            with_searcher::<Value, _>(inputs, Some(&pool), |searcher| {
                let split = SplitPoint::sample(20, None);
                [true, false].map(|cut_node| {
                    let node = Node {
                        cut_node,
                        ..split.setup.node
                    };
                    (1..9).find(|&move_count| searcher.pool_for(&node, move_count).is_some())
                })
            })
        };
        assert_eq!(first_shared(2), [Some(3), Some(1)]);
        assert_eq!(first_shared(4), [Some(3), Some(1)]);
        assert_eq!(first_shared(5), [Some(1), Some(1)]);
        assert_eq!(first_shared(16), [Some(1), Some(1)]);
    }

    #[test]
    fn a_check_leaves_the_evaluation_of_two_plies_before() {
        let noise = Noise::new(0.0, 0).unwrap();
        assert_eq!(evaluation_kept_in_check::<Value>(&noise), 123);
        let noises = vec![noise; Lanes::LANES];
        assert_eq!(evaluation_kept_in_check::<Lanes>(&noises), 123);
    }

    #[test]
    fn a_panic_of_a_helper_ends_the_search() {
        // The evaluator panics on every thread but this one.
        let home = thread::current().id();
        let evaluator = Watched {
            inner: Material::new(Arc::new(MaterialWeights::new(&MaterialValues::flat()))),
            evaluate: move |material: &mut Material, position: &Position| {
                assert_eq!(thread::current().id(), home, "expected by the test");
                material.evaluate(position)
            },
        };
        let mut memory =
            SearchMemory::<_, i32>::new(4, 3, &evaluator, SearchOptions::default()).unwrap();
        let game = Game::startpos();
        let limits = Limits {
            time: Some(Duration::from_secs(60)),
            ..Limits::default()
        };
        let control = Control::new();
        control.apply(&limits);
        let noise = Noise::new(0.0, 0).unwrap();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            search(
                &game,
                &game.legal_moves(),
                &limits,
                &control,
                &mut memory,
                PlayersNoise {
                    evaluations: &noise,
                    leaves: None,
                    count: 1,
                },
                &mut |_| (),
            )
        }));
        assert!(outcome.is_err());
        assert!(!control.is_over(), "the search ended before its time");
    }
}
