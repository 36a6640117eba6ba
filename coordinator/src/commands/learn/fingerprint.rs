//! FNV-1a: tells whether two texts or files are the same.

use anyhow::{Context, bail};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::Path,
};

const BEGINNING: u64 = 0xcbf2_9ce4_8422_2325;

fn go_on(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Of what is in memory.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    go_on(BEGINNING, bytes)
}

/// Of a file of any size, a piece at a time.
///
/// # Errors
/// It cannot be read, or is a folder, a pipe or a device, which might never end.
pub fn of_file(path: &Path) -> anyhow::Result<u64> {
    let context = || format!("cannot read {}", path.display());
    if !fs::metadata(path).with_context(context)?.is_file() {
        bail!("{} is no file", path.display());
    }
    let hash = || {
        let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
        let mut hash = BEGINNING;
        loop {
            let piece = reader.fill_buf()?;
            if piece.is_empty() {
                return Ok::<_, std::io::Error>(hash);
            }
            hash = go_on(hash, piece);
            let length = piece.len();
            reader.consume(length);
        }
    };
    hash().with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_fingerprint_of_its_bytes() {
        assert_eq!(of_bytes(b"foobar"), 0x8594_4171_f739_67e8);
        let file = tempfile::NamedTempFile::new().unwrap();
        // Longer than what is read at once.
        let bytes: Vec<u8> = (0..2_500_000_u32).map(|number| number as u8).collect();
        fs::write(file.path(), &bytes).unwrap();
        assert_eq!(of_file(file.path()).unwrap(), of_bytes(&bytes));
        assert!(of_file(Path::new("/nosuch/file")).is_err());
    }
}
