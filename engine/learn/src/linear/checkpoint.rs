//! Checkpoints: the state from which a training continues as if it had never stopped.
//!
//! The file has the 20 bytes `monju learning v003\n`; the number of steps (8 bytes); loss and agreement
//! of each step; the number of parameters (8 bytes); the parameters, and the first and second moments
//! of their gradient; and the FNV-1a hash of all bytes before (8 bytes). Integers are little-endian,
//! other numbers 32-bit floating point.

use super::{optimizer::Optimizer, training::TrainingStep};
use monju_engine::fnv1a;

const MAGIC: &[u8; 20] = b"monju learning v003\n";

/// Error of reading a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The header is missing.
    #[error(
        "not a checkpoint of this version of 'monju learn linear'; remove it, or name another --output"
    )]
    Header,
    /// The length or the checksum is wrong.
    #[error("the checkpoint is damaged; remove it, or name another --output")]
    Damaged,
}

/// Encodes a checkpoint.
pub(super) fn to_bytes(history: &[TrainingStep], optimizer: &Optimizer) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((history.len() as u64).to_le_bytes());
    for step in history {
        bytes.extend(step.loss.to_le_bytes());
        bytes.extend(step.agreement.to_le_bytes());
    }
    let Optimizer {
        parameters,
        mean,
        square,
        steps: _,
    } = optimizer;
    bytes.extend((parameters.len() as u64).to_le_bytes());
    for number in parameters.iter().chain(mean).chain(square) {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(fnv1a(&bytes).to_le_bytes());
    bytes
}

/// Decodes a checkpoint with `count` parameters.
///
/// # Errors
/// The bytes are no checkpoint.
pub(super) fn from_bytes(
    bytes: &[u8],
    count: usize,
) -> Result<(Vec<TrainingStep>, Optimizer), CheckpointError> {
    if !bytes.starts_with(MAGIC) {
        return Err(CheckpointError::Header);
    }
    let (content, hash) = bytes
        .split_last_chunk::<8>()
        .ok_or(CheckpointError::Damaged)?;
    if fnv1a(content).to_le_bytes() != *hash {
        return Err(CheckpointError::Damaged);
    }
    let mut rest = content.get(MAGIC.len()..).ok_or(CheckpointError::Damaged)?;
    let history: Vec<TrainingStep> = take_numbers(&mut rest, 2)
        .ok_or(CheckpointError::Damaged)?
        .chunks_exact(2)
        .zip(1..)
        .map(|(pair, number)| TrainingStep {
            number,
            loss: pair[0],
            agreement: pair[1],
        })
        .collect();
    let state = take_numbers(&mut rest, 3).ok_or(CheckpointError::Damaged)?;
    if state.len() != 3 * count || !rest.is_empty() {
        return Err(CheckpointError::Damaged);
    }
    let optimizer = Optimizer {
        parameters: state[..count].to_vec(),
        mean: state[count..2 * count].to_vec(),
        square: state[2 * count..].to_vec(),
        steps: history.len() as u32,
    };
    Ok((history, optimizer))
}

/// Takes a count and that many groups of `width` floating-point numbers off the front.
fn take_numbers(bytes: &mut &[u8], width: usize) -> Option<Vec<f32>> {
    let (count, rest) = bytes.split_first_chunk::<8>()?;
    let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
    let (taken, rest) = rest.split_at_checked(count.checked_mul(4 * width)?)?;
    *bytes = rest;
    let numbers = taken.chunks_exact(4);
    Some(
        numbers
            .map(|number| f32::from_le_bytes([number[0], number[1], number[2], number[3]]))
            .collect(),
    )
}
