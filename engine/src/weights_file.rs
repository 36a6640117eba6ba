//! Files of the weights of learned judges: a header, 16-bit numbers (little-endian), and the FNV-1a hash of all
//! bytes before (8 bytes, little-endian).

use crate::fnv1a::fnv1a;

/// Error of reading the weights of a judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JudgeWeightsError {
    /// The header is missing.
    #[error("not the weights of this judge; make them with 'monju learn {0}'")]
    Header(&'static str),
    /// The length or the hash is wrong.
    #[error("the weights of the judge are damaged, or of another version")]
    Damaged,
}

/// Encodes weights as a file.
pub(crate) fn encode(header: &[u8], weights: &[i16]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
    bytes.extend(fnv1a(&bytes).to_le_bytes());
    bytes
}

/// Decodes a file of `count` weights, which `monju learn command` makes.
///
/// # Errors
/// The header is missing, or the file is damaged.
pub(crate) fn decode(
    bytes: &[u8],
    header: &[u8],
    count: usize,
    command: &'static str,
) -> Result<Vec<i16>, JudgeWeightsError> {
    if !bytes.starts_with(header) {
        return Err(JudgeWeightsError::Header(command));
    }
    let (content, hash) = (bytes.split_last_chunk::<8>()).ok_or(JudgeWeightsError::Damaged)?;
    let numbers = content.get(header.len()..).unwrap_or_default();
    if fnv1a(content).to_le_bytes() != *hash || numbers.len() != 2 * count {
        return Err(JudgeWeightsError::Damaged);
    }
    let pairs = numbers.as_chunks::<2>().0;
    Ok(pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_back_and_damage_is_found() {
        let weights: Vec<i16> = (-300..300).collect();
        let bytes = encode(b"monju test v1\n", &weights);
        let read = |bytes: &[u8]| decode(bytes, b"monju test v1\n", weights.len(), "test");
        assert_eq!(read(&bytes).as_ref(), Ok(&weights));
        for broken in [&bytes[..bytes.len() - 1], &bytes[..20]] {
            assert_eq!(read(broken), Err(JudgeWeightsError::Damaged));
        }
        for other in [&bytes[1..], &[]] {
            assert_eq!(read(other), Err(JudgeWeightsError::Header("test")));
        }
        let mut changed = bytes;
        changed[40] ^= 1;
        assert_eq!(read(&changed), Err(JudgeWeightsError::Damaged));
    }
}
