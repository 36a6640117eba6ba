//! The hash FNV-1a.

/// Returns the 64-bit FNV-1a hash of bytes, which identifies weights, detects damaged files and derives seeds.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
