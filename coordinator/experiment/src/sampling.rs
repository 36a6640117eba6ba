//! Everything random in an experiment, as pure functions of (seed, cell, pair): the same on any
//! number of machines, in any order.

use super::record::Side;
use monju_coordinator::seed::{derive, pick};

/// The seed of one pair.
pub fn pair_seed(seed: u64, cell: &str, pair: u32) -> u64 {
    derive(
        derive(seed, &format!("cell {cell}")),
        &format!("pair {pair}"),
    )
}

/// The seed of one side in one game: ties and noise are drawn from it. It has 32 bits, which JSON
/// and TOML carry without loss.
pub fn side_seed(pair_seed: u64, game: u32, side: Side) -> u64 {
    derive(pair_seed, &format!("game {game} {}", side.name())) >> 32
}

/// Which of `count` openings a pair starts from. Within a cell, openings come in a shuffled order
/// and none comes again before all have come.
pub fn opening(seed: u64, cell: &str, pair: u32, count: usize) -> usize {
    if count == 0 {
        return 0;
    }
    let round = pair as usize / count;
    let cell_seed = derive(
        derive(seed, &format!("cell {cell}")),
        &format!("round {round}"),
    );
    // The end of a Fisher–Yates shuffle is known only after all of it; a few thousand steps a pair
    // are nothing beside its games.
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let chosen = pick(derive(cell_seed, &format!("swap {last}")), last + 1);
        order.swap(last, chosen);
    }
    order[pair as usize % count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_opening_comes_twice_before_all_have_come() {
        for round in 0..3 {
            let drawn: BTreeSet<usize> = (0..50)
                .map(|pair| opening(7, "sigma=25", round * 50 + pair, 50))
                .collect();
            assert_eq!(drawn.len(), 50);
        }
        assert_eq!(opening(7, "x", 3, 1), 0);
    }

    #[test]
    fn draws_are_fixed_for_ever() {
        let openings: Vec<usize> = (0..6).map(|pair| opening(1, "all", pair, 550)).collect();
        assert_eq!(openings, FIXED_OPENINGS);
        let seed = pair_seed(1, "all", 0);
        let seeds = [
            side_seed(seed, 0, Side::First),
            side_seed(seed, 1, Side::Second),
        ];
        assert_eq!(seeds, FIXED_SEEDS);
        assert!(seeds.iter().all(|&seed| seed <= u64::from(u32::MAX)));
    }

    const FIXED_OPENINGS: [usize; 6] = [91, 102, 121, 135, 165, 115];
    const FIXED_SEEDS: [u64; 2] = [4_005_003_016, 1_175_165_008];

    #[test]
    fn cells_pairs_games_and_sides_have_their_own() {
        let mut seeds = BTreeSet::new();
        for cell in ["a", "b"] {
            for pair in 0..3 {
                for game in 0..2 {
                    for side in [Side::First, Side::Second] {
                        seeds.insert(side_seed(pair_seed(1, cell, pair), game, side));
                    }
                }
            }
        }
        assert_eq!(seeds.len(), 24);
    }
}
