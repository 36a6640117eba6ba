//! Random choices of an experiment, as pure functions of (seed, cell, pair): the same on any number of
//! machines, in any order.

use super::record::MatchSide;
use monju_coordinator::seed::{derive, pick};

/// Seed of one pair.
pub fn pair_seed(seed: u64, cell: &str, pair: u32) -> u64 {
    derive(
        derive(seed, &format!("cell {cell}")),
        &format!("pair {pair}"),
    )
}

/// Seed of one side in one game, which ties and noise follow. It has 32 bits, which JSON and TOML carry
/// without loss.
pub fn side_seed(pair_seed: u64, game: u32, side: MatchSide) -> u64 {
    derive(pair_seed, &format!("game {game} {}", side.name())) >> 32
}

/// Index of the opening, among `count`, that a pair starts from. Within a cell the openings come in a
/// shuffled order, each once before any comes again.
pub fn opening(seed: u64, cell: &str, pair: u32, count: usize) -> usize {
    if count == 0 {
        return 0;
    }
    let pair = pair as usize;
    opening_order(seed, cell, pair / count, count)[pair % count]
}

/// Indices of `count` openings in the order in which pairs of a cell start from them, the `round`-th time that they
/// come.
pub fn opening_order(seed: u64, cell: &str, round: usize, count: usize) -> Vec<usize> {
    let cell_seed = derive(
        derive(seed, &format!("cell {cell}")),
        &format!("round {round}"),
    );
    // A Fisher–Yates shuffle of a few thousand openings costs little beside the games of the pair.
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let chosen = pick(derive(cell_seed, &format!("swap {last}")), last + 1);
        order.swap(last, chosen);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_opening_comes_once_before_any_comes_again() {
        for round in 0..3 {
            let chosen: BTreeSet<usize> = (0..50)
                .map(|pair| opening(7, "sigma=25", round * 50 + pair, 50))
                .collect();
            assert_eq!(chosen.len(), 50);
        }
        assert_eq!(opening(7, "x", 3, 1), 0);
    }

    #[test]
    fn choices_never_change() {
        let openings: Vec<usize> = (0..6).map(|pair| opening(1, "all", pair, 550)).collect();
        assert_eq!(openings, FIXED_OPENINGS);
        let seed = pair_seed(1, "all", 0);
        let seeds = [
            side_seed(seed, 0, MatchSide::First),
            side_seed(seed, 1, MatchSide::Second),
        ];
        assert_eq!(seeds, FIXED_SEEDS);
        assert!(seeds.iter().all(|&seed| seed <= u64::from(u32::MAX)));
    }

    const FIXED_OPENINGS: [usize; 6] = [91, 102, 121, 135, 165, 115];
    const FIXED_SEEDS: [u64; 2] = [4_005_003_016, 1_175_165_008];

    #[test]
    fn every_cell_pair_game_and_side_has_its_own_seed() {
        let mut seeds = BTreeSet::new();
        for cell in ["a", "b"] {
            for pair in 0..3 {
                for game in 0..2 {
                    for side in [MatchSide::First, MatchSide::Second] {
                        seeds.insert(side_seed(pair_seed(1, cell, pair), game, side));
                    }
                }
            }
        }
        assert_eq!(seeds.len(), 24);
    }
}
