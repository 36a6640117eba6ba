//! The last proof of a mate at each ply.

use crate::mate::ProofSubtree;

/// The last proof at each ply.
#[derive(Default)]
pub(super) struct KeptProofs(Vec<Option<ProofSubtree>>);

impl KeptProofs {
    /// Returns the place of the proof at a ply.
    pub fn slot(&mut self, ply: usize) -> &mut Option<ProofSubtree> {
        if self.0.len() <= ply {
            self.0.resize(ply + 1, None);
        }
        &mut self.0[ply]
    }
}
