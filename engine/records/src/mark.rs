//! The marks that some programs put before a text.

use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;

/// Returns a text in UTF-8 without its mark.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Returns a text that is marked as UTF-16 in UTF-8; other texts stay.
pub(crate) fn without_utf16(bytes: &[u8]) -> Cow<'_, [u8]> {
    match Encoding::for_bom(bytes) {
        Some((encoding, _)) if encoding != UTF_8 => {
            let (text, _) = encoding.decode_with_bom_removal(bytes);
            text.into_owned().into_bytes().into()
        }
        _ => bytes.into(),
    }
}
