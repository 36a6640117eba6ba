//! A few of the games that the command `simulate` plays by the thousand.

use monju_simulation::game::play;

/// Plies of a game.
const PLIES: usize = 80;

#[test]
fn games_of_fixed_seeds_break_no_promise_and_repeat() {
    for seed in 1..=24 {
        let report = play(seed, PLIES);
        assert!(report.violations.is_empty(), "{report:#?}");
        assert_eq!(play(seed, PLIES), report);
    }
}

#[test]
fn games_that_once_broke_a_promise_keep_it() {
    let games = [
        // A worker out of reach did not hear that a session was over, and refused the next one.
        (3991, PLIES),
        // A lost connection was made anew only after half a second.
        (4769, PLIES),
        // Ballots that the counted votes settled ended before the last worker had answered.
        (3108, PLIES),
        (4853, PLIES),
        // The proxy was killed again before it was ready.
        (542, 300),
        // A coordinator that fell silent in the middle of a question was asked first again, and the other one planned
        // to decide behind the proxy's deadline.
        (1371, 300),
        (1871, 300),
    ];
    for (seed, plies) in games {
        let report = play(seed, plies);
        assert!(report.violations.is_empty(), "{report:#?}");
    }
}
