//! Checkpoints: everything from which learning goes on as if it had never stopped.
//!
//! The file: 20 bytes `monju learning v001\n`; the number of steps
//! (8 bytes); for each, loss and agreement; the number of parameters (8 bytes); the parameters, and
//! the means and the mean squares of their slopes. Numbers are little-endian, fractions are 32-bit.

use super::{Settings, Step, Trainer, optimizer::Optimizer, parameters::Groups};
use crate::{eval::LinearWeights, learn::records::Record};
use std::sync::Arc;

const MAGIC: &[u8; 20] = b"monju learning v001\n";

/// Why bytes are no checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// Another format.
    #[error("not a checkpoint of 'monju learn linear'")]
    Header,
    /// Too short or too long.
    #[error("the checkpoint is damaged or of another version; learn anew without --resume")]
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
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(CheckpointError::Header)?;
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
