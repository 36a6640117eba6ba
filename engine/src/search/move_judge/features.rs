//! The numbers of the features of a late move.
//!
//! The features follow Shimoyama, sections 7 and 8, with what the search knows today in place of what it lacks: the
//! reduction in plies in place of "another reduction is active", continuation histories, the table's move of the node
//! (a late move is never the table's), cuts of siblings, and whether the evaluation improves. The exchange has 4
//! steps, where the paper has 16; left out are the distance between the kings with drops, attacks and progress,
//! promotions by piece, and the king's distance by depth and kind.

use super::groups::Groups;
use crate::rules::PieceKind;

/// Number of groups of features, of each of which one is present.
pub(super) const PRESENT: usize = 17;

/// The features of a move that are present.
pub(in crate::search) type MoveFeatures = [u16; PRESENT];

/// Kinds of moves.
pub(in crate::search) const KINDS: usize = 8;
/// Principal variation, expected cut, no cut; each was once on a principal variation, or not.
pub(in crate::search) const NODES: usize = 6;
/// Kinds of pieces.
pub(in crate::search) const PIECES: usize = PieceKind::COUNT;
/// Steps of distance, in king's moves.
pub(in crate::search) const DISTANCES: usize = 8;

/// The groups, in the order of their values.
pub(in crate::search) const GROUPS: Groups<PRESENT> = Groups::new([
    // Depth
    16 * KINDS,
    // Kind of node
    NODES * KINDS,
    // The table's move: none, quiet or noisy, with a value that beats alpha or not
    6 * NODES,
    // Threat of mate (詰めろ)
    2 * KINDS,
    // Reduction in plies
    10 * KINDS,
    // The evaluation improves; the opponent's worsens
    4 * KINDS,
    // Evaluation above alpha
    16 * KINDS,
    // Static exchange
    4 * KINDS,
    // History
    16 * KINDS,
    // Order
    16 * KINDS,
    // Cuts of moves that answered the siblings
    4 * NODES,
    // Order of the parent's move
    16 * NODES,
    // Recapture, answer to a capture, or another move
    4 * KINDS,
    // Distance of the destination from the opponent's king
    DISTANCES * PIECES * 2,
    // Distance of the destination from the own king
    DISTANCES * PIECES * 2,
    // Pieces in both hands
    16 * KINDS,
    // Correction of the evaluation
    8 * KINDS,
]);

/// Number of features.
pub const FEATURES: usize = GROUPS.count;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_fit_into_16_bits() {
        assert!(FEATURES > 1_000 && FEATURES < usize::from(u16::MAX));
    }
}
