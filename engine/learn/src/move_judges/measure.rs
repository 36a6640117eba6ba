//! The measure of a judge: how few moves it hides when it reduces a share of all moves by one ply more.

use super::examples::{MoveClass, MoveExample};

/// Shares of the moves that are reduced by one ply more.
pub const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 0.9];

/// Share of the hidden moves among them at each of [`SHARES`]. Without a judge they are as large.
pub type HiddenMoveShares = [f64; SHARES.len()];

/// Returns the shares for moves that are reduced in the order of their values, the least first.
pub(super) fn shares(examples: &[MoveExample], values: &[f32]) -> HiddenMoveShares {
    let mut order: Vec<usize> = (0..examples.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let hidden: Vec<usize> = (0..order.len())
        .filter(|&place| examples[order[place]].class == MoveClass::Hidden)
        .collect();
    SHARES.map(|share| {
        let end = (share * order.len() as f64) as usize;
        hidden.partition_point(|&place| place < end) as f64 / hidden.len().max(1) as f64
    })
}
