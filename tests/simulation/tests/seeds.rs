//! A few of the games that the command `simulate` plays by the thousand.

use monju_simulation::game::play;

/// Plies of a game.
const PLIES: usize = 80;

#[test]
fn games_of_fixed_seeds_break_no_promise_and_repeat() {
    for seed in 1..=12 {
        let report = play(seed, PLIES);
        assert!(report.violations.is_empty(), "{report:#?}");
        assert_eq!(play(seed, PLIES), report);
    }
}
