//! Compression of ballots.

use crate::store::fault::DatabaseFault;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use std::io::{Read, Write};

/// Compresses JSON lines; no lines become no bytes.
pub(super) fn pack(text: &str) -> Result<Vec<u8>, DatabaseFault> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish())
        .map_err(DatabaseFault::Pack)
}

/// Restores the JSON lines.
pub(super) fn unpack(bytes: &[u8]) -> Result<String, DatabaseFault> {
    let mut text = String::new();
    if !bytes.is_empty() {
        GzDecoder::new(bytes)
            .read_to_string(&mut text)
            .map_err(DatabaseFault::Unpack)?;
    }
    Ok(text)
}
