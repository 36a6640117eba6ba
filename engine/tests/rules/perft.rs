//! Leaf counts of the move tree.

use crate::support::{data, game, rows, skipped};
use monju_engine::rules::{MoveList, Position, perft};
use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    thread,
};

/// Larger counts run only with `MONJU_FULL_PERFT=1`, because they take minutes to hours.
const LARGEST_DEFAULT_COUNT: u64 = 1_000_000_000;

/// Counts like [`perft`], with a thread for each core, which takes one position after the other below the root.
fn perft_on_all_cores(position: &Position, depth: u32) -> u64 {
    let moves = MoveList::legal(position);
    let (next, nodes) = (AtomicUsize::new(0), AtomicU64::new(0));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(&mv) = moves.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut position = position.clone();
                    position.make(mv);
                    nodes.fetch_add(perft(&mut position, depth - 1), Ordering::Relaxed);
                }
            });
        }
    });
    nodes.into_inner()
}

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
        let counted = match expected > LARGEST_DEFAULT_COUNT {
            true => perft_on_all_cores(&position, depth),
            false => perft(&mut position, depth),
        };
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
