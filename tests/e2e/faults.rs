//! A few of the games that the command `faults` plays by the hundred.

use monju_tests::{
    alone,
    faults::{Rig, Settings},
};
use std::thread;

#[test]
fn a_killed_and_a_frozen_worker_cost_no_game() {
    let _alone = alone();
    let games = || {
        let mut rig = Rig::start(Settings {
            // A test machine builds and plays at the same time; the command is stricter.
            byoyomi_ms: 1_000,
            overhead_ms: 500,
            opponent_nodes: 500,
            maximum_plies: 70,
            seed: 1,
        });
        for number in 0..2 {
            let report = rig.play(number);
            assert!(!report.is_forfeit(), "{report:?}");
            assert!(report.faults > 0 || report.moves < 12, "{report:?}");
        }
    };
    let thread = thread::Builder::new()
        .stack_size(monju_engine::STACK_BYTES)
        .spawn(games);
    thread
        .expect("a thread")
        .join()
        .expect("games in good order");
}
