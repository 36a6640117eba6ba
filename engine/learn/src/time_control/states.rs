//! The states of logged searches.

use crate::searches::{LoggedGame, LoggedSearch};
use monju_engine::{
    judge::{Progress, SearchJudge, StabilityTracker, Stage},
    rules::Game,
};
use std::time::Duration;

/// Longest times that a logged search stands for, as divisors of its own in tenths.
const CUTS: [u64; 6] = [10, 14, 20, 28, 40, 80];

/// One iteration of a search with a longest time.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Features that are present.
    pub features: [u16; Progress::FEATURES],
    /// The best move does not change any more.
    pub is_high: bool,
    /// The best move is that of the whole search.
    pub is_right: bool,
    /// Part of the longest time that has passed.
    pub share: f32,
    /// Part of the longest time up to the end of the next iteration.
    pub next: f32,
    /// Difficulty by the judge that is made by hand.
    pub difficulty: f32,
    /// It is the first of its search.
    pub begins: bool,
}

/// Returns the states of all searches of a game; `cuts` of each longest time, or the whole one alone.
pub(super) fn states_of(game: &LoggedGame, with_cuts: bool) -> Vec<State> {
    let cuts = if with_cuts { &CUTS[..] } else { &CUTS[..1] };
    let mut states = Vec::new();
    let mut before = Game::from_parts::<String>(game.game.start(), &[]).ok();
    let mut played = 0;
    for search in &game.searches {
        if let Some(position) = &mut before {
            for &mv in &game.game.moves()[played.min(search.ply)..search.ply] {
                // The game was checked when it was read.
                let _ = position.play(mv);
            }
            played = search.ply;
            for cut in cuts {
                add_states(position, search, search.nodes * 10 / cut, &mut states);
            }
        }
    }
    states
}

fn add_states(game: &Game, search: &LoggedSearch, longest: u64, states: &mut Vec<State>) {
    let within = |nodes: u64| nodes <= longest;
    let iterations: Vec<_> = (search.iterations.iter())
        .take_while(|iteration| within(iteration.nodes))
        .collect();
    // A search without a choice tells nothing.
    let [.., last] = &iterations[..] else { return };
    if iterations.len() < 2 {
        return;
    }
    let right = last.best_move();
    let settled = iterations.iter().rposition(|one| one.best_move() != right);
    let settled = settled.map_or(0, |last_wrong| last_wrong + 1);
    let (mut judge, mut tracker) = (SearchJudge::new(game), StabilityTracker::default());
    let time = Duration::from_micros;
    for (index, iteration) in iterations.iter().enumerate() {
        let progress = judge.observe(iteration);
        let next = iterations.get(index + 1).map_or(longest, |next| next.nodes);
        states.push(State {
            features: progress.features(Stage::of(time(iteration.nodes), time(longest))),
            is_high: index >= settled,
            is_right: iteration.best_move() == right,
            share: iteration.nodes as f32 / longest as f32,
            next: (next - iteration.nodes) as f32 / longest as f32,
            difficulty: tracker.observe(iteration).difficulty() as f32,
            begins: index == 0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::searches::read_logs;

    #[test]
    fn states_before_the_last_change_are_low() {
        let log = "game startpos moves 7g7f 3c3d\n\
                   search 1 1000 3c3d 1,10,0,900,8c8d 2,100,5,500,3c3d 3,200,5,500,8c8d 4,400,9,800,3c3d 5,700,9,900,3c3d\n\
                   end\n";
        let games = read_logs(log).expect("a log");
        let whole = states_of(&games[0], false);
        let high: Vec<bool> = whole.iter().map(|state| state.is_high).collect();
        assert_eq!(high, [false, false, false, true, true]);
        let right: Vec<bool> = whole.iter().map(|state| state.is_right).collect();
        assert_eq!(right, [false, true, false, true, true]);
        let next: Vec<f32> = whole.iter().map(|state| state.next).collect();
        for (next, expected) in next.iter().zip([0.09, 0.1, 0.2, 0.3, 0.3]) {
            assert!((next - expected).abs() < 1e-6, "{next}");
        }
        // With a longest time of 500 nodes the last iteration is not seen; with 125 the right move is another.
        let cut = states_of(&games[0], true);
        assert_eq!(cut.iter().filter(|state| state.begins).count(), 6);
        assert_eq!(cut.len(), 5 + 5 + 4 + 3 + 3 + 2);
        assert!(cut[cut.len() - 1].is_high && !cut[cut.len() - 2].is_high);
    }
}
