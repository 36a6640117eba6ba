//! Ballots as they are kept: JSON lines, packed.

use crate::store::StoreError;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use std::io::{Read, Write};

pub(super) fn pack(text: &str) -> Result<Vec<u8>, StoreError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish())
        .map_err(|error| StoreError::Database(format!("ballots cannot be packed: {error}")))
}

pub(super) fn unpack(bytes: &[u8]) -> Result<String, StoreError> {
    let mut text = String::new();
    if !bytes.is_empty() {
        GzDecoder::new(bytes)
            .read_to_string(&mut text)
            .map_err(|error| StoreError::Database(format!("ballots cannot be read: {error}")))?;
    }
    Ok(text)
}
