//! Starts a search on as many threads as there are, and ends it on all of them.

use super::{
    Control, Limits, Line, STACK_BYTES, Search,
    ending::recurring,
    history::History,
    iterate::{BEFORE_ROOT, Frame},
    memory::Memory,
    options::{Reductions, SearchOptions},
    pace::POLL_INTERVAL,
    replies::Replies,
    team::Team,
    value::MAX_PLY,
    values::{Store, Values},
};
use crate::{
    eval::Evaluator,
    mate::MateSearch,
    rules::{Game, Move},
};
use std::{
    thread::{self, Builder},
    time::Instant,
};

/// What all threads of one search look at.
struct Task<'a, V: Values> {
    game: &'a Game,
    options: &'a SearchOptions,
    reductions: &'a Reductions,
    replies: &'a Replies,
    history: &'a History,
    table: &'a V::Table,
    noise: &'a V::Noise,
    lane_count: usize,
    control: &'a Control,
    team: Option<&'a Team<V>>,
}

impl<V: Values> Clone for Task<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Values> Copy for Task<'_, V> {}

/// Searches the position that `game` has reached until a limit is reached, with as many threads as
/// `memory` has room for. `legal` are its legal moves; there must be one. `noise` comes with the
/// number of virtual players that it is for.
///
/// # Panics
/// When one of the threads does; the others end first.
pub(crate) fn search<E: Evaluator + Clone, V: Values>(
    game: &Game,
    legal: &[Move],
    limits: &Limits,
    control: &Control,
    memory: &mut Memory<E, V>,
    (noise, lane_count): (&V::Noise, usize),
    progress: &mut dyn FnMut(&Line),
) -> Line {
    if memory.options.table_persistence != 0 {
        memory.table.age();
    } else {
        memory.table.clear();
    }
    let mut task: Task<'_, V> = Task {
        game,
        options: &memory.options,
        reductions: &memory.reductions,
        table: &memory.table,
        replies: &memory.replies,
        history: &memory.history,
        noise,
        lane_count,
        control,
        team: None,
    };
    let mut threads = memory.evaluators.iter_mut().zip(&mut memory.mates);
    let Some(own) = threads.next() else {
        unreachable!("a memory has at least one evaluator");
    };
    if threads.len() == 0 {
        return Search::new(task, own, progress).run(limits, legal);
    }
    let team = Team::default();
    task.team = Some(&team);
    thread::scope(|scope| {
        let _dismissal = Dismissal(&team);
        for helper in threads {
            let serve = move || Search::new(task, helper, &mut |_| ()).serve();
            let builder = Builder::new().stack_size(STACK_BYTES);
            if builder.spawn_scoped(scope, serve).is_err() {
                // A machine that has no thread to spare is searched with those it has.
                break;
            }
        }
        Search::new(task, own, progress).run(limits, legal)
    })
}

/// Sends the helpers home when the search ends, by whatever way.
struct Dismissal<'a, V: Values>(&'a Team<V>);

impl<V: Values> Drop for Dismissal<'_, V> {
    fn drop(&mut self) {
        self.0.dismiss();
    }
}

impl<'a, E: Evaluator + Clone, V: Values> Search<'a, E, V> {
    fn new(
        task: Task<'a, V>,
        (evaluator, mates): (&'a mut E, &'a mut MateSearch),
        progress: &'a mut dyn FnMut(&Line),
    ) -> Self {
        let Task {
            game,
            options,
            reductions,
            table,
            replies,
            history,
            noise,
            lane_count,
            control,
            team,
        } = task;
        evaluator.reset(game.position());
        Self {
            options,
            reductions,
            table,
            replies,
            history,
            evaluator,
            mates,
            noise,
            position: game.position().clone(),
            visits: game.visits().to_vec(),
            frames: vec![Frame::empty(); MAX_PLY + BEFORE_ROOT + 4].into_boxed_slice(),
            pv: vec![Vec::new(); MAX_PLY + 2],
            nodes: 0,
            selective_depth: 0,
            root_depth: 0,
            stopped: false,
            team,
            split: None,
            root_split: None,
            lane_count,
            lanes: vec![None; lane_count],
            ruled_out: Vec::new(),
            is_forced: false,
            after_pass: 0,
            root_visits: game.visits().len(),
            recurring: recurring(&game.visits()[..game.visits().len().saturating_sub(1)]),
            spares: Vec::new(),
            published: 0,
            node_limit: control.node_limit(),
            next_poll: POLL_INTERVAL,
            control,
            started: Instant::now(),
            progress,
            best: None,
        }
    }

    /// Helps the others until the search is over.
    fn serve(mut self) {
        let Some(team) = self.team else { return };
        while let Some(split) = team.find(None) {
            self.selective_depth = 0;
            self.help(team, &split);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Material, MaterialValues, MaterialWeights, Noise, watched::Watched},
        rules::Position,
    };
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::Arc,
        time::Duration,
    };

    #[test]
    fn a_panic_of_a_helper_ends_the_search() {
        // It panics on every thread but this one.
        let home = thread::current().id();
        let evaluator = Watched {
            inner: Material::new(Arc::new(MaterialWeights::new(&MaterialValues::flat()))),
            evaluate: move |material: &mut Material, position: &Position| {
                assert_eq!(thread::current().id(), home, "expected by the test");
                material.evaluate(position)
            },
        };
        let mut memory = Memory::<_, i32>::new(4, 3, &evaluator, SearchOptions::default()).unwrap();
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
                (&noise, 1),
                &mut |_| (),
            )
        }));
        assert!(outcome.is_err());
        assert!(!control.is_over(), "it ended long before its time");
    }
}
