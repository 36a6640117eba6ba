//! Random choices that are the same in every build and on every machine.
//!
//! Every random choice in a game is derived from the game's one seed and the purpose of the choice,
//! never from the order of the choices.

use monju_engine::fnv1a;
pub use monju_engine::random::spread;

/// Returns the 64-bit FNV-1a hash of a text. Unlike `std`'s hashers it never changes.
pub fn hash_text(text: &str) -> u64 {
    fnv1a(text.as_bytes())
}

/// Derives the seed of one purpose from a seed.
pub fn derive(seed: u64, purpose: &str) -> u64 {
    spread(spread(seed) ^ hash_text(purpose))
}

/// Picks from `0..count`, uniformly to within `count` / 2^64; 0 when `count` is 0.
pub fn pick(seed: u64, count: usize) -> usize {
    let scaled = (u128::from(spread(seed)) * count as u128) >> 64;
    scaled as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_never_change() {
        // Reference values: the FNV-1a vectors.
        assert_eq!(hash_text(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash_text("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash_text("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn every_index_is_picked_about_equally_often() {
        let mut counts = [0_u32; 3];
        for seed in 0..3000 {
            counts[pick(seed, 3)] += 1;
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)));
        assert_eq!(pick(7, 1), 0);
        assert_eq!(pick(7, 0), 0);
    }

    #[test]
    fn every_purpose_has_its_own_seed() {
        assert_ne!(derive(1, "monju-1"), derive(1, "monju-2"));
        assert_ne!(derive(1, "monju-1"), derive(2, "monju-1"));
    }
}
