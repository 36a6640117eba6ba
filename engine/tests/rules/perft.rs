//! Leaf counts of the move tree.

use crate::support::{data, game, rows, skipped};
use monju_engine::rules::perft;

/// Larger counts run only with `MONJU_FULL_PERFT=1`, because they take minutes to hours.
const LARGEST_DEFAULT_COUNT: u64 = 1_000_000_000;

#[test]
fn perft_agrees_with_published_counts() {
    let full = std::env::var_os("MONJU_FULL_PERFT").is_some();
    let text = data("perft/perft.tsv");
    let mut checked = 0;
    let mut left_out = Vec::new();
    let mut wrong = Vec::new();
    for row in rows(&text) {
        let (sfen, depth, expected) = (row[0], row[1], row[2]);
        let depth: u32 = depth.parse().expect("a depth");
        let expected: u64 = expected.parse().expect("a count");
        if expected > LARGEST_DEFAULT_COUNT && !full {
            left_out.push(format!("perft {depth} of {sfen} ({expected} leaves)"));
            continue;
        }
        let mut position = game(sfen).position().clone();
        let before = position.clone();
        let counted = perft(&mut position, depth);
        assert_eq!(position, before, "perft must leave the position as it was");
        if counted != expected {
            wrong.push(format!(
                "perft {depth} of {sfen}: {counted}, expected {expected}"
            ));
        }
        checked += 1;
    }
    for what in &left_out {
        skipped(&format!("{what}; MONJU_FULL_PERFT=1 runs it"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(checked + left_out.len(), 166);
}
