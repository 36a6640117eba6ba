//! What a learner reads: files with an end, and whether they are the same as before.

use anyhow::{Context, bail};
use monju_coordinator::seed::{HASH_OF_NOTHING, hash_on};
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::Path,
};

/// The whole file.
///
/// # Errors
/// It cannot be read, or is a folder, a pipe or a device, which might never end.
pub fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    check_is_file(path)?;
    fs::read(path).with_context(|| cannot_read(path))
}

/// The whole file as text.
///
/// # Errors
/// As those of [`read_file`], or it is no UTF-8.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    String::from_utf8(read_file(path)?).with_context(|| format!("{} is no text", path.display()))
}

/// FNV-1a of a file of any size, which is read a piece at a time: tells whether it is the same.
///
/// # Errors
/// As those of [`read_file`].
pub fn fingerprint(path: &Path) -> anyhow::Result<u64> {
    check_is_file(path)?;
    let hash = || {
        let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
        let mut hash = HASH_OF_NOTHING;
        loop {
            let piece = reader.fill_buf()?;
            if piece.is_empty() {
                return Ok::<_, io::Error>(hash);
            }
            hash = hash_on(hash, piece);
            let length = piece.len();
            reader.consume(length);
        }
    };
    hash().with_context(|| cannot_read(path))
}

fn check_is_file(path: &Path) -> anyhow::Result<()> {
    if !fs::metadata(path)
        .with_context(|| cannot_read(path))?
        .is_file()
    {
        bail!("{} is no file", path.display());
    }
    Ok(())
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_fingerprint_of_its_bytes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // Longer than what is read at once.
        let bytes: Vec<u8> = (0..2_500_000_u32).map(|number| number as u8).collect();
        fs::write(file.path(), &bytes).unwrap();
        assert_eq!(
            fingerprint(file.path()).unwrap(),
            hash_on(HASH_OF_NOTHING, &bytes)
        );
    }

    #[test]
    fn what_might_never_end_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), Path::new("/dev/zero"), Path::new("/nosuch")] {
            assert!(read_file(path).is_err(), "{}", path.display());
            assert!(fingerprint(path).is_err(), "{}", path.display());
        }
    }
}
