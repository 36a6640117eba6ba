//! Hashes that name specifications and builds.

use sha2::{Digest, Sha256};

/// The first 16 hexadecimal digits of the SHA-256 of some parts.
pub(crate) fn short_hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Lengths keep ("ab", "c") and ("a", "bc") apart.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
