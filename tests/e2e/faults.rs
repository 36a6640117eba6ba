//! A few of the games that the command `faults` plays by the hundred.

use monju_tests::{
    alone,
    faults::{FaultRig, FaultSettings},
    pulse::{Void, judge},
};
use std::thread;

#[test]
fn a_killed_and_a_frozen_worker_cost_no_game() {
    let _alone = alone();
    let games = || {
        let mut rig = FaultRig::start(FaultSettings {
            // A test machine has other work at the same time; the command is stricter.
            byoyomi_ms: 1_000,
            overhead_ms: 500,
            opponent_nodes: 500,
            maximum_plies: 70,
            seed: 1,
        });
        for number in 0..2 {
            judge("a game with faults", || {
                let game = rig.play(number);
                if game.is_void() {
                    return Err(Void);
                }
                assert!(!game.is_forfeit(), "{game:?}");
                assert!(game.faults > 0 || game.moves < 16, "{game:?}");
                Ok(())
            });
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
