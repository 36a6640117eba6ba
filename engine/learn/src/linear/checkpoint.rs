//! Checkpoints: everything from which learning goes on as if it had never stopped.
//!
//! The file: 20 bytes `monju learning v002\n`; the number of steps
//! (8 bytes); for each, loss and agreement; the number of parameters (8 bytes); the parameters, and
//! the means and the mean squares of their slopes; the FNV-1a hash of all bytes before (8 bytes).
//! Numbers are little-endian, fractions are 32-bit.

use super::{Settings, Step, Trainer, optimizer::Optimizer, parameters::Groups};
use crate::records::Record;
use monju_engine::eval::{LinearWeights, fnv1a};
use std::sync::Arc;

const MAGIC: &[u8; 20] = b"monju learning v002\n";

/// Why bytes are no checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// Another format.
    #[error(
        "not a checkpoint of this version of 'monju learn linear'; learn anew without --resume"
    )]
    Header,
    /// Too short, too long, or not the bytes that were written.
    #[error("the checkpoint is damaged; learn anew without --resume")]
    Damaged,
}

impl Trainer {
    /// The file from which [`Trainer::resume`] goes on.
    pub fn checkpoint(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.history.len() as u64).to_le_bytes());
        for step in &self.history {
            bytes.extend(step.loss.to_le_bytes());
            bytes.extend(step.agreement.to_le_bytes());
        }
        let Optimizer {
            parameters,
            mean,
            square,
            steps: _,
        } = &self.optimizer;
        bytes.extend((parameters.len() as u64).to_le_bytes());
        for number in parameters.iter().chain(mean).chain(square) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(fnv1a(&bytes).to_le_bytes());
        bytes
    }

    /// Goes on where a checkpoint was made, given the same settings and games.
    ///
    /// # Errors
    /// The bytes are no checkpoint.
    pub fn resume(
        settings: Settings,
        games: Vec<Record>,
        bytes: &[u8],
    ) -> Result<Self, CheckpointError> {
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
        let history: Vec<Step> = numbers(&mut rest, 2)
            .ok_or(CheckpointError::Damaged)?
            .chunks_exact(2)
            .zip(1..)
            .map(|(pair, number)| Step {
                number,
                loss: pair[0],
                agreement: pair[1],
            })
            .collect();
        let state = numbers(&mut rest, 3).ok_or(CheckpointError::Damaged)?;
        let count = Groups::get().len();
        if state.len() != 3 * count || !rest.is_empty() {
            return Err(CheckpointError::Damaged);
        }
        let mut trainer = Self::new(settings, games);
        trainer.optimizer = Optimizer {
            parameters: state[..count].to_vec(),
            mean: state[count..2 * count].to_vec(),
            square: state[2 * count..].to_vec(),
            steps: history.len() as u32,
        };
        trainer.history = history;
        trainer.weights = Arc::new(LinearWeights::new(&trainer.values()));
        Ok(trainer)
    }
}

/// A number, and so many groups of `width` fractions.
fn numbers(bytes: &mut &[u8], width: usize) -> Option<Vec<f32>> {
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
